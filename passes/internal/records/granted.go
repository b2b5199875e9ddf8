package records

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A counter of its own numbers the grants of a lock only if it is drawn from once a grant,
// by whoever has the lock.

// grantee is token for a value that is to say who was granted the lock later: numbers that
// are drawn before anybody has the lock say who asked for it later.
func (j *judge) grantee(t *term.T) (meaning.Token, bool) {
	tok, ok := j.token(t)
	if ok && tok.Origin == "" && tok.Ordered && !tok.Read && tok.Handle == nil && j.e.DrawnBefore(j.st, tok.Call) {
		tok.Ordered, tok.Origin = false, meaning.Early
		tok.Reason = "it is drawn before the lock is taken, so who gets the lock later may have the older number"
	}
	return tok, ok
}

const drawnInTurns = "the number is drawn anew in each turn of a loop, so whoever has lost the lock gets a greater one than the next holder's"

// drawnInTurns reports whether a number of no lock is, on some way, drawn in a loop of the
// section, and so not once a grant: in each turn, or once more where the write call was
// refused.
func (j *judge) drawnInTurns(v, write *term.T) bool {
	alts := v.Alts()
	return slices.ContainsFunc(alts, func(a *term.T) bool {
		tok, _ := j.token(a)
		if tok.Handle != nil || tok.Read || tok.Call == nil {
			return false
		}
		written := false
		for _, x := range j.st.Effects {
			switch {
			case x.Call == nil || x.Open != summary.Closed:
			case x.Call == write:
				written = true
			case tok.Call.SameCall(x.Call) && (x.Turns.Rounds > summary.Counted || written && len(alts) > 1 && x.Turns.Rounds > summary.Once):
				return true
			}
		}
		return false
	})
}

// counter is the key of the counter that a number of no lock was drawn from, as the names that
// it is put together from; ok is false for others.
func (j *judge) counter(tok meaning.Token) (names []*term.T, ok bool) {
	if tok.Handle != nil || tok.Read || tok.Call == nil || j.lock.Key == nil {
		return nil, false
	}
	for _, m := range j.e.Reader.Of(tok.Call) {
		if m.Role == meaning.Write && m.Write.Key != nil && m.Write.Store != "sql" {
			return operands(m.Write.Key), true
		}
	}
	return nil, false
}

// countedByHolder reports whether the counter of a number is the holder's: its name has that
// of a process in it.
func (j *judge) countedByHolder(tok meaning.Token) bool {
	names, _ := j.counter(tok)
	own := operands(j.lock.Key)
	return slices.ContainsFunc(names, func(t *term.T) bool {
		tok, ok := j.e.Reader.Token(t)
		return ok && tok.Origin != "" && tok.Origin != "clock" && !slices.Contains(own, t)
	})
}

// countedElsewhere reports whether the counter of a number may be another lock's: all that
// tells it from others is another parameter than what tells the lock.
func (j *judge) countedElsewhere(tok meaning.Token) bool {
	names, _ := j.counter(tok)
	own := operands(j.lock.Key)
	if len(names) == 0 || len(own) == 0 {
		return false
	}
	given := func(t *term.T) bool { return t.Kind == term.Param && t.Name == names[0].Name }
	return !slices.ContainsFunc(append(slices.Clip(names), own...), func(t *term.T) bool { return !given(t) }) &&
		!slices.ContainsFunc(names, func(t *term.T) bool { return slices.Contains(own, t) })
}

// misdrawn says why a number is none that grows with the grants, be it compared by op in a
// statement, whose change is c, or in Go, where c is nil; it is empty for others.
func (j *judge) misdrawn(tok meaning.Token, v *term.T, op string, c *meaning.Change) string {
	var write *term.T
	if c != nil {
		write = c.Call
	}
	ordering := op != "=" && op != "<>"
	switch {
	case j.drawnInTurns(v, write):
		return drawnInTurns
	case j.countedByHolder(tok):
		return "the number is counted for each holder on its own, so that the next holder's may be smaller"
	case j.ofTheQueue(tok):
		return ofTheQueue
	}
	if c != nil {
		if fault := j.shelved(c); fault != "" {
			return fault
		}
		if fault := j.late(tok, c); fault != "" {
			return fault
		}
	}
	switch fault := j.spoilt(v, op); {
	case !ordering:
		return ""
	case fault != "":
		return fault
	case j.leftOver(tok, v):
		return leftOver
	}
	return ""
}

// shelved says what may stand in the place from which a write has its token.
func (j *judge) shelved(c *meaning.Change) string {
	for _, s := range j.e.Shelved(j.st, c.Call) {
		switch {
		case j.e.OnlyFirst(s):
			return leftOver
		case j.owners.Met(s.Addr, s.At.Parent()):
			return "the number is kept in one place by all goroutines that take the lock, so that whoever has lost the lock finds the next holder's there"
		}
	}
	return ""
}

const (
	drawnLate = "the number is drawn after what the write goes by was read: whoever loses the lock in between draws a greater one than the next holder, and writes what is old"
	readLate  = "the number is read from the lock's record after what the write goes by was read: whoever loses the lock in between reads the next holder's, and writes what is old"
)

// late says why a number that the section gets only after it has read from what is written
// is not that of the state which was read; it is empty where the number is the lock object's
// own, or comes first, or where the program looks at the record that it is from.
func (j *judge) late(tok meaning.Token, c *meaning.Change) string {
	if tok.Handle != nil || tok.Call == nil || !strings.Contains(c.Resource, ":") || tok.Read && j.comparedInGo(c, tok.Call) {
		return ""
	}
	of := func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && tok.Call.SameCall(x.Call)
	}
	for _, x := range j.st.Effects {
		switch {
		case x.Call == nil || x.Open != summary.Closed:
		case of(x):
			return ""
		case slices.ContainsFunc(j.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Query && strings.Contains(m.Store, ":") && engine.Overlap(m.Store, c.Resource)
		}):
			switch {
			case !slices.ContainsFunc(j.st.Effects, of):
				return ""
			case tok.Read:
				return readLate
			}
			return drawnLate
		}
	}
	return ""
}

// lateQuery reports whether a value is read from the lock's record by its name alone, and only
// after the section has read from what is written.
func (j *judge) lateQuery(v *term.T, c *meaning.Change) bool {
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return j.queries(x) && v.Any(x.Call.SameCall) && j.late(meaning.Token{Call: x.Call, Read: true}, c) != "" &&
			!slices.ContainsFunc(j.e.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query && !j.byName(m) })
	})
}

// ofTheQueue reports whether a number was read of the node under which the holders of a lock
// queue: it is the same for all of them.
func (j *judge) ofTheQueue(tok meaning.Token) bool {
	if !tok.Read || j.lock.Family != "zookeeper" || j.lock.Handle == nil || j.lock.Key == nil {
		return false
	}
	_, _, made := j.e.Reader.Constructed(j.lock.Handle)
	return made && slices.ContainsFunc(meaning.Args(tok.Call), func(a *term.T) bool { return j.e.Pool.Alike(a, j.lock.Key) })
}

const ofTheQueue = "the number is that of the node under which the holders queue, and so the same for all of them"

// spoilt says what keeps a value that has a token in it from growing with the grants where
// what is stored has to be op to it, or is empty: on some way something else stands in for
// it, or it is calculated with.
func (j *judge) spoilt(v *term.T, op string) string {
	alts := v.Alts()
	for _, a := range alts {
		tok, ok := j.e.Reader.Token(a)
		switch {
		case ok && tok.Origin == "":
			if fault := j.calculated(a, op, 0); fault != "" {
				return fault
			}
		case len(alts) == 1:
		case ok:
			return "on some way it is no token but " + tok.Source + ": " + tok.Reason
		case sentinel(a):
			return "on some way it is the constant " + a.Text() + ", so that whoever has lost the lock is let in as well"
		case j.e.Reader.Reads(a):
			return raised
		}
	}
	return ""
}

// leftOver reports whether a number is drawn only where nothing is kept in its place yet, so
// that an earlier grant's may stand there.
func (j *judge) leftOver(tok meaning.Token, v *term.T) bool {
	alts := v.Alts()
	return len(alts) > 1 && tok.Call != nil && slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && tok.Call.SameCall(x.Call) &&
			slices.ContainsFunc(x.Chosen, func(c summary.Choice) bool { return c.Zero && slices.Contains(alts, c.Value) })
	})
}

const leftOver = "the number is drawn only where none is kept yet, so that whoever has lost the lock may have the same as the next holder"

const raised = "on some way it is what the resource has by then, or more, so that whoever has lost the lock is let in as well"

// calculated says what is done to the token in a value so that it does not grow with the
// grants any more.
func (j *judge) calculated(t *term.T, op string, depth int) string {
	if t.Kind != term.Op && t.Kind != term.Join || depth > 8 {
		return ""
	}
	if t.Kind == term.Op {
		switch {
		case slices.Contains([]string{"int8", "uint8", "int16", "uint16"}, t.Narrowed()):
			return "it is cut to " + t.Narrowed() + ", so that it starts anew every so many grants"
		case t.Narrowed() == "float32" && op == "<=", coarse(t) && op == "<=":
			return "it is rounded, so that whoever has lost the lock may have the same as the next holder, and equal ones pass"
		case j.turned(t):
			return "it is subtracted from something, so that older ones are greater"
		case slices.Contains([]string{"%", "|", "&", "^", "&^"}, t.Name), t.Name == "-" && len(t.Args) == 1:
			return "it is calculated with, so that it does not grow with the grants any more"
		case t.Name == "max", t.Name == "+":
			for _, x := range t.Args {
				if tok, ok := j.e.Reader.Token(x); !ok && j.e.Reader.Reads(x) || ok && tok.Origin == "clock" {
					return raised
				}
			}
		}
	}
	for _, x := range t.Args {
		if fault := j.calculated(x, op, depth+1); fault != "" {
			return fault
		}
	}
	return ""
}

// sentinel reports whether a constant is a number that is meant to be greater than any that
// is drawn. A small one may be the first of them.
func sentinel(t *term.T) bool {
	n, ok := t.Int()
	return ok && t.Kind == term.Const && n > 1<<30
}

// coarse reports whether a number is divided, and so the same as others.
func coarse(t *term.T) bool {
	if len(t.Args) != 2 || t.Name != "/" && t.Name != ">>" {
		return false
	}
	n, ok := t.Args[1].Int()
	return ok && n > 1 || ok && t.Name == ">>" && n > 0
}

// turned reports whether a token is subtracted from something that has none in it.
func (j *judge) turned(t *term.T) bool {
	if t.Name != "-" || len(t.Args) != 2 {
		return false
	}
	_, less := j.e.Reader.Token(t.Args[0])
	_, token := j.e.Reader.Token(t.Args[1])
	return token && !less
}

// cut says what becomes of a number that the lock's store gives to all that it writes, where
// 32 bits have to hold it: it goes round sooner or later, which a counter of grants hardly
// does. The lower half of what ZooKeeper counts by starts anew with each of its leaders.
func (j *judge) cut(tok meaning.Token, v *term.T) (ruling, bool) {
	e := j.e.Reader.Entry(tok.Call)
	if e == nil || !v.Any(func(t *term.T) bool { return strings.HasSuffix(t.Narrowed(), "int32") }) {
		return ruling{}, false
	}
	switch e.Library.Family {
	case "zookeeper":
		return ruling{cond: lock.None, fault: "it is cut to 32 bits, and these start anew with each leader of the ensemble"}, true
	case "etcd", "consul":
		return ruling{cond: lock.Unknown, note: "32 bits hold the token only until the store has made as many changes"}, true
	}
	return ruling{}, false
}

// padded reports whether a number is formatted to a fixed width.
func padded(t *term.T) bool {
	return t.Any(func(x *term.T) bool {
		s, ok := x.Str()
		return ok && fixedWidth().MatchString(s)
	})
}

var fixedWidth = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%0(\d+|\*)[dxX]`) })

// ownPlace reports whether a key has something in it that only this holder has: its token,
// its lease, the name of its process.
func (j *judge) ownPlace(key *term.T) bool {
	return slices.ContainsFunc(operands(key), func(t *term.T) bool {
		_, ok := j.e.Reader.Token(t)
		return ok || j.isOwnerValue(t)
	})
}

// ownPlaces reports whether the row in which a statement compares the last token is found by
// what only this holder has, and by nothing else; or, where the row is there for the token
// alone, by that as well.
func (j *judge) ownPlaces(g meaning.Guard, c *meaning.Change) bool {
	own, other := false, false
	look := func(column string, v *term.T) {
		switch {
		case v == nil || v.Kind == term.Const:
			return
		case v.Any(func(t *term.T) bool { return t.Kind == term.Struct }):
			other = true // a part of what has other parts as well
			return
		}
		tok, ok := j.e.Reader.Token(v)
		if ok && tok.Origin != "" && tok.Origin != "clock" || j.isOwnerValue(v) {
			own = own || !j.ownRow(meaning.Guard{Column: column, Table: g.Table}, c)
		} else {
			other = true
		}
	}
	for _, x := range c.Guards {
		if x.Op == "=" && !x.Moves && !x.Stored && x.Table == g.Table {
			look(x.Column, x.Value)
		}
	}
	for _, s := range c.By {
		look(s.Column, s.Value)
	}
	alone := !slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool { return s.Column != g.Column })
	return own && (!other || alone)
}
