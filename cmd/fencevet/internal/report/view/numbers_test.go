package view_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func TestNumbers(t *testing.T) {
	inv := reporttest.Sample()
	inv.Locks[0].Owners = []string{"@money", "@shop/stock"}
	inv.Locks[1].Owners = nil
	inv.Locks[3].Class = "correctness" // by a decision: it is unverified
	for _, test := range []struct {
		by   view.Dimension
		want string
	}{
		{view.ByClass, "for correctness, but not fenced 1; undecided, looks like correctness 1; undecided, looks like efficiency 1; correctness 1; efficiency, risk accepted 1"},
		{view.ByLibrary, "consul 1; etcd concurrency 1; go-redis 1; redislock 1; redsync 1"},
		{view.ByPackage, "example.org/shop/stock 5"},
		{view.ByOwner, "@shop/stock 4; @money 1; nobody 1"},
	} {
		var all []string
		for _, n := range view.Numbers(inv, test.by) {
			all = append(all, fmt.Sprint(n.Name, " ", n.Locks))
		}
		if got := strings.Join(all, "; "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.by, got, test.want)
		}
	}
}

func TestParseDimensions(t *testing.T) {
	if got, err := view.ParseDimensions("owner,class,owner"); err != nil || !reflect.DeepEqual(got, []view.Dimension{view.ByOwner, view.ByClass}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "team", "class,"} {
		if _, err := view.ParseDimensions(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestCompare(t *testing.T) {
	before, now := reporttest.Sample(), reporttest.Sample()
	added := now.Locks[0]
	added.ID = "ffffffff"
	now.Locks[0].Verdict, now.Locks[0].Class = "unfenced", "undecided"
	now.Locks = append(now.Locks[:4], added) // the wrapper stays, two uses go
	before.Locks[2].ID = "eeeeeeee"          // of a wrapper, which nobody asks about
	trend := view.Compare(before, now, "before.json")
	ids := func(locks []inventory.Lock) (all []string) {
		for _, l := range locks {
			all = append(all, l.ID)
		}
		return all
	}
	if got := ids(trend.Added); !reflect.DeepEqual(got, []string{"ffffffff"}) {
		t.Errorf("added %q", got)
	}
	if got := ids(trend.Removed); !reflect.DeepEqual(got, ids(before.Locks[4:])) {
		t.Errorf("removed %q", got)
	}
	if len(trend.Changed) != 1 || trend.Changed[0].What() != "was fenced, is unfenced; was correctness, is undecided" {
		t.Errorf("changed %+v", trend.Changed)
	}
	var signs string
	for _, l := range trend.Lines() {
		signs += l.Sign
	}
	if signs != "~+--" {
		t.Errorf("lines %s", signs)
	}
	if got := trend.Sentence(); got != "Since before.json: 1 added, 2 removed, 1 judged differently." {
		t.Error(got)
	}
	if got := view.Compare(before, before, "x").Sentence(); got != "Since x no lock was added, removed or judged differently." {
		t.Error(got)
	}
}

func TestShortIDs(t *testing.T) {
	short := view.ShortIDs([]inventory.Lock{{ID: "aaaaaaaa11"}, {ID: "aaaaaaab22"}})
	if got := short("aaaaaaaa11"); got != "aaaaaaaa" {
		t.Errorf("got %s", got)
	}
	if got := view.ShortIDs(nil)("0123456789"); got != "012345" {
		t.Errorf("got %s", got)
	}
}

func TestInRepository(t *testing.T) {
	inv := &inventory.Inventory{Directory: "services/shop"}
	for file, want := range map[string]string{"a.go": "services/shop/a.go", "/elsewhere/a.go": "/elsewhere/a.go", "": ""} {
		if got := view.InRepository(inv, file); got != want {
			t.Errorf("%q: got %q, want %q", file, got, want)
		}
	}
}
