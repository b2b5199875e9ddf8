// Package sourcetest type-checks the programs that tests have as text.
package sourcetest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// The standard library is read from source, once for all tests of a package.
var (
	fset     = token.NewFileSet()
	standard = importer.ForCompiler(fset, "source", nil)
)

// Check returns the file p.go of the package p, which is source without its package
// clause.
func Check(t testing.TB, source string) (*token.FileSet, *ast.File, *types.Package, *types.Info) {
	t.Helper()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes: make(map[ast.Node]*types.Scope), Instances: make(map[*ast.Ident]types.Instance), FileVersions: make(map[*ast.File]string),
	}
	config := types.Config{Importer: standard, GoVersion: "go1.25"}
	pkg, err := config.Check("p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file, pkg, info
}
