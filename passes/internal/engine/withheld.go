package engine

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Whoever cannot have a token may go on without one: the error of the counter is only logged,
// and the number, or the field that it was to be put into, stays zero. Then a condition that
// is asked for where there is a token is not asked for.

// zeroNumber is the zero of a number's type.
func (f *Family) zeroNumber(t types.Type) *term.T {
	return f.Get(ssa.NewConst(constant.MakeInt64(0), t))
}

// withheld is the number v, whose term is t, as it is at an instruction: a token may be zero
// there, where the call that draws it may have failed.
func (f *Family) withheld(v ssa.Value, t *term.T, at ssa.Instruction) *term.T {
	if t == nil || at == nil || !isInteger(v.Type()) || !f.mayHaveFailed(v, at) || !f.Engine.Reader.Draws(t) {
		return t
	}
	return f.Engine.Pool.Join(t, f.zeroNumber(v.Type()))
}

// mayHaveFailed reports whether the call that a number comes from may have told an error
// where an instruction stands: nobody asks for it, or whoever does goes on there.
//
// Imprecision: where the error is looked at otherwise than by comparing it with nil, it is
// taken to be heeded.
func (f *Family) mayHaveFailed(v ssa.Value, at ssa.Instruction) bool {
	if c, ok := v.(*ssa.Convert); ok {
		return f.mayHaveFailed(c.X, at)
	}
	if c, ok := v.(*ssa.ChangeType); ok {
		return f.mayHaveFailed(c.X, at)
	}
	n, ok := v.(*ssa.Extract)
	if !ok || n.Parent() != at.Parent() {
		return false
	}
	call, ok := n.Tuple.(*ssa.Call)
	if !ok {
		return false
	}
	results := call.Call.Signature().Results()
	last := results.Len() - 1
	if n.Index == last || !code.IsError(results.At(last).Type()) {
		return false
	}
	errs := ResultOf(call, last)
	if len(errs) == 0 || !slices.ContainsFunc(errs, func(e ssa.Value) bool { return len(*e.Referrers()) > 0 }) {
		return true
	}
	for _, b := range n.Parent().Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		failed := failedOn(br, func(x ssa.Value) bool { return slices.Contains(errs, f.Single(x)) })
		if failed != nil && code.CanReach(failed, at.Block(), b) {
			return true
		}
	}
	return false
}

// failedOn is where a branch leads to that asks whether an error is nil, if it is not; nil
// for other branches.
func failedOn(br *ssa.If, isError func(ssa.Value) bool) *ssa.BasicBlock {
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok || !code.IsError(bin.X.Type()) || !isError(bin.X) {
		return nil
	}
	if c, ok := bin.Y.(*ssa.Const); !ok || !c.IsNil() {
		return nil
	}
	switch bin.Op.String() {
	case "!=":
		return br.Block().Succs[0]
	case "==":
		return br.Block().Succs[1]
	}
	return nil
}

// succeeds reports whether a return tells of success: it has no error, or nil.
func succeeds(ret *ssa.Return) bool {
	n := len(ret.Results)
	if n == 0 || !code.IsError(ret.Results[n-1].Type()) {
		return true
	}
	c, ok := ret.Results[n-1].(*ssa.Const)
	return ok && c.IsNil()
}

// givenBack is what one return gives back as the i-th result.
func (f *Family) givenBack(ret *ssa.Return, i int) *term.T {
	v := ret.Results[i]
	return f.leftZero(ret, i, f.handedBack(v, f.extended(f.Value(v)), ret))
}

// leftZero is what a function returns as its i-th result, t, with the zeros that it may
// return in place of a token, or in a field that has one, although it tells of success.
func (f *Family) leftZero(ret *ssa.Return, i int, t *term.T) *term.T {
	if t == nil {
		return nil
	}
	v := ret.Results[i]
	fn := ret.Parent()
	if isInteger(v.Type()) {
		if succeeds(ret) {
			t = f.withheld(v, t, ret)
		}
		if n := len(ret.Results); n > 1 && code.IsError(ret.Results[n-1].Type()) && f.Engine.Reader.Draws(t) && returnsAny(fn, func(r *ssa.Return) bool {
			c, ok := r.Results[i].(*ssa.Const)
			return ok && isZero(c) && succeeds(r)
		}) {
			t = f.Engine.Pool.Join(t, f.zeroNumber(v.Type()))
		}
		return t
	}
	a, ok := f.Base(v).(*ssa.Alloc)
	if !ok || !isStruct(a) || a.Parent() != fn || t.Kind != term.Struct {
		return t
	}
	st := code.Deref(a.Type()).Underlying().(*types.Struct)
	for n := range st.NumFields() {
		field := st.Field(n)
		if !isInteger(field.Type()) || len(f.Fields[a]) == 0 || len(f.Stores[a]) > 0 {
			continue
		}
		vals, _ := f.inField(a, n)
		value := f.Engine.Pool.Field(t, field.Name())
		if len(vals) == 0 || !f.Engine.Reader.Draws(value) {
			continue
		}
		sets := f.settings(a, n, 0)
		unset := returnsAny(fn, func(r *ssa.Return) bool {
			return f.Base(r.Results[i]) == ssa.Value(a) && succeeds(r) && survives(a, sets, r)
		})
		withheld := slices.ContainsFunc(sets, func(in ssa.Instruction) bool {
			s, ok := in.(*ssa.Store)
			return ok && f.mayHaveFailed(s.Val, s)
		})
		if unset || withheld {
			t = f.Engine.Pool.With(t, field.Name(), f.Engine.Pool.Join(value, f.zeroNumber(field.Type())))
		}
	}
	return t
}

// leftUnset is what a store puts into a field of an object, t, with the zero that a token may
// be there although the function tells of success.
func (f *Family) leftUnset(st *ssa.Store, to *ssa.FieldAddr, t *term.T) *term.T {
	if !isInteger(st.Val.Type()) || !f.Engine.Reader.Draws(t) {
		return t
	}
	fn := st.Parent()
	var sets []ssa.Instruction
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if other, ok := in.(*ssa.Store); ok {
				if fa, ok := other.Addr.(*ssa.FieldAddr); ok && fa.Field == to.Field && f.Get(fa.X) == f.Get(to.X) {
					sets = append(sets, in)
				}
			}
		}
	}
	if f.mayHaveFailed(st.Val, st) || returnsAny(fn, func(r *ssa.Return) bool { return succeeds(r) && survives(fn.Blocks[0].Instrs[0], sets, r) }) {
		return f.Engine.Pool.Join(t, f.zeroNumber(st.Val.Type()))
	}
	return t
}

func returnsAny(fn *ssa.Function, is func(*ssa.Return) bool) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		return ok && is(ret)
	})
}
