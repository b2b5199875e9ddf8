package owner

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports owners whose name others share.
var Check = &check.Check{
	Name:    "owner",
	Doc:     check.Manual(doc, "owner"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Remarks {
		c := &u.Remarks[i]
		message := ""
		switch c.Kind {
		case lock.OwnerShared:
			message = fmt.Sprintf("two goroutines of one process hold the lock at once: the acquire of %s lets its present owner in again, and the owner is %s, the same for every acquisition; add something random to it for each", check.Lock(u), c.Text)
		case lock.SessionShared:
			message = fmt.Sprintf("two goroutines of one process hold the lock at once: the acquire of %s lets its present owner in again, and the owner is the session, which they share; make a session for each acquisition, or let them wait for a sync.Mutex first", check.Lock(u))
		case lock.IdentityShared:
			message = fmt.Sprintf("two processes lead at once: each finds its own name in the record of %s, for the identity is %s in every process; make it of the name of the host and something random", check.Lock(u), c.Text)
		default:
			continue
		}
		report(lock.Finding{At: c.Position, Level: lock.Warning, Message: message})
	}
}
