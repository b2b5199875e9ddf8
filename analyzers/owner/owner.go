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
		if c.Kind != lock.OwnerShared {
			continue
		}
		report(lock.Finding{
			At:      c.Position,
			Level:   lock.Warning,
			Message: fmt.Sprintf("two goroutines of one process hold the lock at once: the acquire of %s lets its present owner in again, and the owner is %s, the same for every acquisition; add something random to it for each", check.Lock(u), c.Text),
		})
	}
}
