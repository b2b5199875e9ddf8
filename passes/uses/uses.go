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
var Analyzer = &analysis.Analyzer{
	Name:       "fencevetuses",
	Doc:        "find distributed locks and what their critical sections write\n\nA pass for the checks of fencevet; it reports nothing itself.",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
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

func run(pass *analysis.Pass) (any, error) {
	// Most packages have nothing to do with locks: find out before anything
	// is built.
	if len(pass.Files) == 0 || !holdsLocks(pass.Pkg) {
		return &Result{}, nil
	}
	unit := engine.Unit{Files: pass.Files, Types: pass.Pkg, Info: pass.TypesInfo}
	return result(engine.New(pass.Fset, catalog.Builtin(), []engine.Unit{unit})), nil
}

func result(e *engine.Engine) *Result {
	found, remarks := e.Run()
	return &Result{Uses: found, Remarks: remarks}
}

// holdsLocks reports whether a package imports anything that can be a lock.
func holdsLocks(p *types.Package) bool {
	for _, q := range p.Imports() {
		if lock, _ := catalog.Relevant(q.Path()); lock {
			return true
		}
	}
	return false
}
