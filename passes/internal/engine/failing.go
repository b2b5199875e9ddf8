package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// failureOnly reports whether a deferred closure does what it does at the given
// place only when the function around it fails: under "if err != nil" of a
// captured error. Such a release undoes an acquire that went wrong later; where
// the function succeeds, the lock is left to the caller.
func (f *Family) failureOnly(d *ssa.Defer, match func(summary.Effect) bool) bool {
	mc, ok := d.Call.Value.(*ssa.MakeClosure)
	if !ok {
		return false
	}
	fn := mc.Fn.(*ssa.Function)
	sum := f.Sums[fn]
	if sum == nil {
		return false
	}
	guarded := false
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if f.ReleaseIndex(sum.Steps[in], match) < 0 {
				continue
			}
			if !f.underFailure(b) && !(f.kept(b) && f.takesForOthers(d.Parent())) {
				return false
			}
			guarded = true
		}
	}
	return guarded
}

// stillHeld reports whether a return is reached with the lock held: where the function
// fails, a deferred closure that undoes the acquire then gives it back.
func (f *Family) stillHeld(st *summary.Site, region *world.Region, match func(summary.Effect) bool) bool {
	undoes := false
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			d, ok := in.(*ssa.Defer)
			undoes = undoes || ok && code.Before(d, st.Start()) && f.failureOnly(d, match)
		}
	}
	return slices.ContainsFunc(region.Returns, func(ret *ssa.Return) bool { return !undoes || !code.Failing(ret.Block()) })
}

// underFailure reports whether a block runs only where a captured error is set: in
// "if err != nil", or after "if err == nil { return }".
func (f *Family) underFailure(b *ssa.BasicBlock) bool {
	for d := b; d.Idom() != nil; d = d.Idom() {
		up := d.Idom()
		br, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok || len(d.Preds) != 1 {
			continue
		}
		cond, ok := br.Cond.(*ssa.BinOp)
		if !ok || !code.IsError(cond.X.Type()) || !(cond.Op == token.NEQ && up.Succs[0] == d || cond.Op == token.EQL && up.Succs[1] == d) {
			continue
		}
		load, ok := cond.X.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			continue
		}
		if _, captured := load.X.(*ssa.FreeVar); captured {
			return true
		}
	}
	return false
}

// takesForOthers reports whether a function is one half of a lock, going by its name or by
// its receiver, which has the other half.
func (f *Family) takesForOthers(fn *ssa.Function) bool {
	return NamesLock(fn.Name()) || len(f.Engine.Halves(fn)) > 0
}

// kept reports whether a block of a deferred closure does not run where the function around
// it says so at its end: under a captured flag that is a constant to begin with, and the
// other one right before a return.
func (f *Family) kept(b *ssa.BasicBlock) bool {
	for d := b; d.Idom() != nil; d = d.Idom() {
		up := d.Idom()
		br, ok := up.Instrs[len(up.Instrs)-1].(*ssa.If)
		if !ok || len(d.Preds) != 1 {
			continue
		}
		cond, runs := br.Cond, up.Succs[0] == d
		if n, ok := cond.(*ssa.UnOp); ok && n.Op == token.NOT {
			cond, runs = n.X, !runs
		}
		load, ok := cond.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			continue
		}
		captured, ok := load.X.(*ssa.FreeVar)
		if !ok {
			continue
		}
		if flag, ok := f.Base(captured).(*ssa.Alloc); ok && saysBeforeReturn(flag, !runs) {
			return true
		}
	}
	return false
}

// saysBeforeReturn reports whether a flag is given constants only, and the given one where
// every way on returns.
func saysBeforeReturn(flag *ssa.Alloc, want bool) bool {
	said := false
	for _, ref := range *flag.Referrers() {
		st, ok := ref.(*ssa.Store)
		if !ok || st.Addr != flag {
			continue
		}
		c, ok := st.Val.(*ssa.Const)
		if !ok {
			return false
		}
		if isFalse(c) == want {
			continue
		}
		if _, returns := st.Block().Instrs[len(st.Block().Instrs)-1].(*ssa.Return); !returns {
			return false
		}
		said = true
	}
	return said
}
