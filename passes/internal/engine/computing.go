package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
)

// A function may let its callers compute what it writes under a lock, by a function that
// they pass. That does not make it a wrapper, and leaves its own writes what they are.

// computed reports whether fn writes in the section itself, and all that its caller puts
// into it is a function whose value it may write. What the wrapper below it does by itself
// is part of locking, and so is it to draw a token.
func (f *Family) computed(s *summary.Summary, st *summary.Site, m meaning.Meaning, fn *ssa.Function) bool {
	own := slices.DeleteFunc(slices.Clone(f.Engine.numbers(s, st.Effects)), func(x summary.Effect) bool { return x.Reach < summary.ByCallback })
	return f.writes(own, m) && !slices.ContainsFunc(st.Effects, func(x summary.Effect) bool {
		return x.Open == summary.Value && !x.Tells && !x.Yields && IsArgument(x.Call.Args[0])
	})
}

// yields reports whether a function is there to compute: it returns a value besides an
// error, or is given a record to change and nothing to reach the world by.
func (e *Engine) yields(sig *types.Signature) bool {
	for i := range sig.Results().Len() {
		if !code.IsError(sig.Results().At(i).Type()) {
			return true
		}
	}
	changes := false
	for v := range sig.Params().Variables() {
		switch t := v.Type().Underlying().(type) {
		case *types.Pointer:
			n, ok := types.Unalias(t.Elem()).(*types.Named)
			if _, record := t.Elem().Underlying().(*types.Struct); !ok || !record || !e.Implementations.local[n.Obj().Pkg()] || actsByItself(n) {
				return false
			}
			changes = true
		case *types.Interface, *types.Signature, *types.Chan:
			return false // a context, a client
		}
	}
	return changes
}

// actsByItself reports whether a record has a field by which it reaches the world.
func actsByItself(n *types.Named) bool {
	st, _ := n.Underlying().(*types.Struct)
	for v := range st.Fields() {
		switch t := v.Type().Underlying().(type) {
		case *types.Interface, *types.Signature, *types.Chan:
			return true
		case *types.Pointer:
			if _, record := t.Elem().Underlying().(*types.Struct); record && t.Elem().String() != "time.Time" {
				return true
			}
		}
	}
	return false
}
