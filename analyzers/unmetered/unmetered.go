package unmetered

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports locks whose losses nobody counts.
var Check = &check.Check{
	Name: "unmetered",
	Doc:  check.Manual(doc, "unmetered"),
	Why:  "counting is a choice of those who run the program, and most programs make it in one place for all errors; the inventory has it as columns",
	Run:  run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	if u.Role == lock.RoleWrapper {
		return
	}
	f := lock.Finding{At: u.Acquire.Position, Level: lock.Note}
	if w := refusable(u); w != nil && !u.Metrics.Rejections {
		f.Message = fmt.Sprintf("nobody sees that a stale holder was refused: %s of %s is guarded, and no metric moves where it is not accepted; count refusals, for each one is a lease that ran out", check.Verb(w), check.Resource(w))
		f.Related = []lock.Frame{check.Frame(w.Position, "%s of %s", check.Verb(w), check.Resource(w))}
		report(f)
	}
	if u.Renewal != "goroutine" && u.Renewal != "explicit" {
		return
	}
	missing := ""
	switch {
	case !u.Metrics.RenewalLatency && !u.Metrics.LeaseLoss:
		missing = "neither how long that takes nor how often it fails is measured; observe the one and count the other"
	case !u.Metrics.RenewalLatency:
		missing = "how long that takes is not measured; observe it"
	case !u.Metrics.LeaseLoss:
		missing = "how often it fails is not counted; count it"
	default:
		return
	}
	f.Message = fmt.Sprintf("leases run out without a warning before: the program renews %s itself, and %s", check.Lock(u), missing)
	f.Related = nil
	report(f)
}

// refusable is the first write that the resource may refuse to a stale holder.
func refusable(u *lock.Use) *lock.Write {
	for i := range u.Writes {
		w := &u.Writes[i]
		if !w.Own && !w.After && (w.Condition == lock.Token || w.Condition == lock.Owner || w.Condition == lock.Version) {
			return w
		}
	}
	return nil
}
