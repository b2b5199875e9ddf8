package engine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A lock is often taken by one method and given back by another of the same type.
// What the two make of their object's fields, and of parameters that have the same
// names, can be compared without a caller in view.

// A half is a release by a method beside the one that takes the lock.
type half struct {
	x Effect
	m meaning.Meaning
}

// halves lists the releases by methods of fn's receiver type that are named after
// giving something back.
func (e *Engine) halves(fn *ssa.Function) []half {
	recv := receiverOf(fn)
	if recv == nil {
		return nil
	}
	named, ok := recv.Type().(*types.Named)
	if !ok {
		return nil
	}
	var out []half
	for i := range named.NumMethods() {
		if !releaseName(named.Method(i).Name()) {
			continue
		}
		sum := e.summary(e.prog.FuncValue(named.Method(i)))
		if sum == nil {
			continue
		}
		for _, x := range sum.Effects {
			if r, ok := e.release(x); ok {
				out = append(out, half{x, r})
			}
		}
	}
	return out
}

// unbound is a term of a method in words that mean the same in every method of its
// type: the receiver is the object, and a parameter is its name.
func (e *Engine) unbound(t *term.T) *term.T {
	return e.pool.Subst(t, func(p *term.T) *term.T {
		if p.Index == 0 {
			return e.pool.Const("param", "")
		}
		return e.pool.Const("param", p.Label)
	})
}

// comparesBeside reports whether another method compares the owner value that fn
// stores with a key.
func (e *Engine) comparesBeside(fn *ssa.Function, m meaning.Meaning) bool {
	if !m.Raw || m.Value == nil || m.Value.Kind == term.Const {
		return false
	}
	for _, h := range e.halves(fn) {
		if h.m.Checked && h.m.Family == m.Family && e.pool.Alike(e.unbound(h.m.Value), e.unbound(m.Value)) {
			return true
		}
	}
	return false
}

// misses finds a method that is to release what another one takes, for it compares the
// owner that this one stores, and makes less of the key, or more, of the same values. A
// method that tells its key lets the caller hand it back, and so may one that takes
// several.
func (e *Engine) misses(t *taking) []lock.Slip {
	if !t.st.direct || !t.st.wrapper || !t.st.heldOut || t.m.Row != nil {
		return nil
	}
	for _, h := range e.halves(t.st.fn) {
		if key := alone(h.m.Key); h.m.Family == t.m.Family && e.isOwner(key, t.m.Value, t.m.Key) {
			return []lock.Slip{t.byOwner(h.x, key, h.m.Raw)}
		}
	}
	several := func(x *term.T) bool { return x.Kind == term.Elem }
	if !specific(t.m.Key) || t.m.Key.Any(several) || returnsText(t.st.fn) {
		return nil
	}
	mine := e.unbound(t.m.Key)
	var out []lock.Slip
	for _, h := range e.halves(t.st.fn) {
		key := alone(h.m.Key)
		if h.m.Family != t.m.Family || !h.m.Checked || !e.pool.Alike(e.unbound(h.m.Value), e.unbound(t.m.Value)) || key == nil || key.Kind != term.Field && (key.Kind == term.Const || !specific(key)) {
			return nil
		}
		other := e.unbound(key)
		part := func(of, x *term.T) bool { return of.Any(func(y *term.T) bool { return e.pool.Alike(x, y) }) }
		if e.pool.Alike(mine, other) || !part(mine, other) && !part(other, mine) && !swapped(mine, other) {
			return nil
		}
		out = append(out, lock.Slip{Frame: e.about(h.x, h.m.Raw), Kind: lock.SlipOtherKey, Detail: key.Pattern(), Other: t.u.Acquire})
	}
	return out
}

// alone is the one key of a list, or what is no list.
func alone(key *term.T) *term.T {
	if key != nil && key.Kind == term.List && len(key.Args) == 1 {
		return key.Args[0]
	}
	return key
}

// returnsText reports whether a function returns a string: its key, say.
func returnsText(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
			return true
		}
	}
	return false
}
