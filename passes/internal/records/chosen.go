package records

import (
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// out reports whether a choice rules its way out: a token is never zero, and what is
// left out is. Of what a context may have it is known where the context is.
func (j *judge) out(c summary.Choice) bool {
	if x, ok := c.Value.Asked(); ok {
		there, known := x.Present()
		return known && there == c.Zero
	}
	if c.Zero {
		return j.e.Reader.Draws(c.Value)
	}
	return c.Value.Kind == term.Const && c.Value.IsZero()
}
