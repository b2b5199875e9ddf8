package engine

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/summary"
)

// Import makes the engine ask lookup for the facts of functions of other
// packages. From then on it works for one package among many: it summarises
// whatever those that import it may call.
func (e *Engine) Import(lookup func(*types.Func) *Fact) { e.lookup = lookup }

// Whole reports whether the units are a whole module: what is not seen is not there.
func (e *Engine) Whole() bool { return e.lookup == nil }

// imported returns the summary of a function of another package, or nil. Only
// what is called is decoded, once.
func (e *Engine) imported(fn *ssa.Function) *summary.Summary {
	if e.lookup == nil || fn == nil || fn.Parent() != nil {
		return nil
	}
	if s, ok := e.known[fn]; ok {
		return s
	}
	if e.known == nil {
		e.known, e.inner = make(map[*ssa.Function]*summary.Summary), make(map[string]*summary.Summary)
	}
	e.known[fn] = nil
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	fact := e.lookup(obj.Origin())
	if fact == nil {
		return nil
	}
	s, inner := decode(e, fact, obj.Pkg().Path())
	for name, sum := range inner {
		e.inner[name] = sum
	}
	e.known[fn] = s
	return s
}

// named returns the summary of a function that is told by name, as values of
// function type are.
func (e *Engine) named(name string) *summary.Summary {
	if s := e.Summary(e.Functions[name]); s != nil {
		return s
	}
	return e.inner[name]
}

// callable reports whether functions of other packages may call f, and look for
// its fact. What tests declare is for themselves.
func (f *Family) callable() bool {
	if f.Engine.Whole() {
		return false
	}
	fn, ok := f.Root.Object().(*types.Func)
	return ok && fn.Exported() && fn.Pkg().Name() != "main" && !strings.HasSuffix(f.Engine.Fset.Position(fn.Pos()).Filename, "_test.go")
}
