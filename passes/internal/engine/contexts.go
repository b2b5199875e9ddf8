package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
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
		if callee.Name() == "Wait" && len(c.Args) == 1 && strings.HasSuffix(code.ReceiverType(code.FuncName(callee)), "errgroup.Group") {
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
