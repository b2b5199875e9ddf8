package uses

import (
	"go/constant"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/models"
)

// A gate decides whether a package is worth building SSA for. Most have nothing
// to do with locks, or with what locks protect, and a driver such as go vet
// runs a pass over every package that is imported at all.
type gate struct {
	pass   *analysis.Pass
	models *models.Catalog // of the project; nil: the built-in ones alone
}

func (g *gate) cat() *models.Catalog { return orBuiltin(g.models) }

// origin tells whose code a package is.
type origin uint8

const (
	standard origin = iota
	own             // of a main module
	foreign         // of a module that a main module requires
	unknown         // the driver does not say
)

func (g *gate) origin() origin {
	m := g.pass.Module
	switch {
	case m == nil || m.Path == "":
		return g.placed()
	case m.Version == "":
		return own
	}
	return foreign
}

// placed judges by path and files, where a driver says nothing of modules: go vet
// of the standard library, and nogo of everything. Bazel runs its actions in a
// folder that has the workspace and, under external, other repositories.
func (g *gate) placed() origin {
	for _, f := range g.pass.Files {
		name := filepath.ToSlash(g.pass.Fset.File(f.FileStart).Name())
		if !filepath.IsAbs(name) || strings.Contains(name, "/execroot/") {
			if external().MatchString(name) {
				return foreign
			}
			return own
		}
	}
	if first, _, _ := strings.Cut(g.pass.Pkg.Path(), "/"); !strings.Contains(first, ".") {
		return standard
	}
	return unknown
}

// external matches where Bazel has the files of other repositories, and what it
// makes from them.
var external = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*/execroot/[^/]+/)?(bazel-out/[^/]+/bin/)?external/`)
})

// covered reports whether the catalogue says what the functions of the package
// mean.
func (g *gate) covered() bool {
	if g.pass.Module == nil {
		return catalog.Covers(g.pass.Pkg.Path())
	}
	return catalog.Covers(g.pass.Module.Path)
}

// open reports whether the package can take a lock, or do what a lock may
// protect.
func (g *gate) open() bool {
	switch g.origin() {
	case own:
		if catalog.Generated(pathOf(g.pass.Pkg, g.models)) {
			return false // like the libraries of the catalogue
		}
		return holdsLocks(g.pass.Pkg, g.models) || g.acts() || g.runs() || comments.Any(g.pass.Files)
	case unknown:
		return holdsLocks(g.pass.Pkg, nil) || g.tells() || comments.Any(g.pass.Files)
	case foreign:
		// Here the catalogue's libraries themselves are read, and whole
		// frameworks: only wrappers of locks are of interest.
		return !g.covered() && (holdsLocks(g.pass.Pkg, nil) && g.locks() || g.tells() || comments.Any(g.pass.Files))
	}
	return false
}

// used lists the functions of other packages that the package uses.
func (g *gate) used(visit func(*types.Func) bool) bool {
	seen := make(map[*types.Func]bool)
	for _, obj := range g.pass.TypesInfo.Uses {
		fn, ok := obj.(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Pkg() == g.pass.Pkg {
			continue
		}
		if fn = fn.Origin(); seen[fn] {
			continue
		}
		seen[fn] = true
		if visit(fn) {
			return true
		}
	}
	return false
}

func (g *gate) fact(fn *types.Func) *engine.Fact {
	fact := new(engine.Fact)
	if fn.Pkg() == g.pass.Pkg || !g.pass.ImportObjectFact(fn, fact) {
		return nil
	}
	return fact
}

// tells reports whether the package uses a function whose fact says something.
func (g *gate) tells() bool {
	return g.used(func(fn *types.Func) bool {
		fact := g.fact(fn)
		return fact != nil && !fact.Empty()
	})
}

// acts reports whether the package uses a function whose fact says something,
// or one that the catalogue knows to act.
func (g *gate) acts() bool {
	return g.used(func(fn *types.Func) bool {
		if fact := g.fact(fn); fact != nil && !fact.Empty() {
			return true
		}
		return g.known(fn) && slices.ContainsFunc(g.cat().Calls(fn), (*catalog.Call).Acts)
	})
}

// known reports whether it is worth making the catalogue to ask about fn.
func (g *gate) known(fn *types.Func) bool {
	acts := catalog.Acts
	if g.models != nil {
		acts = g.models.Acts
	}
	if acts(pathOf(fn.Pkg(), g.models)) {
		return true
	}
	// Generated clients are known by the type of a parameter, and a program's own
	// interface of a client by that of a result.
	told := slices.Collect(fn.Signature().Params().Variables())
	told = slices.AppendSeq(told, fn.Signature().Results().Variables())
	for _, p := range told {
		t := p.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && acts(n.Obj().Pkg().Path()) {
			return true
		}
	}
	return false
}

// runs reports whether the package declares a function that runs work which its
// callers hand over.
func (g *gate) runs() bool {
	scope := g.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			if obj.Exported() && takesWork(obj.Signature()) {
				return true
			}
		case *types.TypeName:
			if n, ok := obj.Type().(*types.Named); ok && !obj.IsAlias() {
				for m := range n.Methods() {
					if m.Exported() && takesWork(m.Signature()) {
						return true
					}
				}
			}
		}
	}
	return false
}

// takesWork reports whether a function has a parameter that is a function which
// can fail: those that compare, map or visit cannot.
func takesWork(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		f, ok := p.Type().Underlying().(*types.Signature)
		if ok && f.Results().Len() > 0 && types.Identical(f.Results().At(f.Results().Len()-1).Type(), types.Universe.Lookup("error").Type()) {
			return true
		}
	}
	return false
}

// locks reports whether the package takes a lock, as far as this is to be seen
// without building anything. A general command counts where names tell of locks.
func (g *gate) locks() bool {
	raw := false
	typed := g.used(func(fn *types.Func) bool {
		if !g.known(fn) {
			return false
		}
		for _, e := range g.cat().Calls(fn) {
			if e.Acquire != nil {
				return true
			}
			raw = raw || len(e.Command) > 0 || e.Write != nil && !e.Write.SQL.IsZero() || e.Query != nil && !e.Query.SQL.IsZero()
		}
		return false
	})
	if typed || !raw {
		return typed
	}
	if engine.NamesLock(g.pass.Pkg.Path()) || slices.ContainsFunc(g.pass.Pkg.Scope().Names(), engine.NamesLock) {
		return true
	}
	reader := meaning.NewReader(g.cat(), term.NewPool())
	for tv := range maps.Values(g.pass.TypesInfo.Types) {
		if tv.Value != nil && tv.Value.Kind() == constant.String && reader.LockText(constant.StringVal(tv.Value)) {
			return true
		}
	}
	return false
}

// inert lists the functions of a package that is not worth SSA which callers
// would suspect of acting, where nothing that it uses can act: not by a method
// of an interface, nor through a function value.
func (g *gate) inert() []*types.Func {
	if g.origin() != own {
		return nil
	}
	var list []*types.Func
	for _, obj := range g.pass.TypesInfo.Defs {
		if fn, ok := obj.(*types.Func); ok && fn.Exported() && engine.Suspect(fn.Signature()) {
			if r := fn.Signature().Recv(); r == nil || !types.IsInterface(r.Type()) {
				list = append(list, fn)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	for _, obj := range g.pass.TypesInfo.Uses {
		switch obj := obj.(type) {
		case *types.Var:
			if _, ok := obj.Type().Underlying().(*types.Signature); ok {
				return nil
			}
		case *types.Func:
			r := obj.Signature().Recv()
			if r != nil && types.IsInterface(r.Type()) && engine.Suspect(obj.Signature()) {
				return nil
			}
			if obj.Pkg() != nil && obj.Pkg() != g.pass.Pkg && !engine.Standard(obj.Pkg().Path()) && engine.Suspect(obj.Signature()) && g.fact(obj.Origin()) == nil {
				return nil
			}
		}
	}
	return list
}

// holdsLocks reports whether a package imports anything that can be a lock, or is
// that itself. A nil catalogue is the built-in one, which need not be made for it.
func holdsLocks(p *types.Package, cat *models.Catalog) bool {
	relevant := catalog.Relevant
	if cat != nil {
		relevant = cat.Relevant
	}
	for _, q := range p.Imports() {
		if lock, _ := relevant(pathOf(q, cat)); lock {
			return true
		}
	}
	lock, _ := relevant(p.Path())
	return lock && cat != nil
}

// pathOf is the path by which the catalogue knows a package. A nil catalogue is the
// built-in one.
func pathOf(p *types.Package, cat *models.Catalog) string {
	if cat != nil {
		return cat.Path(p)
	}
	return catalog.Path(p)
}
