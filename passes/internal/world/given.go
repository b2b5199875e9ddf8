package world

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A given is a condition that was decided on the one way to the start: "if shared { lock }".
// It is still so wherever the function asks again, on the next turn of a loop too, as long
// as it is made of values which do not change while the function runs.
type given []decided

type decided struct {
	cond ssa.Value
	fact Fact
}

// givenAt lists the conditions that control has met on every way to b.
func givenAt(b *ssa.BasicBlock) given {
	var g given
	for d := b; d.Idom() != nil; d = d.Idom() {
		p := d.Idom()
		br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok || len(d.Preds) != 1 || p.Succs[0] == p.Succs[1] {
			continue
		}
		cond, yes := br.Cond, p.Succs[0] == d
		for not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT; not, ok = cond.(*ssa.UnOp) {
			cond, yes = not.X, !yes
		}
		if lasting(cond) {
			fact := False
			if yes {
				fact = True
			}
			g = append(g, decided{cond, fact})
		}
	}
	return g
}

// lasting reports whether a condition is the same throughout one run of its function: a
// parameter, or a comparison of one with a constant.
func lasting(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.Const:
		return true
	case *ssa.BinOp:
		return lasting(v.X) && lasting(v.Y)
	}
	return false
}

// of gives what is known of a condition from an earlier branch on the same.
func (g given) of(v ssa.Value) (Fact, bool) {
	for _, d := range g {
		if alike(d.cond, v) {
			return d.fact, true
		}
	}
	return Fact{}, false
}

// alike reports whether two conditions ask the same of the same values.
func alike(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.Const:
		c, ok := b.(*ssa.Const)
		return ok && a.String() == c.String()
	case *ssa.BinOp:
		c, ok := b.(*ssa.BinOp)
		return ok && a.Op == c.Op && alike(a.X, c.X) && alike(a.Y, c.Y)
	}
	return false
}
