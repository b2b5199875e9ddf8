package engine

import "golang.org/x/tools/go/ssa"

// needs tells which parameters of the functions around it a function literal may
// depend on: those from which its captured variables are made, and those that the
// family stores in objects, which it may read there. A term that held all of them
// would soon be too large, as literals lie within literals.
func (f *family) needs(mc *ssa.MakeClosure) map[*ssa.Parameter]bool {
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
		v = f.base(v)
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Parameter:
			needs[v] = true
		case *ssa.Alloc:
			for _, x := range f.stores[v] {
				visit(x)
			}
			for _, list := range f.fields[v] {
				for _, x := range list {
					visit(x)
				}
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
	for _, p := range f.places {
		visit(p.val)
	}
	return needs
}
