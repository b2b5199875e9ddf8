package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// A method of a resource may leave the comparison to another one of the same object, which
// answers with a boolean or an error; and the mutex that makes the comparison and the store
// one step may be taken by the method or by those that call it.

// helped finds a comparison that another method makes for fn, and which decides whether
// it stores.
func (f *Family) helped(fn *ssa.Function, b *ssa.BasicBlock, br *ssa.If, stores []memStore) *comparison {
	call, result, says, ok := answerOf(br.Cond)
	if !ok {
		return nil
	}
	callee := code.Origin(call.Call.StaticCallee())
	if callee == nil || callee == fn || callee.Signature.Recv() == nil || len(callee.Params) == 0 || f.Get(call.Call.Args[0]) != f.Get(fn.Params[0]) {
		return nil
	}
	g := f.Engine.Families[callee]
	if g == nil {
		return nil
	}
	bind := f.Engine.binder(code.FuncName(callee), f.CallTerm(call.Common(), call.Pos()).Args)
	recv := g.Get(callee.Params[0])
	for _, cb := range callee.Blocks {
		for _, in := range cb.Instrs {
			bin, ok := in.(*ssa.BinOp)
			if !ok || !isOrdered(bin.X.Type()) || denied(sqlOp(bin.Op)) == "" {
				continue
			}
			op, x, y := bin.Op, g.Get(bin.X), g.Get(bin.Y)
			if !rooted(x, recv) {
				x, y, op = y, x, flip(op)
			}
			if !rooted(x, recv) || rooted(y, recv) || !g.given(callee, y) {
				continue
			}
			holds, fails, ok := tellsOf(bin, result)
			if !ok {
				continue
			}
			for _, st := range stores {
				yes, no := code.CanReach(b.Succs[0], st.at.Block(), b), code.CanReach(b.Succs[1], st.at.Block(), b)
				if yes == no {
					continue
				}
				pass := says[0]
				if no {
					pass = says[1]
				}
				o := op
				switch {
				case fails.Definite() && !fails.Same(pass):
				case holds.Definite() && !holds.Same(pass):
					o = negate(op)
				default:
					continue
				}
				c := &comparison{at: br, stored: f.Engine.Pool.Subst(x, bind), incoming: f.Engine.Pool.Subst(y, bind), op: sqlOp(o), text: isText(bin.X.Type())}
				own := &comparison{stored: x, incoming: y}
				c.moved = slices.ContainsFunc(g.ownStores(callee), func(st memStore) bool { return own.moves(g, st) })
				return c
			}
		}
	}
	return nil
}

// answerOf takes a condition for what a call answered: which of its results, and what that
// is on the two ways.
func answerOf(v ssa.Value) (call *ssa.Call, result int, says [2]world.Fact, ok bool) {
	says = [2]world.Fact{world.True, world.False}
	if n, not := v.(*ssa.UnOp); not && n.Op == token.NOT {
		v, says = n.X, [2]world.Fact{world.False, world.True}
	}
	if bin, is := v.(*ssa.BinOp); is {
		if c, isConst := bin.Y.(*ssa.Const); !isConst || !c.IsNil() {
			return nil, 0, says, false
		}
		switch bin.Op {
		case token.NEQ:
			says = [2]world.Fact{world.NotNil, world.Nil}
		case token.EQL:
			says = [2]world.Fact{world.Nil, world.NotNil}
		default:
			return nil, 0, says, false
		}
		v = bin.X
	}
	if x, is := v.(*ssa.Extract); is {
		v, result = x.Tuple, x.Index
	}
	call, ok = v.(*ssa.Call)
	return call, result, says, ok
}

// tellsOf is what a result of a function says where a comparison in it holds, and where
// it does not.
func tellsOf(bin *ssa.BinOp, result int) (holds, fails world.Fact, ok bool) {
	for _, r := range *bin.Referrers() {
		switch r := r.(type) {
		case *ssa.Return:
			if result < len(r.Results) && r.Results[result] == ssa.Value(bin) {
				return world.True, world.False, true
			}
		case *ssa.If:
			var facts [2]world.Fact
			for i, way := range []bool{true, false} {
				region := world.Explore(r, decided{bin, way}, func(ssa.Instruction) world.Verb { return world.Go })
				list := region.Results()
				if region.Limit || region.Again || result >= len(list) {
					return holds, fails, false
				}
				facts[i] = list[result]
			}
			return facts[0], facts[1], true
		}
	}
	return holds, fails, false
}

// bare reports whether a method compares and stores with nothing in sight that keeps
// others from coming in between: no mutex that is held from one to the other, be it taken
// by those that call the method, no channel, no exchange that compares by itself.
func (f *Family) bare(fn *ssa.Function, from, to ssa.Instruction) bool {
	if lockedAround(fn, from, to) {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Send, *ssa.Select:
				return false
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					return false
				}
			case ssa.CallInstruction:
				if g := in.Common().StaticCallee(); g != nil && strings.HasPrefix(g.Name(), "CompareAndSwap") {
					return false
				}
			}
		}
	}
	for _, g := range f.Engine.Order {
		for _, caller := range g.Members {
			if caller.Pkg != fn.Pkg {
				continue
			}
			for _, b := range caller.Blocks {
				for _, in := range b.Instrs {
					if c, ok := in.(ssa.CallInstruction); ok && code.Origin(c.Common().StaticCallee()) == fn && lockedAround(caller, in, in) {
						return false
					}
				}
			}
		}
	}
	return true
}

// lockedAround reports whether a mutex is taken before one instruction, and not given back
// before another.
func lockedAround(fn *ssa.Function, from, to ssa.Instruction) bool {
	var locks, unlocks []ssa.Instruction
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok {
				continue
			}
			switch mutexMethod(&c.Call, 0) {
			case "Lock", "TryLock":
				locks = append(locks, in)
			case "Unlock":
				unlocks = append(unlocks, in)
			}
		}
	}
	for _, l := range locks {
		held := code.Before(l, from) && code.Before(l, to)
		for _, u := range unlocks {
			held = held && !(mayPrecede(l, u) && mayPrecede(u, to))
		}
		if held {
			return true
		}
	}
	return false
}

// mutexMethod is the method of a mutex that a call is of, or that a function of the program
// calls which is named alike.
func mutexMethod(c *ssa.CallCommon, depth int) string {
	if c.IsInvoke() {
		if p := c.Method.Pkg(); p != nil && p.Path() == "sync" {
			return c.Method.Name()
		}
		return ""
	}
	g := c.StaticCallee()
	switch {
	case g == nil:
		return ""
	case g.Pkg != nil && g.Pkg.Pkg.Path() == "sync":
		return g.Name()
	case depth > 0 || !strings.Contains(strings.ToLower(g.Name()), "lock"):
		return ""
	}
	for _, b := range g.Blocks {
		for _, in := range b.Instrs {
			if inner, ok := in.(*ssa.Call); ok {
				if m := mutexMethod(&inner.Call, depth+1); m != "" {
					return m
				}
			}
		}
	}
	return ""
}
