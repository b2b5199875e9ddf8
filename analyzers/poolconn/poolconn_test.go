package poolconn

import (
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/recordtest"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestCheck(t *testing.T) {
	use := func(change func(*lock.Use)) lock.Use {
		u := lock.Use{
			Kind: lock.Advisory, Scope: "session", Handle: "pool", Key: "id",
			Acquire: recordtest.At("/m/a.go", 10), Call: "(*sql.DB).ExecContext",
		}
		change(&u)
		return u
	}
	stray := lock.Call{Frame: recordtest.At("/m/a.go", 30), Call: "(*sql.DB).ExecContext"}

	recordtest.Run(t, Check, []recordtest.Test{
		{Name: "pool", Use: use(func(*lock.Use) {}), Want: []string{`a.go:10 error: lock "id" belongs to one database session, but ExecContext takes any connection`}},
		{Name: "in a wrapper", Use: use(func(u *lock.Use) { u.Role = lock.RoleWrapper }), Want: []string{"a.go:10 error: "}},
		{Name: "of a wrapper's caller", Use: use(func(u *lock.Use) { u.Via = []lock.Frame{{}} })},
		{Name: "pooler", Use: use(func(u *lock.Use) { u.Handle = "pooler" }), Want: []string{"a.go:10 error: goes through a pooler"}},
		{Name: "one connection", Use: use(func(u *lock.Use) { u.Handle = "conn" })},
		{Name: "unknown handle", Use: use(func(u *lock.Use) { u.Handle = "unknown" })},
		{Name: "transaction lock", Use: use(func(u *lock.Use) { u.Scope, u.Handle = "transaction", "tx" })},
		{Name: "transaction lock without one", Use: use(func(u *lock.Use) { u.Scope = "transaction" }), Want: []string{`a.go:10 error: lock "id" ends with its transaction, and ExecContext runs the statement in one of its own`}},
		{Name: "of its wrapper's caller", Use: use(func(u *lock.Use) { u.Scope = "transaction"; u.Via = []lock.Frame{{}} })},
		{Name: "other unlock", Use: use(func(u *lock.Use) { u.Handle = "conn"; u.Strays = []lock.Call{stray} }), Want: []string{"a.go:30 error: taken on another connection (a.go:10) than ExecContext"}},
		{Name: "both through the pool", Use: use(func(u *lock.Use) { u.Strays = []lock.Call{stray} }), Want: []string{"a.go:10 error: "}},
	})
}
