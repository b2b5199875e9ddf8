package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
)

// A number that is read from a local variable may be the zero that the variable was made
// with, which no store tells. It has to be known for tokens: whoever is given none may
// write as if there was no lock.

// unset reports whether a number that is read from a local variable, or from a field of
// one, may never have been set: nothing that sets it comes before on every way.
//
// Imprecision: where each way sets it in a place of its own, none of those comes before
// on every way.
func (f *Family) unset(load *ssa.UnOp) bool {
	if b, ok := load.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	place, field := f.Base(load.X), -1
	if fa, ok := place.(*ssa.FieldAddr); ok {
		place, field = f.Base(fa.X), fa.Field
	}
	a, ok := place.(*ssa.Alloc)
	if !ok {
		return false
	}
	// What a function literal reads was set before that was made, or in it.
	at := ssa.Instruction(load)
	for {
		if slices.ContainsFunc(f.settings(a, field, 0), func(in ssa.Instruction) bool {
			return in.Parent() == at.Parent() && code.Before(in, at)
		}) {
			return false
		}
		mc := f.Made[at.Parent()]
		if mc == nil || at.Parent() == a.Parent() {
			return true
		}
		at = mc
	}
}

// settings lists what may set a variable, or a field of it: stores, calls that are given
// its address, and calls of function literals that set it, or which are given such.
func (f *Family) settings(v ssa.Value, field, depth int) []ssa.Instruction {
	if v.Referrers() == nil || depth > MaxLooks {
		return nil
	}
	var list []ssa.Instruction
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.Go, *ssa.Defer:
		case *ssa.Store:
			if c, ok := r.Val.(*ssa.Const); r.Addr != v || !ok || c.Value != nil && c.Int64() != 0 {
				list = append(list, r)
			}
		case *ssa.FieldAddr:
			if field < 0 || r.Field == field {
				list = append(list, f.settings(r, -1, depth+1)...)
			}
		case *ssa.MakeClosure:
			fn := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				if b == v && len(f.settings(fn.FreeVars[i], field, depth+1)) > 0 {
					for _, use := range *r.Referrers() {
						if call, ok := use.(*ssa.Call); ok {
							list = append(list, call)
						}
					}
				}
			}
		case *ssa.Call:
			list = append(list, optionsFrom(r))
		default:
			list = append(list, r)
		}
	}
	return list
}

// optionsFrom is where a loop over options begins, if a call is that of an option: which
// of them there are is known by the list. It is the call for any other.
func optionsFrom(call *ssa.Call) ssa.Instruction {
	if call.Call.IsInvoke() || call.Call.StaticCallee() != nil {
		return call
	}
	head := call.Block().Idom()
	if head == nil || !slices.ContainsFunc(head.Preds, func(p *ssa.BasicBlock) bool { return call.Block().Dominates(p) }) {
		return call
	}
	return head.Instrs[len(head.Instrs)-1]
}
