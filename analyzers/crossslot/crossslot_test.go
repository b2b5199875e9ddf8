package crossslot

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind string) lock.Use {
		c := lock.Call{Frame: recordtest.At("/m/a.go", 30), Call: "(*redis.Script).Run", Kind: kind}
		c.Text = `"lock:%s" and "fence:%s"`
		return lock.Use{Role: lock.RoleUse, Acquire: recordtest.At("/m/a.go", 10), Remarks: []lock.Call{c}}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "apart", Use: use(lock.SlotsApart), Want: []string{`a.go:30 warning: Run names "lock:%s" and "fence:%s"`}},
		{Name: "of another check", Use: use(lock.RenewSeldom)},
	})
}
