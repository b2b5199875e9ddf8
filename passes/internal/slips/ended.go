package slips

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A function that bounds its wait for the lock with a context, and cancels that on its
// way out, may hand out what gives the lock back: a function literal, or an object that
// keeps the context. Whoever calls it comes when the context has ended.

// handedOut finds releases in literals that are handed out, with a context that has ended
// when the function around them has returned.
func handedOut(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil {
		return nil
	}
	var out []lock.Slip
	for _, fn := range t.f.Members {
		s, made := t.f.Sums[fn], t.f.Made[fn]
		if s == nil || made == nil || fn.Parent() != t.st.Func || !escapes(t.f, made, 0) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				i := t.f.ReleaseIndex(s.Steps[in], t.st.Match)
				if i < 0 {
					continue
				}
				call, ctx := contextOf(t.f, s.Steps[in][i])
				if ctx == nil {
					continue
				}
				if end := endedIn(t.f, t.st.Func, ctx); end != nil {
					out = append(out, lock.Slip{Frame: t.f.Frame(call, ""), Kind: lock.SlipDead, Detail: "cancelled", Other: t.f.Frame(end, "cancelled here"), Fix: e.WithoutCancel(c, ctx)})
				}
			}
		}
	}
	return out
}

// endedIn is the call by which a function ends a context on every way on which it does not
// fail, be it deferred; nil where it makes none.
func endedIn(f *engine.Family, fn *ssa.Function, ctx ssa.Value) ssa.Instruction {
	line := f.Lineage(ctx)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if _, async := in.(*ssa.Go); ok && !async && f.Cancels(c, line) && alwaysDone(fn, b) {
				return in
			}
		}
	}
	return nil
}

// alwaysDone reports whether a function comes through b on every way to a return that does
// not come of an error.
func alwaysDone(fn *ssa.Function, b *ssa.BasicBlock) bool {
	for _, r := range fn.Blocks {
		if _, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return); ok && r != fn.Recover && !code.Failing(r) && !b.Dominates(r) {
			return false
		}
	}
	return true
}

// keptDead is the call that ends the context which a release is sent with, where that lies
// in a field and each of those who set it makes an object for others and ends the context
// before they get it; nil for others.
func keptDead(e *engine.Engine, release *term.T) (end ssa.Instruction, of *engine.Family) {
	for _, a := range meaning.Args(release) {
		kept := keptIn(a)
		if kept == nil {
			continue
		}
		for _, v := range e.SetTo(kept) {
			in, ok := v.(ssa.Instruction)
			if !ok {
				return nil, nil
			}
			of = e.Families[code.Root(in.Parent())]
			if of == nil || !escapes(of, v, 0) {
				return nil, nil
			}
			if end = endedIn(of, in.Parent(), v); end == nil {
				return nil, nil
			}
		}
		if end != nil {
			return end, of
		}
	}
	return nil, nil
}

// keptIn is the field that a context lies in, or that it is made of; nil for others.
func keptIn(ctx *term.T) *term.T {
	switch ctx.Kind {
	case term.Field:
		return ctx
	case term.Result:
		return keptIn(ctx.Args[0])
	case term.Call:
		if derives(ctx) {
			return keptIn(meaning.Args(ctx)[0])
		}
	}
	return nil
}

// escapes reports whether a value is returned, or is kept in an object: whoever has that
// calls it later.
func escapes(f *engine.Family, v ssa.Value, depth int) bool {
	if v == nil || v.Referrers() == nil || depth > maxHanded {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Return:
			return true
		case *ssa.ChangeType:
			return escapes(f, r, depth+1)
		case *ssa.MakeInterface:
			return escapes(f, r, depth+1)
		case *ssa.UnOp:
			return escapes(f, r, depth+1)
		case *ssa.Store:
			if r.Val != v {
				return false
			}
			if fa, ok := r.Addr.(*ssa.FieldAddr); ok {
				return escapes(f, f.Base(fa.X), depth+1)
			}
			a, ok := r.Addr.(*ssa.Alloc)
			return ok && escapes(f, a, depth+1)
		}
		return false
	})
}

// maxHanded bounds the variables and conversions on the way out of a function.
const maxHanded = 5
