package engine

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Functions that look for something in a context have a default where there is none: the
// transaction or the pool. Which of them it is shows where the context is known.

// carriage tells of what value of a context a branch decides whether it is there, and the
// way that is taken where it is; ok is false for other branches.
func (f *Family) carriage(b *ssa.BasicBlock) (x *term.T, there int, ok bool) {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok || b.Succs[0] == b.Succs[1] {
		return nil, 0, false
	}
	cond := br.Cond
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		cond, there = not.X, 1
	}
	if bin, ok := cond.(*ssa.BinOp); ok && isNilConst(bin.Y) && (bin.Op == token.EQL || bin.Op == token.NEQ) {
		if bin.Op == token.EQL {
			there = 1 - there
		}
		x = f.Value(bin.X)
	} else if t := f.Value(cond); t != nil {
		x, _ = t.Asked()
	}
	return x, there, x.IsCarried()
}

// carriedOr is the value of a variable that is one thing where a context has some value,
// and another where not; nil for others.
func (f *Family) carriedOr(phi *ssa.Phi) *term.T {
	b := phi.Block()
	p := b.Idom()
	if len(phi.Edges) != 2 || p == nil || len(p.Succs) != 2 {
		return nil
	}
	x, there, ok := f.decides(p)
	if !ok {
		return nil
	}
	var ways [2]*term.T
	for i, from := range b.Preds {
		side := slices.IndexFunc(p.Succs, func(s *ssa.BasicBlock) bool {
			return s == b && from == p || s != b && len(s.Preds) == 1 && s.Dominates(from)
		})
		if side < 0 {
			return nil
		}
		ways[side] = f.Value(phi.Edges[i])
	}
	if ways[0] == nil || ways[1] == nil {
		return nil
	}
	if t := f.either(x, ways[there], ways[1-there]); t.IsChoice() {
		return t
	}
	return nil
}

// decides is carriage, also of what a caller gives: a handle that may be nil.
func (f *Family) decides(b *ssa.BasicBlock) (x *term.T, there int, ok bool) {
	if x, there, ok = f.carriage(b); ok || x == nil || x.Kind != term.Param {
		return x, there, ok
	}
	bin, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If).Cond.(*ssa.BinOp)
	return x, there, ok && f.Engine.Reader.Catalog.Handle(types.TypeString(code.Deref(bin.X.Type()), nil)) != ""
}

// either is with where x is there, else without.
func (f *Family) either(x, with, without *term.T) *term.T {
	if !x.IsCarried() {
		return f.Engine.Pool.Given(x, with, without)
	}
	return f.Engine.Pool.Carried(x, with, without)
}

// carriedResults says of results that are one thing or another which of them it is, where
// what a context has decides.
func (f *Family) carriedResults(fn *ssa.Function, s *summary.Summary) {
	if !slices.ContainsFunc(s.Results, func(t *term.T) bool { return t != nil && t.Kind == term.Join }) {
		return
	}
	var returns []*ssa.Return
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns = append(returns, ret)
		}
	}
	for i, t := range s.Results {
		if t != nil && t.Kind == term.Join {
			s.Results[i] = f.resultBy(returns, i)
		}
	}
}

// resultBy is what some returns give back as the i-th result.
func (f *Family) resultBy(returns []*ssa.Return, i int) *term.T {
	p := f.Engine.Pool
	if len(returns) > 1 {
		for b := returns[0].Block().Idom(); b != nil; b = b.Idom() {
			x, there, ok := f.decides(b)
			if !ok {
				continue
			}
			with, without := reached(returns, b.Succs[there]), reached(returns, b.Succs[1-there])
			if len(with) == 0 || len(without) == 0 || len(with)+len(without) < len(returns) {
				continue
			}
			some, other := f.resultBy(with, i), f.resultBy(without, i)
			switch {
			case other == nil || other.IsZero(): // with an error
				return some
			case some == nil || some.IsZero():
				return other
			}
			return f.either(x, some, other)
		}
	}
	var t *term.T
	for _, ret := range returns {
		switch r := f.givenBack(ret, i); {
		case code.IsContext(ret.Results[i].Type()) && fails(ret):
		case r == nil || r.IsZero() && t != nil:
		case t == nil || t.IsZero():
			t = r
		default:
			t = p.Join(t, r)
		}
	}
	return t
}

// fails reports whether a return surely gives back an error.
func fails(ret *ssa.Return) bool {
	if len(ret.Results) == 0 {
		return false
	}
	err := ret.Results[len(ret.Results)-1]
	if !code.IsError(err.Type()) || isNilConst(err) {
		return false
	}
	switch v := err.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		if variable(v) != nil {
			return true
		}
	case *ssa.Call:
		if name := code.CalleeName(v.Common()); name == "errors.New" || name == "fmt.Errorf" {
			return true
		}
	}
	return code.Failing(ret.Block())
}

// reached lists the returns that one way of a branch alone leads to.
func reached(returns []*ssa.Return, way *ssa.BasicBlock) []*ssa.Return {
	if len(way.Preds) != 1 {
		return nil
	}
	var list []*ssa.Return
	for _, ret := range returns {
		if way.Dominates(ret.Block()) {
			list = append(list, ret)
		}
	}
	return list
}
