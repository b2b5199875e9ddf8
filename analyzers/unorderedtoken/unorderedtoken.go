package unorderedtoken

import (
	_ "embed"
	"fmt"
	"strings"

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
			Related: append([]lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))}, check.Trail(w)...),
		}
		if !check.SamePackage(u, w) {
			f.At = u.Acquire.Position
		}
		report(f)
	}
}

func message(u *lock.Use, w *lock.Write) string {
	// What the engine says is the value's source, and mostly the reason why it
	// has no order.
	source, reason, ok := strings.Cut(w.Compared, ": ")
	if !ok {
		reason = "it says nothing about who came later"
	}
	remedy := "use a number that the lock service counts up"
	if ordered := u.Token.Ordered; ordered != nil && *ordered && u.Token.Source != "" {
		remedy = "use " + u.Token.Source
	}
	return fmt.Sprintf("the new holder may be refused and the stale one let through by %s: %s is compared as token by %s but does not grow from one holder to the next (%s); %s",
		check.Resource(w), source, check.Verb(w), reason, remedy)
}
