package renewal

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind, text string, share float64) lock.Use {
		c := lock.Call{Frame: recordtest.At("/m/a.go", 30), Call: "(*redsync.Mutex).Extend", Kind: kind, Share: share}
		c.Text = text
		return lock.Use{Role: lock.RoleUse, Key: "gc", Acquire: recordtest.At("/m/a.go", 10), Remarks: []lock.Call{c}}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "unwatched", Use: use(lock.LossUnwatched, "nobody asks Done", 0), Want: []string{`a.go:30 warning: when lock "gc" is lost, next to the next holder's: nobody asks Done; cancel`}},
		{Name: "unheard", Use: use(lock.RenewUnheard, "its result is dropped", 0), Want: []string{"a.go:30 warning: Extend renews it, and its result is dropped"}},
		{Name: "unowned", Use: use(lock.RenewUnowned, "", 0), Want: []string{`a.go:30 warning: Extend extends lock "gc" whoever holds it`}},
		{Name: "bound", Use: use(lock.RenewBound, "the context ends after 5s", 0), Want: []string{"a.go:30 warning: (the context ends after 5s)"}},
		{Name: "taken again", Use: use(lock.RenewAgain, "", 0), Want: []string{"a.go:30 warning: again, which a live lock refuses"}},
		{Name: "without an end", Use: use(lock.RenewForever, "", 0), Want: []string{"a.go:30 warning: nothing ends the loop"}},
		{Name: "as long as the lease", Use: use(lock.RenewSeldom, "10s", 1), Want: []string{"a.go:30 warning: every 10s, the whole of its time to live"}},
		{Name: "longer than the lease", Use: use(lock.RenewSeldom, "30s", 3), Want: []string{"a.go:30 warning: 3 times the whole of"}},
		{Name: "most of the lease", Use: use(lock.RenewSeldom, "9s", 0.9), Want: []string{"a.go:30 warning: every 9s, 90% of"}},
		{Name: "half the lease", Use: use(lock.RenewSeldom, "5s", 0.5), Want: []string{"a.go:30 note: every 5s, 50% of"}},
		{Name: "of another check", Use: use(lock.OwnerShared, "", 0)},
	})
}

func TestLoose(t *testing.T) {
	r := lock.Remark{Call: lock.Call{Frame: recordtest.At("/m/a.go", 30), Call: "Refresh", Kind: lock.RenewUnheard}}
	other := r
	other.Kind = "wall"
	found := Check.Find(nil, r, other)
	if len(found) != 1 || found[0].Level != lock.Warning || check.Place(found[0].At) != "a.go:30" {
		t.Errorf("got %+v, want one warning at a.go:30", found)
	}
}
