package slips

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// mismatches finds a release or renewal of another key than the one that was
// locked, in a function that does not release its own. Both keys must be known.
// A general command deletes and expires much else, so its key must be named like
// a lock's, or made of the same value.
func mismatches(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || t.st.Returned {
		return nil
	}
	comparable := t.m.Key != nil && (t.m.Key.Kind == term.Call || specific(t.m.Key))
	if !comparable && t.m.Value == nil && t.m.Kind != lock.Advisory {
		return misordered(e, t)
	}
	sum := t.f.Sums[t.st.Func]
	var out []lock.Slip
	look := func(in ssa.Instruction) {
		for _, x := range sum.Steps[in] {
			if x.Call == nil || x.Open != summary.Closed || t.st.Match(x) {
				continue
			}
			ms := e.Reader.Of(x.Call)
			for _, r := range ms {
				wrong := r.Role == meaning.Renew || r.Role == meaning.Release && len(t.st.Freed) == 0
				if !wrong || r.Family != t.m.Family || r.Key == nil || len(r.Key.Alts()) != 1 {
					continue
				}
				if t.m.Kind == lock.Advisory && numbers(r.Key) > 0 && numbers(t.m.Key) > 0 && numbers(r.Key) != numbers(t.m.Key) && !t.another(r.Key) {
					out = append(out, lock.Slip{Frame: t.astray(x, r), Kind: lock.SlipOtherKey, Detail: r.Key.Pattern(), Other: t.u.Acquire})
					continue
				}
				key := alone(r.Key)
				if r.Role == meaning.Release && isOwner(e, key, t.m.Value, t.m.Key) {
					out = append(out, t.byOwner(x, key, r.Raw))
					continue
				}
				if !comparable || t.elsewhere(key) || r.Raw && t.filled(key) || r.General(ms) && (key.Kind == term.Field || !engine.NamesLock(key.Pattern()) && !t.m.Key.Any(func(x *term.T) bool { return x == key })) {
					continue
				}
				out = append(out, lock.Slip{Frame: t.astray(x, r), Kind: lock.SlipOtherKey, Detail: t.shown(key), Other: t.u.Acquire})
			}
		}
	}
	for _, in := range t.st.Region.Held {
		look(in)
	}
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok && code.Before(d, t.st.At) {
				look(d)
			}
		}
	}
	return append(out, misordered(e, t)...)
}

// astray is where a release or renewal goes to another key. A function that makes the
// same of what it is given as the one which takes the lock was given the wrong thing:
// that is the fault of its call.
func (t *taking) astray(x summary.Effect, m meaning.Meaning) lock.Frame {
	e := t.f.Engine
	at := t.f.Within(x)
	call := t.f.CallAt(at.Position)
	if call == nil || at.Position == x.At.Position {
		return about(e, x, m.Raw)
	}
	given := func(k *term.T) *term.T {
		return e.Pool.Subst(alone(k), func(*term.T) *term.T { return e.Pool.Const("param", "") })
	}
	for _, r := range e.Reader.Of(e.Below(call, x)) {
		if r.Role == m.Role && engine.AsGiven(alone(r.Key)) && (t.st.Direct || slices.ContainsFunc(t.takenBelow(), func(key *term.T) bool {
			return e.Pool.Alike(given(key), given(r.Key))
		})) {
			return at
		}
	}
	return about(e, x, m.Raw)
}

// takenBelow lists the keys of the lock as the wrapper that is called makes them, of its
// own parameters.
func (t *taking) takenBelow() []*term.T {
	var keys []*term.T
	for _, fn := range t.f.Engine.Callees(t.st.At.Common()) {
		sum := t.f.Engine.Summary(fn)
		if sum == nil {
			continue
		}
		for _, h := range sum.Holds {
			if m, ok := t.f.Engine.Acquire(h.Lock.Call); ok && h.Lock.Origin == t.st.Lock.Origin {
				keys = append(keys, m.Key)
			}
		}
	}
	return keys
}

// numbers is how many of them name an advisory lock: one and two are different locks,
// whatever they are. It is 0 where that is not known.
func numbers(key *term.T) int {
	switch {
	case key == nil || key.Kind == term.Unknown || key.Kind == term.Join:
		return 0
	case key.Kind == term.List:
		return len(key.Args)
	}
	return 1
}

// filled reports whether the section also writes what is under a key: then it is
// the time to live of data that a general command sets.
func (t *taking) filled(key *term.T) bool {
	return slices.ContainsFunc(t.st.Effects, func(x summary.Effect) bool {
		if x.Call == nil {
			return false
		}
		written := false
		for _, m := range t.f.Engine.Reader.Of(x.Call) {
			if m.Role == meaning.Renew || m.Role == meaning.Release {
				return false // that is what is asked about
			}
			written = written || m.Role == meaning.Write && m.Write.Key != nil && t.f.Engine.Pool.Alike(m.Write.Key, key)
		}
		return written
	})
}

// specific reports whether a key is known well enough to differ from another.
func specific(key *term.T) bool {
	if key == nil || len(key.Alts()) != 1 {
		return false
	}
	switch key.Kind {
	case term.Const, term.Op, term.Param:
		return !key.IsZero() && !key.Any(func(t *term.T) bool { return t.Kind == term.Unknown })
	}
	return false
}

// apart goes into two calls of one function, such as one that hashes a name, to the
// only thing that they are given otherwise.
func (t *taking) apart(key *term.T) (mine, other *term.T) {
	mine, other = t.m.Key, key
	for mine.Kind == term.Call && other.Kind == term.Call && mine.Name == other.Name && len(mine.Args) == len(other.Args) {
		differs := -1
		for i, a := range mine.Args {
			switch {
			case t.f.Engine.Pool.Alike(a, other.Args[i]):
			case differs >= 0:
				return nil, nil
			default:
				differs = i
			}
		}
		if differs < 0 {
			break
		}
		mine, other = mine.Args[differs], other.Args[differs]
		if t.f.Engine.Carrier(mine) || t.f.Engine.Carrier(other) {
			return nil, nil
		}
	}
	return mine, other
}

// shown is a key as a message names it: a call by what sets it apart.
func (t *taking) shown(key *term.T) string {
	_, other := t.apart(key)
	if other == key {
		return key.Pattern()
	}
	return term.ShortName(key.Name) + "(" + other.Pattern() + ")"
}

// elsewhere reports whether a key is none that this lock can be confused with: it
// is not known, is the same in other words, or belongs to another lock.
func (t *taking) elsewhere(key *term.T) bool {
	mine, other := t.apart(key)
	if !specific(mine) || !specific(other) && !bare(other, mine) || other.Pattern() == mine.Pattern() && !swapped(other, mine) || t.f.Engine.Pool.Alike(key, t.m.Key) || t.f.Engine.Evidence.Locks(t.m.Family, key) {
		return true
	}
	return t.another(key) || key.Pattern() != t.m.Key.Pattern() && !curtailed(key, t.m.Key) && t.f.Engine.Evidence.Named(t.m.Family, key)
}

// curtailed reports whether a key is what is left of the lock's own, of the same values,
// where something before or after it is left out.
func curtailed(key, own *term.T) bool {
	part, whole := key.Pattern(), own.Pattern()
	some, all := key.Holes(), own.Holes()
	if key.Kind != term.Op || own.Kind != term.Op || len(some) == 0 || len(some) > len(all) {
		return false
	}
	return strings.HasSuffix(whole, part) && slices.Equal(some, all[len(all)-len(some):]) ||
		strings.HasPrefix(whole, part) && slices.Equal(some, all[:len(some)])
}

// bare reports whether a key is a value that the lock's own key puts something before or
// after: that is left out.
func bare(key, own *term.T) bool {
	switch key.Kind {
	case term.Field, term.Call, term.Result, term.Elem:
		return own.Kind == term.Op && own.Pattern() != "%s" && slices.Contains(own.Holes(), key)
	}
	return false
}

// another reports whether a key is that of another lock which the function takes.
func (t *taking) another(key *term.T) bool {
	return slices.ContainsFunc(t.f.Sums[t.st.Func].Sites, func(other *summary.Site) bool {
		m, ok := t.f.Engine.Acquire(other.Lock.Call)
		return ok && other != t.st && t.f.Engine.Pool.Alike(m.Key, key)
	})
}
