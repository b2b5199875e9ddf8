package engine

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/comments"
)

// A Builder makes the SSA form of units that share a file set. Imported packages
// are created from their types only, so their functions have no bodies.
type Builder struct {
	fset *token.FileSet
	cat  *catalog.Catalog
	prog *ssa.Program

	mu   sync.RWMutex // a package is created by one at a time, and while none is built
	made map[*types.Package]*made
}

// made is what has become of a unit.
type made struct {
	pkg   *ssa.Package
	roots []*ssa.Function // declared in it
	calls map[token.Pos]written
	// embeds are the files that are embedded in its variables, by their names.
	embeds map[string]string
	// What its directives say.
	source *comments.Source
}

// NewBuilder returns a builder without units.
func NewBuilder(fset *token.FileSet, cat *catalog.Catalog) *Builder {
	b := &Builder{fset: fset, cat: cat, prog: ssa.NewProgram(fset, ssa.BuilderMode(0)), made: make(map[*types.Package]*made)}
	b.prog.SetNoReturn(cat.Ends)
	return b
}

// Declare makes units known, after those that they import.
func (b *Builder) Declare(units ...Unit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range units {
		b.imports(u)
		b.create(u)
	}
}

// Build builds a unit that was declared. It may be called for several units at
// once. What it is made from is far larger than all else together, and is given
// up: what is known of the types of expressions, and the syntax.
func (b *Builder) Build(u Unit) {
	b.build(u)
	*u.Info = types.Info{}
	for _, f := range u.Files {
		strip(f)
	}
}

// strip takes all from a file but where it is. Functions are emptied besides, since
// what is made of them refers to them.
func strip(f *ast.File) {
	var types []*ast.FuncType
	var bodies []**ast.BlockStmt
	for _, d := range f.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				types, bodies = append(types, n.Type), append(bodies, &n.Body)
				n.Doc, n.Recv = nil, nil
			case *ast.FuncLit:
				types, bodies = append(types, n.Type), append(bodies, &n.Body)
			}
			return true
		})
	}
	for i, t := range types {
		t.TypeParams, t.Params, t.Results, *bodies[i] = nil, nil, nil, nil
	}
	f.Doc, f.Decls, f.Imports, f.Unresolved, f.Comments = nil, nil, nil, nil, nil
}

// create declares what a unit declares.
func (b *Builder) create(u Unit) { b.prog.CreatePackage(u.Types, u.Files, u.Info, true) }

// imports declares what the sources of a unit refer to: what its imports declare.
// Methods of types from further away are made when they are asked for.
func (b *Builder) imports(u Unit) {
	for _, p := range u.Types.Imports() {
		if b.prog.Package(p) == nil {
			b.prog.CreatePackage(p, nil, nil, true)
		}
	}
}

// build makes the bodies of a unit's functions.
func (b *Builder) build(u Unit) {
	b.mu.RLock()
	p := b.prog.Package(u.Types)
	p.Build()
	m := &made{pkg: p, roots: rootsOf(p, u), calls: callsOf(b.fset, u), embeds: embedsOf(b.fset, u), source: listen(b.fset, u)}
	b.mu.RUnlock()

	b.mu.Lock()
	defer b.mu.Unlock()
	b.made[u.Types] = m
}

// rootsOf lists the functions of a package that are declared in it, and what the
// initialisers are made into.
func rootsOf(p *ssa.Package, u Unit) []*ssa.Function {
	var roots []*ssa.Function
	add := func(fn *ssa.Function) {
		if fn != nil && len(fn.Blocks) > 0 {
			roots = append(roots, fn)
		}
	}
	for _, f := range u.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name != "_" {
				if obj, ok := u.Info.Defs[fd.Name].(*types.Func); ok {
					add(p.Prog.FuncValue(obj))
				}
			}
		}
	}
	add(p.Func("init"))
	for name, m := range p.Members {
		if strings.HasPrefix(name, "init#") {
			if fn, ok := m.(*ssa.Function); ok {
				add(fn)
			}
		}
	}
	return roots
}
