package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// What tells a holder from others is in the object through which the lock was taken, or in
// the value that was stored. A release through an object that is made for it, or with a
// value that is drawn for it, is that of somebody who holds nothing: it is refused.

// anew finds such releases in functions that belong to the lock.
func (e *Engine) anew(t *taking) []lock.Slip {
	var out []lock.Slip
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		if pkgOf(fn) != pkgOf(t.st.fn) || f.takesAny() || !kin(fn, t.st.fn) && !e.beside(fn, t.st.fn) {
			return
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				for _, x := range s.steps[in] {
					r, ok := e.release(x)
					if !ok || r.Family != t.m.Family || r.Library != t.m.Library && !r.Raw || x.Reach == ByGoroutine {
						continue
					}
					made := e.madeFor(r)
					if made == nil || f.usedBeside(c, made) || e.madeBelow(c, x, made) || e.takenBy(s.steps[in], made) {
						continue
					}
					how := "object"
					if made != r.Handle {
						how = "value"
					}
					out = append(out, lock.Slip{Frame: f.frame(c, ""), Kind: lock.SlipAnew, Detail: how, Other: t.u.Acquire})
					break
				}
			}
		}
	})
	return out
}

// takesAny reports whether a family takes locks itself: what it releases is its own.
func (f *family) takesAny() bool {
	return slices.ContainsFunc(f.members, func(fn *ssa.Function) bool { return f.sums[fn] != nil && len(f.sums[fn].sites) > 0 })
}

// beside reports whether two functions are of no type and stand in one file.
func (e *Engine) beside(a, b *ssa.Function) bool {
	file := func(fn *ssa.Function) string { return e.position(rootOf(fn).Pos()).File }
	return receiverOf(a) == nil && receiverOf(b) == nil && file(a) == file(b)
}

// madeFor is what a release tells the holder by, if that was made where the release is:
// an object that keeps a key and no owner that is told to it, or a random value. It is nil
// for anything that may come from elsewhere.
func (e *Engine) madeFor(r meaning.Meaning) *term.T {
	if h := r.Handle; h != nil && !r.Session && e.keepsKey(callIn(h)) {
		return h
	}
	if v := r.Value; r.Raw && r.Checked && v != nil && (v.Kind == term.Call || v.Kind == term.Result || v.Kind == term.Op) && v.Any(e.drawsRandom) {
		return v
	}
	return nil
}

// callIn is the call that a term is a result of, or the term itself.
func callIn(t *term.T) *term.T {
	if t.Kind == term.Result {
		return t.Args[0]
	}
	return t
}

// drawsRandom reports whether a term is a call that gives another value each time.
func (e *Engine) drawsRandom(t *term.T) bool {
	entry := e.reader.Entry(t)
	return entry != nil && entry.Origin != nil && entry.Origin.Kind == "random" && !entry.Fixed
}

// keepsKey reports whether a call makes a lock object that draws its owner itself. An
// option may tell it the owner; options that a caller hands on may be any.
func (e *Engine) keepsKey(made *term.T) bool {
	entry := e.reader.Entry(made)
	if entry == nil || entry.New == nil || entry.New.Key.IsZero() || !entry.New.Value.IsZero() {
		return false
	}
	options := e.reader.Get(entry.New.Options, made, nil)
	if options == nil {
		return true
	}
	told := func(t *term.T) bool {
		o := e.reader.Entry(t)
		return o != nil && o.Option != nil && !o.Option.Value.IsZero()
	}
	for _, o := range append([]*term.T{options}, options.Args...) {
		if o.Kind == term.Param || o.Any(told) {
			return false
		}
		if o.Kind == term.Field || o.Kind == term.Global {
			if slices.ContainsFunc(e.values(o), func(v *term.T) bool { return v.Any(told) }) {
				return false
			}
		}
	}
	return true
}

// usedBeside reports whether the family does more with what was made for a release than
// to release by it: it may take the lock by it, keep it, or let others do so.
func (f *family) usedBeside(release ssa.CallInstruction, made *term.T) bool {
	has := func(v ssa.Value) bool {
		t := f.value(v)
		return t != nil && t.Any(func(x *term.T) bool { return x == made })
	}
	if slices.ContainsFunc(f.places, func(p placed) bool { return has(p.val) }) {
		return true
	}
	for _, fn := range f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Return:
					if slices.ContainsFunc(in.Results, func(v ssa.Value) bool { return !isError(v.Type()) && !isBasic(v.Type()) && has(v) }) {
						return true
					}
				case *ssa.Send:
					if has(in.X) {
						return true
					}
				case ssa.CallInstruction:
					if in == release || logs(in.Common()) {
						continue
					}
					if entry := f.e.reader.Entry(f.callTerm(in.Common(), in.Pos())); entry != nil && entry.Acquire == nil && len(entry.Command) == 0 && (entry.Pure || entry.Reads != nil || entry.Release != nil || entry.Renew != nil || entry.Option != nil || !entry.Same.IsZero()) {
						continue
					}
					if slices.ContainsFunc(f.inputs(in.Common()), has) {
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
func (e *Engine) takenBy(list []Effect, made *term.T) bool {
	return slices.ContainsFunc(list, func(x Effect) bool {
		_, release := e.release(x)
		return x.Call != nil && !release && x.Call.Any(func(y *term.T) bool { return y == made })
	})
}

// madeBelow reports whether what a release tells the holder by was made in the function
// that is called, which is judged by itself then, or is kept there.
func (e *Engine) madeBelow(in ssa.CallInstruction, x Effect, made *term.T) bool {
	if own := e.below(in, x); own != nil {
		if r, ok := e.release(Effect{Call: own}); ok && e.madeFor(r) != nil {
			return true
		}
	}
	place := ""
	made.Any(func(y *term.T) bool {
		if y.Kind == term.Call && (e.keepsKey(y) || e.drawsRandom(y)) {
			place = y.Site
		}
		return place != ""
	})
	same := func(t *term.T) bool {
		return t != nil && t.Any(func(y *term.T) bool { return y.Kind == term.Call && y.Site == place })
	}
	return slices.ContainsFunc(e.order, func(g *family) bool {
		g.look()
		if _, here := g.callBlocks()[place]; !here {
			return false
		}
		for _, s := range g.sums {
			if slices.ContainsFunc(s.sites, func(st *site) bool { m, ok := e.acquire(st.lock.Call); return ok && (same(m.Value) || same(m.Handle)) }) {
				return true // and taken by
			}
		}
		return slices.ContainsFunc(g.places, func(p placed) bool {
			return same(g.settled().get(p.val))
		})
	})
}
