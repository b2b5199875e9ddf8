// Package mutation breaks the fences of fenced programs, one at a time, so that
// a test can demand that fencevet notices each of them.
package mutation

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Program is a set of packages that are analysed together.
type Program struct {
	Packages []*packages.Package // each after those that it imports

	fset    *token.FileSet
	checks  []*check.Check
	extra   map[string]*packages.Package // what mutants import, by path
	files   []*File
	decls   map[types.Object]*Decl
	methods map[string][]*Decl // by name, for calls through interfaces
}

// A File is one source file of a Program.
type File struct {
	Name   string
	Source []byte
	Syntax *ast.File
	Pkg    *packages.Package
	Needs  map[*File]bool // files of the package with what this one refers to
}

// A Decl is a function, or a constant or variable of a package.
type Decl struct {
	File *File
	Node ast.Node // *ast.FuncDecl or *ast.ValueSpec
	Uses []*Use   // the uses of locks that lead here
}

// A Use is a place where a lock is taken whose writes are fenced.
type Use struct {
	File  string
	Line  int
	Owner bool // fenced by the value that names the holder, not by a token that grows

	known []string // checks with a finding in the program as it is
}

func (u *Use) String() string { return fmt.Sprintf("%s:%d", u.File, u.Line) }

// New makes a Program of loaded packages with syntax, which checks look at. The
// packages of extra are those that mutants may import besides.
func New(pkgs, extra []*packages.Package, checks []*check.Check) (*Program, error) {
	p := &Program{Packages: sorted(pkgs), fset: pkgs[0].Fset, checks: checks, extra: make(map[string]*packages.Package), decls: make(map[types.Object]*Decl), methods: make(map[string][]*Decl)}
	for _, pkg := range extra {
		p.extra[pkg.PkgPath] = pkg
	}
	for _, pkg := range p.Packages {
		for _, f := range pkg.Syntax {
			name := p.fset.File(f.Pos()).Name()
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			file := &File{Name: name, Source: source, Syntax: f, Pkg: pkg, Needs: make(map[*File]bool)}
			p.files = append(p.files, file)
			for _, d := range f.Decls {
				p.declare(file, d)
			}
		}
	}
	for _, f := range p.files {
		p.needs(f)
	}
	return p, nil
}

// sorted puts packages after those that they import.
func sorted(pkgs []*packages.Package) []*packages.Package {
	var out []*packages.Package
	var visit func(p *packages.Package)
	visit = func(p *packages.Package) {
		if !slices.Contains(pkgs, p) || slices.Contains(out, p) {
			return
		}
		for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
			visit(p.Imports[path])
		}
		out = append(out, p)
	}
	for _, p := range pkgs {
		visit(p)
	}
	return out
}

func (p *Program) declare(f *File, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		decl := &Decl{File: f, Node: d}
		p.decls[f.Pkg.TypesInfo.Defs[d.Name]] = decl
		if d.Recv != nil {
			p.methods[d.Name.Name] = append(p.methods[d.Name.Name], decl)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				decl := &Decl{File: f, Node: v}
				for _, n := range v.Names {
					p.decls[f.Pkg.TypesInfo.Defs[n]] = decl
				}
			}
		}
	}
}

// needs notes the files of f's package that declare what f refers to.
func (p *Program) needs(f *File) {
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		if obj := f.Pkg.TypesInfo.Uses[id]; obj != nil && obj.Pkg() == f.Pkg.Types && obj.Pos().IsValid() {
			at := p.fset.File(obj.Pos()).Name()
			for _, g := range p.files {
				if g.Name == at && g != f {
					f.Needs[g] = true
				}
			}
		}
		return true
	})
}

// Fenced finds the uses whose writes are fenced by a token or by who owns the
// lock, and what declarations lead from each to its writes.
func (p *Program) Fenced() []*Use {
	var out []*Use
	whole := p.analyse(p.files)
	for _, u := range whole.Uses {
		if u.Role != lock.RoleUse || u.Verdict != lock.Fenced {
			continue
		}
		use := &Use{File: u.Acquire.File, Line: u.Acquire.Line, known: whole.findings[u]}
		fences := false
		for _, w := range u.Writes {
			fences = fences || w.Condition == lock.Token || w.Condition == lock.Owner
			use.Owner = use.Owner || w.Condition == lock.Owner && u.Kind == lock.Lease
		}
		if !fences {
			continue
		}
		out = append(out, use)
		p.lead(use)
	}
	return out
}

// lead adds a use to the declarations that it leads to, other than by a
// deferred call: those release locks.
func (p *Program) lead(u *Use) {
	var todo []*Decl
	reach := func(d *Decl) {
		if d != nil && !slices.Contains(d.Uses, u) {
			d.Uses = append(d.Uses, u)
			todo = append(todo, d)
		}
	}
	for _, d := range p.decls {
		if at := p.fset.Position(d.Node.Pos()); at.Filename == u.File && at.Line <= u.Line && u.Line <= p.fset.Position(d.Node.End()).Line {
			reach(d)
		}
	}
	for len(todo) > 0 {
		d := todo[0]
		todo = todo[1:]
		ast.Inspect(d.Node, func(n ast.Node) bool {
			if _, ok := n.(*ast.DeferStmt); ok {
				return false
			}
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			switch obj := d.File.Pkg.TypesInfo.Uses[id].(type) {
			case *types.Func:
				if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
					for _, m := range p.methods[obj.Name()] {
						if m.implements(recv.Type()) {
							reach(m)
						}
					}
					return true
				}
				reach(p.decls[obj.Origin()])
			case types.Object:
				reach(p.decls[obj])
			}
			return true
		})
	}
}

// implements reports whether a method's receiver is a value of an interface.
func (d *Decl) implements(iface types.Type) bool {
	fn := d.File.Pkg.TypesInfo.Defs[d.Node.(*ast.FuncDecl).Name].(*types.Func)
	return types.Implements(fn.Signature().Recv().Type(), iface.Underlying().(*types.Interface))
}

// A Result is what fencevet says of the uses of a Program.
type Result struct {
	Uses     []*lock.Use
	findings map[*lock.Use][]string // names of checks
}

// Notices reports whether u is no longer taken for fenced, and what is said of
// it instead.
func (r *Result) Notices(u *Use) (bool, string) {
	said := "no use of a lock"
	for _, x := range r.Uses {
		if x.Role != lock.RoleUse || x.Acquire.File != u.File || x.Acquire.Line != u.Line {
			continue
		}
		said = string(x.Verdict)
		fresh := slices.DeleteFunc(slices.Clone(r.findings[x]), func(name string) bool { return slices.Contains(u.known, name) })
		if len(fresh) > 0 {
			said += ", " + strings.Join(fresh, ", ")
		}
		return x.Verdict != lock.Fenced || len(fresh) > 0, said
	}
	return false, said
}

// Analyse says what fencevet makes of p with a mutant in place, looking only at
// the files that its uses need.
func (p *Program) Analyse(m *Mutant) (*Result, error) {
	need := make(map[*File]bool)
	var add func(f *File)
	add = func(f *File) {
		if !need[f] {
			need[f] = true
			for g := range f.Needs {
				add(g)
			}
		}
	}
	add(m.Decl.File)
	for _, f := range p.files {
		if len(p.Packages) > 1 || slices.ContainsFunc(m.Targets, func(u *Use) bool { return u.File == f.Name }) {
			add(f)
		}
	}
	var files []*File
	for _, f := range p.files {
		if need[f] {
			files = append(files, f)
		}
	}
	changed, err := m.file(p.fset)
	if err != nil {
		return nil, err
	}
	pkgs, err := p.check(files, m.Decl.File, changed)
	if err != nil {
		return nil, err
	}
	return p.judge(pkgs), nil
}

// analyse says what fencevet makes of some files of p as they are.
func (p *Program) analyse(files []*File) *Result {
	pkgs, err := p.check(files, nil, nil)
	if err != nil {
		panic(err) // the program was loaded without errors
	}
	return p.judge(pkgs)
}

func (p *Program) judge(pkgs []*uses.Package) *Result {
	found := uses.InModule(pkgs)
	r := &Result{Uses: found.Uses, findings: make(map[*lock.Use][]string)}
	for _, c := range p.checks {
		for _, f := range c.Find(found.Uses, found.Remarks...) {
			if f.Level != lock.Note {
				r.findings[f.Use] = append(r.findings[f.Use], f.Check)
			}
		}
	}
	return r
}

// check type-checks files, with one of them replaced. What a mutant leaves
// unused is no error.
func (p *Program) check(files []*File, old *File, with *ast.File) ([]*uses.Package, error) {
	made := make(map[string]*types.Package)
	var out []*uses.Package
	for _, pkg := range p.Packages {
		var syntax []*ast.File
		for _, f := range files {
			switch {
			case f.Pkg != pkg:
			case f == old:
				syntax = append(syntax, with)
			default:
				syntax = append(syntax, f.Syntax)
			}
		}
		if len(syntax) == 0 {
			continue
		}
		info := &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
			Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
			Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
		}
		var first error
		config := types.Config{
			Importer: importer{p, pkg, made}, Sizes: pkg.TypesSizes,
			Error: func(err error) {
				if e, ok := err.(types.Error); (!ok || !e.Soft) && first == nil {
					first = err
				}
			},
		}
		typ, _ := config.Check(pkg.PkgPath, p.fset, syntax, info)
		if first != nil {
			return nil, first
		}
		made[pkg.PkgPath] = typ
		out = append(out, &uses.Package{Fset: p.fset, Files: syntax, Types: typ, Info: info})
	}
	return out, nil
}

// An importer finds the packages of the program that were checked anew, and
// everything else as it was loaded.
type importer struct {
	p    *Program
	pkg  *packages.Package
	made map[string]*types.Package
}

func (im importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := im.made[path]; p != nil {
		return p, nil
	}
	if p := im.pkg.Imports[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	if p := im.p.extra[path]; p != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

// file parses the mutated file.
func (m *Mutant) file(fset *token.FileSet) (*ast.File, error) {
	return parser.ParseFile(fset, m.Decl.File.Name, m.source(), parser.SkipObjectResolution)
}
