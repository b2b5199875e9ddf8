package earlyrelease

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports work that goes on after the lock was released.
var Check = &check.Check{
	Name:    "earlyrelease",
	Doc:     check.Manual(doc, "earlyrelease"),
	Default: true,
	Run:     check.Slips(say),
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

// say is the message for a slip, if it is about what a section leaves behind.
func say(u *lock.Use, s *lock.Slip) (lock.Level, string) {
	name, call, other := check.Lock(u), check.Short(s.Callee), check.Place(s.Other.Position)
	switch {
	case s.Kind == lock.SlipAfter && s.Detail != "":
		level := lock.Warning
		if u.Reads { // the next holder may have read already
			level = lock.Error
		}
		return level, fmt.Sprintf("two holders write at once: %s was released at %s, and %s makes visible only here what was written under it, so the next holder reads what was there before; commit before the release", name, other, call)
	case s.Kind == lock.SlipAfter:
		return lock.Error, fmt.Sprintf("two holders write at once: %s was released at %s, and %s writes what it was taken for only here; release after the last write", name, other, call)
	case s.Kind == lock.SlipOutlives && s.Detail == lock.ByTimer:
		return lock.Warning, fmt.Sprintf("two holders write at once: what the timer that is set here starts (%s) belongs to the work under %s, which is free by then; do it before the release, or take the lock for it anew", other, name)
	case s.Kind == lock.SlipOutlives && s.Detail != "":
		return lock.Note, fmt.Sprintf("two leaders work at once when this one stops: with %s, %s is given back while the work that the leader has started may still run; end the context only after the work has ended", s.Detail, name)
	case s.Kind == lock.SlipOutlives:
		return lock.Warning, fmt.Sprintf("two holders write at once: the goroutine started here works (%s) under %s, but nothing waits for it before the release; wait for it, or release in it", other, name)
	}
	return "", ""
}
