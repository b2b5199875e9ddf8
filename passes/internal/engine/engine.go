package engine

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Unit is one type-checked package with syntax.
type Unit struct {
	Files []*ast.File
	Types *types.Package
	Info  *types.Info
}

// An Engine analyses units that share a file set.
type Engine struct {
	fset   *token.FileSet
	pool   *term.Pool
	reader *meaning.Reader
	prog   *ssa.Program
	pkgs   []*ssa.Package
	calls  map[*ssa.Package]map[token.Pos]written

	families  map[*ssa.Function]*family       // by root function
	order     []*family                       // as given: by package, then by position
	funcs     map[string]*ssa.Function        // by name, for function values
	solved    map[*family]bool                // summarised
	entries   map[*types.Func][]*catalog.Call // as registered with the reader
	typed     map[*types.TypeName]*types.Func // functions that are known by their type; see Engine.byType
	impls     *implementations
	index     *index
	evidence  *evidence
	read      *readings                 // as asked for
	recorded  map[*family][]recorded    // the uses whose acquire stands in a family
	embeds    map[*ssa.Global]string    // files that are embedded in package-level variables
	lockTexts map[*ssa.Global]bool      // variables that are made from the text of a lock
	globals   map[*ssa.Global]*term.T   // values of package-level variables, as asked for
	declared  map[*ssa.Global]ssa.Value // what the initialiser sets those to that nothing else sets
	texts     map[slot][]ssa.Value      // what private fields are set to, as asked for; nil: out of sight
	syntax    []*ast.File
	files     map[string]string // of the units, by name: import path and base name

	sources []*comments.Source               // what directives of the units say, where there are any
	saying  saying                           // the same, by what it is about
	spoken  map[*comments.Said]*catalog.Call // entries from directives

	followers map[string][]Effect // what is done where leadership is told, by signal
	handles   map[string][]string // kinds of handles that callers give to a statement, by its place; nil until asked for

	guarded bool
	faults  []Fault

	lookup func(*types.Func) *Fact    // of functions of other packages; nil: none are known
	known  map[*ssa.Function]*Summary // of functions of other packages
	inner  map[string]*Summary        // of function values in those, by name
}

// New builds SSA for units and prepares an engine.
func New(fset *token.FileSet, cat *catalog.Catalog, units []Unit) *Engine {
	b := NewBuilder(fset, cat)
	for _, u := range units {
		b.create(u)
	}
	for _, u := range units {
		b.imports(u)
	}
	for _, u := range units {
		b.build(u)
	}
	return b.Engine(units)
}

// Engine prepares an engine for units that were built, in the given order.
func (b *Builder) Engine(units []Unit) *Engine {
	pool := term.NewPool()
	e := &Engine{
		fset: b.fset, pool: pool, prog: b.prog, spoken: make(map[*comments.Said]*catalog.Call),
		families:  make(map[*ssa.Function]*family),
		funcs:     make(map[string]*ssa.Function),
		calls:     make(map[*ssa.Package]map[token.Pos]written),
		entries:   make(map[*types.Func][]*catalog.Call),
		typed:     make(map[*types.TypeName]*types.Func),
		files:     make(map[string]string),
		lockTexts: make(map[*ssa.Global]bool),
		embeds:    make(map[*ssa.Global]string),
	}
	for _, u := range units {
		for _, f := range u.Files {
			name := b.fset.Position(f.Package).Filename
			e.files[name] = u.Types.Path() + "/" + filepath.Base(name)
		}
		m := b.made[u.Types]
		e.pkgs = append(e.pkgs, m.pkg)
		e.calls[m.pkg] = m.calls
		for name, file := range m.embeds {
			if g := m.pkg.Var(name); g != nil {
				e.embeds[g] = file
			}
		}
		if len(m.source.Directives) > 0 {
			e.sources = append(e.sources, m.source)
			e.saying.add(m.source)
		}
		e.collect(m.roots)
	}
	if len(units) == 1 {
		// Fixes are applied by drivers that have one package at hand; a whole module's
		// syntax is not worth its memory.
		e.syntax = units[0].Files
	}
	e.index = &index{e: e}
	e.reader = meaning.NewReader(b.cat.Declaring(e.meant, comments.Entry), pool)
	pool.Apply = e.applied
	e.impls = newImplementations(e)
	return e
}

// collect lists the families of a package in source order.
func (e *Engine) collect(roots []*ssa.Function) {
	slices.SortStableFunc(roots, func(a, b *ssa.Function) int {
		return e.position(a.Pos()).Compare(e.position(b.Pos()))
	})
	for _, fn := range roots {
		fam := newFamily(e, fn)
		e.families[fn] = fam
		e.order = append(e.order, fam)
		for _, m := range fam.members {
			e.funcs[fnName(m)] = m
		}
	}
}

// fnName names a function: (*pkg.T).M, pkg.F, pkg.F$1.
func fnName(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return fn.String()
}

// origin is the generic function of an instance, or fn itself.
func origin(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// summary returns the summary of a function with a body, or nil.
func (e *Engine) summary(fn *ssa.Function) *Summary {
	fn = origin(fn)
	if fn == nil {
		return nil
	}
	root := fn
	for root.Parent() != nil {
		root = root.Parent()
	}
	fam := e.families[root]
	if fam == nil {
		return e.imported(fn)
	}
	return fam.sums[fn]
}

func (e *Engine) position(pos token.Pos) lock.Position {
	if !pos.IsValid() {
		return lock.Position{}
	}
	p := e.fset.Position(pos)
	return lock.Position{File: p.Filename, Line: p.Line, Column: p.Column, Pos: pos}
}

// site names a place, to tell calls apart.
func (e *Engine) site(pos token.Pos) string { return e.siteOf(e.position(pos)) }

func (e *Engine) siteOf(p lock.Position) string {
	p = e.place(p)
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// Run summarises every family and returns the lock uses and the remarks that
// belong to none of them, in source order.
func (e *Engine) Run() ([]*lock.Use, []lock.Remark) {
	e.solve()
	uses := e.uses()
	e.slips()
	return uses, append(e.clocks(uses), e.remarks(uses)...)
}

// shown is a function's name as people write it: (*Service).Reserve.
func shown(fn *ssa.Function) string {
	root := fn
	for root.Parent() != nil {
		root = root.Parent()
	}
	if root.Pkg == nil {
		return root.Name()
	}
	return root.RelString(root.Pkg.Pkg)
}
