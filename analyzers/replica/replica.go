package replica

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports decisions that are read from a copy of the store.
var Check = &check.Check{
	Name:    "replica",
	Doc:     check.Manual(doc, "replica"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Remarks {
		c := &u.Remarks[i]
		how := ""
		switch c.Kind {
		case lock.ReadReplica:
			how = fmt.Sprintf("reads from %s, which lags behind what the last holder wrote, and a write to the same place follows; read from the primary while the lock is held", check.Quote(c.Text))
		case lock.ReadStale:
			how = fmt.Sprintf("asks with %s, so that a server which lags behind the last holder may answer, and a write to the same key follows; ask for the latest state while the lock is held", c.Text)
		default:
			continue
		}
		report(lock.Finding{
			At:      c.Position,
			Level:   lock.Warning,
			Message: fmt.Sprintf("the work of the last holder is not seen and done again: under %s, %s %s", check.Lock(u), check.Short(c.Call), how),
			Related: []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))},
		})
	}
}
