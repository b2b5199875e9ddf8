package code

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/world"
)

// Before reports whether x always runs before y.
func Before(x, y ssa.Instruction) bool {
	if x.Block() == y.Block() {
		return slices.Index(x.Block().Instrs, x) < slices.Index(y.Block().Instrs, y)
	}
	return x.Block().Dominates(y.Block())
}

// CanReach reports whether to can be reached from without passing through the
// branch again. Where there is a branch, what it decides is decided within one turn of
// the loops around it: the next turn may go past it.
func CanReach(from, to, branch *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{branch: true}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == to {
			return true
		}
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, next := range b.Succs {
			if branch == nil || !next.Dominates(b) {
				work = append(work, next)
			}
		}
	}
	return false
}

// Reaches reports whether an instruction runs in a region while the lock is held.
func Reaches(region *world.Region, in ssa.Instruction) bool {
	for _, x := range region.Held {
		if x == in {
			return true
		}
	}
	return false
}

// Selected returns the select in p of which a case for a channel that match
// likes leads to b.
func Selected(p, b *ssa.BasicBlock, match func(ssa.Value) bool) ssa.Instruction {
	br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok || !p.Succs[0].Dominates(b) || len(p.Succs[0].Preds) != 1 {
		return nil
	}
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok || bin.Op != token.EQL {
		return nil
	}
	index, ok := bin.X.(*ssa.Extract)
	if !ok {
		return nil
	}
	sel, ok := index.Tuple.(*ssa.Select)
	if !ok {
		return nil
	}
	n, ok := ConstInt(bin.Y)
	if !ok || int(n) >= len(sel.States) || !match(sel.States[n].Chan) {
		return nil
	}
	return sel
}

// OnEveryWay reports whether a function comes through b on every way to a return, but for
// that after a panic.
func OnEveryWay(fn *ssa.Function, b *ssa.BasicBlock) bool {
	for _, r := range fn.Blocks {
		if _, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return); ok && r != fn.Recover && !b.Dominates(r) {
			return false
		}
	}
	return true
}

// ErrorTest reads a branch on an error: which successor is taken when there is
// one.
func ErrorTest(br *ssa.If) (failing int, ok bool) {
	switch cond := br.Cond.(type) {
	case *ssa.BinOp:
		c, isConst := cond.Y.(*ssa.Const)
		if !isConst || !c.IsNil() || !IsError(cond.X.Type()) {
			return 0, false
		}
		if cond.Op.String() == "==" {
			return 1, true
		}
		return 0, true
	case *ssa.Call: // errors.Is(err, ErrX)
		if slices.ContainsFunc(cond.Call.Args, func(a ssa.Value) bool { return IsError(a.Type()) }) {
			return 0, true
		}
	}
	return 0, false
}

// Failing reports whether control gets to b only after an error.
func Failing(b *ssa.BasicBlock) bool {
	found := false
	Reasons(b, func(*ssa.If, int) { found = true })
	return found
}

// Reasons visits the branches on errors after which control gets to b: one that
// found an error, or several of which one did (err != nil || !ok).
func Reasons(b *ssa.BasicBlock, visit func(br *ssa.If, failing int)) {
	for d := b; d != nil; d = d.Idom() {
		var found []*ssa.If
		for _, p := range d.Preds {
			br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
			if !ok || d.Dominates(p) {
				found = nil
				break
			}
			if i, ok := ErrorTest(br); ok && p.Succs[i] == d {
				found = append(found, br)
			}
		}
		for _, br := range found {
			i, _ := ErrorTest(br)
			visit(br, i)
		}
	}
}

// FactsOf lists what is known of a function's results on the ways out that r
// reaches. Where nothing is known of an error it is nil, and of a bool it is
// true: that is what callers take for success. A bool whose name says that
// somebody else has the lock is left alone. So it is with a bool in a record that is
// returned, if it is set there, and not in one that is returned otherwise.
func FactsOf(fn *ssa.Function, r *world.Region) []world.Fact {
	facts := r.Results()
	if facts == nil {
		facts = make([]world.Fact, fn.Signature.Results().Len())
	}
	for i := range facts {
		v := fn.Signature.Results().At(i)
		b, basic := v.Type().Underlying().(*types.Basic)
		switch {
		case facts[i].Definite():
		case IsError(v.Type()):
			facts[i] = world.Nil
		case basic && b.Kind() == types.Bool && !slices.Contains([]string{"busy", "held", "exists", "taken", "conflict", "skip", "skipped", "running"}, v.Name()):
			facts[i] = world.True
		}
		facts[i] = flagged(fn, r, i, facts[i])
	}
	return facts
}

// flagged adds to what is known of a result the flags of the record that it is, or points
// to, which are set where r comes out, and are not set wherever fn is left without an error
// otherwise. They may be reset in r as well, where the lock was taken for nothing.
func flagged(fn *ssa.Function, r *world.Region, result int, f world.Fact) world.Fact {
	st, ok := Deref(fn.Signature.Results().At(result).Type()).Underlying().(*types.Struct)
	if !ok {
		return f
	}
	for k := range st.NumFields() {
		if b, ok := st.Field(k).Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
			continue
		}
		won, lost, mixed := false, false, false
		for _, b := range fn.Blocks {
			ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
			if !ok || b != r.Start.Block() && !CanReach(r.Start.Block(), b, nil) {
				continue
			}
			is := r.Fact(ret.Results[result]).Field(k)
			if slices.Contains(r.Returns, ret) {
				won = won || is.Same(world.True)
				continue
			}
			if slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
				c, ok := given(v).(*ssa.Const)
				return IsError(v.Type()) && !(ok && c.IsNil())
			}) {
				continue
			}
			if literal(given(ret.Results[result])) {
				lost, mixed = lost || is.Same(world.False), mixed || is.Same(world.True)
			} else if is.Same(world.True) {
				lost = true // it is handed on from below, where it is not set on this way
			}
		}
		if won && lost && !mixed {
			f = f.With(k, constant.MakeBool(true))
		}
	}
	return f
}

// literal reports whether a value is a record that is made where it is.
func literal(v ssa.Value) bool {
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	switch v.(type) {
	case *ssa.Alloc, *ssa.Const:
		return true
	}
	return false
}

// given is what is returned as v: in a function with deferred calls it goes through a
// variable.
func given(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	list := load.Block().Instrs
	for _, in := range slices.Backward(list[:slices.Index(list, ssa.Instruction(load))]) {
		if s, ok := in.(*ssa.Store); ok && s.Addr == load.X {
			return s.Val
		}
	}
	return v
}
