package engine

import (
	"go/token"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Waits that grow from one turn of a loop to the next, as those between attempts do, are
// listed by playing the loop through. It has to begin and to go on by constants.

// maxWaits bounds the turns that are played.
const maxWaits = 24

// growing is one of a list of durations: what v is in each turn of the loop around it. A
// loop that no number ends waits for the longest of them in the end. It is nil where v is
// not known so well.
func (f *Family) growing(v ssa.Value) *term.T {
	in, ok := v.(ssa.Instruction)
	if !ok {
		return nil
	}
	var inner *summary.Loop
	for _, l := range naturalLoops(in.Parent()) {
		if l.Body[in.Block()] && (inner == nil || len(l.Body) < len(inner.Body)) {
			inner = l
		}
	}
	if inner == nil {
		return nil
	}
	turns, counted := f.turns(inner, in.Parent()).Times, f.numbered(inner)
	if counted && turns == 0 {
		return nil
	}
	if !counted || turns > maxWaits {
		turns = maxWaits
	}
	var list []*term.T
	longest := 0.0
	p := &play{loop: inner, at: make(map[*ssa.Phi]float64)}
	p.begin()
	for range turns {
		n, ok := p.value(v, 0)
		if !ok || n < 0 {
			return nil
		}
		longest = max(longest, n)
		list = append(list, f.nanoseconds(n))
		p.next()
	}
	if !counted {
		list = []*term.T{f.nanoseconds(longest)}
	}
	return f.Engine.Pool.Elem(f.Engine.Pool.List(list...), nil)
}

func (f *Family) nanoseconds(n float64) *term.T {
	return f.Engine.Pool.Const("duration", strconv.FormatInt(int64(min(n, 1e18)), 10))
}

// numbered reports whether a number ends a loop.
func (f *Family) numbered(l *summary.Loop) bool {
	for b := range l.Body {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || l.Body[b.Succs[0]] && l.Body[b.Succs[1]] {
			continue
		}
		if _, ok := f.counted(l, br); ok {
			return true
		}
	}
	return false
}

// A play is a loop in one of its turns: what its variables are.
type play struct {
	loop *summary.Loop
	at   map[*ssa.Phi]float64
}

func (p *play) phis(visit func(*ssa.Phi)) {
	for _, in := range p.loop.Head.Instrs {
		if phi, ok := in.(*ssa.Phi); ok {
			visit(phi)
		}
	}
}

// begin sets what is constant before the first turn.
func (p *play) begin() {
	p.phis(func(phi *ssa.Phi) {
		for i, x := range phi.Edges {
			if n, ok := code.ConstInt(x); ok && !p.loop.Body[phi.Block().Preds[i]] {
				p.at[phi] = float64(n)
			}
		}
	})
}

// next goes on to the next turn.
func (p *play) next() {
	after := make(map[*ssa.Phi]float64)
	p.phis(func(phi *ssa.Phi) {
		if x := p.arrives(phi, 0); x != nil {
			if n, ok := p.value(x, 0); ok {
				after[phi] = n
			}
		}
	})
	p.at = after
}

// value is what v is in this turn.
func (p *play) value(v ssa.Value, depth int) (float64, bool) {
	if depth > MaxLooks {
		return 0, false
	}
	switch v := v.(type) {
	case *ssa.Const:
		n, ok := code.ConstInt(v)
		return float64(n), ok
	case *ssa.Convert:
		return p.value(v.X, depth+1)
	case *ssa.ChangeType:
		return p.value(v.X, depth+1)
	case *ssa.Phi:
		if n, ok := p.at[v]; ok {
			return n, true
		}
		if x := p.arrives(v, depth); x != nil && v.Block() != p.loop.Head {
			return p.value(x, depth+1)
		}
	case *ssa.Call:
		return p.least(v, depth)
	case *ssa.BinOp:
		x, okX := p.value(v.X, depth+1)
		y, okY := p.value(v.Y, depth+1)
		if !okX || !okY {
			return 0, false
		}
		switch v.Op {
		case token.ADD:
			return x + y, true
		case token.SUB:
			return x - y, true
		case token.MUL:
			return x * y, true
		case token.QUO:
			return float64(int64(x / max(y, 1))), y > 0
		case token.SHL:
			return x * float64(uint64(1)<<uint64(min(max(y, 0), 62))), true
		}
	}
	return 0, false
}

// least is the value of min or max.
func (p *play) least(call *ssa.Call, depth int) (float64, bool) {
	b, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || b.Name() != "min" && b.Name() != "max" {
		return 0, false
	}
	out := 0.0
	for i, a := range call.Call.Args {
		n, ok := p.value(a, depth+1)
		if !ok {
			return 0, false
		}
		if i == 0 || (n < out) == (b.Name() == "min") {
			out = n
		}
	}
	return out, true
}

// arrives is what comes to a variable in this turn, where the ways to it part at
// comparisons of known values: one that keeps it below a limit, say. It is nil for others.
func (p *play) arrives(phi *ssa.Phi, depth int) ssa.Value {
	b := phi.Block()
	var ways []int
	for i, pred := range b.Preds {
		if p.loop.Body[pred] {
			ways = append(ways, i)
		}
	}
	for len(ways) > 1 {
		from := b.Preds[ways[0]]
		for _, i := range ways {
			for !from.Dominates(b.Preds[i]) {
				from = from.Idom()
			}
		}
		to := p.leads(from, depth)
		if to == nil {
			return nil
		}
		var left []int
		for _, i := range ways {
			if pred := b.Preds[i]; pred == from && to == b || pred != from && to != b && to.Dominates(pred) {
				left = append(left, i)
			}
		}
		if len(left) == len(ways) {
			return nil
		}
		ways = left
	}
	if len(ways) == 0 {
		return nil
	}
	return phi.Edges[ways[0]]
}

// leads is where control goes from a block that ends in a comparison of known values.
func (p *play) leads(from *ssa.BasicBlock, depth int) *ssa.BasicBlock {
	br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	cond, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return nil
	}
	x, okX := p.value(cond.X, depth+1)
	y, okY := p.value(cond.Y, depth+1)
	if !okX || !okY {
		return nil
	}
	holds := false
	switch cond.Op {
	case token.LSS:
		holds = x < y
	case token.LEQ:
		holds = x <= y
	case token.GTR:
		holds = x > y
	case token.GEQ:
		holds = x >= y
	case token.EQL:
		holds = x == y
	case token.NEQ:
		holds = x != y
	default:
		return nil
	}
	if holds {
		return from.Succs[0]
	}
	return from.Succs[1]
}
