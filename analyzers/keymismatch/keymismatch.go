package keymismatch

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports locks that are released or renewed by another key.
var Check = &check.Check{
	Name:    "keymismatch",
	Doc:     check.Manual(doc, "keymismatch"),
	Default: true,
	Run:     check.Slips(say),
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

// say is the message for a slip, if it is about keys.
func say(u *lock.Use, s *lock.Slip) (lock.Level, string) {
	if s.Kind != lock.SlipOtherKey {
		return "", ""
	}
	return lock.Error, fmt.Sprintf("the lock stays taken, and another one may be freed: %s works on key %s, but what was taken (%s) is %s; make the key once and use it for both",
		check.Short(s.Callee), check.Quote(s.Detail), check.Place(s.Other.Position), check.Lock(u))
}
