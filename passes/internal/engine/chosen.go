package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// A Choice is a comparison of a value with its zero that leads to an effect: a write
// that is fenced where a token was given, and plain where none was.
type Choice struct {
	Value *term.T
	Zero  bool // the way is that of the zero value
}

// choose adds to the effects of fn the comparisons with zero that choose the way to
// them, of values that callers decide.
func (f *family) choose(fn *ssa.Function, s *Summary) {
	for _, b := range fn.Blocks {
		if len(b.Succs) != 2 || b.Succs[0] == b.Succs[1] {
			continue
		}
		for i, next := range b.Succs {
			c := Choice{Zero: true}
			x := zeroIn(b, next)
			if x == nil {
				if x = zeroIn(b, b.Succs[1-i]); x == nil {
					continue
				}
				c.Zero = false
			}
			if !isOrdered(x.Type()) || len(next.Preds) != 1 {
				continue
			}
			if c.Value = f.get(x); !c.Value.Open() {
				continue
			}
			for _, to := range fn.Blocks {
				if !next.Dominates(to) {
					continue
				}
				for _, in := range to.Instrs {
					steps := s.steps[in]
					for i := range steps {
						steps[i].Chosen = append(slices.Clip(steps[i].Chosen), c)
					}
				}
			}
		}
	}
}

func passChosen(list []Choice, bind *term.Binding) []Choice {
	if len(list) == 0 {
		return nil
	}
	out := make([]Choice, len(list))
	for i, c := range list {
		out[i] = Choice{Value: bind.Put(c.Value), Zero: c.Zero}
	}
	return out
}

// out reports whether a choice rules its way out: a token is never zero, and what is
// left out is.
func (j *judge) out(c Choice) bool {
	if c.Zero {
		return j.e.reader.Draws(c.Value)
	}
	return c.Value.Kind == term.Const && c.Value.IsZero()
}

// linkedWhen is the value of a builder to which a link is added where a value is not zero,
// as a condition is that a token needs; nil for others.
func (f *family) linkedWhen(phi *ssa.Phi) *term.T {
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
		if x == nil || !isOrdered(x.Type()) {
			continue
		}
		with, without := f.value(phi.Edges[1-i]), f.value(phi.Edges[i])
		if with != nil && without != nil && term.Extends(with, without) {
			return f.e.pool.When(f.get(x), with, without)
		}
	}
	return nil
}
