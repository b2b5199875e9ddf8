package lockdelay

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
	fenced := use(lock.DelayNone)
	fenced.Verdict = lock.Fenced
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "found", Use: use(lock.DelayNone), Want: []string{`a.go:30 note: lock "gc" is given on x after`}},
		{Name: "fenced", Use: fenced},
		{Name: "of another check", Use: use(lock.RenewSeldom)},
	})
}
