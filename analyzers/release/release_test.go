package release

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(kind, detail string, change func(*lock.Use)) lock.Use {
		at := recordtest.At("/m/a.go", 20)
		at.Callee = "(*redis.Client).Del"
		u := lock.Use{
			Key: "k", Acquire: recordtest.At("/m/a.go", 10),
			Slips: []lock.Slip{{Frame: at, Kind: kind, Detail: detail, Other: recordtest.At("/m/a.go", 15)}},
		}
		if change != nil {
			change(&u)
		}
		return u
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "left", Use: use(lock.SlipLeft, "", nil), Want: []string{`a.go:20 warning: the lock stays taken until its lease ends: the function goes on from a.go:15 with lock "k" held`}},
		{Name: "left, session", Use: use(lock.SlipLeft, "", func(u *lock.Use) { u.Kind = lock.Advisory }), Want: []string{"a.go:20 warning: until its session ends"}},
		{Name: "dropped", Use: use(lock.SlipLeft, "dropped", nil), Want: []string{`a.go:20 warning: returns an error from a.go:15 and gives lock "k" to nobody`}},
		{Name: "lost", Use: use(lock.SlipLeft, "lost", nil), Want: []string{`a.go:20 warning: nobody gets the lock any more: where lock "k" is lost the function goes on (a.go:15) without a release`}},
		{Name: "several", Use: use(lock.SlipLeft, "several", nil), Want: []string{`a.go:20 warning: where one is refused the function returns (a.go:15) and leaves the earlier ones`}},
		{Name: "exit", Use: use(lock.SlipExit, "", nil), Want: []string{"a.go:20 warning: release before"}},
		{Name: "exit past a defer", Use: use(lock.SlipExit, "deferred", nil), Want: []string{"a.go:20 warning: deferred calls do not run"}},
		{Name: "key", Use: use(lock.SlipForeign, "", nil), Want: []string{`a.go:20 warning: Del frees lock "k" whoever holds it by then`}},
		{Name: "row", Use: use(lock.SlipForeign, "lease", nil), Want: []string{"a.go:20 warning: name the holder and the term"}},
		{Name: "shared", Use: use(lock.SlipShared, "", nil), Want: []string{"a.go:20 note: is released at a.go:15, whoever holds it"}},
		{Name: "two steps", Use: use(lock.SlipSteps, "", nil), Want: []string{"a.go:20 warning: in a second step"}},
		{Name: "term", Use: use(lock.SlipTerm, "since", nil), Want: []string{`a.go:20 note: but not "since"`}},
		{Name: "unheld", Use: use(lock.SlipUnheld, "", nil), Want: []string{"a.go:20 error: on a way on which it was not taken"}},
		{Name: "context ended", Use: use(lock.SlipDead, "ended", nil), Want: []string{"a.go:20 warning: the context of Del has ended by then"}},
		{Name: "context cancelled", Use: use(lock.SlipDead, "cancelled", nil), Want: []string{"a.go:20 warning: the context of Del has been cancelled by then"}},
		{Name: "deadline", Use: use(lock.SlipDeadline, "", nil), Want: []string{"a.go:20 warning: whose deadline (a.go:15) bounds the work"}},
		{Name: "unheard", Use: use(lock.SlipUnheard, "", nil), Want: []string{"a.go:20 note: only its error is looked at"}},
		{Name: "caller's context", Use: use(lock.SlipRequest, "", nil), Want: []string{"a.go:20 note: with the caller's context"}},
		{Name: "stacked", Use: use(lock.SlipStacked, "", nil), Want: []string{"a.go:20 warning: session locks stack"}},
		{Name: "returned", Use: use(lock.SlipReturned, "", nil), Want: []string{"a.go:20 warning: nothing unlocks"}},
		{Name: "returned before", Use: use(lock.SlipReturned, "before", nil), Want: []string{"a.go:20 warning: is back in its pool (a.go:15) when Del unlocks through it"}},
		{Name: "abandoned", Use: use(lock.SlipAbandoned, "", nil), Want: []string{"a.go:20 warning: nobody closes it"}},
		{Name: "another check's", Use: use(lock.SlipOpen, "", nil)},
		{Name: "none", Use: use(lock.SlipLeft, "", func(u *lock.Use) { u.Slips = nil })},
	})
}
