package crossslot

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports lock commands that a cluster refuses.
var Check = &check.Check{
	Name:    "crossslot",
	Doc:     check.Manual(doc, "crossslot"),
	Default: true,
	Run:     run,
	Loose:   loose,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Remarks {
		if c := &u.Remarks[i]; c.Kind == lock.SlotsApart {
			report(finding(c))
		}
	}
}

func loose(r *lock.Remark, report func(lock.Finding)) {
	if r.Kind == lock.SlotsApart {
		report(finding(&r.Call))
	}
}

func finding(c *lock.Call) lock.Finding {
	return lock.Finding{
		At:    c.Position,
		Level: lock.Warning,
		Message: fmt.Sprintf("a cluster refuses this command (CROSSSLOT), so nobody gets through: %s names %s, which hash to different slots; put the part that they share in braces, as in lock:{id} and fence:{id}",
			check.Short(c.Call), c.Text),
	}
}
