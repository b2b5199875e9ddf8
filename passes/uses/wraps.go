package uses

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
)

// CanWrap reports whether a package of a required module, of which only the
// direct imports are known, can be a wrapper of locks: it imports a library that
// can lock and is none of the catalogue's libraries itself, whose functions
// need not be read to be understood.
func CanWrap(module, path string, imports []string) bool {
	if catalog.Covers(module) {
		return false
	}
	if _, known := catalog.Relevant(path); known {
		return false
	}
	for _, p := range imports {
		if lock, _ := catalog.Relevant(p); lock {
			return true
		}
	}
	return false
}

// Wraps reports whether one of a package's files looks as if it took locks for
// others, as far as the source tells without types: it imports a library of
// locks, or a client of a store and declares something that is named like a
// lock, or has the text of a statement that takes one. A client alone, which
// many packages are, is not worth being read for, nor is a driver, which is what
// a client calls: it says so, or has C in it.
func Wraps(files []string) bool {
	fset := token.NewFileSet()
	wraps, clients := false, []*ast.File(nil)
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(f.Imports, func(imp *ast.ImportSpec) bool { return imp.Path.Value == `"C"` }) {
			return false
		}
		locks, stores := importsLock(f)
		wraps = wraps || locks
		if !stores {
			continue
		}
		if f, err = parser.ParseFile(fset, name, nil, parser.SkipObjectResolution); err != nil {
			continue
		}
		if registers(f) {
			return false
		}
		clients = append(clients, f)
	}
	return wraps || slices.ContainsFunc(clients, func(f *ast.File) bool { return declaresLock(f) || textsLock(f) })
}

// registers reports whether a file registers a driver of databases.
func registers(f *ast.File) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Register" {
			pkg, ok := sel.X.(*ast.Ident)
			found = found || ok && pkg.Name == "sql"
		}
		return !found
	})
	return found
}

// importsLock reports whether a file imports a library that is about locks, or
// one that has other uses as well.
func importsLock(f *ast.File) (locks, stores bool) {
	for _, imp := range f.Imports {
		path, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			continue
		}
		if lock, _ := catalog.Relevant(path); lock {
			stores = true
			locks = locks || catalog.Builtin().Locks(path)
		}
	}
	return locks, stores
}

func declaresLock(f *ast.File) bool {
	if engine.NamesLock(f.Name.Name) {
		return true
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if engine.NamesLock(d.Name.Name) {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && engine.NamesLock(t.Name.Name) {
					return true
				}
			}
		}
	}
	return false
}

func textsLock(f *ast.File) bool {
	reader := meaning.NewReader(catalog.Builtin(), nil)
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !found {
			text, err := strconv.Unquote(lit.Value)
			found = err == nil && reader.LockText(text)
		}
		return !found
	})
	return found
}
