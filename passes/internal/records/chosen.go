package records

import (
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// out reports whether a choice rules its way out: a token is never zero, and what is
// left out is.
func (j *judge) out(c summary.Choice) bool {
	if c.Zero {
		return j.e.Reader.Draws(c.Value)
	}
	return c.Value.Kind == term.Const && c.Value.IsZero()
}
