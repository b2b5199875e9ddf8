package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Keys of contexts. Most are empty structs, or constants of a type that is made for them:
// the type is all that tells them apart, and terms of values have none.

// maxKeyed bounds how many functions a key is handed through to the context.
const maxKeyed = 3

// isKey reports whether the i-th argument of a call is a key of a context, there or in the
// function that is called.
func (f *Family) isKey(c *ssa.CallCommon, name string, i int) bool {
	switch name {
	case "context.WithValue":
		return i == 1
	case "(context.Context).Value":
		return c.IsInvoke()
	}
	return f.takesKey(c, i, 0)
}

// takesKey reports whether a function of the program takes its i-th argument for the key of
// a context: a value of any type, or a pointer.
func (f *Family) takesKey(c *ssa.CallCommon, i, depth int) bool {
	fn := code.Origin(c.StaticCallee())
	if fn == nil || depth == maxKeyed || i >= len(fn.Params) || len(fn.Blocks) == 0 {
		return false
	}
	p := fn.Params[i]
	switch t := p.Type().Underlying().(type) {
	case *types.Pointer:
		return slices.ContainsFunc(*p.Referrers(), func(r ssa.Instruction) bool {
			mi, ok := r.(*ssa.MakeInterface)
			return ok && f.givesKey(mi, depth)
		}) || f.givesKey(p, depth)
	case *types.Interface:
		return t.NumMethods() == 0 && f.givesKey(p, depth)
	}
	return false
}

// givesKey reports whether a value is given to a context as a key, there or by a function.
func (f *Family) givesKey(v ssa.Value, depth int) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		inner, ok := r.(ssa.CallInstruction)
		if !ok {
			return false
		}
		c := inner.Common()
		name := f.Engine.nameOf(c)
		for j, a := range c.Args {
			if a == v && (name == "context.WithValue" && j == 1 || name == "(context.Context).Value" || f.takesKey(c, j, depth+1)) {
				return true
			}
		}
		return false
	})
}

// contextKey is a value as key of a context: with its type, but for a pointer, which is
// told by the variable that it is kept in. Which type a parameter of a type stands for is
// not known.
func (f *Family) contextKey(v ssa.Value) *term.T {
	p := f.Engine.Pool
	x := v
	if mi, ok := v.(*ssa.MakeInterface); ok {
		x = mi.X
	}
	if g, ok := x.(*ssa.Global); ok {
		return p.Global("&" + g.RelString(nil))
	}
	_, pointer := x.Type().Underlying().(*types.Pointer)
	if g := variable(x); g != nil && (pointer || x == v) {
		switch set := f.Engine.declaration(g).(type) {
		case *ssa.MakeInterface:
			return f.contextKey(set)
		case *ssa.UnOp:
			if variable(set) != nil {
				return f.contextKey(set)
			}
		}
		return p.Global(g.RelString(nil))
	}
	switch {
	case x == v || pointer:
		return f.Get(x)
	case open(x.Type()):
		return p.Unknown("key")
	}
	return p.Key(types.TypeString(x.Type(), nil), f.Get(x))
}

// asserted is what a type assertion makes of a value. One that a context has under a key by
// which other types alone are put into contexts is not there, or not by what is in view.
func (f *Family) asserted(v *ssa.TypeAssert) *term.T {
	t := f.Value(v.X)
	if types.IsInterface(v.AssertedType) || t == nil {
		return t
	}
	key := t.CarriedKey()
	if c, ok := v.X.(*ssa.Call); ok && f.Engine.nameOf(c.Common()) == "(context.Context).Value" {
		key = f.contextKey(c.Call.Args[0])
	}
	if key == nil {
		return t
	}
	if list := f.Engine.keptUnder(key); len(list) > 0 && !slices.ContainsFunc(list, func(typ types.Type) bool {
		return typ == nil || open(v.AssertedType) || types.Identical(typ, v.AssertedType)
	}) {
		return f.Engine.Pool.Unknown("limit")
	}
	return t
}

// keptUnder lists the types of what contexts are given under a key; nil stands for one that
// is not known.
func (e *Engine) keptUnder(key *term.T) []types.Type {
	if e.kept == nil {
		e.kept = make(map[*term.T][]types.Type)
		e.EachFunction(func(f *Family, fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					c, ok := in.(*ssa.Call)
					if !ok || code.CalleeName(c.Common()) != "context.WithValue" {
						continue
					}
					if again, ok := c.Call.Args[2].(*ssa.Call); ok && e.nameOf(again.Common()) == "(context.Context).Value" {
						continue // handed on from one to another
					}
					var typ types.Type
					if mi, ok := c.Call.Args[2].(*ssa.MakeInterface); ok && !open(mi.X.Type()) {
						typ = mi.X.Type()
					}
					under := f.Settled().contextKey(c.Call.Args[1])
					e.kept[under] = append(e.kept[under], typ)
				}
			}
		})
	}
	return e.kept[key]
}

// variable is the package-level variable that a value is read from, or nil.
func variable(v ssa.Value) *ssa.Global {
	if load, ok := v.(*ssa.UnOp); ok {
		g, _ := load.X.(*ssa.Global)
		return g
	}
	return nil
}

// open reports whether a type is, or is made with, a parameter of its function.
func open(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if open(a) {
				return true
			}
		}
	}
	return false
}
