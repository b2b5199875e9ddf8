package engine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// comparesBeside reports whether another method compares the owner value that fn
// stores with a key.
func (e *Engine) comparesBeside(fn *ssa.Function, m meaning.Meaning) bool {
	if !m.Raw || m.Value == nil || m.Value.Kind == term.Const {
		return false
	}
	for _, h := range e.Halves(fn) {
		if h.Meaning.Family == m.Family && e.SameOwner(fn, m, h.Meaning) {
			return true
		}
	}
	return false
}

// SameOwner reports whether a release by a method beside fn compares the owner value that
// fn stores with a key: it names it in the same way, or is given a value where fn's callers
// are told theirs.
func (e *Engine) SameOwner(fn *ssa.Function, taken, freed meaning.Meaning) bool {
	if !freed.Checked {
		return false
	}
	if e.Pool.Alike(e.Unbound(freed.Value), e.Unbound(taken.Value)) {
		return true
	}
	f := e.Families[code.Root(fn)]
	return f != nil && freed.Value != nil && freed.Value.Kind == term.Param && freed.Value.Index > 0 && f.returnsOwner(taken, fn)
}

// Halves lists the releases by methods of fn's receiver type that are named after
// giving something back.
func (e *Engine) Halves(fn *ssa.Function) []Half {
	recv := code.ReceiverOf(fn)
	if recv == nil {
		return nil
	}
	named, ok := recv.Type().(*types.Named)
	if !ok {
		return nil
	}
	var out []Half
	for i := range named.NumMethods() {
		if !ReleaseName(named.Method(i).Name()) {
			continue
		}
		method := e.Program.FuncValue(named.Method(i))
		sum := e.Summary(method)
		if sum == nil {
			continue
		}
		for _, x := range sum.Effects {
			if r, ok := e.Release(x); ok {
				out = append(out, Half{method, x, r})
			}
		}
	}
	return out
}

// A lock is often taken by one method and given back by another of the same type.
// What the two make of their object's fields, and of parameters that have the same
// names, can be compared without a caller in view.

// A Half is a release by a method beside the one that takes the lock.
type Half struct {
	Func    *ssa.Function   // that releases
	Effect  summary.Effect  // the release
	Meaning meaning.Meaning // of its call
}

// Unbound is a term of a method in words that mean the same in every method of its
// type: the receiver is the object, and a parameter is its name.
func (e *Engine) Unbound(t *term.T) *term.T {
	return e.Pool.Subst(t, func(p *term.T) *term.T {
		if p.Index == 0 {
			return e.Pool.Const("param", "")
		}
		return e.Pool.Const("param", p.Label)
	})
}
