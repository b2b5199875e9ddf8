package bypass

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/suggest"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports writes that go round a lock.
var Check = &check.Check{
	Name:    "bypass",
	Doc:     check.Manual(doc, "bypass"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Role == lock.RoleWrapper || suggest.For(u).Class == lock.Efficiency {
		return
	}
	for i := range u.Remarks {
		c := &u.Remarks[i]
		if c.Kind != lock.Bypassed {
			continue
		}
		report(lock.Finding{
			At:      c.Position,
			Level:   lock.Note,
			Message: fmt.Sprintf("the lock holds nobody back here: %s changes %s without %s, under which %s changes it (%s); take the lock, or let the resource compare a token on both ways", check.Short(c.Call), check.Resource(&lock.Write{Resource: c.Text}), check.Lock(u), u.Acquire.Function, check.Place(u.Acquire.Position)),
			Related: []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))},
		})
	}
}
