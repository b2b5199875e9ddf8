package records

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// whose says which lock a condition is about.
type whose int

const (
	unclear whose = iota
	ours
	theirs
)

const (
	anotherHeld  = "it asks for another lock, which a holder that has lost this one can still have"
	anotherToken = "the token is that of another lock, which stays the same when this one changes hands"
	askedAnew    = "the token is read anew from the lock's record: a holder that has lost the lock reads its successor's"
)

// holder tells whose a lock object is: a mutex, an election. Locks of one session
// are lost together, so that either tells of both.
//
// Two objects are known to be different by where they come from: a field holds what
// the program stores there, as far as that is in view. What cannot be traced to a
// constructor may be any lock.
func (j *judge) holder(h *term.T) whose {
	if h == nil || j.lock.Handle == nil || j.sameHandle(h) {
		return ours
	}
	own, other := j.made(j.lock.Handle), j.made(h)
	if len(own) == 0 || len(other) == 0 {
		return unclear
	}
	for _, a := range own {
		for _, b := range other {
			switch {
			case a.parent != nil && a.parent == b.parent:
				// The calls of a wrapper that makes a session each look alike.
				if j.st.Direct || a.parent.Kind != term.Call && a.parent.Kind != term.Result {
					return ours
				}
				return unclear
			case !j.differ(a.key, b.key, a.away || b.away):
				return unclear
			}
		}
	}
	return theirs
}

// askedFor tells whose lock a condition asks for: by its object, by its number, or by its
// session.
func (j *judge) askedFor(g meaning.Guard) whose {
	switch g.Text {
	case meaning.IsOwner:
		return j.holder(g.Value)
	case meaning.CheckSession:
		own, other := j.lock.Value, g.Value
		switch {
		case own == nil || own.Kind == term.Unknown || other.Kind == term.Unknown || j.e.Pool.Alike(own, other):
			return ours
		case j.keptWith(other, own):
			return ours
		case own.Kind == term.Call && other.Kind == term.Call:
			return theirs // of two that were made
		}
		return unclear
	}
	tok, _ := j.e.Reader.Token(g.Value)
	return j.holder(tok.Handle)
}

// keptWith reports whether a value is what the lock was taken with, kept in the object that it
// was taken through: what was in that place before goes for it as well.
func (j *judge) keptWith(v, own *term.T) bool {
	alts := v.Alts()
	return slices.ContainsFunc(alts, func(a *term.T) bool { return j.e.Pool.Alike(a, own) }) && !slices.ContainsFunc(alts, func(a *term.T) bool {
		before := a.Kind == term.Field && slices.ContainsFunc(j.st.Lock.From, func(x *term.T) bool { return j.e.Pool.Alike(x, a.Args[0]) })
		return !before && !j.e.Pool.Alike(a, own)
	})
}

// A lockObject is what the constructor of a lock was told.
type lockObject struct {
	key, parent *term.T
	away        bool // by another function, in terms of that one's parameters
}

// made lists the locks that a value can be; nothing if one is out of sight.
func (j *judge) made(h *term.T) []lockObject {
	var out []lockObject
	for _, a := range h.Alts() {
		values, away := []*term.T{a}, false
		if a.Kind == term.Field {
			values, away = j.stored(a, 0), true
		}
		if len(values) == 0 {
			return nil
		}
		for _, v := range values {
			key, parent, ok := j.e.Reader.Constructed(v)
			if !ok || key == nil {
				return nil
			}
			out = append(out, lockObject{key, parent, away})
		}
	}
	return out
}

// stored lists what a field can hold, by way of the structs that it is in.
func (j *judge) stored(t *term.T, depth int) []*term.T {
	if depth > 3 || t.Kind != term.Field {
		return nil
	}
	var out []*term.T
	for _, v := range append(j.e.Values(t), j.parts(t, depth)...) {
		switch {
		case v.Kind == term.Field:
			out = append(out, j.stored(v, depth+1)...)
		case !v.IsZero():
			out = append(out, v.Alts()...)
		}
	}
	return slices.DeleteFunc(out, (*term.T).IsZero)
}

// parts lists the fields of the structs that the struct around t can be.
func (j *judge) parts(t *term.T, depth int) []*term.T {
	var out []*term.T
	for _, whole := range j.stored(t.Args[0], depth+1) {
		if whole.Kind != term.Nil {
			out = append(out, j.e.Pool.Field(whole, t.Name))
		}
	}
	return out
}

// differ reports whether two keys name different things. Values of one function are
// told apart by what they are made of; those of two have to say something else in
// so many words, as parameters of either may be the same.
func (j *judge) differ(x, y *term.T, away bool) bool {
	if x == nil || y == nil || x.Kind == term.Unknown || y.Kind == term.Unknown || j.e.Pool.Alike(x, y) {
		return false
	}
	if !away && x.Kind != term.Join && y.Kind != term.Join {
		return true
	}
	a, b := words(x), words(y)
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(w string) bool { return slices.Contains(b, w) })
}

// words lists the words in the constant texts of a key, without the verbs of formats.
func words(t *term.T) []string {
	var out []string
	t.Any(func(x *term.T) bool {
		if s, ok := x.Str(); ok {
			out = append(out, strings.FieldsFunc(verb().ReplaceAllString(s, " "), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })...)
		}
		return false
	})
	return out
}

var verb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+# 0-9.]*[a-zA-Z]`) })

// elsewhere reports whether conditions on the table of the lock's records are about
// another one of them.
func (j *judge) elsewhere(gs []meaning.Guard) bool {
	row := j.lock.Row
	if row == nil || row.By == "" || j.lock.Key == nil {
		return false
	}
	return slices.ContainsFunc(gs, func(g meaning.Guard) bool {
		return g.Op == "=" && g.Column == row.By && g.Table != "" && "sql:"+g.Table == row.Resource && g.Value != nil && j.differ(g.Value, j.lock.Key, true)
	})
}

// ofAnyRow reports whether a record of the lock's table is asked for by a number alone that
// each of the records counts for itself.
func (j *judge) ofAnyRow(gs []meaning.Guard) bool {
	row := j.lock.Row
	if row == nil || row.By == "" || j.lock.Key == nil || j.lock.Key.Kind == term.Const || j.lock.Key.Kind == term.Unknown {
		return false
	}
	counts := func(column string) bool {
		return slices.ContainsFunc(row.Sets, func(s meaning.Setting) bool {
			return s.Column == column && s.Value != nil && s.Value.Kind == term.Op && s.Value.Name == "sql:+"
		})
	}
	asked := false
	for _, g := range gs {
		if g.Column == row.By || g.Op != "=" && g.Op != "<" && g.Op != ">" && g.Op != "<=" && g.Op != ">=" || g.Value != nil && j.isOwnerValue(g.Value) {
			return false
		}
		asked = asked || g.Op == "=" && "sql:"+g.Table == row.Resource && counts(g.Column)
	}
	return asked
}

// foreign rules on a comparison with a token that is not this lock's; ok is false for
// other values.
func (j *judge) foreign(v *term.T) (r ruling, ok bool) {
	tok, ok := j.e.Reader.Token(v)
	if !ok || tok.Origin != "" || !tok.Ordered {
		return ruling{}, false
	}
	of := ours
	if tok.Handle != nil {
		of = j.holder(tok.Handle)
	} else if m, acquires := j.e.Acquire(tok.Call); acquires && j.otherRecord(tok.Call, m) {
		of = theirs
	}
	switch {
	case of == theirs:
		return ruling{cond: lock.None, fault: anotherToken}, true
	case of == unclear && !v.Open():
		return ruling{cond: lock.None}, true // a variable that is not the one with this lock
	case of == unclear:
		return ruling{cond: lock.Unknown, note: "whether the token is that of this lock is out of sight"}, true
	}
	return ruling{}, false
}

// otherRecord reports whether a call takes another lock than that of the section. A command
// that only may take one has to be the very command of the section's lock, with another key.
func (j *judge) otherRecord(call *term.T, m meaning.Meaning) bool {
	own := j.st.Lock.Call
	if m.Raw && (call.Name != own.Name || call.Site != own.Site) {
		return false
	}
	return !j.e.Pool.Alike(call, own) && j.differ(m.Key, j.lock.Key, false)
}

// anew rules on a comparison with a number that the section reads from the record of the
// lock. Where the acquire has handed it out already, and the record is found by the lock's
// name alone, it is that of whoever holds the lock by then; where it has not, or the owner
// is asked for as well, it is how the holder comes to know his own. A number that is
// read from somewhere else than where it is compared is nobody's. ok is false for other
// values.
func (j *judge) anew(g meaning.Guard, c *meaning.Change) (r ruling, ok bool) {
	again, own, elsewhere := false, false, true
	for _, a := range g.Value.Alts() {
		queries := j.e.Reader.Queries(a)
		for _, q := range queries {
			record := j.ownRecord(q, columnOf(j.e.Reader, a))
			anew := record && j.handsOut(q) && j.byName(q) && j.inSection(a)
			again, own = again || anew, own || record && !anew
		}
		elsewhere = elsewhere && len(queries) > 0 && !slices.ContainsFunc(queries, func(q meaning.Meaning) bool {
			return !strings.Contains(q.Store, ":") || !strings.Contains(c.Resource, ":") || engine.Overlap(q.Store, c.Resource)
		})
	}
	_, isToken := j.token(g.Value)
	lower := (g.Op == "<" || g.Op == "<=") && g.Stored
	switch {
	case again && isToken: // what was assigned last is not known
		return ruling{cond: lock.Unknown, note: "what is compared may have been read anew from the lock's record"}, true
	case again:
		return ruling{cond: lock.None, fault: askedAnew}, true
	case isToken || !lower:
	case own && j.lateQuery(g.Value, c):
		return ruling{cond: lock.None, fault: readLate}, true
	case own:
		return ruling{cond: lock.Token, note: "read from the lock's record"}, true
	case elsewhere && named(g):
		return ruling{cond: lock.Unknown, note: "what is compared was read elsewhere, and whether this lock's next holder reads a greater one is out of sight"}, true
	}
	return ruling{}, false
}

// readWhole reports whether a value was read, whichever way it comes: what was put in the
// place of what was read is no version.
func (j *judge) readWhole(v *term.T) bool {
	return !slices.ContainsFunc(v.Alts(), func(a *term.T) bool { return !j.e.Reader.Reads(a) })
}

// ownRecord reports whether a column that a query reads is the number in the lock's own
// record, or the counter that the lock's numbers are drawn from.
func (j *judge) ownRecord(q meaning.Meaning, column string) bool {
	if row := j.lock.Row; row != nil && engine.Overlap(q.Store, row.Resource) {
		plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
		if row.Token != "" {
			return plain(column) == plain(row.Token)
		}
		return engine.FenceName(column) && slices.ContainsFunc(row.Sets, func(s meaning.Setting) bool { return plain(s.Column) == plain(column) })
	}
	return q.Key != nil && j.draws(q.Key)
}

// handsOut reports whether the holder was given the number that a query reads.
func (j *judge) handsOut(q meaning.Meaning) bool {
	return j.lock.Row == nil || j.lock.Row.Token != "" || q.Key != nil && j.draws(q.Key)
}

// draws reports whether the acquire, or the section, counts up what is stored under a key.
func (j *judge) draws(key *term.T) bool {
	counts := func(call *term.T) bool {
		return slices.ContainsFunc(j.e.Reader.Counters(call), func(d meaning.Drawn) bool { return j.e.Pool.Alike(d.Counter, key) })
	}
	if counts(j.st.Lock.Call) {
		return true
	}
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		if x.Call == nil || x.Open != summary.Closed {
			return false
		}
		if counts(x.Call) {
			return true
		}
		tok, ok := j.e.Reader.Token(x.Call)
		return ok && tok.Call == x.Call && tok.Ordered && slices.ContainsFunc(j.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Write && m.Write.Key != nil && j.e.Pool.Alike(m.Write.Key, key)
		})
	})
}

// byName reports whether a query finds the lock's record by nothing that only its holder
// knows.
func (j *judge) byName(q meaning.Meaning) bool {
	if q.Key != nil {
		return true
	}
	return q.Columns != nil && !slices.ContainsFunc(q.Found, func(c string) bool { return c != j.lock.Row.By })
}

// inSection reports whether a value is read by a call of the section.
func (j *judge) inSection(v *term.T) bool {
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && v.Any(func(t *term.T) bool { return t.SameCall(x.Call) })
	})
}

// readInSection reports whether a value is read by a call of the section, and what that has
// read decides nothing about a write.
func (j *judge) readInSection(v *term.T, c *meaning.Change) bool {
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return j.queries(x) && v.Any(x.Call.SameCall) && !j.comparedInGo(c, x.Call)
	})
}

const (
	notWritten   = "the version is that of something which this write does not change, so it keeps nobody back who has lost the lock"
	maybeWritten = "whether the version is that of what is written is out of sight"
)

// ofAnother rules on the version of something that a transaction asks for and does not
// write. Its version moves where the lock changes hands only if it is the lock's own record,
// or one that the section has written before. ok is false for other versions.
func (j *judge) ofAnother(g meaning.Guard, c *meaning.Change) (r ruling, ok bool) {
	item, key := g.Item, j.lock.Key
	if item == nil {
		return ruling{}, false
	}
	if c.Store == "zookeeper" && j.lock.Family == c.Store && key != nil && j.e.Pool.Alike(item, key) {
		if _, _, made := j.e.Reader.Constructed(j.lock.Handle); made {
			return ruling{cond: lock.None, fault: "it asks for the node under which the holders queue, which stays as it is when the next of them has its turn"}, true
		}
	}
	known := func(t *term.T) bool { return t.Kind != term.Unknown && t.Kind != term.Join && !j.e.Reader.Reads(t) }
	switch {
	case j.lock.Family == c.Store && (key == nil || j.holds(item, key) || j.holds(key, item)), j.ownName(item), j.writtenHere(item):
		return ruling{}, false
	case c.Store == "dynamodb":
		return ruling{cond: lock.None, fault: notWritten}, true
	case c.Key == nil || !known(item) || !known(c.Key):
		return ruling{}, false
	case len(words(item)) > 0 && len(words(c.Key)) > 0 && item.Pattern() != c.Key.Pattern():
		return ruling{cond: lock.None, fault: notWritten}, true
	}
	return ruling{cond: lock.Unknown, note: maybeWritten}, true
}
