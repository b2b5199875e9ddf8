package view

import "github.com/fencevet/fencevet/cmd/fencevet/internal/gate"

// Regression is what fails a gate, in a sentence that ends in its kind, as the
// message of a finding ends in its check.
func Regression(c gate.Change) string {
	if c.Kind == gate.NewFinding {
		return c.Message
	}
	return c.Message + " [" + c.Kind + "]"
}

// Outcome is a comparison in one sentence.
func Outcome(c *gate.Comparison) string {
	text := "no regression"
	if n := len(c.Regressions); n > 0 {
		text = Count(n, "regression")
	}
	text += " against " + c.Base
	for _, part := range []struct {
		n           int
		noun, state string
	}{
		{len(c.Improvements), "improvement", ""}, {c.Added, "new lock", " without need of a decision"}, {c.Moved, "lock", " moved or renamed"},
	} {
		if part.n > 0 {
			text += "; " + Count(part.n, part.noun) + part.state
		}
	}
	return text
}
