package engine

import (
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/comments"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// listen finds the directives of a unit.
func listen(fset *token.FileSet, u Unit) *comments.Source {
	return comments.Read(fset, u.Types, u.Info, u.Files, func(p lock.Position) lock.Position {
		return lock.Position{File: u.Types.Path() + "/" + filepath.Base(p.File), Line: p.Line, Column: p.Column}
	})
}

// Directives returns those of the units, in the order of the files.
func (e *Engine) Directives() []lock.Directive {
	var all []lock.Directive
	for _, s := range e.sources {
		all = append(all, s.Directives...)
	}
	return all
}

// A saying is where to look for what directives say.
type saying struct {
	functions map[string]*comments.Said     // by full name
	files     map[string][]*comments.Source // by the files that the directives stand in
}

func (s *saying) add(source *comments.Source) {
	if s.functions == nil {
		s.functions, s.files = make(map[string]*comments.Said), make(map[string][]*comments.Source)
	}
	for _, f := range source.Funcs {
		if name := f.Func.FullName(); s.functions[name] == nil {
			s.functions[name] = f.Said
		}
	}
	for _, d := range source.Directives {
		if list := s.files[d.File]; len(list) == 0 || list[len(list)-1] != source {
			s.files[d.File] = append(list, source)
		}
	}
}

// said is what a directive on the declaration of a function says of it, wherever
// that stands; nil if there is none.
func (e *Engine) said(fn *types.Func) *comments.Said {
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	fn = fn.Origin()
	if len(e.saying.functions) > 0 {
		if said := e.saying.functions[fn.FullName()]; said != nil {
			return said
		}
	}
	if e.lookup == nil {
		return nil
	}
	if fact := e.lookup(fn); fact != nil {
		return fact.Said
	}
	return nil
}

// meant is the catalogue entry that the source itself makes for a function.
func (e *Engine) meant(fn *types.Func) *catalog.Call {
	said := e.said(fn)
	if said == nil || said.Model == "" {
		return nil
	}
	entry := e.spoken[said]
	if entry == nil {
		entry = comments.Entry(said.Model, said.At)
		e.spoken[said] = entry
	}
	return entry
}

// here is the decision on a place in the units: on its line, or on the function
// around it.
func (e *Engine) here(pos token.Pos) *lock.Decision {
	if len(e.sources) == 0 {
		return nil
	}
	p := e.Position(pos)
	for _, s := range e.saying.files[p.File] {
		if d := s.At(p); d != nil {
			return d
		}
	}
	return nil
}

// decide notes what the source says that the locks taken by a call are for. What
// stands nearest to the use counts: the call before the function that is called,
// and that before those it calls in turn.
func (f *Family) decide(in ssa.CallInstruction, sites []*summary.Site) {
	if len(sites) == 0 {
		return
	}
	nearest := f.Engine.here(in.Pos())
	if nearest == nil {
		if said := f.Engine.said(code.Declared(in.Common())); said != nil {
			nearest = said.Decision
		}
	}
	if nearest != nil {
		for _, st := range sites {
			st.Lock.Decision = nearest
		}
	}
}

// InDeclaredLock reports whether a function is part of what a directive declares to be a
// lock: what it does about locks is for its callers.
func (e *Engine) InDeclaredLock(fn *ssa.Function) bool {
	obj, ok := code.Root(fn).Object().(*types.Func)
	if !ok {
		return false
	}
	entry := e.meant(obj)
	return entry != nil && (entry.Acquire != nil || entry.Release != nil)
}
