package engine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// forgets reports whether another method of a resource takes away, or sets back, what its
// last token is kept in: whoever comes later than that is let in.
func (f *Family) forgets(fn *ssa.Function, named *types.Named, stored *term.T) bool {
	recv, field := f.Get(fn.Params[0]), ""
	for _, a := range stored.Alts() {
		for t := a; t != nil && len(t.Args) > 0; t = t.Args[0] {
			if t.Kind == term.Field && t.Args[0] == recv {
				field = t.Name
			}
		}
	}
	if field == "" {
		return false
	}
	for i := range named.NumMethods() {
		m := code.Origin(f.Engine.Program.FuncValue(named.Method(i)))
		if m != nil && m != fn && len(m.Params) > 0 && takesAway(m, field) {
			return true
		}
	}
	return false
}

// takesAway reports whether a method takes something out of a field of its receiver, or puts
// nothing there.
func takesAway(m *ssa.Function, field string) bool {
	of := func(v ssa.Value) bool {
		fa, ok := v.(*ssa.FieldAddr)
		return ok && fa.X == ssa.Value(m.Params[0]) && code.FieldName(fa.X.Type(), fa.Field) == field
	}
	for _, b := range m.Blocks {
		for _, in := range b.Instrs {
			switch x := in.(type) {
			case *ssa.Call:
				if bi, ok := x.Call.Value.(*ssa.Builtin); ok && (bi.Name() == "delete" || bi.Name() == "clear") {
					if load, ok := x.Call.Args[0].(*ssa.UnOp); ok && of(load.X) {
						return true
					}
				}
			case *ssa.Store:
				_, empty := x.Val.(*ssa.MakeMap)
				if c, ok := x.Val.(*ssa.Const); of(x.Addr) && (empty || ok && isZero(c)) {
					return true
				}
			}
		}
	}
	return false
}
