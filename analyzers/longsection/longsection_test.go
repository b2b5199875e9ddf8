package longsection

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	page := lock.Call{Frame: recordtest.At("/m/a.go", 20), Call: "(*s3.ListObjectsV2Paginator).NextPage", Kind: lock.CallPage}
	use := func(change func(*lock.Use)) lock.Use {
		u := lock.Use{
			Role: lock.RoleUse, Key: "gc", Acquire: recordtest.At("/m/a.go", 10), Renewal: "none",
			TTL:     lock.TTL{Text: "30m", Seconds: 1800},
			Section: lock.Section{Why: "loop with remote calls", Longest: []lock.Call{page}},
			Writes:  []lock.Write{{Resource: "s3:objects"}},
		}
		change(&u)
		return u
	}
	kind := func(k string, limit float64) func(*lock.Use) {
		return func(u *lock.Use) {
			c := page
			c.Kind, c.Limit = k, limit
			u.Section.Longest = []lock.Call{c}
		}
	}
	short := func(ttl float64, k string) func(*lock.Use) {
		return func(u *lock.Use) {
			kind(k, 0)(u)
			u.TTL.Seconds = ttl
		}
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "endless", Use: use(func(*lock.Use) {}), Want: []string{`a.go:10 warning: lock "gc" lives 30m and is not renewed, but its section has no bound (loop with remote calls); bound the work`}},
		{Name: "names the queue", Use: use(func(*lock.Use) {}), Want: []string{"a.go:10 warning: (SQS)"}},
		{Name: "for a table", Use: use(func(u *lock.Use) { u.Writes[0].Resource = "sql:jobs" }), Want: []string{"a.go:10 warning: SKIP LOCKED"}},
		{Name: "sleeps too long", Use: use(func(u *lock.Use) { u.Section = lock.Section{Bounded: true, AtLeast: 1800} }), Want: []string{"a.go:10 warning: sleeps and waits for 1800s"}},
		{Name: "sleeps less", Use: use(func(u *lock.Use) { u.Section = lock.Section{AtLeast: 1799} })},
		{Name: "sleeps only", Use: use(kind(lock.CallSleep, 0))},
		{Name: "its deadline comes too late", Use: use(kind(lock.CallPage, 3600)), Want: []string{"a.go:10 warning: may take up to 3600s (page)"}},
		{Name: "its deadline comes with the end", Use: use(kind(lock.CallPage, 1800)), Want: []string{"a.go:10 warning: may take up to 1800s"}},
		{Name: "its deadline comes in time", Use: use(kind(lock.CallPage, 1500))},
		{Name: "list, long lease", Use: use(kind(lock.CallEachRequest, 0)), Want: []string{"a.go:10 note: has no bound"}},
		{Name: "list, short lease", Use: use(short(299, lock.CallEachRequest)), Want: []string{"a.go:10 warning: has no bound"}},
		{Name: "list in a database, short lease", Use: use(short(299, lock.CallEachQuery)), Want: []string{"a.go:10 note: has no bound"}},
		{Name: "list in a database, very short lease", Use: use(short(8, lock.CallEachQuery)), Want: []string{"a.go:10 warning: has no bound"}},
		{Name: "one request", Use: use(short(11, lock.CallRequest))},
		{Name: "one request, very short lease", Use: use(short(8, lock.CallRequest)), Want: []string{"a.go:10 note: no timeout in sight"}},
		{Name: "one request with a late timeout", Use: use(kind(lock.CallRequest, 3600)), Want: []string{"a.go:10 warning: may take up to 3600s (request)"}},
		{Name: "the worst decides", Use: use(func(u *lock.Use) {
			each := page
			each.Kind = lock.CallEachQuery
			u.Section.Longest = []lock.Call{each, page}
		}), Want: []string{"a.go:10 warning: has no bound"}},
		{Name: "nothing long", Use: use(func(u *lock.Use) { u.Section.Longest = nil })},
		{Name: "leader", Use: use(func(u *lock.Use) { u.Leader = true })},
		{Name: "renewed", Use: use(func(u *lock.Use) { u.Renewal = "goroutine" })},
		{Name: "renewed in between", Use: use(func(u *lock.Use) { u.Renewal = "explicit" })},
		{Name: "wrapper", Use: use(func(u *lock.Use) { u.Role = lock.RoleWrapper })},
		{Name: "time to live unknown", Use: use(func(u *lock.Use) { u.TTL = lock.TTL{} }), Want: []string{"a.go:10 note: is not told here"}},
		{Name: "time to live unknown, but bounded", Use: use(func(u *lock.Use) { u.TTL, u.Section.Bounded = lock.TTL{Source: "config"}, true })},
		{Name: "no lease", Use: use(func(u *lock.Use) { u.TTL = lock.TTL{Source: "none"} })},
	})
}
