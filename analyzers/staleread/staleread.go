package staleread

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports values read before the lock was taken and written back under it.
var Check = &check.Check{
	Name:    "staleread",
	Doc:     check.Manual(doc, "staleread"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Role == lock.RoleWrapper {
		return
	}
	for i := range u.Remarks {
		c := &u.Remarks[i]
		if c.Kind != lock.ReadBefore {
			continue
		}
		w := &lock.Write{Frame: c.Frame, Resource: c.Text}
		report(lock.Finding{
			At:    c.Position,
			Level: lock.Warning,
			Message: fmt.Sprintf("the change of the holder before is lost: %s writes back to %s what comes of a read (%s) before %s is taken (%s); read once more after the acquire",
				check.Short(c.Call), check.Resource(w), check.Place(c.Other.Position), check.Lock(u), check.Place(u.Acquire.Position)),
			Related: []lock.Frame{check.Frame(c.Other.Position, "read here"), check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))},
		})
	}
}
