// Package uses finds the distributed locks of a package and says, for each,
// what its critical section writes and on what condition.
package uses

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/models"
)

// Analyzer yields a *Result for one package, given the built-in catalogue.
var Analyzer = New(nil)

// A Chooser says which catalogue holds for a package; nil is the built-in one.
type Chooser func(*analysis.Pass) *models.Catalog

// New returns an analyzer that yields a *Result for one package. Like every pass
// it reports nothing. What it finds out about functions goes to the packages that
// call them as facts. A nil Chooser chooses the built-in catalogue.
func New(choose Chooser) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:       "fencevetuses",
		Doc:        "find distributed locks and what their critical sections write\n\nA pass for the checks of fencevet; it reports nothing itself.",
		Run:        func(pass *analysis.Pass) (any, error) { return run(pass, choose) },
		ResultType: reflect.TypeFor[*Result](),
		FactTypes:  []analysis.Fact{new(engine.Fact)},
	}
}

// A Result holds the lock uses of a package or module, sorted by position, and
// remarks on leases whose use is out of sight.
type Result struct {
	Uses       []*lock.Use
	Remarks    []lock.Remark
	Directives []lock.Directive // of the packages, sorted by position
	// Whole says that the packages are all of a module: what is not seen is not there.
	Whole bool
}

// A Package is one type-checked package with syntax.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// Module analyses packages together: interface calls and callbacks are resolved
// over all of them. Packages may come in any order; they share a file set. A nil
// catalogue is the built-in one.
func Module(pkgs []*Package, cat *models.Catalog) *Result {
	worth := false
	var units []engine.Unit
	for _, p := range pkgs {
		worth = worth || holdsLocks(p.Types, cat) || comments.Any(p.Files)
		units = append(units, engine.Unit{Files: p.Files, Types: p.Types, Info: p.Info})
	}
	if !worth {
		return &Result{}
	}
	return result(engine.New(pkgs[0].Fset, orBuiltin(cat), units))
}

func orBuiltin(cat *models.Catalog) *models.Catalog {
	if cat == nil {
		return catalog.Builtin()
	}
	return cat
}

// built is called for every package that SSA is built for; a test counts them.
var built = func(*types.Package) {}

func run(pass *analysis.Pass, choose Chooser) (any, error) {
	if len(pass.Files) == 0 {
		return &Result{}, nil // known by its export data only
	}
	g := &gate{pass: pass}
	if choose != nil && g.origin() == own {
		g.models = choose(pass)
	}
	if !g.open() {
		for _, fn := range g.inert() {
			pass.ExportObjectFact(fn, engine.Nothing())
		}
		return &Result{}, nil
	}
	built(pass.Pkg)
	unit := engine.Unit{Files: pass.Files, Types: pass.Pkg, Info: pass.TypesInfo}
	e := engine.New(pass.Fset, orBuiltin(g.models), []engine.Unit{unit})
	e.Import(g.fact)
	found := result(e)
	for _, f := range e.Facts() {
		pass.ExportObjectFact(f.Func, f.Fact)
	}
	return found, nil
}

func result(e *engine.Engine) *Result {
	found, remarks := e.Run()
	directives := e.Directives()
	slices.SortFunc(directives, func(a, b lock.Directive) int { return a.Compare(b.Position) })
	return &Result{Uses: found, Remarks: remarks, Directives: directives}
}
