// Package comments finds what the directives of a package say: about lines of
// code, and about the functions and methods that it declares.
package comments

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/fencevet/fencevet/passes/directive"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Source is what the directives of one package say.
type Source struct {
	Directives []lock.Directive // in the order of the files
	Funcs      []Func           // with a directive on their declaration

	decisions map[int]*lock.Decision // by index into Directives
	byFunc    map[string]*Said
}

// A Func is a function or method, and what is said of it.
type Func struct {
	Func *types.Func
	Said *Said
}

// Said is what the directives on a declaration say of a function. It travels to
// the packages that call the function.
type Said struct {
	Decision *lock.Decision // of the locks that it takes
	Model    string         // what a call of it means, as Entry reads it
	At       string         // file:line:column of the directive
}

// Read finds the directives of a package. place tells positions for other
// packages, which do not know where this one lies.
func Read(fset *token.FileSet, pkg *types.Package, info *types.Info, files []*ast.File, place func(lock.Position) lock.Position) *Source {
	s := &Source{decisions: make(map[int]*lock.Decision), byFunc: make(map[string]*Said)}
	for _, file := range files {
		if Any([]*ast.File{file}) {
			(&reader{s: s, fset: fset, pkg: pkg, info: info, file: file, place: place}).read()
		}
	}
	return s
}

// At returns the decision on a place in the code: that of a line before that of
// the function around it.
func (s *Source) At(p lock.Position) *lock.Decision {
	var found *lock.Decision
	for i := range s.Directives {
		d := s.decisions[i]
		if d == nil || !s.Directives[i].About(p) {
			continue
		}
		if s.Directives[i].Target == OnLine {
			return d
		}
		found = d
	}
	return found
}

// Targets of directives.
const (
	OnLine     = "line"
	OnFunction = "function"
	OnMethod   = "method" // of an interface
)

type reader struct {
	s     *Source
	fset  *token.FileSet
	pkg   *types.Package
	info  *types.Info
	file  *ast.File
	place func(lock.Position) lock.Position

	docs   map[*ast.CommentGroup]declaration
	bodies []ast.Node // statements and specifications, in source order
}

// A declaration is what a doc comment belongs to.
type declaration struct {
	target string
	fn     *types.Func
	node   ast.Node
}

// Any reports whether files have a directive at all, which few have.
func Any(files []*ast.File) bool {
	for _, file := range files {
		for _, g := range file.Comments {
			for _, c := range g.List {
				if directive.Is(c.Text) {
					return true
				}
			}
		}
	}
	return false
}

func (r *reader) read() {
	r.docs = make(map[*ast.CommentGroup]declaration)
	ast.Inspect(r.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			r.document(n.Doc, OnFunction, n.Name, n)
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				if len(m.Names) == 1 {
					r.document(m.Doc, OnMethod, m.Names[0], m)
					r.document(m.Comment, OnMethod, m.Names[0], m)
				}
			}
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		case ast.Stmt, *ast.ValueSpec:
			r.bodies = append(r.bodies, n)
		}
		return true
	})
	for _, g := range r.file.Comments {
		for _, c := range g.List {
			if directive.Is(c.Text) {
				r.comment(g, c)
			}
		}
	}
}

func (r *reader) document(doc *ast.CommentGroup, target string, name *ast.Ident, node ast.Node) {
	if fn, ok := r.info.Defs[name].(*types.Func); ok && doc != nil {
		r.docs[doc] = declaration{target, fn, node}
	}
}

func (r *reader) line(pos token.Pos) int { return r.fset.Position(pos).Line }

func (r *reader) comment(g *ast.CommentGroup, c *ast.Comment) {
	p := r.fset.Position(c.Pos())
	d := lock.Directive{
		Position: lock.Position{File: p.Filename, Line: p.Line, Column: p.Column, Pos: c.Pos()},
		Package:  r.pkg.Path(),
	}
	read, err := directive.Parse(c.Text)
	d.Kind, d.Checks, d.Owner, d.Until, d.Reason = string(read.Kind), read.Checks, read.Owner, read.Until, read.Reason
	d.Text = read.String()
	decl, documents := r.docs[g]
	if documents {
		d.Target, d.From, d.To = decl.target, r.line(decl.node.Pos()), r.line(decl.node.End())
	} else {
		r.beside(&d, g, c)
	}
	switch {
	case err != nil:
		d.Fault = err.Error()
	case read.Kind.Models() && !documents:
		d.Fault = "fencevet:" + d.Kind + " says what a function means: put it into the comment that documents the function or interface method"
	case read.Kind.Models():
		model, err := resolve(read, decl.fn)
		if err != nil {
			d.Fault = err.Error()
			break
		}
		said := r.said(decl.fn)
		if said.Model != "" {
			d.Fault = "what the function means is said already: remove one of the directives, or put both into a model file"
			break
		}
		at := r.place(d.Position)
		said.Model, said.At = model, fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column)
	}
	if d.Fault == "" && read.Kind.Decides() {
		decision := &lock.Decision{Position: d.Position, Kind: lock.Class(read.Kind), Reason: read.Reason, Owner: read.Owner, Until: read.Until}
		r.s.decisions[len(r.s.Directives)] = decision
		if documents {
			said := r.said(decl.fn)
			if said.Decision == nil {
				said.Decision = decision
			} else {
				d.Fault = "the function has a decision already: remove one"
			}
		}
	}
	r.s.Directives = append(r.s.Directives, d)
}

// said is what is known of a function so far.
func (r *reader) said(fn *types.Func) *Said {
	fn = fn.Origin()
	s := r.s.byFunc[fn.FullName()]
	if s == nil {
		s = &Said{}
		r.s.byFunc[fn.FullName()] = s
		r.s.Funcs = append(r.s.Funcs, Func{fn, s})
	}
	return s
}

// beside finds the code that a comment stands beside or above: its line, or the
// line below the comments that it is one of. The directive is about the whole
// statement there, up to the block that belongs to it.
func (r *reader) beside(d *lock.Directive, g *ast.CommentGroup, c *ast.Comment) {
	below := r.line(g.End()) + 1
	around := func(line int, before token.Pos) (found ast.Node) { // innermost
		for _, n := range r.bodies {
			if n.Pos() < before && r.line(n.Pos()) <= line && line <= r.head(n) {
				found = n
			}
		}
		return found
	}
	stmt := around(d.Line, c.Pos())
	if stmt == nil || r.line(stmt.Pos()) != d.Line && !r.codeBefore(stmt, d.Line, c.Pos()) {
		i := slices.IndexFunc(r.bodies, func(n ast.Node) bool { return r.line(n.Pos()) == below })
		if i >= 0 {
			stmt = r.bodies[i]
		} else {
			stmt = around(below, r.file.End())
		}
	}
	if stmt != nil {
		d.Target, d.From, d.To = OnLine, r.line(stmt.Pos()), r.head(stmt)
	}
}

// codeBefore reports whether code of a statement stands on a line before pos.
func (r *reader) codeBefore(stmt ast.Node, line int, pos token.Pos) bool {
	found := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		if n != nil && (r.line(n.Pos()) == line && n.Pos() < pos || r.line(n.End()) == line && n.End() <= pos) {
			found = true
		}
		return !found
	})
	return found
}

// head is the last line of a statement without the block that it may have.
func (r *reader) head(n ast.Node) int {
	end := n.End()
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			end = min(end, n.Lbrace)
			return false
		case *ast.CommClause:
			end = min(end, n.Pos())
		}
		return true
	})
	return r.line(end)
}
