package redundantlock

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports locks around writes that are safe without.
var Check = &check.Check{
	Name:    "redundantlock",
	Doc:     check.Manual(doc, "redundantlock"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Role == lock.RoleWrapper || u.Verdict != lock.Fenced {
		return
	}
	var first *lock.Write
	for i := range u.Writes {
		w := &u.Writes[i]
		if w.Own {
			continue
		}
		if w.After || w.Condition != lock.Unique && w.Condition != lock.Version {
			return
		}
		if first == nil {
			first = w
		}
	}
	if first == nil {
		return
	}
	report(lock.Finding{
		At:    u.Acquire.Position,
		Level: lock.Note,
		Message: fmt.Sprintf("one more service that can fail for nothing: %s of %s is refused by the resource itself when another was first (%s), so %s adds nothing but its outages; leave it out, or keep it to save work and write that down",
			check.Verb(first), check.Resource(first), first.Condition, check.Lock(u)),
		Related: []lock.Frame{check.Frame(first.Position, "%s of %s, conditional", check.Verb(first), check.Resource(first))},
	})
}
