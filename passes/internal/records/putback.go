package records

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/lock"
)

// What the rest of the program does to the place where the last token is kept.

const asText = "the tokens are compared as text, so 9 counts as newer than 10"

// heldAsText reports whether the column that a condition compares is made for texts.
func (j *judge) heldAsText(g meaning.Guard, c *meaning.Change) bool {
	return c.Store == "sql" && g.Column != "" && j.e.HoldsText(c.Call, placeOf(g, c), g.Column)
}

// placeOf is the table of the column that a condition compares.
func placeOf(g meaning.Guard, c *meaning.Change) string {
	if c.Store == "sql" && g.Table != "" {
		return "sql:" + g.Table
	}
	return c.Resource
}

// forgotten rules on the comparison with the last token where another function puts that
// back to a smaller number, or takes it away, so that the next writer is let in whoever it is.
// An update of a row that is gone lets nobody in; one that makes the row anew does.
func (j *judge) forgotten(g meaning.Guard, c *meaning.Change) (r ruling, ok bool) {
	switch {
	case c.Store == "redis":
		if g.At != nil && j.e.ForgottenKey(c.Call, g.At, g.Column) {
			return ruling{cond: lock.Unknown, note: "another function takes away, or sets back, what holds the last token, and whoever comes later than that is let in"}, true
		}
	case strings.Contains(c.Resource, ":") && g.Column != "" && placeOf(g, c) == c.Resource:
		if j.e.PutBack(c, g.Column) {
			return ruling{cond: lock.None, fault: "another function puts " + g.Column + " back to a smaller number, and lets in whoever has lost the lock"}, true
		}
		if c.Operation == "UPSERT" && j.e.Forgotten(c.Call, c.Resource) {
			return ruling{cond: lock.Unknown, note: "another function deletes the row with the last token, and whoever comes later than that makes it anew"}, true
		}
	}
	return ruling{}, false
}
