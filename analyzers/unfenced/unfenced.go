package unfenced

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/suggest"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports writes that no fencing token guards.
var Check = &check.Check{
	Name:    "unfenced",
	Doc:     check.Manual(doc, "unfenced"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	// What a wrapper guards is decided by its callers, who are uses themselves.
	if u.Role == lock.RoleWrapper {
		return
	}
	if u.Verdict != lock.Unfenced {
		demand(u, report)
		return
	}
	// Where nobody asks whether the lock was taken, acquire says so: that comes first.
	if slices.ContainsFunc(u.Slips, func(s lock.Slip) bool { return s.Kind == lock.SlipUnasked }) {
		return
	}
	var open []*lock.Write
	for i := range u.Writes {
		if w := &u.Writes[i]; unguarded(w) {
			open = append(open, w)
		}
	}
	if len(open) == 0 {
		return
	}

	// One finding per use: its writes share one remedy. It is about one that matters,
	// if there is any.
	matter := slices.DeleteFunc(slices.Clone(open), func(w *lock.Write) bool { return !suggest.Matters(u, w) })
	told := open
	if len(matter) > 0 {
		told = matter
	}
	// What the process itself remembers is the lesser part where stores are written too.
	if stored := slices.DeleteFunc(slices.Clone(told), func(w *lock.Write) bool { return strings.HasPrefix(w.Resource, "memory:") }); len(stored) > 0 {
		told = stored
	}
	first := told[0]
	for _, w := range told {
		if check.SamePackage(u, w) {
			first = w
			break
		}
	}
	f := lock.Finding{Level: lock.Note, Message: message(u, first, len(open)-1)}
	if len(matter) > 0 && suggest.For(u).Class == lock.Correctness {
		f.Level = lock.Error
	}
	if check.SamePackage(u, first) {
		f.At = first.Position
		f.Related = append(f.Related, check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u)))
	} else {
		f.At = u.Acquire.Position
	}
	for _, w := range open {
		if w.Position != f.At {
			f.Related = append(f.Related, check.Frame(w.Position, "%s of %s without a token", check.Verb(w), check.Resource(w)))
		}
	}
	report(f)
}

// demand reports a lock that is declared to need a fence, and shows none. That a
// resource accepts a stale holder's write is reported in any case.
func demand(u *lock.Use, report func(lock.Finding)) {
	d := u.Decision
	if d == nil || d.Kind != lock.Correctness || u.Verdict == lock.Fenced {
		return
	}
	what := "no write is seen that the resource could refuse; name the resource in a model or directive, or withdraw the demand"
	if u.Verdict == lock.Unverified {
		var reasons []string
		for _, r := range u.Unseen {
			reasons = append(reasons, string(r))
		}
		what = "what it guards is out of sight"
		if len(reasons) > 0 {
			what += " (" + strings.Join(reasons, ", ") + ")"
		}
		what += "; bring it into view, or tell fencevet by a model or directive what is called there"
	}
	report(lock.Finding{
		At: u.Acquire.Position, Level: lock.Error,
		Message: fmt.Sprintf("two holders may both write: %s is declared to need a fence, but %s", check.Lock(u), what),
		Related: []lock.Frame{check.Frame(d.Position, "declared here")},
	})
}

// unguarded reports whether nothing is compared before w is accepted. Where
// something is compared, though in vain, another check tells what is wrong.
func unguarded(w *lock.Write) bool {
	return w.Condition == lock.None && w.Fault == "" && w.Compared == "" && !w.Own && !w.After
}

func message(u *lock.Use, w *lock.Write, more int) string {
	accepted := " is accepted"
	switch {
	case more == 1:
		accepted = " and 1 more write are accepted"
	case more > 1:
		accepted = fmt.Sprintf(" and %d more writes are accepted", more)
	}
	remedy := "take an ordered token with the lock and let the resource refuse older ones"
	if version := check.Version(w); version != "" {
		remedy = fmt.Sprintf("send the %s that was read under the lock with the write, for that is what this store compares", version)
	} else if ordered := u.Token.Ordered; ordered != nil && *ordered {
		remedy = fmt.Sprintf("pass %s on and let the resource refuse older ones", u.Token.Source)
	}
	return fmt.Sprintf("two holders can both write %s: %s%s after %s (acquired at %s) was lost; %s",
		check.Resource(w), check.Verb(w), accepted, check.Lock(u), check.Place(u.Acquire.Position), remedy)
}
