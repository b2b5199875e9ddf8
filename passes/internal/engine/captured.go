package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
)

// needs tells which parameters of the functions around it a function literal may
// depend on: those from which its captured variables are made, and those that the
// family stores in objects, which it may read there. A term that held all of them
// would soon be too large, as literals lie within literals.
func (f *Family) needs(mc *ssa.MakeClosure) map[*ssa.Parameter]bool {
	needs := make(map[*ssa.Parameter]bool)
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	operands := func(in ssa.Instruction) {
		for _, op := range in.Operands(nil) {
			if *op != nil {
				visit(*op)
			}
		}
	}
	visit = func(v ssa.Value) {
		v = f.Base(v)
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Parameter:
			needs[v] = true
		case *ssa.Alloc:
			for _, x := range f.Stores[v] {
				visit(x)
			}
			for _, s := range f.Fields[v] {
				visit(s.Val)
			}
			for _, x := range f.elems[v] {
				visit(x)
			}
			for _, o := range f.outs[v] {
				visit(o.value)
			}
			for _, in := range f.lent[v] {
				operands(in)
			}
			for c, list := range f.cells {
				if c.array == ssa.Value(v) {
					for _, x := range list {
						visit(x)
					}
				}
			}
		case ssa.Instruction:
			operands(v)
		}
	}
	for _, b := range mc.Bindings {
		visit(b)
	}
	for _, p := range f.Places {
		visit(p.Val)
	}
	return needs
}

// Single looks through a variable to its value.
func (f *Family) Single(v ssa.Value) ssa.Value {
	for range 6 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			a, ok := f.Base(x.X).(*ssa.Alloc)
			if !ok {
				return v
			}
			if v = f.latest(a, x); v == nil {
				return nil
			}
		case *ssa.FreeVar:
			b := f.Base(x)
			if b == v {
				return v
			}
			v = b
		case *ssa.ChangeInterface:
			v = x.X
		case nil:
			return nil
		default:
			return v
		}
	}
	return v
}

// latest is the value of a variable where it is loaded: that of the last store on
// every way there, or, in a closure, of the last one. It is nil where that is not
// certain.
//
// What a function with a defer returns is such a variable: SSA stores the results,
// runs the defers and loads what it returns.
func (f *Family) latest(a *ssa.Alloc, load ssa.Instruction) ssa.Value {
	var stores []*ssa.Store
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			stores = append(stores, st)
		}
	}
	var last, here *ssa.Store
	for _, st := range stores {
		if st.Block() == load.Block() && code.Before(st, load) && (here == nil || code.Before(here, st)) {
			here = st
		}
	}
	if len(stores) == 0 || len(stores) != len(f.Stores[a]) {
		if here != nil && !callsBetween(here, load) {
			return here.Val
		}
		return nil // another function stores as well
	}
	certain := true
	for _, st := range stores {
		switch {
		case load.Parent() == a.Parent() && code.Before(load, st) && !code.Before(st, load):
		case last == nil || code.Before(last, st):
			last = st
		default:
			certain = certain && code.Before(st, last)
		}
	}
	switch {
	case here != nil:
		return here.Val
	case last != nil && certain:
		return last.Val
	}
	return nil
}

// callsBetween reports whether something is called between two instructions of a block,
// which may run any other function.
func callsBetween(from, to ssa.Instruction) bool {
	return slices.ContainsFunc(from.Block().Instrs, func(in ssa.Instruction) bool {
		switch in.(type) {
		case ssa.CallInstruction, *ssa.RunDefers:
			return code.Before(from, in) && code.Before(in, to)
		}
		return false
	})
}
