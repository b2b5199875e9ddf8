package engine

import (
	"go/types"
	"slices"
	"strings"

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
	fn *ssa.Function
	x  Effect
	m  meaning.Meaning
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
		method := e.prog.FuncValue(named.Method(i))
		sum := e.summary(method)
		if sum == nil {
			continue
		}
		for _, x := range sum.Effects {
			if r, ok := e.release(x); ok {
				out = append(out, half{method, x, r})
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
// owner that this one stores or works on the same session, and makes less of the key, or
// more, of the same values. A method that tells its key lets the caller hand it back, and so may one that takes
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
	if list := e.missesPart(t); len(list) > 0 {
		return list
	}
	several := func(x *term.T) bool { return x.Kind == term.Elem }
	if !specific(t.m.Key) && !computed(t.m.Key) || t.m.Key.Any(several) || returnsText(t.st.fn) {
		return nil
	}
	var out []lock.Slip
	for _, h := range e.halves(t.st.fn) {
		key := alone(h.m.Key)
		if h.m.Family != t.m.Family || !e.halvesOfOne(t.m, h.m) || key == nil || key.Kind != term.Field && (key.Kind == term.Const || !specific(key) && !computed(key)) {
			return nil
		}
		if (t.m.Key.Kind == term.Call || key.Kind == term.Call) && (t.m.Key.Kind != key.Kind || t.m.Key.Name != key.Name) {
			return nil // what a function makes of a key may be the same
		}
		mine, other := e.unbound(t.m.Key), e.unbound(key)
		part := func(of, x *term.T) bool { return of.Any(func(y *term.T) bool { return e.pool.Alike(x, y) }) }
		if e.pool.Alike(mine, other) {
			return nil
		}
		detail, made := key.Pattern(), other
		if mine, other = e.core(mine, other); other != made {
			detail = key.Text() + " made of " + strings.TrimPrefix(other.Text(), ".")
		}
		if !part(mine, other) && !part(other, mine) && !swapped(mine, other) {
			return nil
		}
		out = append(out, lock.Slip{Frame: e.about(h.x, h.m.Raw), Kind: lock.SlipOtherKey, Detail: detail, Other: t.u.Acquire})
	}
	return out
}

// missesPart finds a method that makes its key by the function that makes the other's, of
// fewer of the same values, or more. What the function does with them may be out of sight.
func (e *Engine) missesPart(t *taking) []lock.Slip {
	mine := t.f.makers(t.st.at)
	var out []lock.Slip
	for _, h := range e.halves(t.st.fn) {
		f := e.families[origin(h.fn)]
		if f == nil || h.m.Family != t.m.Family || !e.halvesOfOne(t.m, h.m) {
			return nil
		}
		in := f.sentBy(h.x.Call)
		if in == nil {
			return nil
		}
		for _, theirs := range f.makers(in) {
			for _, made := range mine {
				if callee := origin(made.Call.StaticCallee()); callee != origin(theirs.Call.StaticCallee()) || callee.Pkg != nil && callee.Pkg.Pkg.Path() == "context" {
					continue
				}
				a, b := e.unboundAll(t.f.argTerms(made)), e.unboundAll(f.argTerms(theirs))
				if len(a) == len(b) || len(a) == 0 || len(b) == 0 || !e.among(a, b) && !e.among(b, a) {
					return nil
				}
				key := methodOf(&theirs.Call) + "(" + argsText(b) + ")"
				out = append(out, lock.Slip{Frame: e.about(h.x, h.m.Raw), Kind: lock.SlipOtherKey, Detail: key, Other: t.u.Acquire})
			}
		}
	}
	return out
}

func (e *Engine) unboundAll(list []*term.T) []*term.T {
	out := make([]*term.T, 0, len(list))
	for _, t := range list {
		if !t.IsZero() { // a list of further parts that is empty
			out = append(out, e.unbound(t))
		}
	}
	return out
}

// among reports whether all of some known values are among others.
func (e *Engine) among(some, others []*term.T) bool {
	return !slices.ContainsFunc(some, func(x *term.T) bool {
		return x.Any(func(y *term.T) bool { return y.Kind == term.Unknown }) || !slices.ContainsFunc(others, func(y *term.T) bool { return e.pool.Alike(x, y) })
	})
}

func argsText(args []*term.T) string {
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = strings.TrimPrefix(a.Text(), ".")
	}
	return strings.Join(texts, ", ")
}

// computed reports whether a key is what a function makes of known values.
func computed(key *term.T) bool {
	return key != nil && key.Kind == term.Call && !key.Any(func(t *term.T) bool { return t.Kind == term.Unknown })
}

// halvesOfOne reports whether an acquire and a release are of one lock but for its key:
// they name the same owner, or are done on the same session.
func (e *Engine) halvesOfOne(taken, freed meaning.Meaning) bool {
	if taken.Kind == lock.Advisory {
		return taken.On != nil && freed.On != nil && taken.On.Kind == term.Field && e.pool.Alike(e.unbound(taken.On), e.unbound(freed.On))
	}
	return freed.Checked && e.pool.Alike(e.unbound(freed.Value), e.unbound(taken.Value))
}

// core is what sets two keys apart that are made in the same way: by a hash of a name, say.
func (e *Engine) core(mine, other *term.T) (*term.T, *term.T) {
	for mine.Kind == other.Kind && (mine.Kind == term.Call || mine.Kind == term.Op) && mine.Name == other.Name && len(mine.Args) == len(other.Args) {
		differs := -1
		for i, a := range mine.Args {
			if e.pool.Alike(a, other.Args[i]) {
				continue
			}
			if differs >= 0 {
				return mine, other
			}
			differs = i
		}
		if differs < 0 {
			break
		}
		mine, other = mine.Args[differs], other.Args[differs]
	}
	return mine, other
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
