package engine

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// skips reports whether the loser of the lock at st leaves the work out and says
// nothing of it: a way on which the lock was refused returns without an error.
// That is explored as the section is, in a world where the outcome is turned
// round.
func (f *Family) skips(s *summary.Summary, st *summary.Site, m meaning.Meaning, won *oracle, section *world.Region) bool {
	told := tellsByValue(won, st.Func)
	worlds := []*refusal{{won: won, byValue: told}}
	if !told {
		// A handle may also be refused by being nil, beside a nil error.
		worlds = append(worlds, &refusal{won: won, byValue: true})
	}
	loop := f.workLoop(s, st, m, section)
	for _, w := range worlds {
		lost := world.Explore(st.Start(), w, func(in ssa.Instruction) world.Verb {
			if loop != nil && in.Block() == loop.Head && in.Block() != st.At.Block() {
				return world.End // what the next turn comes to is not this one's
			}
			return world.Go
		})
		if lost.Limit || w.byValue && !w.asked || !f.leavesOut(s, st, m, section, lost) || f.keepsError(section, lost) {
			continue
		}
		if loop != nil && f.goesOn(loop, st, section, lost) {
			return true
		}
		for _, ret := range lost.Returns {
			n := len(ret.Results)
			switch {
			case n == 0 && (told || m.Try && (st.Direct || w.byValue && !triedAgain(st))):
				return true // the error of a wrapper that waits only says that waiting failed
			case n > 0 && code.IsError(ret.Results[n-1].Type()) && lost.Fact(ret.Results[n-1]).IsNil():
				return true
			}
		}
	}
	return false
}

// triedAgain reports whether a wrapper on the way to the acquire tries in a loop, until it has the
// lock or gives up.
func triedAgain(st *summary.Site) bool {
	return slices.ContainsFunc(st.Lock.Chain, func(c *summary.Site) bool {
		return c.Told != nil && c.Told.Retry || c.At != nil && LoopBlocks(c.Func)[c.At.Block()]
	})
}

// Lost explores what happens where the lock at st is not taken: somebody else has it or,
// where broken, the store could not be asked. What ends is not followed further.
func (f *Family) Lost(st *summary.Site, m meaning.Meaning, broken bool, ends func(ssa.Instruction) bool) *world.Region {
	won := f.oracle(st, m)
	r := &refusal{won: won, byValue: !broken && (tellsByValue(won, st.Func) || m.GivesUp || m.Deaf || st.Mute)}
	return world.Explore(st.Start(), r, func(in ssa.Instruction) world.Verb {
		if ends(in) {
			return world.End
		}
		return world.Go
	})
}

// TellsError reports whether an error that is read tells the outcome of the acquire.
func (f *Family) TellsError(st *summary.Site, m meaning.Meaning) bool {
	won := f.oracle(st, m)
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok && code.IsError(v.Type()) {
				if _, ok := won.Value(v); ok {
					return true
				}
			}
		}
	}
	return false
}

// refusesByError reports whether who does not get the lock from a wrapper gets an error in any
// case, so that a bool beside it says nothing more. A wrapper of another one hands that on.
func (f *Family) refusesByError(st *summary.Site, m meaning.Meaning) bool {
	if st.Region == nil || !endsWithError(st.Func) {
		return false
	}
	won := f.oracle(st, m)
	lost := world.Explore(st.Start(), &refusal{won: won, byValue: st.Direct && tellsByValue(won, st.Func)}, func(ssa.Instruction) world.Verb { return world.Go })
	return !lost.Limit && len(lost.Returns) > 0 && !slices.ContainsFunc(lost.Returns, func(ret *ssa.Return) bool {
		return lost.Fact(ret.Results[len(ret.Results)-1]).IsNil() || slices.Contains(st.Region.Returns, ret)
	})
}

// RefusedByError reports whether the functions between st and the acquire answer whoever does
// not get the lock with an error.
func (ev *Evidence) RefusedByError(st *summary.Site) bool { return ev.along(st.Lock.Chain).Refuses }

// refused reports whether fn tells an error wherever a general command found its key
// taken, by other returns than those of the winner: who gets none has the lock.
func refused(st *summary.Site, won *oracle, section *world.Region) bool {
	if !st.Direct || !tellsByValue(won, st.Func) {
		return false
	}
	lost := world.Explore(st.Start(), &refusal{won: won, byValue: true}, func(ssa.Instruction) world.Verb { return world.Go })
	for _, ret := range lost.Returns {
		n := len(ret.Results)
		if n == 0 || !code.IsError(ret.Results[n-1].Type()) || lost.Fact(ret.Results[n-1]).IsNil() || slices.Contains(section.Returns, ret) {
			return false
		}
	}
	return !lost.Limit && len(lost.Returns) > 0
}

// leavesOut reports whether something of the section is not done without the
// lock: code that only logs a refusal and goes on leaves nothing out, nor does code that
// goes on because the lock is held already, and leaves the release to others.
func (f *Family) leavesOut(s *summary.Summary, st *summary.Site, m meaning.Meaning, section, lost *world.Region) bool {
	done := instructions(lost)
	return slices.ContainsFunc(f.worked(s, st, m, section), func(in ssa.Instruction) bool { return !done[in] })
}

// worked lists what a section does, besides giving back the lock.
func (f *Family) worked(s *summary.Summary, st *summary.Site, m meaning.Meaning, section *world.Region) []ssa.Instruction {
	var out []ssa.Instruction
	for _, in := range slices.Concat(section.Held, section.Stops) {
		call, ok := in.(*ssa.Call)
		if list := s.Steps[in]; len(list) > 0 && (f.ReleaseIndex(list, st.Match) < 0 || f.Works(list, m)) || ok && call.Call.IsInvoke() && works(call.Call.Method) {
			out = append(out, in)
		}
	}
	return out
}

// instructions is the set of those that are held.
func instructions(r *world.Region) map[ssa.Instruction]bool {
	all := make(map[ssa.Instruction]bool)
	for _, in := range r.Held {
		all[in] = true
	}
	return all
}

// workLoop is the innermost loop around the acquire, if the winner does the work in each turn; nil where
// it is only tried there until the lock is taken.
func (f *Family) workLoop(s *summary.Summary, st *summary.Site, m meaning.Meaning, section *world.Region) *summary.Loop {
	var inner *summary.Loop
	for _, l := range s.Loops {
		if l.Body[st.At.Block()] && (inner == nil || len(l.Body) < len(inner.Body)) {
			inner = l
		}
	}
	if inner == nil || !slices.ContainsFunc(f.worked(s, st, m, section), func(in ssa.Instruction) bool { return inner.Body[in.Block()] }) {
		return nil
	}
	return inner
}

// goesOn reports whether the loser comes to the next turn of the loop in which the winner does the
// work, and does not wait for it: this turn's is left out.
func (f *Family) goesOn(loop *summary.Loop, st *summary.Site, section, lost *world.Region) bool {
	won, again := instructions(section), lost.Again
	for _, in := range lost.Exits {
		again = again || in.Block() == loop.Head && in.Block() != st.At.Block()
	}
	return again && !slices.ContainsFunc(lost.Held, func(in ssa.Instruction) bool {
		if won[in] || !loop.Body[in.Block()] || slices.Contains(section.After, in) {
			return false
		}
		switch in := in.(type) {
		case *ssa.Select:
			return in.Blocking
		case *ssa.UnOp:
			return in.Op == token.ARROW
		case *ssa.Call:
			return slices.ContainsFunc(f.Entries(in.Common()), func(e *catalog.Call) bool { return e.Blocks != nil })
		}
		return false
	})
}

// keepsError reports whether the loser, and nobody else, hands an error to a
// function that is no logger: it is told at the end, with those of other elements. So is
// whoever asked, by the status of an answer that is sent.
func (f *Family) keepsError(section, lost *world.Region) bool {
	won := instructions(section)
	for _, in := range lost.Held {
		call, ok := in.(*ssa.Call)
		if !ok || won[in] || code.LogVerb(code.MethodOf(call.Common())) {
			continue
		}
		if _, panics := in.Block().Instrs[len(in.Block().Instrs)-1].(*ssa.Panic); panics {
			continue // that is no loser, who goes on
		}
		if f.answersFailure(call, 0) {
			return true
		}
		for _, a := range call.Common().Args {
			if c, ok := a.(*ssa.Const); (!ok || !c.IsNil()) && ofErrors(a.Type()) {
				return true
			}
		}
	}
	return false
}

// maxAnswers bounds how many calls deep the status of an answer is looked for.
const maxAnswers = 2

// answersFailure reports whether a call is given what answers a request, and the status of a failure.
func (f *Family) answersFailure(call *ssa.Call, depth int) bool {
	c := call.Common()
	operands := code.OperandsOf(c)
	if !slices.ContainsFunc(operands, func(v ssa.Value) bool { return sendsStatus(v.Type()) }) {
		return false
	}
	if slices.ContainsFunc(operands, func(v ssa.Value) bool {
		n, ok := code.ConstInt(v)
		return ok && 400 <= n && n < 600
	}) {
		return true
	}
	callee := code.Origin(c.StaticCallee())
	if callee == nil || depth >= maxAnswers || f.Engine.Families[code.Root(callee)] == nil {
		return false
	}
	return slices.ContainsFunc(callee.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
			inner, ok := in.(*ssa.Call)
			return ok && f.answersFailure(inner, depth+1)
		})
	})
}

// sendsStatus reports whether a value of a type sends the status of an answer.
func sendsStatus(t types.Type) bool {
	return slices.ContainsFunc([]string{"WriteHeader", "AbortWithStatus", "StatusCode"}, func(name string) bool {
		m, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		_, ok := m.(*types.Func)
		return ok
	})
}

// ofErrors reports whether a type is an interface of errors.
func ofErrors(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !i.Empty() && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// tellsByValue reports whether the outcome is a bool, a count or a text; else
// only its error tells.
func tellsByValue(won *oracle, fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok && code.IsBasic(v.Type()) {
				if _, ok := won.Value(v); ok {
					return true
				}
			}
			if call, ok := in.(*ssa.Call); ok && won.outcome(call) {
				for addr, list := range won.f.outs {
					for _, o := range list {
						if o.value == ssa.Value(call) && code.IsBasic(code.Deref(addr.Type())) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// A refusal knows the values that tell the outcome as they are for the loser.
type refusal struct {
	won     *oracle
	byValue bool // a value tells, and the error is nil; else the error tells
	asked   bool // a value was asked for
}

// Value implements world.Oracle.
func (r *refusal) Value(v ssa.Value) (world.Fact, bool) {
	f, ok := r.won.Value(v)
	if !ok {
		return f, false
	}
	if _, one := v.(*ssa.Extract); one && !r.byValue && !code.IsError(v.Type()) && f.Same(world.NotNil) {
		return world.Nil, true // what comes with an error is not there
	}
	return r.turn(f, v.Type()), true
}

// Stored implements world.Oracle.
func (r *refusal) Stored(in ssa.Instruction, addr ssa.Value) (world.Fact, bool) {
	f, ok := r.won.Stored(in, addr)
	if !ok || !f.Definite() {
		return f, ok
	}
	return r.turn(f, code.Deref(addr.Type())), true
}

// turn is what the loser sees where the winner sees f.
func (r *refusal) turn(f world.Fact, t types.Type) world.Fact {
	if code.IsError(t) {
		if r.byValue {
			return world.Nil
		}
		return world.NotNil
	}
	if !r.byValue {
		if f.Same(world.True) {
			return world.False // as a function leaves it that returns an error
		}
		return world.Varying
	}
	r.asked = true
	b, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return world.Nil
	case b.Info()&types.IsBoolean != 0:
		if f.Same(world.False) {
			return world.True
		}
		return world.False
	case b.Info()&types.IsInteger != 0:
		return world.Known(constant.MakeInt64(0))
	case b.Info()&types.IsString != 0:
		return world.Known(constant.MakeString(""))
	}
	return world.Varying
}
