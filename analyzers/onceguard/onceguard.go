package onceguard

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports once-per-period markers that are given back.
var Check = &check.Check{
	Name:    "onceguard",
	Doc:     check.Manual(doc, "onceguard"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

// daily is, in seconds, about how seldom a job runs that is meant to be done once a day.
const daily = 20 * 3600

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Remarks {
		c := &u.Remarks[i]
		if c.Kind != lock.OnceFreed {
			continue
		}
		remedy := "let the key expire by itself, and let it name the period"
		if u.Kind == lock.Advisory {
			remedy = "let each run insert its period under a unique key"
		}
		level, other := lock.Warning, "so a replica whose clock is a second behind finds it free and runs it again"
		if c.Limit > 0 {
			other = "so each replica finds it free when its own ticker fires, and runs it again"
			if c.Limit < daily {
				level = lock.Note // of a job that runs so often, another run may not matter
			}
		}
		report(lock.Finding{
			At:      c.Position,
			Level:   level,
			Message: fmt.Sprintf("the job runs twice: %s is given back here when the job ends, %s; %s", check.Lock(u), other, remedy),
			Related: []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))},
		})
	}
}
