package engine

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// news reports whether what a lock is taken by, here or further down, only publishes a record.
func (e *Engine) news(st *summary.Site, m meaning.Meaning) bool {
	return slices.ContainsFunc(append(slices.Clip(st.Lock.Chain), st), func(c *summary.Site) bool {
		if c.Func == nil {
			return false
		}
		f := e.Families[code.Root(c.Func)]
		return f != nil && f.published(c, m)
	})
}

// published reports whether a record that is bound to a session is news and no lock: on another
// way, where it is there already, the very same record is written all the same, and nothing
// gives it back as a lock is. The session makes it go when its author does.
func (f *Family) published(st *summary.Site, m meaning.Meaning) bool {
	if !st.Direct || m.Kind != lock.Session || slices.ContainsFunc(st.Freed, func(x summary.Effect) bool {
		r, ok := f.Engine.Release(x)
		return ok && !r.Raw
	}) {
		return false
	}
	record := f.record(st.At)
	return record != nil && slices.ContainsFunc(f.Calling, func(c ssa.CallInstruction) bool {
		return c != st.At && f.record(c) == record && f.eitherOr(st.At, c) &&
			slices.ContainsFunc(f.Engine.Reader.Of(f.CallTerm(c.Common(), c.Pos())), func(w meaning.Meaning) bool {
				return w.Role == meaning.Write && w.Family == m.Family && len(w.Write.Guards) == 0
			})
	})
}

// record is the object of several fields that a call is given first; nil where it is given none.
func (f *Family) record(in ssa.CallInstruction) ssa.Value {
	v := code.Operand(in.Common(), catalog.Ref{Base: catalog.Arg})
	if v == nil {
		return nil
	}
	if _, ok := code.Deref(v.Type()).Underlying().(*types.Struct); !ok {
		return nil
	}
	if x, ok := v.(*ssa.UnOp); ok && x.Op == token.MUL {
		v = x.X // a captured variable
	}
	return f.Base(v)
}

// eitherOr reports whether of two calls, or of the function literals around them, neither always
// comes before the other.
func (f *Family) eitherOr(x, y ssa.Instruction) bool {
	for x.Parent() != y.Parent() {
		deeper := &x
		if depth(y.Parent()) > depth(x.Parent()) {
			deeper = &y
		}
		made := f.Made[(*deeper).Parent()]
		if made == nil {
			return false
		}
		*deeper = made
	}
	return !x.Block().Dominates(y.Block()) && !y.Block().Dominates(x.Block())
}

// depth counts the functions around a function literal.
func depth(fn *ssa.Function) int {
	n := 0
	for ; fn.Parent() != nil; fn = fn.Parent() {
		n++
	}
	return n
}
