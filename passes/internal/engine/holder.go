package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
)

// asksHolder reports whether the family, or a function that it calls, asks who holds the
// record that it takes: it compares the field which names the holder, or what that points
// to, or hands it to a function. A number that is kept there is no holder. Without a field
// nothing is to be asked.
func (f *Family) asksHolder(field string) bool {
	if field == "" {
		return true
	}
	if slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool { return f.keepsNumber(fn, field) }) {
		return false
	}
	if slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool { return asksField(fn, field) }) {
		return true
	}
	return slices.ContainsFunc(f.Calling, func(in ssa.CallInstruction) bool {
		fn := code.Origin(in.Common().StaticCallee())
		return fn != nil && f.Engine.Families[fn] != nil && asksField(fn, field)
	})
}

// asksField reports whether a function asks what is in a field of that name.
func asksField(fn *ssa.Function, field string) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.FieldAddr); ok && code.FieldName(a.X.Type(), a.Field) == field && slices.ContainsFunc(*a.Referrers(), asksLoaded) {
				return true
			}
		}
	}
	return false
}

// asksLoaded reports whether an instruction loads a value that is compared, or handed to a
// function.
func asksLoaded(in ssa.Instruction) bool {
	load, ok := in.(*ssa.UnOp)
	return ok && slices.ContainsFunc(*load.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.BinOp, ssa.CallInstruction:
			return true
		case *ssa.Store:
			return false
		case *ssa.Phi:
			return slices.ContainsFunc(*r.Referrers(), func(in ssa.Instruction) bool { _, ok := in.(*ssa.BinOp); return ok })
		}
		return asksLoaded(r)
	})
}

// keepsNumber reports whether a function stores in a field of that name a text that it
// makes of a number.
func (f *Family) keepsNumber(fn *ssa.Function, field string) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			if a, ok := st.Addr.(*ssa.FieldAddr); ok && code.FieldName(a.X.Type(), a.Field) == field && f.ofNumber(st.Val, 3) {
				return true
			}
		}
	}
	return false
}

// ofNumber reports whether a text, or what a pointer to it points to, is made by the
// functions that write numbers.
func (f *Family) ofNumber(v ssa.Value, depth int) bool {
	of := func(v ssa.Value) bool { return depth > 0 && f.ofNumber(v, depth-1) }
	switch v := f.Single(v).(type) {
	case *ssa.Alloc:
		return slices.ContainsFunc(f.Stores[v], of)
	case *ssa.Call:
		callee := code.Declared(v.Common())
		return callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "strconv" || slices.ContainsFunc(v.Call.Args, of)
	}
	return false
}
