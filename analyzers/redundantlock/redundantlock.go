package redundantlock

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
	if u.Role == lock.RoleWrapper {
		return
	}
	first, why := safe(u)
	if first == nil {
		return
	}
	report(lock.Finding{
		At:    u.Acquire.Position,
		Level: lock.Note,
		Message: fmt.Sprintf("one more service that can fail for nothing: %s of %s %s, so %s adds nothing but its outages; leave it out, or keep it to save work and write that down",
			check.Verb(first), check.Resource(first), why, check.Lock(u)),
		Related: []lock.Frame{check.Frame(first.Position, "%s of %s", check.Verb(first), check.Resource(first))},
	})
}

// safe returns the write that makes the lock needless, and what makes it so.
func safe(u *lock.Use) (first *lock.Write, why string) {
	var open *lock.Write
	writes := 0
	for i := range u.Writes {
		w := &u.Writes[i]
		switch {
		case w.Own:
			continue
		case w.After, w.Condition == lock.Owner, w.Condition == lock.Token:
			return nil, "" // what it compares is there by way of the lock only
		case w.Condition == lock.Unique || w.Condition == lock.Version:
			if first == nil {
				first = w
			}
		default:
			open = w
		}
		writes++
	}
	switch {
	case first != nil && open == nil && u.Verdict == lock.Fenced:
		return first, fmt.Sprintf("is refused by the resource itself when another was first (%s)", first.Condition)
	case suggest.Claimed(u) && first != nil && u.Kind != lock.Election: // a leader does more than one thing
		return first, fmt.Sprintf("comes first and is refused by the resource itself when another was first (%s)", first.Condition)
	case writes == 1 && open != nil && open.Condition == lock.None && !u.Reads && u.Verdict == lock.Unfenced && len(u.Unseen) == 0 && suggest.IsStep(open):
		return open, "is one step of the store's own, and nothing is read before it"
	}
	return nil, ""
}
