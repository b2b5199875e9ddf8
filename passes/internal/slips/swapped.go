package slips

import (
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Keys that are not known can still be told apart: where one is made of the same parts
// as the other in another order, and where one is what the lock was told as its owner.

// isOwner reports whether what is taken for a key is the owner value of a lock, be it
// kept in a field in between.
func isOwner(e *engine.Engine, key, value, of *term.T) bool {
	if key == nil || value == nil || value.IsZero() || value.Kind == term.Const || value.Kind == term.Unknown || e.Pool.Alike(value, of) || e.Pool.Alike(key, of) {
		return false
	}
	if key == value {
		return true
	}
	if key.Kind != term.Field {
		return false
	}
	kept := e.Values(key)
	return slices.Contains(kept, value) && !slices.ContainsFunc(kept, func(v *term.T) bool { return v != value && !v.IsZero() })
}

// byOwner is the slip that a release is which takes the owner value for the key. It
// stands at the command itself, also in a batch, where that is in the package of the lock.
func (t *taking) byOwner(x summary.Effect, key *term.T, raw bool) lock.Slip {
	at := t.f.Engine.FrameOf(x.Call, x.At)
	if filepath.Dir(at.File) != filepath.Dir(t.u.Acquire.File) {
		at = about(t.f.Engine, x, raw)
	}
	return lock.Slip{Frame: at, Kind: lock.SlipOtherKey, Detail: key.Pattern(), Other: t.u.Acquire}
}

// swapped reports whether two keys are made of the same parts in another order.
func swapped(a, b *term.T) bool {
	if a == nil || b == nil || a.Kind != term.Op || b.Kind != term.Op || a.Pattern() != b.Pattern() {
		return false
	}
	return reordered(parts(a), parts(b))
}

// parts are the parts of a text that is put together.
func parts(t *term.T) []*term.T {
	if t.Kind != term.Op {
		return []*term.T{t}
	}
	var out []*term.T
	for _, a := range t.Args {
		out = append(out, parts(a)...)
	}
	return out
}

// reordered reports whether two lists have the same elements, all of them known, in
// another order.
func reordered(a, b []*term.T) bool {
	if len(a) != len(b) || slices.Equal(a, b) {
		return false
	}
	for _, t := range a {
		count := func(list []*term.T) (n int) {
			for _, x := range list {
				if x == t {
					n++
				}
			}
			return n
		}
		if t.Kind == term.Unknown || count(a) != count(b) {
			return false
		}
	}
	return true
}

// misordered finds a release whose key the function that also made the lock's makes,
// of the same values in another order. What the function does with them may be out of
// sight: a hash, say.
func misordered(e *engine.Engine, t *taking) []lock.Slip {
	if !t.st.Direct {
		return nil
	}
	mine := makers(t.f, t.st.At)
	var out []lock.Slip
	for _, x := range t.st.Freed {
		m, ok := e.Release(x)
		in := sentBy(t.f, x.Call)
		if !ok || m.Session || in == nil {
			continue
		}
		for _, theirs := range makers(t.f, in) {
			args := argTerms(t.f, theirs)
			same := func(c *ssa.Call) bool {
				return code.Origin(c.Call.StaticCallee()) == code.Origin(theirs.Call.StaticCallee()) && reordered(argTerms(t.f, c), args)
			}
			if !slices.ContainsFunc(mine, same) {
				continue
			}
			key := code.MethodOf(&theirs.Call) + "(" + argsText(args) + ")"
			out = append(out, lock.Slip{Frame: about(e, x, m.Raw), Kind: lock.SlipOtherKey, Detail: key, Other: t.u.Acquire})
		}
	}
	return out
}

// sentBy is the instruction of a call, which may be deferred.
func sentBy(f *engine.Family, t *term.T) ssa.CallInstruction {
	if in := f.CallOf(t); in != nil {
		return in
	}
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if d, ok := in.(*ssa.Defer); ok && f.Engine.CallSite(d.Pos()) == t.Site {
					return d
				}
			}
		}
	}
	return nil
}

// makers lists the calls that make what a call is given.
func makers(f *engine.Family, in ssa.CallInstruction) []*ssa.Call {
	var out []*ssa.Call
	for _, v := range code.OperandsOf(in.Common()) {
		list := f.Variadic(v)
		if list == nil {
			list = []ssa.Value{v}
		}
		for _, v := range list {
			if call, ok := plain(f, v).(*ssa.Call); ok && call.Call.StaticCallee() != nil {
				out = append(out, call)
			}
		}
	}
	return out
}

// plain is a value without the conversions and the variable that it goes through.
func plain(f *engine.Family, v ssa.Value) ssa.Value {
	for range engine.MaxSources {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Convert:
			v = x.X
		case *ssa.UnOp:
			list := f.Stores[f.Base(x.X)]
			if len(list) != 1 {
				return v
			}
			v = list[0]
		default:
			return v
		}
	}
	return v
}

// argTerms lists the arguments of a call, those of a variadic one each for itself.
func argTerms(f *engine.Family, c *ssa.Call) []*term.T {
	var out []*term.T
	for _, v := range c.Call.Args {
		if list := f.Variadic(v); list != nil {
			for _, v := range list {
				out = append(out, f.Get(v))
			}
			continue
		}
		out = append(out, f.Get(v))
	}
	return out
}
