package longsection

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	page := lock.Call{Frame: recordtest.At("/m/a.go", 20), Call: "(*s3.ListObjectsV2Paginator).NextPage", Kind: "page"}
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
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "endless", Use: use(func(*lock.Use) {}), Want: []string{`a.go:10 warning: lock "gc" lives 30m and is not renewed, but its section has no bound (loop with remote calls); bound the work`}},
		{Name: "names the queue", Use: use(func(*lock.Use) {}), Want: []string{"a.go:10 warning: (SQS)"}},
		{Name: "for a table", Use: use(func(u *lock.Use) { u.Writes[0].Resource = "sql:jobs" }), Want: []string{"a.go:10 warning: SKIP LOCKED"}},
		{Name: "sleeps too long, though bounded", Use: use(func(u *lock.Use) { u.Section = lock.Section{Bounded: true, AtLeast: 1800} }), Want: []string{"a.go:10 warning: takes at least 1800s"}},
		{Name: "sleeps less", Use: use(func(u *lock.Use) { u.Section = lock.Section{AtLeast: 1799} })},
		{Name: "sleeps only, for how long is unknown", Use: use(func(u *lock.Use) { u.Section.Longest[0].Kind = "sleep" })},
		{Name: "its deadline comes too late", Use: use(func(u *lock.Use) { u.Section.Bounded = true; u.Section.Deadline = 3600 }), Want: []string{"a.go:10 warning: may take up to 3600s"}},
		{Name: "its deadline comes in time", Use: use(func(u *lock.Use) { u.Section.Bounded = true; u.Section.Deadline = 1500 })},
		{Name: "bounded", Use: use(func(u *lock.Use) { u.Section.Bounded = true })},
		{Name: "leader", Use: use(func(u *lock.Use) { u.Leader = true })},
		{Name: "renewed", Use: use(func(u *lock.Use) { u.Renewal = "goroutine" })},
		{Name: "wrapper", Use: use(func(u *lock.Use) { u.Role = lock.RoleWrapper })},
		{Name: "time to live unknown", Use: use(func(u *lock.Use) { u.TTL = lock.TTL{} })},
	})
}
