package engine

import (
	"go/constant"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// A function of the database's owner tells in a value of its own making whether it has taken a
// lease: the end of it, or a time long past. What that value means shows in what the program does.

// judgement is what a question about the answer of an acquire comes to where the lock was taken: not
// what turns the caller away at once.
func (o *oracle) judgement(question *ssa.Call) (world.Fact, bool) {
	if !o.judged || !isBool(question.Type()) || !slices.ContainsFunc(question.Call.Args, o.answer) {
		return world.Fact{}, false
	}
	asked, negated := ssa.Value(question), false
	for {
		refs := asked.Referrers()
		if refs == nil || len(*refs) != 1 {
			return world.Fact{}, false
		}
		switch x := (*refs)[0].(type) {
		case *ssa.UnOp:
			asked, negated = x, !negated
		case *ssa.If:
			yes, no := turnsAway(x.Block().Succs[0]), turnsAway(x.Block().Succs[1])
			if yes == no {
				return world.Fact{}, false
			}
			if yes == negated { // the question is answered with yes where the lock was taken
				return world.True, true
			}
			return world.False, true
		default:
			return world.Fact{}, false
		}
	}
}

// answer reports whether a value is read from a variable that the acquire has filled.
func (o *oracle) answer(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	return slices.ContainsFunc(o.f.outs[o.f.Base(load.X)], func(x out) bool { return o.outcome(x.value) })
}

// turnsAway reports whether a block returns at once, with an error or with "no".
func turnsAway(b *ssa.BasicBlock) bool {
	ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	return ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
		c, ok := v.(*ssa.Const)
		if code.IsError(v.Type()) {
			return !ok
		}
		return ok && isBool(v.Type()) && c.Value != nil && !constant.BoolVal(c.Value)
	})
}
