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
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
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
	Fset    *token.FileSet  // of the units
	Pool    *term.Pool      // of all terms
	Reader  *meaning.Reader // what calls mean
	Program *ssa.Program    // the units as SSA
	pkgs    []*ssa.Package
	calls   map[*ssa.Package]map[token.Pos]written
	shelves map[shelf][]Shelving // where tokens are put, as asked for
	emptied map[shelf]bool       // where nothing is, as asked for

	Families        map[*ssa.Function]*Family       // by root function
	Order           []*Family                       // as given: by package, then by position
	Functions       map[string]*ssa.Function        // by name, for function values
	Solved          map[*Family]bool                // summarised
	names           map[*ssa.Function]string        // as asked for
	fullNames       map[*types.Func]string          // the same of declarations
	entries         map[*types.Func][]*catalog.Call // as registered with the reader
	typed           map[*types.TypeName]*types.Func // functions that are known by their type; see Engine.byType
	Implementations *Implementations                // of interfaces
	Index           *Index                          // where things stand
	Evidence        *Evidence                       // which general commands are locks; once solved
	read            *Readings                       // as asked for
	Recorded        map[*Family][]summary.Recorded  // the uses whose acquire stands in a family
	embeds          map[*ssa.Global]string          // files that are embedded in package-level variables
	lockTexts       map[*ssa.Global]bool            // variables that are made from the text of a lock
	globals         map[*ssa.Global]*term.T         // values of package-level variables, as asked for
	declared        map[*ssa.Global]ssa.Value       // what the initialiser sets those to that nothing else sets
	texts           map[code.Slot][]ssa.Value       // what private fields are set to, as asked for; nil: out of sight
	cancels         map[code.Slot][]code.Slot       // kept contexts, by what cancels them; nil until asked for
	syntax          []*ast.File
	files           map[string]string // of the units, by name: import path and base name

	sources []*comments.Source               // what directives of the units say, where there are any
	saying  saying                           // the same, by what it is about
	spoken  map[*comments.Said]*catalog.Call // entries from directives

	followers  map[string][]summary.Effect // what is done where leadership is told, by signal
	taken      map[string]handedWork       // what is done with work that is handed on, by the field that it waits in
	injections *injections                 // functions in fields; nil until asked for
	unique     *bool                       // whether unique indexes are in view; nil until asked for
	limiting   map[*types.Package]bool     // packages that may be given a pool of one connection; nil until asked for
	begun      map[string]string           // fields that hold transactions, with those that they are begun on; nil until asked for
	kept       map[*term.T][]types.Type    // types of what contexts carry, by key; nil until asked for
	handles    map[string][]string         // kinds of handles that callers give to a statement, by its place; nil until asked for

	most    int64 // terms made anew, when the cycle at hand has to end; 0: none is at hand
	guarded bool
	faults  []Fault

	lookup func(*types.Func) *Fact            // of functions of other packages; nil: none are known
	known  map[*ssa.Function]*summary.Summary // of functions of other packages
	inner  map[string]*summary.Summary        // of function values in those, by name
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
		Fset: b.fset, Pool: pool, Program: b.prog, spoken: make(map[*comments.Said]*catalog.Call),
		Families:  make(map[*ssa.Function]*Family),
		Functions: make(map[string]*ssa.Function),
		calls:     make(map[*ssa.Package]map[token.Pos]written),
		names:     make(map[*ssa.Function]string), fullNames: make(map[*types.Func]string),
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
	e.Index = &Index{e: e}
	e.Reader = meaning.NewReader(b.cat.Declaring(e.meant, comments.Entry), pool)
	pool.Apply = e.applied
	pool.Yields = func(t *term.T) bool { return e.HandleMaker(t) != nil }
	e.Implementations = newImplementations(e)
	return e
}

// collect lists the families of a package in source order.
func (e *Engine) collect(roots []*ssa.Function) {
	slices.SortStableFunc(roots, func(a, b *ssa.Function) int {
		return e.Position(a.Pos()).Compare(e.Position(b.Pos()))
	})
	for _, fn := range roots {
		fam := newFamily(e, fn)
		e.Families[fn] = fam
		e.Order = append(e.Order, fam)
		for _, m := range fam.Members {
			e.Functions[e.Name(m)] = m
		}
	}
}

// Summary returns the summary of a function with a body, or nil.
func (e *Engine) Summary(fn *ssa.Function) *summary.Summary {
	fn = code.Origin(fn)
	if fn == nil {
		return nil
	}
	root := fn
	for root.Parent() != nil {
		root = root.Parent()
	}
	fam := e.Families[root]
	if fam == nil {
		return e.imported(fn)
	}
	return fam.Sums[fn]
}

// Name is that of a function, as terms have it (see code.FuncName). It is asked for with
// every term, and long to make.
func (e *Engine) Name(fn *ssa.Function) string {
	name, ok := e.names[fn]
	if !ok {
		name = code.FuncName(fn)
		e.names[fn] = name
	}
	return name
}

// fullName is the name of a function as it is declared.
func (e *Engine) fullName(fn *types.Func) string {
	name, ok := e.fullNames[fn]
	if !ok {
		name = fn.FullName()
		e.fullNames[fn] = name
	}
	return name
}

// Position is a place as records have it.
func (e *Engine) Position(pos token.Pos) lock.Position {
	if !pos.IsValid() {
		return lock.Position{}
	}
	p := e.Fset.Position(pos)
	return lock.Position{File: p.Filename, Line: p.Line, Column: p.Column, Pos: pos}
}

// CallSite names a place, to tell calls apart.
func (e *Engine) CallSite(pos token.Pos) string { return e.siteOf(e.Position(pos)) }

func (e *Engine) siteOf(p lock.Position) string {
	p = e.Place(p)
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}
