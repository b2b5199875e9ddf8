package inventory

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/fencevet/fencevet/passes/lock"
)

func use(file string, line int, change func(*lock.Use)) *lock.Use {
	u := &lock.Use{
		Role: lock.RoleUse, Kind: lock.Lease, Library: "redsync", Package: "example.org/shop/stock", Key: "stock:%d",
		Acquire: lock.Frame{Position: lock.Position{File: file, Line: line, Column: 2}, Function: "(*Service).Reserve"},
		Call:    "(*redsync.Mutex).LockContext", Verdict: lock.Unverified,
	}
	if change != nil {
		change(u)
	}
	return u
}

func TestNoNullArrays(t *testing.T) {
	inv := Build([]*lock.Use{use("/m/a.go", 1, nil)}, []lock.Finding{{Check: "x"}}, Options{Root: "/m"})
	text, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	// These four are null where there is nothing to say; no array may be.
	for _, key := range []string{"ordered", "checked", "decision", "suppressed"} {
		text = bytes.ReplaceAll(text, []byte(`"`+key+`":null`), nil)
	}
	if bytes.Contains(text, []byte("null")) {
		t.Errorf("a null array: %s", text)
	}
	empty, err := json.Marshal(Build(nil, nil, Options{}))
	if err != nil || bytes.Contains(empty, []byte("null")) {
		t.Errorf("empty inventory: %s, %v", empty, err)
	}
}

func TestSortedAndRelative(t *testing.T) {
	b, a, outside := use("/m/b.go", 1, nil), use("/m/a.go", 2, nil), use("/other/c.go", 1, nil)
	b.Writes = []lock.Write{
		{Frame: lock.Frame{Position: lock.Position{File: "/m/z.go", Line: 3}}},
		{Frame: lock.Frame{Position: lock.Position{File: "/m/b.go", Line: 9}}, Fault: "not stored", Compared: "random"},
		{Frame: lock.Frame{Position: lock.Position{File: "/m/b.go", Line: 5}}, Own: true},
	}
	b.Unseen = []lock.Reason{lock.ReasonRPC, lock.ReasonCallback, lock.ReasonRPC}
	inv := Build([]*lock.Use{outside, b, a}, nil, Options{Root: "/m", Modules: []string{"z", "a"}, Incomplete: []Incomplete{{Package: "z"}, {Package: "a"}}})

	var files []string
	for _, l := range inv.Locks {
		files = append(files, l.Acquire.File)
	}
	if want := []string{"a.go", "b.go", "/other/c.go"}; !reflect.DeepEqual(files, want) {
		t.Errorf("files: got %q, want %q", files, want)
	}
	lockB := inv.Locks[1]
	if len(lockB.Writes) != 2 || lockB.Writes[0].Line != 9 || lockB.Writes[1].File != "z.go" {
		t.Errorf("writes: %+v", lockB.Writes)
	}
	if note := lockB.Writes[0].Note; note != "not stored; compared as token: random" {
		t.Errorf("note: %q", note)
	}
	if want := []string{"callback", "rpc"}; !reflect.DeepEqual(lockB.Unseen, want) {
		t.Errorf("unseen: got %q, want %q", lockB.Unseen, want)
	}
	if inv.Modules[0] != "a" || inv.Incomplete[0].Package != "a" {
		t.Errorf("not sorted: %v, %v", inv.Modules, inv.Incomplete)
	}
}

func TestFingerprint(t *testing.T) {
	id := func(uses ...*lock.Use) []string {
		var ids []string
		for _, l := range Build(uses, nil, Options{Root: "/m"}).Locks {
			ids = append(ids, l.ID)
		}
		return ids
	}
	base := id(use("/m/a.go", 1, nil))
	if moved := id(use("/m/a.go", 77, nil)); moved[0] != base[0] {
		t.Error("the line number is in the fingerprint")
	}
	twice := id(use("/m/a.go", 1, nil), use("/m/a.go", 9, nil))
	if twice[0] != base[0] || twice[1] == base[0] {
		t.Errorf("two alike: %q, one: %q", twice, base)
	}
	for name, change := range map[string]func(*lock.Use){
		"package":  func(u *lock.Use) { u.Package = "x" },
		"function": func(u *lock.Use) { u.Acquire.Function = "x" },
		"call":     func(u *lock.Use) { u.Call = "x" },
		"key":      func(u *lock.Use) { u.Key = "x" },
	} {
		if other := id(use("/m/a.go", 1, change)); other[0] == base[0] {
			t.Errorf("the %s is not in the fingerprint", name)
		}
	}
}

func TestSummary(t *testing.T) {
	verdict := func(v lock.Verdict) *lock.Use { return use("/m/a.go", 1, func(u *lock.Use) { u.Verdict = v }) }
	wrapper := verdict(lock.Unfenced)
	wrapper.Role = lock.RoleWrapper
	inv := Build([]*lock.Use{
		verdict(lock.Fenced), verdict(lock.Unfenced), verdict(lock.Unverified), verdict(lock.NoVisibleWrite), verdict(lock.Fenced), wrapper,
	}, nil, Options{})
	want := Summary{Locks: 5, Fenced: 2, Unfenced: 1, Unverified: 1, NoVisibleWrite: 1, Correctness: 2, Undecided: 3}
	if inv.Summary != want || len(inv.Locks) != 6 {
		t.Errorf("got %+v of %d locks, want %+v of 6", inv.Summary, len(inv.Locks), want)
	}
}

func TestFinding(t *testing.T) {
	u := use("/m/a.go", 1, nil)
	inv := Build([]*lock.Use{u}, []lock.Finding{{
		Check: "unfenced", Level: lock.Error, At: lock.Position{File: "/m/b/b.go", Line: 4, Column: 7}, Message: "m", Use: u,
		Related: []lock.Frame{{Position: u.Acquire.Position, Text: "here"}},
	}}, Options{Root: "/m"})
	want := Finding{
		Check: "unfenced", Level: "error", File: "b/b.go", Line: 4, Column: 7, Message: "m", Lock: inv.Locks[0].ID,
		Related: []Related{{File: "a.go", Line: 1, Message: "here"}},
	}
	if !reflect.DeepEqual(inv.Findings, []Finding{want}) {
		t.Errorf("got %+v, want %+v", inv.Findings, want)
	}
}

func TestDecision(t *testing.T) {
	const today = "2027-06-30"
	decided := func(verdict lock.Verdict, kind lock.Class, until string) *lock.Use {
		return use("/m/a.go", 9, func(u *lock.Use) {
			u.Verdict = verdict
			u.Decision = &lock.Decision{Position: lock.Position{File: "/m/a.go", Line: 8}, Kind: kind, Reason: "r", Owner: "o", Until: until}
		})
	}
	for _, test := range []struct {
		use   *lock.Use
		class lock.Class
		want  Decision
	}{
		{decided(lock.Unfenced, lock.Efficiency, ""), lock.Efficiency, Decision{Kind: "efficiency"}},
		{decided(lock.Unfenced, lock.Efficiency, today), lock.Efficiency, Decision{Kind: "efficiency", Until: today}},
		{decided(lock.Unfenced, lock.Efficiency, "2027-06-29"), lock.Undecided, Decision{Kind: "efficiency", Until: "2027-06-29", Expired: true}},
		{decided(lock.Unverified, lock.Correctness, ""), lock.Correctness, Decision{Kind: "correctness"}},
		{decided(lock.Fenced, lock.Efficiency, ""), lock.Correctness, Decision{Kind: "efficiency"}},
	} {
		test.want.Reason, test.want.Owner, test.want.File, test.want.Line = "r", "o", "a.go", 8
		inv := Build([]*lock.Use{test.use}, nil, Options{Root: "/m", Today: today})
		l := inv.Locks[0]
		if l.Class != string(test.class) || l.Decision == nil || *l.Decision != test.want {
			t.Errorf("class %s, decision %+v; want %s, %+v", l.Class, l.Decision, test.class, test.want)
		}
	}
}

func TestSuppressed(t *testing.T) {
	f := lock.Finding{Check: "units", Suppressed: &lock.Suppression{Position: lock.Position{File: "/m/a.go", Line: 8}, By: "directive", Reason: "r", Owner: "o"}}
	got := Build(nil, []lock.Finding{f}, Options{Root: "/m"}).Findings[0].Suppressed
	if want := (Suppression{By: "directive", Reason: "r", Owner: "o", File: "a.go", Line: 8}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
