package records

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A version keeps a stale writer out where it is that of the state from which the new
// one was made. Asked for once more, right before the write, it is that of whoever has
// written in between.

const askedAfresh = "the version that it is compared with was read after what is stored had been read, so it matches whoever has written in between"

// afresh reports whether a write compares a version that one call of the section has read,
// while what it stores was made of what another one had read from the same place before.
//
// Calls are in the order of the text of their functions. Two calls of one function that
// reads both cannot be told apart, and nothing is said of them.
func (j *judge) afresh(c *meaning.Change) bool {
	var versions []*term.T
	for _, g := range c.Guards {
		if g.Value != nil && (g.Op == "version" || g.Op == "=" && versionColumn(g.Column)) {
			versions = append(versions, g.Value)
		}
	}
	if len(versions) == 0 {
		return false
	}
	var stored []*term.T
	for _, s := range append(slices.Clip(c.Sets), meaning.Setting{Value: c.Value}) {
		if s.Value != nil && !slices.Contains(versions, s.Value) {
			stored = append(stored, s.Value)
		}
	}
	var old []*term.T // the calls that read before what is stored
	for _, x := range j.st.Effects {
		if x.Call == nil || x.Open != summary.Closed || x.Call == c.Call {
			continue
		}
		if !slices.ContainsFunc(j.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Query && engine.Overlap(m.Store, c.Resource)
		}) {
			continue
		}
		from := func(t *term.T) bool { return t.Any(func(y *term.T) bool { return y.SameCall(x.Call) }) }
		asked := slices.ContainsFunc(versions, from)
		switch made := slices.ContainsFunc(stored, from); {
		case asked && made:
			return false
		case made:
			old = append(old, x.Call)
		case asked:
			return slices.ContainsFunc(old, func(y *term.T) bool { return j.sameRecord(y, x.Call) }) && !j.comparedInGo(c, x.Call)
		}
	}
	return false
}

// sameRecord reports whether two calls that read from one place name the same record there:
// what one is given, but for texts and where it is to be stored, the other is given as well.
func (j *judge) sameRecord(x, y *term.T) bool {
	a, b := j.names(meaning.Args(x)), j.names(meaning.Args(y))
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 == (len(b) > 0) && !slices.ContainsFunc(a, func(t *term.T) bool { return !slices.Contains(b, t) })
}

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

// comparedInGo reports whether what a call has read decides whether a write is made.
func (j *judge) comparedInGo(c *meaning.Change, read *term.T) bool {
	from := func(t *term.T) bool {
		return t != nil && t.Any(func(y *term.T) bool { return y.SameCall(read) })
	}
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call == c.Call && slices.ContainsFunc(x.Asked, func(a summary.Asked) bool { return from(a.Read) || from(a.Incoming) })
	})
}
