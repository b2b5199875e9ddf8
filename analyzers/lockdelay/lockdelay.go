package lockdelay

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports Consul locks that change hands without a delay.
var Check = &check.Check{
	Name:    "lockdelay",
	Doc:     check.Manual(doc, "lockdelay"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Verdict == lock.Fenced {
		return
	}
	for i := range u.Remarks {
		c := &u.Remarks[i]
		if c.Kind != lock.DelayNone {
			continue
		}
		report(lock.Finding{
			At:      c.Position,
			Level:   lock.Note,
			Message: fmt.Sprintf("the last holder still writes when the next one starts: %s is given on %s after its session is gone; keep the default of 15 seconds unless the writes are fenced", check.Lock(u), c.Text),
			Related: []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))},
		})
	}
}
