package uses

import (
	"go/constant"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A gate decides whether a package is worth building SSA for. Most have nothing
// to do with locks, or with what locks protect, and a driver such as go vet
// runs a pass over every package that is imported at all.
type gate struct {
	pass *analysis.Pass
	cat  func() *catalog.Catalog
}

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
	case m != nil && m.Path != "" && m.Version == "":
		return own
	case m != nil && m.Path != "":
		return foreign
	}
	first, _, _ := strings.Cut(g.pass.Pkg.Path(), "/")
	if !strings.Contains(first, ".") {
		return standard
	}
	return unknown
}

// open reports whether the package can take a lock, or do what a lock may
// protect.
func (g *gate) open() bool {
	switch g.origin() {
	case own:
		return holdsLocks(g.pass.Pkg) || g.acts() || g.runs()
	case unknown:
		return holdsLocks(g.pass.Pkg) || g.tells()
	case foreign:
		// Here the catalogue's libraries themselves are read, and whole
		// frameworks: only wrappers of locks are of interest.
		return !catalog.Covers(g.pass.Module.Path) && (holdsLocks(g.pass.Pkg) && g.locks() || g.tells())
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
		return known(fn) && slices.ContainsFunc(g.cat().Calls(fn), (*catalog.Call).Acts)
	})
}

// known reports whether it is worth making the catalogue to ask about fn.
func known(fn *types.Func) bool {
	if catalog.Acts(fn.Pkg().Path()) {
		return true
	}
	// Generated clients are known by the type of a parameter.
	for p := range fn.Signature().Params().Variables() {
		t := p.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && catalog.Acts(n.Obj().Pkg().Path()) {
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
		if !known(fn) {
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
			if obj.Pkg() != nil && obj.Pkg() != g.pass.Pkg && strings.Contains(obj.Pkg().Path(), ".") && engine.Suspect(obj.Signature()) && g.fact(obj.Origin()) == nil {
				return nil
			}
		}
	}
	return list
}

// holdsLocks reports whether a package imports anything that can be a lock.
func holdsLocks(p *types.Package) bool {
	for _, q := range p.Imports() {
		if lock, _ := catalog.Relevant(q.Path()); lock {
			return true
		}
	}
	return false
}
