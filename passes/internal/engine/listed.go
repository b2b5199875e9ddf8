package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Conditions gather in lists, as options fill them: what is appended on some ways only may
// not be in the list.

// appended is the value that a store puts into a field, where it is a list that grows there
// on some ways only: that list, or the one before.
func (f *Family) appended(st *ssa.Store, val *term.T) *term.T {
	fa, ok := st.Addr.(*ssa.FieldAddr)
	if !ok || !grows(val) {
		return val
	}
	b := f.evenly(st.Block())
	before := f.Engine.Pool.Field(f.Get(fa.X), code.FieldName(fa.X.Type(), fa.Field))
	switch p := b.Idom(); {
	case onEverySuccess(b):
		return val
	case p != nil && len(b.Preds) == 1 && onEverySuccess(p):
		if x := zeroOn(p, b); x != nil && isOrdered(x.Type()) {
			return f.Engine.Pool.When(f.withheld(x, f.Get(x), st), val, before)
		}
	}
	return f.Engine.Pool.Join(before, val)
}

// growth is the struct after a call, x before it, where the call is made on some ways only:
// what it adds to lists may not be there.
func (f *Family) growth(in ssa.Instruction, x, after *term.T) *term.T {
	if x == after || !f.onSomeWays(in) {
		return after
	}
	if after.Kind != term.Struct {
		return f.Engine.Pool.Join(x, after)
	}
	made := after // and not what becomes of it, which may be too large for a term
	for i, name := range made.Names {
		if old := f.Engine.Pool.Field(x, name); old != made.Args[i] && grows(made.Args[i]) {
			after = f.Engine.Pool.With(after, name, f.Engine.Pool.Join(old, made.Args[i]))
		}
	}
	return after
}

// grows reports whether a value is a list, perhaps one that is added to.
func grows(t *term.T) bool {
	return t.Kind == term.List || t.Kind == term.Op && t.Name == "append"
}

// onEverySuccess reports whether a function comes through b on every way to a return that
// tells of no error.
func onEverySuccess(b *ssa.BasicBlock) bool {
	for _, r := range b.Parent().Blocks {
		ret, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return)
		if !ok || b.Dominates(r) {
			continue
		}
		if n := len(ret.Results); n > 0 && code.IsError(ret.Results[n-1].Type()) {
			if c, ok := ret.Results[n-1].(*ssa.Const); !ok || !c.IsNil() {
				continue
			}
		}
		return false
	}
	return true
}

// onSomeWays reports whether control can go around an instruction and still get to what
// comes after it. To be in a loop, whose number of rounds a list decides, or behind the
// question whether something is nil, is no way around.
func (f *Family) onSomeWays(in ssa.Instruction) bool {
	b := f.evenly(in.Block())
	if slices.ContainsFunc(naturalLoops(b.Parent()), func(l *summary.Loop) bool { return l.Head != b && l.Body[b] }) {
		return true // in some rounds
	}
	for _, x := range b.Parent().Blocks {
		if !b.Dominates(x) && !x.Dominates(b) && code.CanReach(b, x, nil) {
			return true
		}
	}
	return false
}

// evenly is the block from which control always gets to b: the head of a loop that comes
// through b in each round, and the question whether something is nil.
func (f *Family) evenly(b *ssa.BasicBlock) *ssa.BasicBlock {
	loops := naturalLoops(b.Parent())
	for {
		from := b
		if len(b.Preds) == 1 && asksNil(b.Preds[0]) {
			b = b.Preds[0]
		}
		b = everyRound(b, loops)
		if b == from {
			return b
		}
	}
}

// asksNil reports whether a block ends with the question whether something is nil.
func asksNil(b *ssa.BasicBlock) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok || code.IsError(bin.X.Type()) {
		return false
	}
	c, ok := bin.Y.(*ssa.Const)
	return ok && c.IsNil()
}

// zeroOn returns the value that is not zero where control goes from p to b, and zero where
// it goes elsewhere; nil if there is none.
func zeroOn(p, b *ssa.BasicBlock) ssa.Value {
	if len(p.Succs) != 2 {
		return nil
	}
	for _, other := range p.Succs {
		if other != b {
			return zeroIn(p, other)
		}
	}
	return nil
}

// wholeAt is what a local struct holds at some instruction, where it is stored as a whole
// only, and more than once: a builder by value, which grows by what it returns. It is nil
// where that is not known.
func (f *Family) wholeAt(a *ssa.Alloc, at ssa.Instruction) *term.T {
	if t := f.assignedAnew(a, at); t != nil {
		return t
	}
	if !isStruct(a) || len(f.Stores[a]) < 2 || len(f.Fields[a]) > 0 || len(f.outs[a]) > 0 || len(f.lent[a]) > 0 || at.Parent() != a.Parent() {
		return nil
	}
	var stores []*ssa.Store
	var last *ssa.Store
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			stores = append(stores, st)
			if code.Before(st, at) && (last == nil || code.Before(last, st)) {
				last = st
			}
		}
	}
	if last == nil || len(stores) != len(f.Stores[a]) {
		return nil
	}
	if !slices.ContainsFunc(stores, func(st *ssa.Store) bool { return st != last && mayPrecede(st, at) && !code.Before(st, last) }) {
		return f.Value(last.Val)
	}
	if len(stores) != 2 {
		return nil
	}
	first, then := stores[0], stores[1]
	if !code.Before(first, then) {
		first, then = then, first
	}
	b := then.Block()
	if len(b.Preds) != 1 || !code.Before(first, then) || !code.Before(first, at) || code.Before(then, at) || !mayPrecede(then, at) || mayPrecede(at, then) {
		return nil
	}
	p := b.Preds[0]
	x := zeroOn(p, b)
	if br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If); ok && x == nil && p.Succs[0] == b {
		x = br.Cond
	}
	with, without := f.Value(then.Val), f.Value(first.Val)
	if x == nil || with == nil || without == nil {
		return nil
	}
	return f.choice(x, with, without, at)
}

// unchanged is a field of a local struct that is read before it is set, which happens
// once and in the same block: as the struct has it that was stored. It is nil for others.
func (f *Family) unchanged(x *ssa.Alloc, read *ssa.FieldAddr, name string) *term.T {
	if set, _ := f.inField(x, read.Field); len(set) != 1 || len(f.Stores[x]) != 1 || len(f.outs[x]) > 0 || x.Block() != read.Block() {
		return nil
	}
	for _, r := range *x.Referrers() {
		fa, ok := r.(*ssa.FieldAddr)
		if !ok || fa.Field != read.Field {
			continue
		}
		for _, r := range *fa.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(fa) && (st.Block() != read.Block() || !code.Before(read, st)) {
				return nil
			}
		}
	}
	whole := f.Value(f.Stores[x][0])
	if whole == nil {
		return nil
	}
	return f.Engine.Pool.Field(whole, name)
}

// lentBefore reports whether a call that is given a pointer to a local struct may have
// changed it where one of its fields is read.
func (f *Family) lentBefore(a *ssa.Alloc, read ssa.Instruction) bool {
	return slices.ContainsFunc(f.lent[a], func(in ssa.CallInstruction) bool {
		return in.Parent() != read.Parent() || mayPrecede(in, read)
	})
}
