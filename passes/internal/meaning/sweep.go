package meaning

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// Sweeps reports whether a statement changes whichever rows are in some state, and
// names none: that there is no such row refuses nobody.
func (c *Change) Sweeps() bool {
	return c.Store == "sql" && len(c.Guards) > 0 && !slices.ContainsFunc(c.Guards, names)
}

// names reports whether a condition is about a row that the program has in mind.
func names(g Guard) bool {
	switch g.Op {
	case "and", "or", "in", "exists":
		return len(g.Alts) == 0 || slices.ContainsFunc(g.Alts, names)
	case "=":
		joins := g.Value != nil && g.Value.Kind == term.Op && g.Value.Name == "column" // another table of the statement
		return g.Value == nil || g.Value.Kind != term.Const && !joins
	case "<", "<=", ">", ">=", "<>", "is null":
		return false
	}
	return true
}
