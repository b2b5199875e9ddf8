package slips

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// What tells a holder from others is in the object through which the lock was taken, or in
// the value that was stored. A release through an object that is made for it, or with a
// value that is drawn for it, is that of somebody who holds nothing: it is refused.

// anew finds such releases in functions that belong to the lock.
func anew(e *engine.Engine, t *taking) []lock.Slip {
	var out []lock.Slip
	e.EachSummary(func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		if code.PackagePath(fn) != code.PackagePath(t.st.Func) || takesAny(f) || !kin(fn, t.st.Func) && !beside(e, fn, t.st.Func) {
			return
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, x := range s.Steps[in] {
					r, ok := e.Release(x)
					if !ok || r.Family != t.m.Family || r.Library != t.m.Library && !r.Raw || x.Reach == summary.ByGoroutine {
						continue
					}
					made := madeFor(e, r)
					if made == nil || usedBeside(f, c, made) || madeBelow(e, c, x, made) || takenBy(e, s.Steps[in], made) {
						continue
					}
					how := "object"
					if made != r.Handle {
						how = "value"
					}
					out = append(out, lock.Slip{Frame: f.Frame(c, ""), Kind: lock.SlipAnew, Detail: how, Other: t.u.Acquire})
					break
				}
			}
		}
	})
	return out
}

// takesAny reports whether a family takes locks itself: what it releases is its own.
func takesAny(f *engine.Family) bool {
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool { return f.Sums[fn] != nil && len(f.Sums[fn].Sites) > 0 })
}

// beside reports whether two functions are of no type and stand in one file.
func beside(e *engine.Engine, a, b *ssa.Function) bool {
	file := func(fn *ssa.Function) string { return e.Position(code.Root(fn).Pos()).File }
	return code.ReceiverOf(a) == nil && code.ReceiverOf(b) == nil && file(a) == file(b)
}

// madeFor is what a release tells the holder by, if that was made where the release is:
// an object that keeps a key and no owner that is told to it, or a random value. It is nil
// for anything that may come from elsewhere.
func madeFor(e *engine.Engine, r meaning.Meaning) *term.T {
	if h := r.Handle; h != nil && !r.Session && keepsKey(e, engine.CallIn(h)) {
		return h
	}
	if v := r.Value; r.Raw && r.Checked && v != nil && (v.Kind == term.Call || v.Kind == term.Result || v.Kind == term.Op) && v.Any(func(t *term.T) bool { return drawsRandom(e, t) }) {
		return v
	}
	return nil
}

// drawsRandom reports whether a term is a call that gives another value each time.
func drawsRandom(e *engine.Engine, t *term.T) bool {
	entry := e.Reader.Entry(t)
	return entry != nil && entry.Origin != nil && entry.Origin.Kind == "random" && !entry.Fixed
}

// keepsKey reports whether a call makes a lock object that draws its owner itself. An
// option may tell it the owner; options that a caller hands on may be any.
func keepsKey(e *engine.Engine, made *term.T) bool {
	entry := e.Reader.Entry(made)
	if entry == nil || entry.New == nil || entry.New.Key.IsZero() || !entry.New.Value.IsZero() {
		return false
	}
	options := e.Reader.Get(entry.New.Options, made, nil)
	if options == nil {
		return true
	}
	told := func(t *term.T) bool {
		o := e.Reader.Entry(t)
		return o != nil && o.Option != nil && !o.Option.Value.IsZero()
	}
	for _, o := range append([]*term.T{options}, options.Args...) {
		if o.Kind == term.Param || o.Any(told) {
			return false
		}
		if o.Kind == term.Field || o.Kind == term.Global {
			if slices.ContainsFunc(e.Values(o), func(v *term.T) bool { return v.Any(told) }) {
				return false
			}
		}
	}
	return true
}

// usedBeside reports whether the family does more with what was made for a release than
// to release by it: it may take the lock by it, keep it, or let others do so.
func usedBeside(f *engine.Family, release ssa.CallInstruction, made *term.T) bool {
	has := func(v ssa.Value) bool {
		t := f.Value(v)
		return t != nil && t.Any(func(x *term.T) bool { return x == made })
	}
	if slices.ContainsFunc(f.Places, func(p engine.Placed) bool { return has(p.Val) }) {
		return true
	}
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Return:
					if slices.ContainsFunc(in.Results, func(v ssa.Value) bool { return !code.IsError(v.Type()) && !code.IsBasic(v.Type()) && has(v) }) {
						return true
					}
				case *ssa.Send:
					if has(in.X) {
						return true
					}
				case ssa.CallInstruction:
					if in == release || code.Logs(in.Common()) {
						continue
					}
					if entry := f.Engine.Reader.Entry(f.CallTerm(in.Common(), in.Pos())); entry != nil && entry.Acquire == nil && len(entry.Command) == 0 && (entry.Pure || entry.Reads != nil || entry.Release != nil || entry.Renew != nil || entry.Option != nil || !entry.Same.IsZero() || !entry.Into.IsZero()) {
						continue
					}
					if slices.ContainsFunc(f.Inputs(in.Common()), has) {
						return true
					}
				}
			}
		}
	}
	return false
}

// takenBy reports whether one call, which releases by what was made for it, does more
// with that: it takes the lock by it first.
func takenBy(e *engine.Engine, list []summary.Effect, made *term.T) bool {
	return slices.ContainsFunc(list, func(x summary.Effect) bool {
		_, release := e.Release(x)
		return x.Call != nil && !release && x.Call.Any(func(y *term.T) bool { return y == made })
	})
}

// madeBelow reports whether what a release tells the holder by was made in the function
// that is called, which is judged by itself then, or is kept there.
func madeBelow(e *engine.Engine, in ssa.CallInstruction, x summary.Effect, made *term.T) bool {
	if own := e.Below(in, x); own != nil {
		if r, ok := e.Release(summary.Effect{Call: own}); ok && madeFor(e, r) != nil {
			return true
		}
	}
	place := ""
	made.Any(func(y *term.T) bool {
		if y.Kind == term.Call && (keepsKey(e, y) || drawsRandom(e, y)) {
			place = y.Site
		}
		return place != ""
	})
	same := func(t *term.T) bool {
		return t != nil && t.Any(func(y *term.T) bool { return y.Kind == term.Call && y.Site == place })
	}
	return slices.ContainsFunc(e.Order, func(g *engine.Family) bool {
		g.Look()
		if _, here := g.CallBlocks()[place]; !here {
			return false
		}
		for _, s := range g.Sums {
			if slices.ContainsFunc(s.Sites, func(st *summary.Site) bool {
				m, ok := e.Acquire(st.Lock.Call)
				return ok && (same(m.Value) || same(m.Handle))
			}) {
				return true // and taken by
			}
		}
		return slices.ContainsFunc(g.Places, func(p engine.Placed) bool {
			return same(g.Settled().Get(p.Val))
		})
	})
}
