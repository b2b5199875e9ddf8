package engine

import (
	"go/types"

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

// takesKey reports whether a function of the program takes its i-th argument, which may be of
// any type, for the key of a context.
func (f *Family) takesKey(c *ssa.CallCommon, i, depth int) bool {
	fn := code.Origin(c.StaticCallee())
	if fn == nil || depth == maxKeyed || i >= len(fn.Params) || len(fn.Blocks) == 0 {
		return false
	}
	p := fn.Params[i]
	if it, ok := p.Type().Underlying().(*types.Interface); !ok || it.NumMethods() > 0 || p.Referrers() == nil {
		return false
	}
	for _, r := range *p.Referrers() {
		inner, ok := r.(ssa.CallInstruction)
		if !ok {
			continue
		}
		for j, a := range inner.Common().Args {
			if a != ssa.Value(p) {
				continue
			}
			switch name := f.Engine.nameOf(inner.Common()); {
			case name == "context.WithValue" && j == 1, name == "(context.Context).Value", f.takesKey(inner.Common(), j, depth+1):
				return true
			}
		}
	}
	return false
}

// contextKey is a value as key of a context: with its type, but for a pointer, which is
// told by where it leads. Which type a parameter of a type stands for is not known.
func (f *Family) contextKey(v ssa.Value) *term.T {
	p := f.Engine.Pool
	mi, ok := v.(*ssa.MakeInterface)
	if !ok {
		if g := variable(v); g != nil {
			if set, ok := f.Engine.declaration(g).(*ssa.MakeInterface); ok {
				return f.contextKey(set)
			}
		}
		return f.Get(v)
	}
	t := mi.X.Type()
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		if g, ok := mi.X.(*ssa.Global); ok {
			return p.Global("&" + g.RelString(nil))
		}
		at := f.Get(mi.X)
		if g := variable(mi.X); g != nil && at.IsZero() {
			return p.Global(g.RelString(nil))
		}
		return at
	}
	if open(t) {
		return p.Unknown("key")
	}
	return p.Key(types.TypeString(t, nil), f.Get(mi.X))
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
