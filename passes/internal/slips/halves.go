package slips

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// misses finds a method that is to release what another one takes, for it compares the
// owner that this one stores or works on the same session, and makes less of the key, or
// more, of the same values. A method that tells its key lets the caller hand it back, and so may one that takes
// several.
func misses(e *engine.Engine, t *taking) []lock.Slip {
	if !t.st.Direct || !t.st.Wrapper || !t.st.HeldOut || t.m.Row != nil {
		return nil
	}
	for _, h := range e.Halves(t.st.Func) {
		if key := alone(h.Meaning.Key); h.Meaning.Family == t.m.Family && isOwner(e, key, t.m.Value, t.m.Key) {
			return []lock.Slip{t.byOwner(h.Effect, key, h.Meaning.Raw)}
		}
	}
	if list := missesPart(e, t); len(list) > 0 {
		return list
	}
	several := func(x *term.T) bool { return x.Kind == term.Elem }
	if !specific(t.m.Key) && !computed(t.m.Key) || t.m.Key.Any(several) || t.tellsKey() {
		return nil
	}
	var out []lock.Slip
	for _, h := range e.Halves(t.st.Func) {
		key := alone(h.Meaning.Key)
		if h.Meaning.Family != t.m.Family || !t.halvesOfOne(h.Meaning) || key == nil || key.Kind != term.Field && (key.Kind == term.Const || !specific(key) && !computed(key)) {
			return nil
		}
		if (t.m.Key.Kind == term.Call || key.Kind == term.Call) && (t.m.Key.Kind != key.Kind || t.m.Key.Name != key.Name) {
			return nil // what a function makes of a key may be the same
		}
		mine, other := e.Unbound(t.m.Key), e.Unbound(key)
		part := func(of, x *term.T) bool { return of.Any(func(y *term.T) bool { return e.Pool.Alike(x, y) }) }
		if e.Pool.Alike(mine, other) {
			return nil
		}
		detail, made := key.Pattern(), other
		if mine, other = core(e, mine, other); other != made {
			detail = key.Text() + " made of " + strings.TrimPrefix(other.Text(), ".")
		}
		if !part(mine, other) && !part(other, mine) && !swapped(mine, other) {
			return nil
		}
		out = append(out, lock.Slip{Frame: about(e, h.Effect, h.Meaning.Raw), Kind: lock.SlipOtherKey, Detail: detail, Other: t.u.Acquire})
	}
	return out
}

// missesPart finds a method that makes its key by the function that makes the other's, of
// fewer of the same values, or more. What the function does with them may be out of sight.
func missesPart(e *engine.Engine, t *taking) []lock.Slip {
	mine := makers(t.f, t.st.At)
	var out []lock.Slip
	for _, h := range e.Halves(t.st.Func) {
		f := e.Families[code.Origin(h.Func)]
		if f == nil || h.Meaning.Family != t.m.Family || !t.halvesOfOne(h.Meaning) {
			return nil
		}
		in := sentBy(f, h.Effect.Call)
		if in == nil {
			return nil
		}
		for _, theirs := range makers(f, in) {
			for _, made := range mine {
				if callee := code.Origin(made.Call.StaticCallee()); callee != code.Origin(theirs.Call.StaticCallee()) || callee.Pkg != nil && callee.Pkg.Pkg.Path() == "context" {
					continue
				}
				a, b := unboundAll(e, argTerms(t.f, made)), unboundAll(e, argTerms(f, theirs))
				if len(a) == len(b) || len(a) == 0 || len(b) == 0 || !among(e, a, b) && !among(e, b, a) {
					return nil
				}
				key := code.MethodOf(&theirs.Call) + "(" + argsText(b) + ")"
				out = append(out, lock.Slip{Frame: about(e, h.Effect, h.Meaning.Raw), Kind: lock.SlipOtherKey, Detail: key, Other: t.u.Acquire})
			}
		}
	}
	return out
}

func unboundAll(e *engine.Engine, list []*term.T) []*term.T {
	out := make([]*term.T, 0, len(list))
	for _, t := range list {
		if !t.IsZero() { // a list of further parts that is empty
			out = append(out, e.Unbound(t))
		}
	}
	return out
}

// among reports whether all of some known values are among others.
func among(e *engine.Engine, some, others []*term.T) bool {
	return !slices.ContainsFunc(some, func(x *term.T) bool {
		return x.Any(func(y *term.T) bool { return y.Kind == term.Unknown }) || !slices.ContainsFunc(others, func(y *term.T) bool { return e.Pool.Alike(x, y) })
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

// halvesOfOne reports whether a release is of the lock that is taken but for its key:
// they name the same owner, or are done on the same session.
func (t *taking) halvesOfOne(freed meaning.Meaning) bool {
	e := t.f.Engine
	if t.m.Kind == lock.Advisory {
		return t.m.On != nil && freed.On != nil && t.m.On.Kind == term.Field && e.Pool.Alike(e.Unbound(t.m.On), e.Unbound(freed.On))
	}
	return e.SameOwner(t.st.Func, t.m, freed)
}

// core is what sets two keys apart that are made in the same way: by a hash of a name, say.
func core(e *engine.Engine, mine, other *term.T) (*term.T, *term.T) {
	for mine.Kind == other.Kind && (mine.Kind == term.Call || mine.Kind == term.Op) && mine.Name == other.Name && len(mine.Args) == len(other.Args) {
		differs := -1
		for i, a := range mine.Args {
			if e.Pool.Alike(a, other.Args[i]) {
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

// tellsKey reports whether the function returns a text that may be its key: one that is
// not the owner which it has stored.
func (t *taking) tellsKey() bool {
	return slices.ContainsFunc(t.st.Region.Returns, func(ret *ssa.Return) bool {
		return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			b, ok := v.Type().Underlying().(*types.Basic)
			if _, fixed := v.(*ssa.Const); !ok || fixed || b.Info()&types.IsString == 0 {
				return false
			}
			made := t.f.Value(v)
			return made == nil || !made.Any(func(x *term.T) bool { return x == t.m.Value })
		})
	})
}
