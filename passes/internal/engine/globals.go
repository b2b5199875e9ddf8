package engine

import (
	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Package-level variables.

// global is the value of a package-level variable that is only set where it is
// declared, or else the variable itself.
func (e *Engine) global(g *ssa.Global) *term.T {
	if t, ok := e.globals[g]; ok {
		return t
	}
	val := e.declaration(g)
	name := e.Pool.Global(g.RelString(nil))
	e.globals[g] = name // while it is evaluated
	t, final := e.initial(g, val, name)
	if final {
		e.globals[g] = t
	} else {
		delete(e.globals, g)
	}
	return t
}

// declaration is what the initialiser sets a package-level variable to that nothing
// else sets; nil for others.
func (e *Engine) declaration(g *ssa.Global) ssa.Value {
	if e.globals == nil {
		e.scanGlobals()
	}
	return e.declared[g]
}

// initial is the value of a variable that is called name, made by its initialiser val.
// It is not final where a function of the project's own makes it that was not yet
// summarised.
func (e *Engine) initial(g *ssa.Global, val ssa.Value, name *term.T) (t *term.T, final bool) {
	if text := e.embedded(g); text != nil {
		return text, true
	}
	init := e.Families[g.Pkg.Func("init")]
	if val == nil || init == nil {
		return name, true
	}
	t = init.Value(val)
	if t == nil {
		return name, true
	}
	switch t.Kind {
	case term.Const, term.Op, term.Struct, term.List, term.Func:
		return t, true
	case term.Call:
		if e.Reader.Entry(t) != nil {
			return t, true
		}
		if c, ok := val.(*ssa.Call); ok && e.awaited(c) {
			delete(init.values, val)
			return name, false
		}
	}
	return name, true // errors.New and the like: the name says more
}

// awaited reports whether a call is of a function that is yet to be summarised.
func (e *Engine) awaited(c *ssa.Call) bool {
	fn := code.Origin(c.Call.StaticCallee())
	return fn != nil && e.Families[code.Root(fn)] != nil && !e.Solved[e.Families[code.Root(fn)]]
}

// scanGlobals finds the package-level variables that are set once, by the
// package's initialiser, and what to.
func (e *Engine) scanGlobals() {
	e.globals, e.declared = make(map[*ssa.Global]*term.T), make(map[*ssa.Global]ssa.Value)
	e.EachFunction(func(f *Family, fn *ssa.Function) {
		f.guard(func() { e.declares(fn) }) // a fault is this function's, not of whoever asks first
	})
}

// declares notes which package-level variables a function sets.
func (e *Engine) declares(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if s, ok := in.(*ssa.Store); ok {
				if g, ok := s.Addr.(*ssa.Global); ok {
					if _, again := e.declared[g]; again || fn.Name() != "init" {
						e.declared[g] = nil
					} else {
						e.declared[g] = s.Val
					}
				}
			}
		}
	}
}
