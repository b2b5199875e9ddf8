package weakcondition

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports conditions that cannot hold a stale writer back.
var Check = &check.Check{
	Name:    "weakcondition",
	Doc:     check.Manual(doc, "weakcondition"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Role == lock.RoleWrapper {
		return
	}
	for i := range u.Writes {
		w := &u.Writes[i]
		if w.Own || w.After {
			continue
		}
		f := lock.Finding{Related: related(u, w)}
		check.AtWrite(&f, u, w)
		switch {
		case w.Swallowed:
			f.Level = lock.Warning
			f.Message = fmt.Sprintf("a stale holder is told that its refused write is done: where %s of %s is refused, the error is recognised and success returned; return an error and stop",
				check.Verb(w), check.Resource(w))
		case refusable(w.Condition) && w.Checked != nil && !*w.Checked:
			f.Level = lock.Warning
			f.Message = fmt.Sprintf("a stale holder takes its refused write for done: nobody looks whether %s of %s was accepted; check the result and stop",
				check.Verb(w), check.Resource(w))
		case w.Fault != "":
			f.Level = lock.Error
			f.Message = fmt.Sprintf("a stale holder still gets through to %s: %s; compare the stored token with the new one and store it in the same step",
				check.Resource(w), w.Fault)
		default:
			continue
		}
		report(f)
	}
}

// refusable reports whether a refusal under c means that the lock was lost. A
// row that is there already, by contrast, is what a create-once write asks for.
func refusable(c lock.Condition) bool {
	return c == lock.Token || c == lock.Owner || c == lock.Version
}

func related(u *lock.Use, w *lock.Write) []lock.Frame {
	return append([]lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))}, check.Trail(w)...)
}
