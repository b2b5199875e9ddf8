package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// choose adds to the effects of fn the comparisons with zero that choose the way to
// them, of values that callers decide, and whether a context has something.
func (f *Family) choose(fn *ssa.Function, s *summary.Summary) {
	for _, b := range fn.Blocks {
		if len(b.Succs) != 2 || b.Succs[0] == b.Succs[1] {
			continue
		}
		for i, next := range b.Succs {
			c, ok := f.choiceOf(b, i)
			if !ok || len(next.Preds) != 1 || !c.Value.Open() {
				continue
			}
			for _, to := range fn.Blocks {
				if !next.Dominates(to) {
					continue
				}
				for _, in := range to.Instrs {
					steps := s.Steps[in]
					for i := range steps {
						steps[i].Chosen = append(slices.Clip(steps[i].Chosen), c)
					}
				}
			}
		}
	}
}

// choiceOf is what the i-th way of a branch is chosen by; ok is false where that is nothing
// of the kind.
func (f *Family) choiceOf(b *ssa.BasicBlock, i int) (c summary.Choice, ok bool) {
	if x, there, ok := f.carriage(b); ok {
		return summary.Choice{Value: f.Engine.Pool.There(x), Zero: i != there}, true
	}
	x := zeroIn(b, b.Succs[i])
	if x != nil {
		c.Zero = true
	} else if x = zeroIn(b, b.Succs[1-i]); x == nil {
		return c, false
	}
	c.Value = f.withheld(x, f.Get(x), b.Instrs[len(b.Instrs)-1])
	return c, isOrdered(x.Type())
}

func passChosen(list []summary.Choice, bind *term.Binding) []summary.Choice {
	if len(list) == 0 {
		return nil
	}
	out := make([]summary.Choice, len(list))
	for i, c := range list {
		out[i] = summary.Choice{Value: bind.Put(c.Value), Zero: c.Zero}
	}
	return out
}

// linkedWhen is the value of a builder to which a link is added where a value is not zero,
// as a condition is that a token needs, or of a text or a list that grows so where a number
// is not zero; nil for others.
func (f *Family) linkedWhen(phi *ssa.Phi) *term.T {
	b := phi.Block()
	if len(phi.Edges) != 2 || len(b.Preds) != 2 {
		return nil
	}
	for i, from := range b.Preds {
		// From here comes the value where x is zero.
		var x ssa.Value
		switch {
		case len(from.Preds) == 1 && len(from.Succs) == 1:
			x = zeroIn(from.Preds[0], from)
		case len(from.Succs) == 2 && from.Succs[0] != from.Succs[1]:
			x = zeroIn(from, b)
		}
		if x == nil {
			x = lacking(from, b)
		}
		if x == nil || !isOrdered(x.Type()) && !isFlag(x.Type()) {
			continue
		}
		with, without := f.Value(phi.Edges[1-i]), f.Value(phi.Edges[i])
		if with == nil || without == nil {
			continue
		}
		asked := f.withheld(x, f.Get(x), phi)
		if _, tells := asked.Asked(); term.Extends(with, without) && (tells || !isFlag(x.Type())) {
			return f.Engine.Pool.When(asked, with, without)
		}
		if t := f.choice(x, with, without, phi); t != nil {
			return t
		}
	}
	return nil
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isFlag(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// lacking returns the flag that is false where control comes to b by way of from, if one
// decides; nil if none does.
func lacking(from, b *ssa.BasicBlock) ssa.Value {
	if len(from.Preds) == 1 && len(from.Succs) == 1 {
		from, b = from.Preds[0], from
	}
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok || from.Succs[0] == from.Succs[1] || from.Succs[1] != b {
		return nil
	}
	return br.Cond
}

// choice is with where x says so, else without, if it is something that grows: by what a
// number or a flag asks for. It is nil for others.
func (f *Family) choice(x ssa.Value, with, without *term.T, at ssa.Instruction) *term.T {
	if !isInteger(x.Type()) && !isFlag(x.Type()) || !term.Grows(with, without) {
		return nil
	}
	t := f.withheld(x, f.Get(x), at)
	if _, tells := t.Asked(); isFlag(x.Type()) && !tells && with.Kind != term.Struct && !meaning.IsStatement(without) {
		return nil // any flag decides of statements alone
	}
	return f.Engine.Pool.When(t, with, without)
}
