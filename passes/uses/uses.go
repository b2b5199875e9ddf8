// Package uses finds the distributed locks of a package and says, for each,
// what its critical section writes and on what condition.
package uses

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/lock"
)

// Analyzer yields a *Result for one package. Like every pass it reports nothing.
var Analyzer = &analysis.Analyzer{
	Name:       "fencevetuses",
	Doc:        "find distributed locks and what their critical sections write\n\nA pass for the checks of fencevet; it reports nothing itself.",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
}

// A Result holds the lock uses of a package or module, sorted by position.
type Result struct {
	Uses []*lock.Use
}

// A Package is one type-checked package with syntax.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// Module analyses packages together: interface calls and callbacks are resolved
// over all of them. Packages may come in any order.
func Module(pkgs []*Package) *Result {
	return &Result{}
}

func run(pass *analysis.Pass) (any, error) {
	return &Result{}, nil
}
