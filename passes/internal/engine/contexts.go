package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Lineage lists a context and those that it is made of: when one of them ends, so
// does it. A variable with several values ends it: which one holds is not known.
func (f *Family) Lineage(v ssa.Value) []ssa.Value {
	var out []ssa.Value
	for range 12 {
		v = f.Single(v)
		if v == nil || slices.Contains(out, v) {
			return out
		}
		out = append(out, v)
		call := code.MakerOf(v)
		if call == nil || strings.HasSuffix(code.CalleeName(call.Common()), ".WithoutCancel") {
			return out
		}
		v = nil
		for _, a := range call.Common().Args {
			if code.IsContext(a.Type()) {
				v = a
				break
			}
		}
	}
	return out
}

// contextAt is the context in a variable where it is loaded: the one that was put there
// last, in a function literal that was made after that too. It is nil for others.
func (f *Family) contextAt(a *ssa.Alloc, load *ssa.UnOp) *term.T {
	if !code.IsContext(load.Type()) {
		return nil
	}
	v := f.latest(a, load)
	if v == nil {
		return nil
	}
	if load.Parent() != a.Parent() {
		for _, r := range *a.Referrers() {
			mc, ok := r.(*ssa.MakeClosure)
			if ok && slices.ContainsFunc(*a.Referrers(), func(r ssa.Instruction) bool {
				st, ok := r.(*ssa.Store)
				return ok && !code.Before(st, mc)
			}) {
				return nil
			}
		}
	}
	return f.Value(v)
}

// Cancels reports whether a call ends a context of the lineage: its cancel
// function, a closure that only calls that, or the group whose Wait ends it.
func (f *Family) Cancels(in ssa.CallInstruction, line []ssa.Value) bool {
	c := in.Common()
	made := func(v ssa.Value, index int) bool {
		x, ok := f.Single(v).(*ssa.Extract)
		return ok && x.Index == index && slices.ContainsFunc(line, func(l ssa.Value) bool {
			m, ok := l.(*ssa.Extract)
			return ok && m != x && m.Tuple == x.Tuple
		})
	}
	if callee := c.StaticCallee(); callee != nil {
		if callee.Name() == "Wait" && len(c.Args) == 1 && strings.HasSuffix(code.ReceiverType(f.Engine.Name(callee)), "errgroup.Group") {
			return made(c.Args[0], 0)
		}
		if callee.Parent() != nil && len(callee.Blocks) == 1 {
			for _, x := range callee.Blocks[0].Instrs {
				if inner, ok := x.(*ssa.Call); ok && f.Cancels(inner, line) {
					return true
				}
			}
		}
		return false
	}
	return !c.IsInvoke() && code.IsCancel(c) && made(c.Value, 1)
}

// WaitsAnywhere reports whether the function or a closure in it waits for anything:
// that may be the work. Which of several is waited for is not asked.
func (f *Family) WaitsAnywhere() bool {
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
		return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, f.WaitsFor) })
	})
}

// WaitsFor reports whether an instruction waits for a channel or a group.
func (f *Family) WaitsFor(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.ARROW
	case *ssa.Select:
		return true
	case ssa.CallInstruction:
		d := code.Declared(in.Common())
		return d != nil && d.Name() == "Wait"
	}
	return false
}

// CancelledBy lists the fields that keep a context which ends by the cancel function in
// another field of the same type: both are set from one call.
func (e *Engine) CancelledBy(cancel code.Slot) []code.Slot {
	if e.cancels == nil {
		e.cancels = make(map[code.Slot][]code.Slot)
		for _, f := range e.Order {
			f.Look()
			f.noteCancels()
		}
	}
	return e.cancels[cancel]
}

// noteCancels notes which fields the family sets to a context and to its cancel function.
func (f *Family) noteCancels() {
	contexts, ends := make(map[*ssa.Call][]code.Slot), make(map[*ssa.Call][]code.Slot)
	var made []*ssa.Call
	note := func(t types.Type, field int, v ssa.Value) {
		if !code.IsContext(v.Type()) && !isCancel(v.Type()) {
			return
		}
		x, ok := f.Single(v).(*ssa.Extract)
		if !ok {
			return
		}
		call, ok := x.Tuple.(*ssa.Call)
		slot, named := code.SlotOf(t, field)
		if !ok || !named || !strings.HasPrefix(code.CalleeName(call.Common()), "context.With") {
			return
		}
		if contexts[call] == nil && ends[call] == nil {
			made = append(made, call)
		}
		if x.Index == 0 {
			contexts[call] = append(contexts[call], slot)
		} else {
			ends[call] = append(ends[call], slot)
		}
	}
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if st, ok := in.(*ssa.Store); ok {
					if fa, ok := st.Addr.(*ssa.FieldAddr); ok {
						note(fa.X.Type(), fa.Field, st.Val)
					}
				}
			}
		}
	}
	for _, call := range made {
		for _, end := range ends[call] {
			for _, ctx := range contexts[call] {
				if ctx.Owner == end.Owner && !slices.Contains(f.Engine.cancels[end], ctx) {
					f.Engine.cancels[end] = append(f.Engine.cancels[end], ctx)
				}
			}
		}
	}
}

// isCancel reports whether a type is that of functions which cancel a context.
func isCancel(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Results().Len() == 0 && sig.Params().Len() <= 1
}
