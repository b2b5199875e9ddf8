// Package uses finds the distributed locks of a package and says, for each,
// what its critical section writes and on what condition.
package uses

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/lock"
)

// Analyzer yields a *Result for one package. Like every pass it reports nothing.
// What it finds out about functions goes to the packages that call them as facts.
var Analyzer = &analysis.Analyzer{
	Name:       "fencevetuses",
	Doc:        "find distributed locks and what their critical sections write\n\nA pass for the checks of fencevet; it reports nothing itself.",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(engine.Fact)},
}

// A Result holds the lock uses of a package or module, sorted by position, and
// remarks on leases whose use is out of sight.
type Result struct {
	Uses    []*lock.Use
	Remarks []lock.Remark
}

// A Package is one type-checked package with syntax.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// Module analyses packages together: interface calls and callbacks are resolved
// over all of them. Packages may come in any order; they share a file set.
func Module(pkgs []*Package) *Result {
	locks := false
	var units []engine.Unit
	for _, p := range pkgs {
		locks = locks || holdsLocks(p.Types)
		units = append(units, engine.Unit{Files: p.Files, Types: p.Types, Info: p.Info})
	}
	if !locks {
		return &Result{}
	}
	return result(engine.New(pkgs[0].Fset, catalog.Builtin(), units))
}

// built is called for every package that SSA is built for; a test counts them.
var built = func(*types.Package) {}

func run(pass *analysis.Pass) (any, error) {
	g := &gate{pass: pass, cat: catalog.Builtin}
	if len(pass.Files) == 0 {
		return &Result{}, nil // known by its export data only
	}
	if !g.open() {
		for _, fn := range g.inert() {
			pass.ExportObjectFact(fn, engine.Nothing())
		}
		return &Result{}, nil
	}
	built(pass.Pkg)
	unit := engine.Unit{Files: pass.Files, Types: pass.Pkg, Info: pass.TypesInfo}
	e := engine.New(pass.Fset, catalog.Builtin(), []engine.Unit{unit})
	e.Import(g.fact)
	found := result(e)
	for _, f := range e.Facts() {
		pass.ExportObjectFact(f.Func, f.Fact)
	}
	return found, nil
}

func result(e *engine.Engine) *Result {
	found, remarks := e.Run()
	return &Result{Uses: found, Remarks: remarks}
}
