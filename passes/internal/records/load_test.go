package records

import (
	"go/ast"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/sourcetest"
)

// load makes an engine of one file of source.
func load(t *testing.T, source string) *engine.Engine {
	t.Helper()
	fset, file, pkg, info := sourcetest.Check(t, source)
	return engine.New(fset, catalog.Builtin(), []engine.Unit{{Files: []*ast.File{file}, Types: pkg, Info: info}})
}

// member returns a function of a loaded package.
func member(t *testing.T, e *engine.Engine, name string) (*engine.Family, *ssa.Function) {
	t.Helper()
	for _, f := range e.Order {
		for _, fn := range f.Members {
			if fn.Name() == name {
				return f, fn
			}
		}
	}
	t.Fatalf("no function %s", name)
	return nil, nil
}
