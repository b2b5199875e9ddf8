package engine

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Undone reports whether a write may bring back what a claim has taken: sets the
// column to the state that the claim asks for, or to what is out of sight, or, where
// the claim creates the record, deletes it.
func (ev *Evidence) Undone(claim *meaning.Change, column, state string) bool {
	for _, c := range ev.changesOf(claim.Resource) {
		switch {
		case column == "":
			if c.Deletes() {
				return true
			}
		case c.Deletes() || c.Operation == "INSERT":
		case len(c.Sets) == 0:
			return true // a whole record
		default:
			for _, s := range c.Sets {
				if s.Column == column && (s.Value.Kind != term.Const || s.Value.Name == state) {
					return true
				}
			}
		}
	}
	return false
}

// Identifies reports whether records of a resource are made with something in a column that
// differs between them: a node that stores who it is, say, to find its own record by. What
// the lock's owner is called there names a record, and is not meant to fence one.
func (e *Engine) Identifies(resource, column string) bool {
	return e.Evidence != nil && slices.ContainsFunc(e.Evidence.changesOf(resource), func(c *meaning.Change) bool {
		return (c.Operation == "INSERT" || c.Operation == "UPSERT" || c.Operation == "REPLACE") && slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
			return s.Column == column && s.Value.Kind != term.Const && !s.Value.IsZero()
		})
	})
}

// Moves reports whether any write of a resource in view sets a column, or may: one of a
// whole record.
func (e *Engine) Moves(resource, column string) bool {
	return e.Evidence == nil || slices.ContainsFunc(e.Evidence.changesOf(resource), func(c *meaning.Change) bool {
		switch {
		case c.Deletes() || c.Operation == "DDL" || c.Operation == "INSERT":
			return false
		case len(c.Sets) == 0:
			return true
		}
		return slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool { return s.Column == column || s.Column == "" })
	})
}
