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
			if !f.underFailure(b) {
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
