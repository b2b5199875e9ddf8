package redundantlock

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	write := lock.Write{Frame: recordtest.At("/m/a.go", 20), Operation: "INSERT", Resource: "sql:job", Condition: lock.Unique}
	use := func(change func(*lock.Use)) lock.Use {
		u := lock.Use{Role: lock.RoleUse, Verdict: lock.Fenced, Key: "gc", Acquire: recordtest.At("/m/a.go", 10), Writes: []lock.Write{write}}
		change(&u)
		return u
	}
	with := func(c lock.Condition) lock.Use {
		return use(func(u *lock.Use) {
			w := write
			w.Condition = c
			u.Writes = append(u.Writes, w)
		})
	}
	step := func(change func(*lock.Use)) lock.Use {
		return use(func(u *lock.Use) {
			u.Verdict = lock.Unfenced
			u.Writes = []lock.Write{{Frame: recordtest.At("/m/a.go", 20), Operation: "ZREM", Resource: "redis:due", Condition: lock.None}}
			change(u)
		})
	}
	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "unique", Use: use(func(*lock.Use) {}), Want: []string{`a.go:10 note: INSERT of table job is refused by the resource itself when another was first (unique), so lock "gc" adds`}},
		{Name: "and version", Use: with(lock.Version), Want: []string{"a.go:10 note: (unique)"}},
		{Name: "one carries a token", Use: with(lock.Token)},
		{Name: "one asks for the owner", Use: with(lock.Owner)},
		{Name: "one after the release", Use: use(func(u *lock.Use) { u.Writes[0].After = true })},
		{Name: "the lock's own record", Use: use(func(u *lock.Use) { u.Writes[0].Own = true })},
		{Name: "nothing written", Use: use(func(u *lock.Use) { u.Writes = nil })},
		{Name: "not all in sight", Use: use(func(u *lock.Use) { u.Verdict = lock.Unverified })},
		{Name: "one step", Use: step(func(*lock.Use) {}), Want: []string{"a.go:10 note: ZREM of Redis key due is one step of the store's own"}},
		{Name: "one step after a read", Use: step(func(u *lock.Use) { u.Reads = true })},
		{Name: "two steps", Use: step(func(u *lock.Use) { u.Writes = append(u.Writes, u.Writes[0]) })},
		{Name: "one step in view", Use: step(func(u *lock.Use) { u.Unseen = []lock.Reason{lock.ReasonCallback} })},
		{Name: "a claim comes first", Use: use(func(u *lock.Use) {
			asked := true
			u.Verdict, u.Writes[0].Condition, u.Writes[0].Checked = lock.Unfenced, lock.Version, &asked
			u.Writes = append(u.Writes, lock.Write{Frame: recordtest.At("/m/a.go", 30), Operation: "UPDATE", Resource: "sql:users", Condition: lock.None})
		}), Want: []string{"a.go:10 note: INSERT of table job comes first"}},
		{Name: "a claim comes before what asks for the owner", Use: use(func(u *lock.Use) {
			asked := true
			u.Writes[0].Checked = &asked
			u.Writes = append(u.Writes, lock.Write{Frame: recordtest.At("/m/a.go", 30), Operation: "Put", Resource: "etcd:scheme", Condition: lock.Owner})
		})},
		{Name: "a leader claims", Use: use(func(u *lock.Use) {
			asked := true
			u.Kind, u.Verdict, u.Writes[0].Condition, u.Writes[0].Checked = lock.Election, lock.Unfenced, lock.Version, &asked
			u.Writes = append(u.Writes, lock.Write{Frame: recordtest.At("/m/a.go", 30), Operation: "UPDATE", Resource: "sql:users", Condition: lock.None})
		})},
		{Name: "wrapper", Use: use(func(u *lock.Use) { u.Role = lock.RoleWrapper })},
	})
}
