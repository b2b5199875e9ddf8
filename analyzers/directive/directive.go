package directive

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/directive"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/spell"
)

//go:embed doc.go
var doc string

// Check reports comments to fencevet that do not do what they say.
var Check = &check.Check{
	Name:    "directive",
	Doc:     check.Manual(doc, "directive"),
	Default: true,
	Review:  review,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func review(r *check.Review, report func(lock.Finding)) {
	for i := range r.Directives {
		d := &r.Directives[i]
		say := func(format string, args ...any) {
			report(lock.Finding{At: d.Position, Level: lock.Warning, Message: fmt.Sprintf(format, args...)})
		}
		kind := directive.Kind(d.Kind)
		switch {
		case d.Fault != "":
			say("this comment decides nothing: %s", d.Fault)
		case kind.Models():
			// Whether anybody calls the function makes no difference.
		case d.Target == "":
			say("this comment decides nothing: there is no code beside it or below it; move it to the call that it is about")
		case d.Until != "" && d.Until < r.Today:
			say("the decision of this comment ended on %s%s: look again, then remove it or give it another day", d.Until, asking(d.Owner))
		case kind == directive.Ignore:
			ignored(r, i, say)
		default:
			decided(r, d, say)
		}
	}
}

func asking(owner string) string {
	if owner == "" {
		return ""
	}
	return " (owner: " + owner + ")"
}

// ignored judges a directive that silences checks.
func ignored(r *check.Review, i int, say func(string, ...any)) {
	d := &r.Directives[i]
	var idle []string
	for _, name := range d.Checks {
		switch {
		case !slices.Contains(check.Names, name):
			say("this comment silences nothing: there is no check %q%s; fencevet explain lists them", name, spell.Meant(name, check.Names))
		case r.Whole && slices.Contains(r.Checked, name) && !r.Used(i, name):
			idle = append(idle, name)
		}
	}
	if len(idle) > 0 {
		have, they := "has", "it"
		if len(idle) > 1 {
			have, they = "have", "they"
		}
		say("this comment is not needed: %s %s nothing to report here, and would not be heard if %s had; remove it", strings.Join(idle, " and "), have, they)
	}
}

// decided judges a directive that says what a lock is for.
func decided(r *check.Review, d *lock.Directive, say func(string, ...any)) {
	locks, fenced := 0, 0
	for _, u := range r.Uses {
		if u.Decision == nil || u.Decision.Position != d.Position {
			continue
		}
		locks++
		if u.Verdict == lock.Fenced {
			fenced++
		}
	}
	switch {
	case locks == 0 && r.Whole:
		say("this comment decides nothing: no lock is taken here; move it to the call that takes one, or remove it")
	case locks > 0 && locks == fenced && d.Kind == string(directive.Efficiency):
		say("this comment is not needed: the resource refuses a stale holder anyway, so no risk is taken; remove it")
	}
}
