package failover

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(change func(*lock.Use)) lock.Use {
		u := lock.Use{Role: lock.RoleUse, Verdict: lock.Unfenced, Store: "sentinel", Key: "gc", Acquire: recordtest.At("/m/a.go", 10)}
		change(&u)
		return u
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "sentinel", Use: use(func(*lock.Use) {}), Want: []string{`a.go:10 note: lock "gc" lives in Redis (sentinel)`}},
		{Name: "cluster", Use: use(func(u *lock.Use) { u.Store = "cluster" }), Want: []string{"a.go:10 note: (cluster)"}},
		{Name: "one server", Use: use(func(u *lock.Use) { u.Store = "" })},
		{Name: "fenced", Use: use(func(u *lock.Use) { u.Verdict = lock.Fenced })},
		{Name: "out of sight", Use: use(func(u *lock.Use) { u.Verdict = lock.Unverified })},
		{Name: "wrapper", Use: use(func(u *lock.Use) { u.Role = lock.RoleWrapper })},
	})
}
