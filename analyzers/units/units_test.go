package units

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind, text string) lock.Use {
		c := lock.Call{Frame: recordtest.At("/m/a.go", 30), Call: "time.NewTicker", Kind: kind}
		c.Text = text
		return lock.Use{Role: lock.RoleUse, Key: "gc", Acquire: recordtest.At("/m/a.go", 10), Remarks: []lock.Call{c}}
	}
	scale := func(share float64, text string) lock.Use {
		u := use(lock.DurationScale, text)
		u.Remarks[0].Share = share
		return u
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "bare", Use: use(lock.DurationBare, "ttl / 3"), Want: []string{`a.go:30 error: NewTicker is given "ttl / 3" without a unit`}},
		{Name: "instant", Use: use(lock.DurationInstant, "deadline"), Want: []string{`a.go:30 error: NewTicker takes a length of time for lock "gc", and is given a point in time ("deadline")`}},
		{Name: "tiny", Use: use(lock.DurationTiny, "30ns"), Want: []string{`a.go:30 error: lock "gc" lives 30ns`}},
		{Name: "cut", Use: use(lock.DurationCut, "800ms in whole seconds"), Want: []string{"a.go:30 error: nothing is left of 800ms in whole seconds"}},
		{Name: "range", Use: use(lock.DurationRange, "5s is less"), Want: []string{"a.go:30 warning: out of range (5s is less)"}},
		{Name: "squared", Use: use(lock.DurationSquared, "ttl * 1000000000"), Want: []string{`a.go:30 error: NewTicker is given "ttl * 1000000000", a duration multiplied by one`}},
		{Name: "too long", Use: scale(1000, "seconds, and is given milliseconds"), Want: []string{"a.go:30 error: stays 1000 times as long as is meant: NewTicker counts seconds, and is given milliseconds"}},
		{Name: "too short", Use: scale(0.001, "milliseconds, and is given seconds"), Want: []string{`a.go:30 error: lock "gc" lives 0.001 of the time that is meant: NewTicker counts milliseconds, and is given seconds`}},
		{Name: "of another check", Use: use(lock.RenewSeldom, "")},
	})
}
