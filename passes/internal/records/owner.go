package records

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/remarks"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Tests whether somebody still holds a lock: by its owner's value, its session, or its own
// key or row.

// owner rules on the test that somebody still holds a lock. A value that cannot
// be what the lock was given tells nothing of it.
func (j *judge) owner(g meaning.Guard, c *meaning.Change) ruling {
	if v := g.Value; v != nil {
		tok, ok := j.token(v)
		if ok && tok.Origin != "" || !ok && (v.Kind == term.Const || v.Kind == term.Global) {
			return ruling{cond: lock.None, fault: "what the lock's key is compared with is nothing that this lock was given"}
		}
		if tok.Handle == nil && g.Text != meaning.IsOwner && g.Text != meaning.CheckSession && j.readInSection(v, c) {
			return ruling{cond: lock.None, fault: "what the lock's key is compared with was read from it in the section: it is that of whoever holds the lock by then"}
		}
		switch j.askedFor(g) {
		case theirs:
			return ruling{cond: lock.None, fault: anotherHeld}
		case unclear:
			return ruling{cond: lock.Unknown, note: "whether the lock that it asks for is this one is out of sight"}
		}
		if g.Text == meaning.IsOwner && j.owners.SessionShared(j.st, j.lock) {
			return ruling{cond: lock.None, fault: "goroutines that have the same session have the lock at the same time, and it asks for the session"}
		}
		if r, ok := j.sharedOwner(v); ok {
			return r
		}
	}
	return ruling{cond: lock.Owner}
}

// sharedOwner rules on what names the holder where others are named the same.
func (j *judge) sharedOwner(v *term.T) (r ruling, ok bool) {
	if !j.isOwnerValue(v) {
		return ruling{}, false
	}
	switch j.owners.SharedBy(j.st, j.lock) {
	case remarks.OfEverybody:
		return ruling{cond: lock.None, fault: "the owner value is the same for all who take the lock, so that it tells none of them from the next"}, true
	case remarks.OfMoment:
		return ruling{cond: lock.Unknown, note: "the owner value has nothing but the time in it, and whether the next holder comes to the same is out of sight"}, true
	case remarks.OfProcess:
		return ruling{cond: lock.Unknown, note: "the owner value is the same for all who take the lock in one process, and whether two of them do is out of sight"}, true
	}
	return ruling{}, false
}

// isOwnerValue reports whether t is the value that names this holder.
func (j *judge) isOwnerValue(t *term.T) bool {
	v := j.lock.Value
	if v == nil || v.Kind == term.Unknown || v.Kind == term.Const {
		return false
	}
	return v == t || t.Kind == term.Op && t.Any(func(x *term.T) bool { return x == v })
}

// ownRow reports whether a write is to the row, table or store that the lock
// itself lives in, and compares a column that the acquire set.
func (j *judge) ownRow(g meaning.Guard, c *meaning.Change) bool {
	row := j.lock.Row
	table := c.Resource
	if g.Table != "" {
		table = "sql:" + g.Table
	}
	if row == nil || table != row.Resource && !pluralOf(row.Resource, table) && !pluralOf(table, row.Resource) {
		return false
	}
	for _, s := range row.Sets {
		if s.Column == g.Column {
			return true
		}
	}
	return false
}

// pluralOf reports whether a table is named by the plural of another name: mappers name it
// so after the type of the model, by which it is known where there is no statement.
func pluralOf(many, one string) bool {
	stem, y := strings.CutSuffix(one, "y")
	return many == one+"s" || many == one+"es" || y && many == stem+"ies"
}

// ownKey reports whether a Redis write compares the lock's own key: a script
// that looks at the lock before it writes, in the same server.
func (j *judge) ownKey(g meaning.Guard, c *meaning.Change) bool {
	return c.Store == "redis" && j.lock.Family == "redis" && (j.lock.Key == nil || g.Table == j.lock.Key.Pattern())
}
