// Package testmodule reads the modules of programs that tests run over.
//
// packages.Load would have the go command build the programs as well as what they
// import, for each checkout anew. There are hundreds of them, none is ever run, and
// building them takes longer than all libraries together.
package testmodule

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// Load returns the packages that patterns match, as seen from the module in dir. Those of the module and what they
// import of it have syntax and types from source; what they import besides has
// types from export data, which the go command builds. Every package has an export file:
// those of the module lie in exports, and are read without gcexportdata.NewReader.
func Load(ctx context.Context, dir, exports string, patterns ...string) ([]*packages.Package, error) {
	roots, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedTypesSizes,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	m := &module{fset: token.NewFileSet(), types: make(map[string]*types.Package), exports: exports}
	var own []*packages.Package // each after those that it imports
	foreign := make(map[string]*packages.Package)
	need := func(pkg *packages.Package) {
		if !mine(pkg) && pkg.PkgPath != "unsafe" {
			foreign[pkg.PkgPath] = pkg
		}
	}
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if mine(pkg) {
			own = append(own, pkg)
			for _, i := range pkg.Imports {
				need(i)
			}
		}
	})
	for _, pkg := range roots {
		need(pkg)
	}
	if err := build(ctx, dir, foreign); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(foreign)) {
		if err := m.read(foreign[path]); err != nil {
			return nil, err
		}
	}
	for _, pkg := range own {
		if err := m.check(pkg); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

func mine(pkg *packages.Package) bool { return pkg.Module != nil && pkg.Module.Main }

// build has the go command build packages, and notes where their export data is.
func build(ctx context.Context, dir string, pkgs map[string]*packages.Package) error {
	if len(pkgs) == 0 {
		return nil
	}
	built, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Mode: packages.NeedName | packages.NeedExportFile,
	}, slices.Sorted(maps.Keys(pkgs))...)
	if err != nil {
		return err
	}
	for _, b := range built {
		for _, e := range b.Errors {
			return fmt.Errorf("%s: %v", b.PkgPath, e)
		}
		pkgs[b.PkgPath].ExportFile = b.ExportFile
	}
	return nil
}

type module struct {
	fset    *token.FileSet
	types   map[string]*types.Package // from export data
	exports string
}

// read reads the types of a package of another module.
func (m *module) read(pkg *packages.Package) error {
	f, err := os.Open(pkg.ExportFile)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", pkg.ExportFile, err)
	}
	pkg.Types, err = gcexportdata.Read(r, m.fset, m.types, pkg.PkgPath)
	pkg.Fset, pkg.Imports = m.fset, nil // nobody goes on from there
	return err
}

// check parses and type-checks a package of the module, all of whose imports are known.
// What is wrong with it is among its errors.
func (m *module) check(pkg *packages.Package) error {
	pkg.Fset, pkg.CompiledGoFiles = m.fset, pkg.GoFiles
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(m.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		pkg.Syntax = append(pkg.Syntax, f)
	}
	pkg.TypesInfo = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Instances: make(map[*ast.Ident]types.Instance),
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes: make(map[ast.Node]*types.Scope), FileVersions: make(map[*ast.File]string),
	}
	config := types.Config{
		Importer: importer(func(path string) (*types.Package, error) {
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			return pkg.Imports[path].Types, nil
		}),
		Sizes: pkg.TypesSizes, GoVersion: "go" + pkg.Module.GoVersion,
		Error: func(err error) {
			pkg.IllTyped = true
			pkg.Errors = append(pkg.Errors, packages.Error{Msg: err.Error(), Kind: packages.TypeError})
		},
	}
	pkg.Types, _ = config.Check(pkg.PkgPath, m.fset, pkg.Syntax, pkg.TypesInfo)
	if pkg.IllTyped {
		return nil
	}
	return m.write(pkg)
}

// write writes the export data of a package of the module.
func (m *module) write(pkg *packages.Package) error {
	f, err := os.CreateTemp(m.exports, filepath.Base(pkg.PkgPath))
	if err != nil {
		return err
	}
	pkg.ExportFile = f.Name()
	if err := gcexportdata.Write(f, m.fset, pkg.Types); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
