package tokenreset

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

// Check reports fencing tokens that can go backwards.
var Check = &check.Check{
	Name:    "tokenreset",
	Doc:     check.Manual(doc, "tokenreset"),
	Default: true,
	Run:     run,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	ended := false
	for i := range u.Remarks {
		c := &u.Remarks[i]
		symptom, does := "", ""
		switch c.Kind {
		case lock.TokenExpires:
			symptom, does = "after a quiet time every holder is refused, or an old one is let in", "gives the counter %s of the tokens of %s an end"
		case lock.TokenDeleted:
			symptom, does = "the next holder is refused, or an old one is let in", "deletes the counter %s of the tokens of %s"
		default:
			continue
		}
		ended = true
		report(lock.Finding{
			At:      c.Position,
			Level:   lock.Warning,
			Message: fmt.Sprintf("%s: %s "+does+", and it starts at 1 again; let the counter live, or take the token from the store that is written", symptom, check.Short(c.Call), check.Quote(c.Text), check.Lock(u)),
			Related: []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))},
		})
	}
	if o := u.Token.Ordered; !ended && o != nil && *o && u.Token.Resets != "" && !counter(u.Token.Source) {
		report(lock.Finding{
			At:    u.Acquire.Position,
			Level: lock.Note,
			Message: fmt.Sprintf("a stale holder's token can be the larger one: %s orders the holders of %s, but %s; keep what it is read from, or take another token",
				u.Token.Source, check.Lock(u), u.Token.Resets),
		})
	}
}

// counter reports whether a token is drawn from a counter of its own. Any store
// can lose one of those; that is not worth a remark at every lock.
func counter(source string) bool {
	return strings.HasPrefix(source, "redis ") || strings.HasPrefix(source, "SQL ")
}
