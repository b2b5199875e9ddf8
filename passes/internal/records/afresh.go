package records

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A version keeps a stale writer out where it is that of the state from which the new
// one was made. Asked for once more, right before the write, it is that of whoever has
// written in between.

const (
	askedAfresh   = "the version that it is compared with was read after what is stored had been read, so it matches whoever has written in between"
	decidedBefore = "the version that it is compared with was read after that on which it was decided to write, so it matches whoever has written in between"
	eitherRead    = "whether what is stored was read with the version or before is out of sight"
	madeElsewhere = "what is stored was made of what had been read elsewhere before the version was, and whether that is still so is out of sight"
)

// An answer to what cannot always be told.
type answer int

const (
	no answer = iota
	perhaps
	yes
)

// A conditioned is a write that compares a version, which the i-th effect of the section reads.
type conditioned struct {
	*judge
	c       *meaning.Change
	version *term.T // the call that reads it
	i       int
}

// afresh rules on a write that compares a version, while what it stores was made of what
// had been read before that version: from the same place, which others may have changed since,
// or from another one, where the version comes with nothing that is stored.
//
// Calls are in the order of the text of their functions; those that are not in the section
// come before it. Two calls of one function that reads both cannot be told apart, and
// nothing is said of them.
func (j *judge) afresh(c *meaning.Change) (r ruling, ok bool) {
	versions, columns := j.versionsOf(c)
	if len(versions) == 0 {
		return ruling{}, false
	}
	if j.e.AskedTwice(j.st, c.Call, func(name string, t *term.T) bool {
		return versionName(name) || slices.ContainsFunc(versions, func(v *term.T) bool {
			return v.Kind == term.Field && v.Name == name || v.Any(func(x *term.T) bool { return x == t })
		})
	}) {
		return ruling{cond: lock.None, fault: askedAfresh}, true
	}
	parts, before := storedBy(c, versions, columns)
	for i, x := range j.st.Effects {
		if !j.queries(x) || x.Call == c.Call || j.comparedInGo(c, x.Call) && !transactional(c) ||
			!slices.ContainsFunc(versions, func(t *term.T) bool { return j.readBy(t, x.Call) }) {
			continue
		}
		w := conditioned{j, c, x.Call, i}
		switch fault, note := w.lateness(parts, before); {
		case fault != "":
			return ruling{cond: lock.None, fault: fault}, true
		case note != "":
			r, ok = ruling{cond: lock.Unknown, note: note}, true
		}
	}
	if !ok {
		return j.readByCaller(c, versions, parts)
	}
	return r, ok
}

// readByCaller rules on a write that compares a version which the section reads, while a caller
// of the function has read what is stored from the same place, before the lock was taken.
func (j *judge) readByCaller(c *meaning.Change, versions, parts []*term.T) (r ruling, ok bool) {
	if j.st.Func == nil || !slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return j.queries(x) && !j.comparedInGo(c, x.Call) && slices.ContainsFunc(versions, func(t *term.T) bool { return j.readBy(t, x.Call) })
	}) {
		return ruling{}, false
	}
	name := code.FuncName(code.Root(j.st.Func))
	written := identities(c)
	for _, t := range parts {
		if t.Any(func(p *term.T) bool {
			return p.Kind == term.Param && p.Name == name && !slices.Contains(written, p) && slices.ContainsFunc(j.e.Values(p), func(v *term.T) bool {
				return slices.ContainsFunc(j.e.Reader.Queries(v), func(q meaning.Meaning) bool { return engine.Overlap(q.Store, c.Resource) })
			})
		}) {
			return ruling{cond: lock.Unknown, note: "what is stored was read by a caller before the lock was taken, and the version after that"}, true
		}
	}
	return ruling{}, false
}

// lateness says what is wrong with the time of the version, or cannot be known of it; both are
// empty where the version is that of what is stored.
func (w conditioned) lateness(parts, before []*term.T) (fault, note string) {
	if w.decidedBefore() {
		return decidedBefore, ""
	}
	with := func(t *term.T) bool { return t.Any(w.version.SameCall) }
	if !slices.ContainsFunc(parts, with) && slices.ContainsFunc(parts, w.filledBefore) {
		note = madeElsewhere
	}
	for _, t := range append(slices.Clip(parts), before...) {
		if with(t) {
			continue
		}
		if hidden(t) && slices.ContainsFunc(w.st.Effects[:w.i], func(y summary.Effect) bool { return w.queries(y) && w.ofRecord(y.Call) != no }) {
			note = eitherRead
		}
		for _, y := range w.readEarlier(t) {
			switch w.ofRecord(y) {
			case yes:
				return askedAfresh, ""
			case perhaps:
				note = eitherRead
			case no:
				if note == "" && w.overlaps(y) == no && !slices.ContainsFunc(parts, with) {
					note = madeElsewhere
				}
			}
		}
	}
	return "", note
}

// filledBefore reports whether a map or list is stored that was filled with what had been read
// elsewhere before the version was.
func (w conditioned) filledBefore(t *term.T) bool {
	return t.Any(func(t *term.T) bool {
		return t.Kind == term.Call && t.Name == "make" || t.Kind == term.Struct || t.IsMerged()
	}) && slices.ContainsFunc(w.st.Effects[:w.i], func(y summary.Effect) bool {
		return w.queries(y) && !y.Call.SameCall(w.version) && w.e.Flows(y.Call, w.c.Call)
	})
}

// decidedBefore reports whether control comes to the write by what was read from the same
// record before the version was.
func (w conditioned) decidedBefore() bool {
	old := func(t *term.T) bool {
		return t != nil && slices.ContainsFunc(w.readEarlier(t), func(y *term.T) bool { return w.ofRecord(y) == yes })
	}
	return slices.ContainsFunc(w.st.Effects, func(x summary.Effect) bool {
		return x.Call == w.c.Call && slices.ContainsFunc(x.Asked, func(a summary.Asked) bool { return old(a.Read) || old(a.Incoming) })
	})
}

// versionName reports whether a field of an object is named like a version.
func versionName(name string) bool {
	return versionColumn(strings.Join(meaning.Words(name), "_"))
}

// versionsOf lists what a write compares with versions, or with another value or a greatest
// number that it moves and that was read, and the columns that hold them.
func (j *judge) versionsOf(c *meaning.Change) (values []*term.T, columns []string) {
	for _, g := range append(j.headers(c), c.Guards...) {
		switch {
		case g.Value == nil && g.Op == "version":
			values = append(values, j.readWithin(c)...)
		case g.Value == nil:
		case g.Op == "version", g.Op == "=" && (versionColumn(g.Column) || g.Moves && j.e.Reader.Reads(g.Value)),
			(g.Op == "<" || g.Op == "<=") && g.Stored && j.e.Reader.Reads(g.Value):
			values, columns = append(values, g.Value), append(columns, g.Column)
		}
	}
	return values, columns
}

// transactional reports whether a write goes with what was read through the same, as one.
func transactional(c *meaning.Change) bool { return strings.HasPrefix(c.Operation, "STM ") }

// readWithin lists the calls that read by what a write goes through: a transaction that is
// refused where that has changed.
func (j *judge) readWithin(c *meaning.Change) []*term.T {
	var out []*term.T
	for _, x := range j.st.Effects {
		if j.queries(x) && meaning.Receiver(x.Call) != nil && meaning.Receiver(x.Call) == meaning.Receiver(c.Call) {
			out = append(out, x.Call)
		}
	}
	return out
}

// storedBy lists what a write stores beside its versions, and the objects that it changes, as
// they were before.
func storedBy(c *meaning.Change, versions []*term.T, columns []string) (parts, before []*term.T) {
	object := c.Value
	if object == nil && c.Store == "k8s" {
		object = c.Key // is written as it is
	}
	for _, s := range append(slices.Clip(c.Sets), meaning.Setting{Value: object}) {
		if s.Value == nil || s.Column != "" && slices.Contains(columns, s.Column) || slices.Contains(versions, s.Value) {
			continue
		}
		more, old := settings(s.Value)
		parts, before = append(parts, more...), append(before, old...)
	}
	return parts, before
}

// queries reports whether an effect reads something.
func (j *judge) queries(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(j.e.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query })
}

// ofRecord tells whether a call reads the very record of which the version is.
func (w conditioned) ofRecord(call *term.T) answer {
	if there := w.overlaps(call); there != no && w.sameRecord(w.c, call, w.version) {
		return there
	}
	return no
}

// overlaps tells whether a call reads from where the write goes: mappers name no table. Where
// no statement says what is read, it is known by the method and by what that is called on.
func (w conditioned) overlaps(call *term.T) answer {
	if w.c.Store != "sql" && call.Name == w.version.Name && w.e.Pool.Alike(meaning.Receiver(call), meaning.Receiver(w.version)) {
		return yes
	}
	found := no
	for _, m := range w.e.Reader.Of(call) {
		switch {
		case m.Role != meaning.Query:
		case engine.Overlap(m.Store, w.c.Resource):
			return yes
		case m.Store == w.c.Store:
			found = perhaps
		}
	}
	return found
}

// hidden reports whether a part of a value is out of sight.
func hidden(t *term.T) bool {
	return t.Any(func(x *term.T) bool { return x.Kind == term.Unknown })
}

// readEarlier lists the calls that have read what a value was made of before the version was
// read.
func (w conditioned) readEarlier(t *term.T) []*term.T {
	var out []*term.T
	t.Any(func(y *term.T) bool {
		if y.Kind == term.Call && len(y.Args) > 0 && !slices.ContainsFunc(w.st.Effects[w.i:], func(x summary.Effect) bool { return x.Call != nil && x.Call.SameCall(y) }) &&
			slices.ContainsFunc(w.e.Reader.Of(y), func(m meaning.Meaning) bool { return m.Role == meaning.Query }) {
			out = append(out, y)
		}
		return false
	})
	return out
}

// settings lists what is stored in the parts of an object that was changed, and the object
// as it was before. Of others all is stored.
func settings(v *term.T) (parts, before []*term.T) {
	inner, _, value, ok := v.Changed()
	if !ok {
		return []*term.T{v}, nil
	}
	for ok {
		more, old := settings(value)
		parts, before = append(parts, more...), append(before, old...)
		v = inner
		inner, _, value, ok = v.Changed()
	}
	return parts, append(before, v)
}

// readBy reports whether a value is what a call has read. What another call has found by
// that is not.
func (j *judge) readBy(v, call *term.T) bool {
	switch {
	case v == nil:
		return false
	case v.SameCall(call):
		return true
	case v.Kind == term.Call && j.e.Reader.Reads(v):
		return false
	}
	return slices.ContainsFunc(v.Args, func(a *term.T) bool { return j.readBy(a, call) })
}

// sameRecord reports whether two calls that read from one place name the same record there:
// what one is given, but for texts and where it is to be stored, the other is given as well,
// or has it from the first and gives it to the write too.
func (j *judge) sameRecord(c *meaning.Change, x, y *term.T) bool {
	if c.Store != "sql" && x.Name == y.Name && !sameWords(meaning.Args(x), meaning.Args(y)) {
		return false
	}
	a, b := j.names(meaning.Args(x)), j.names(meaning.Args(y))
	written := identities(c)
	if own := slices.DeleteFunc(slices.Clone(b), func(t *term.T) bool { return j.readBy(t, x) && slices.Contains(written, t) }); len(own) < len(b) {
		return len(own) == 0
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 == (len(b) > 0) && !slices.ContainsFunc(a, func(t *term.T) bool { return !slices.Contains(b, t) })
}

// sameWords reports whether two lists have the same constants in the same places.
func sameWords(x, y []*term.T) bool {
	for i := range min(len(x), len(y)) {
		if x[i].Kind == term.Const && y[i].Kind == term.Const && x[i] != y[i] {
			return false
		}
	}
	return true
}

// names lists what tells one record from another among the arguments of a call.
func (j *judge) names(args []*term.T) []*term.T {
	var out []*term.T
	for _, a := range args {
		switch {
		case a.Kind == term.List || a.Kind == term.Struct:
			out = append(out, j.names(a.Args)...)
		case a.Kind != term.Const && a.Kind != term.Nil && a.Kind != term.Unknown && !j.e.Carrier(a):
			out = append(out, a)
		}
	}
	return out
}

// comparedInGo reports whether what a call has read decides whether a write is made. The
// order of texts decides nothing of numbers.
func (j *judge) comparedInGo(c *meaning.Change, read *term.T) bool {
	from := func(t *term.T) bool {
		return t != nil && t.Any(func(y *term.T) bool { return y.SameCall(read) })
	}
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call == c.Call && slices.ContainsFunc(x.Asked, func(a summary.Asked) bool {
			return (from(a.Read) || from(a.Incoming)) && !(strings.ContainsAny(a.Op, "<>") && a.Op != "<>" && a.Incoming.IsText() && !padded(a.Incoming))
		})
	})
}
