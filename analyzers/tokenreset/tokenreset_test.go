package tokenreset

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
	ordered, random := true, false
	token := func(o *bool, source, resets string) lock.Use {
		u := use("")
		u.Token = lock.TokenInfo{Source: source, Ordered: o, Resets: resets}
		return u
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "deleted", Use: use(lock.TokenDeleted), Want: []string{`a.go:30 warning: Expire deletes the counter "x" of the tokens of lock "gc", and it starts at 1 again`}},
		{Name: "expires", Use: use(lock.TokenExpires), Want: []string{`a.go:30 warning: Expire gives the counter "x" of the tokens of lock "gc" an end`}},
		{Name: "restarts", Use: token(&ordered, "pair.LockIndex", "it restarts"), Want: []string{`a.go:10 note: pair.LockIndex orders the holders of lock "gc", but it restarts`}},
		{Name: "ends for sure", Use: func() lock.Use {
			u := use(lock.TokenExpires)
			u.Token = lock.TokenInfo{Source: "pair.LockIndex", Ordered: &ordered, Resets: "it restarts"}
			return u
		}(), Want: []string{`a.go:30 warning: Expire gives the counter "x"`}},
		{Name: "does not restart", Use: token(&ordered, "election.Rev()", "")},
		{Name: "a counter like any other", Use: token(&ordered, "redis INCR", "it expires")},
		{Name: "no order to lose", Use: token(&random, "lock.Token()", "it expires")},
		{Name: "no token", Use: use("")},
	})
}
