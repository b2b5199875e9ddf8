package owner

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind string) lock.Use {
		c := lock.Call{Frame: recordtest.At("/m/a.go", 30), Call: "(*redis.Client).Expire", Kind: kind}
		c.Text = "x"
		return lock.Use{Role: lock.RoleUse, Verdict: lock.Unfenced, Key: "gc", Acquire: recordtest.At("/m/a.go", 10), Remarks: []lock.Call{c}}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "found", Use: use(lock.OwnerShared), Want: []string{`a.go:30 warning: the acquire of lock "gc" lets its present owner in again, and the owner is x`}},
		{Name: "session", Use: use(lock.SessionShared), Want: []string{`a.go:30 warning: the acquire of lock "gc" lets its present owner in again, and the owner is the session, which they share`}},
		{Name: "identity", Use: use(lock.IdentityShared), Want: []string{`a.go:30 warning: each finds its own name in the record of lock "gc", for the identity is x in every process`}},
		{Name: "of another check", Use: use(lock.RenewSeldom)},
	})
}
