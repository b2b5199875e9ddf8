package unorderedtoken

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports values compared as fencing tokens that do not grow.
var Check = &check.Check{
	Name:    "unorderedtoken",
	Doc:     check.Manual(doc, "unorderedtoken"),
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
		if w.Compared == "" || w.Own || w.After {
			continue
		}
		f := lock.Finding{
			At:      w.Position,
			Level:   lock.Error,
			Message: message(u, w),
			Related: append([]lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))}, w.Trail...),
		}
		if !check.SamePackage(u, w) {
			f.At = u.Acquire.Position
		}
		report(f)
	}
}

// why says, for each origin of a value, how a later holder can have the smaller one.
var why = map[string]string{
	"random":          "is random, so a later holder may have the smaller one",
	"clock":           "is a reading of the clock, which differs between hosts and can be set back",
	"host":            "names the host or process, which does not change from one holder to the next",
	"lease id":        "is the id of a lease, which is unique but does not grow",
	"process counter": "is counted in this process, which starts again and does not know the others",
}

func message(u *lock.Use, w *lock.Write) string {
	reason := why[w.Compared]
	if reason == "" {
		reason = "is no value that grows with every holder (" + w.Compared + ")"
	}
	remedy := "use a number that the lock service counts up"
	if ordered := u.Token.Ordered; ordered != nil && *ordered && u.Token.Source != "" {
		remedy = "use " + u.Token.Source
	}
	return fmt.Sprintf("%s accepts the stale holder and may refuse the new one: what %s compares as token %s; %s",
		check.Resource(w), check.Verb(w), reason, remedy)
}
