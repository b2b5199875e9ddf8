package localstate

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports wrappers that tell from memory that a lock is held.
var Check = &check.Check{
	Name:    "localstate",
	Doc:     check.Manual(doc, "localstate"),
	Default: true,
	Run:     check.Slips(say),
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

// say is the message for a slip, if it is about local state.
func say(u *lock.Use, s *lock.Slip) (lock.Level, string) {
	if s.Kind != lock.SlipBelief {
		return "", ""
	}
	if s.Detail == "shared" {
		return lock.Warning, fmt.Sprintf("two callers at once: this tells a second caller that %s is held because the first one took it, and whoever is done first (%s) gives it back under the other; refuse the second one, or count them",
			check.Lock(u), check.Place(s.Other.Position))
	}
	return lock.Warning, fmt.Sprintf("two holders at once: this tells the caller that %s is held because it was taken once (%s), without asking its store, although the lease may have run out since; ask the store, or renew the lease and forget it when that fails",
		check.Lock(u), check.Place(s.Other.Position))
}
