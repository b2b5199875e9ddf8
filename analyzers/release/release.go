package release

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports locks that are not given back, or given back wrongly.
var Check = &check.Check{
	Name:    "release",
	Doc:     check.Manual(doc, "release"),
	Default: true,
	Run:     check.Slips(say),
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

// say is the message for a slip, if it is about the release.
func say(u *lock.Use, s *lock.Slip) (lock.Level, string) {
	name, call, other := check.Lock(u), check.Short(s.Callee), check.Place(s.Other.Position)
	stuck := "until its lease ends"
	if u.Kind == lock.Advisory {
		stuck = "until its session ends"
	}
	switch s.Kind {
	case lock.SlipLeft:
		if s.Detail == "again" {
			return lock.Warning, fmt.Sprintf("nobody gets the lock any more: the loop comes back to %s while its object still holds %s, lost or not, so that it is refused and the old session is renewed on; release it at the end of each turn", check.Short(u.Call), name)
		}
		if s.Detail == "lost" {
			return lock.Warning, fmt.Sprintf("nobody gets the lock any more: where %s is lost the function goes on (%s) without a release, so that the old session is renewed on and may still hold it; release it there as well", name, other)
		}
		if s.Detail == "late" {
			return lock.Warning, fmt.Sprintf("the lock stays taken %s: a goroutine waits for %s, and where nobody waits for its answer any more (%s) it takes it all the same, for nobody; let a goroutine wait on and release what comes late", stuck, name, other)
		}
		if s.Detail == "several" {
			return lock.Warning, fmt.Sprintf("the lock stays taken %s: %s is taken for each of a list, and where one is refused the function returns (%s) and leaves the earlier ones, of which nobody knows; release them before that return", stuck, name, other)
		}
		if s.Detail == "dropped" {
			return lock.Warning, fmt.Sprintf("the lock stays taken %s: the function returns an error from %s and gives %s to nobody, who could release it; release it before that return", stuck, other, name)
		}
		return lock.Warning, fmt.Sprintf("the lock stays taken %s: the function goes on from %s with %s held, while other ways release it; release in a defer right after the acquire", stuck, other, name)
	case lock.SlipExit:
		if s.Detail == "deferred" {
			return lock.Warning, fmt.Sprintf("the lock stays taken %s: %s ends the process under %s and deferred calls do not run; return the error and exit outside of the section", stuck, call, name)
		}
		return lock.Warning, fmt.Sprintf("the lock stays taken %s: %s ends the process under %s; release before, or return the error and exit outside of the section", stuck, call, name)
	case lock.SlipForeign:
		if s.Detail != "" && u.TTL.Source == "none" {
			return lock.Note, fmt.Sprintf("two holders at once when somebody has cleared a stuck lock by hand: %s frees %s by its name, whoever holds it by then; store the holder, and name it in the condition of the delete", call, name)
		}
		if s.Detail != "" {
			return lock.Warning, fmt.Sprintf("two holders at once: %s frees %s by its name, whoever holds it by then; name the holder and the term in its WHERE clause", call, name)
		}
		if u.Kind == lock.Session {
			return lock.Warning, fmt.Sprintf("two holders at once: %s frees %s whoever holds it by then, for a session may have ended; release it in the name of its session", call, name)
		}
		return lock.Warning, fmt.Sprintf("two holders at once: %s frees %s whoever holds it by then, for a lease may have run out; compare the owner value and delete in one script", call, name)
	case lock.SlipConstant:
		return lock.Warning, fmt.Sprintf("two holders at once: every holder of %s stores the same owner value, so %s frees it whoever holds it by then; draw a random value for each acquisition", name, call)
	case lock.SlipShared:
		return lock.Note, fmt.Sprintf("two holders at once when the lease runs out: %s is released at %s, whoever holds it by then; compare the owner value and delete in one script there", name, other)
	case lock.SlipSteps:
		return lock.Warning, fmt.Sprintf("two holders at once: the owner of %s is compared first and %s frees it in a second step, so the lease can run out in between; compare and delete in one script", name, call)
	case lock.SlipTerm:
		return lock.Note, fmt.Sprintf("a late release ends the next term of the same holder: %s names the holder of %s but not %s, which tells terms apart; compare that as well", call, name, check.Quote(s.Detail))
	case lock.SlipUnheard:
		return lock.Note, fmt.Sprintf("nobody hears that two holders worked at once: whether %s was still there is told by the result of %s, and only its error is looked at; look at the result as well", name, call)
	case lock.SlipUnheld:
		return lock.Error, fmt.Sprintf("another holder loses the lock: %s releases %s on a way on which it was not taken; release only after the acquire has succeeded", call, name)
	case lock.SlipDead:
		return lock.Warning, fmt.Sprintf("the lock stays taken %s: the context of %s has %s by then, so the release of %s is not sent; use context.WithoutCancel with a timeout of its own", stuck, call, was(s.Detail), name)
	case lock.SlipDeadline:
		return lock.Warning, fmt.Sprintf("the lock stays taken %s when the work times out: %s releases %s with the context whose deadline (%s) bounds the work; use context.WithoutCancel with a timeout of its own", stuck, call, name, other)
	case lock.SlipRequest:
		return lock.Note, fmt.Sprintf("the lock stays taken %s when the caller gives up: %s releases %s with the caller's context; use context.WithoutCancel with a timeout of its own", stuck, call, name)
	case lock.SlipAnew:
		if s.Detail == "value" {
			return lock.Warning, fmt.Sprintf("the lock stays taken %s: %s compares an owner value that is drawn for it, and %s was taken with another; keep the value of the acquire, or hand it to whoever releases", stuck, call, name)
		}
		return lock.Warning, fmt.Sprintf("the lock stays taken %s: the object through which %s releases is made for that and holds nothing, for %s was taken through another; keep that one, or hand its release to the caller", stuck, call, name)
	case lock.SlipStacked:
		return lock.Warning, fmt.Sprintf("one release does not free the lock: the session that holds %s takes it once more, and session locks stack; ask the session with a ping, or release as often as the lock was taken", name)
	case lock.SlipReturned:
		if s.Detail == "before" {
			return lock.Warning, fmt.Sprintf("the lock stays taken: the connection of %s is back in its pool (%s) when %s unlocks through it, so the unlock does not arrive and the session in the pool keeps the lock; unlock first, and remember that what is deferred last runs first", name, other, call)
		}
		if s.Detail == "transaction" {
			return lock.Warning, fmt.Sprintf("the lock stays taken: nothing unlocks %s, which belongs to the session, and the end of the transaction (%s) only returns that to its pool with the lock; take the lock that ends with the transaction, or unlock", name, other)
		}
		return lock.Warning, fmt.Sprintf("the lock stays taken: nothing unlocks %s, and closing the connection (%s) only returns the session to its pool with the lock; unlock before", name, other)
	case lock.SlipAbandoned:
		if s.Detail == "kept" {
			return lock.Warning, fmt.Sprintf("the session outlives its lock: where %s is released (%s) nobody closes the session that was made for it, so that each acquisition leaves one more that is renewed as long as the process lives; close it there", name, other)
		}
		return lock.Warning, fmt.Sprintf("the session outlives its use: where %s is not taken (%s) nobody closes it, so that its place in the queue is kept as long as the session is renewed; close it in a defer", name, other)
	}
	return "", ""
}

func was(how string) string {
	if how == "cancelled" {
		return "been cancelled"
	}
	return how
}
