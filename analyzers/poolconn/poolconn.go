package poolconn

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports database locks that are taken through a connection pool.
var Check = &check.Check{
	Name:    "poolconn",
	Doc:     check.Manual(doc, "poolconn"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	// The statement itself is wrong, so it is reported where it stands: by the
	// wrapper that sends it, not by each of the wrapper's callers.
	if u.Kind != lock.Advisory {
		return
	}
	switch {
	case u.Scope == "transaction":
		alone(u, report)
	case u.Handle != "pool" && u.Handle != "pooler":
		strays(u, report)
	case len(u.Via) > 0:
	case u.Handle == "pool":
		report(lock.Finding{
			At:    u.Acquire.Position,
			Level: lock.Error,
			Message: fmt.Sprintf("the lock is stuck or guards nothing: %s belongs to one database session, but %s takes any connection of the pool, and the next statement or the unlock may get another; use one *sql.Conn (or a transaction with its transaction-level lock) from lock to unlock",
				check.Lock(u), check.Short(u.Call)),
		})
	default:
		report(lock.Finding{
			At:    u.Acquire.Position,
			Level: lock.Error,
			Message: fmt.Sprintf("the lock is stuck or guards nothing: %s belongs to one database session, but the connection goes through a pooler, which may run the next statement or the unlock on another; connect to the database itself, or use a transaction-level lock",
				check.Lock(u)),
		})
	}
}

// alone reports a lock of a transaction which is over when the statement that takes it is.
func alone(u *lock.Use, report func(lock.Finding)) {
	if u.Handle != "pool" || len(u.Via) > 0 {
		return
	}
	report(lock.Finding{
		At:    u.Acquire.Position,
		Level: lock.Error,
		Message: fmt.Sprintf("the lock guards nothing: %s ends with its transaction, and %s runs the statement in one of its own, so it is gone when the call returns; begin a transaction, and do the work in it",
			check.Lock(u), check.Short(u.Call)),
	})
}

// strays reports releases on another session than that which took the lock, wherever they
// stand.
func strays(u *lock.Use, report func(lock.Finding)) {
	at := u.Acquire
	if n := len(u.Via); n > 0 {
		at = u.Via[n-1]
	}
	for _, c := range u.Strays {
		report(lock.Finding{
			At:    c.Position,
			Level: lock.Error,
			Message: fmt.Sprintf("the lock stays held: %s was taken on another connection (%s) than %s releases it on, and a session can only release its own; use the connection that took it",
				check.Lock(u), check.Place(at.Position), check.Short(c.Call)),
			Related: []lock.Frame{check.Frame(at.Position, "%s acquired here", check.Lock(u))},
		})
	}
}
