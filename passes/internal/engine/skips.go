package engine

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

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
	for _, w := range worlds {
		lost := world.Explore(st.Start(), w, func(ssa.Instruction) world.Verb { return world.Go })
		if lost.Limit || w.byValue && !w.asked || !leavesOut(s, section, lost) || keepsError(section, lost) {
			continue
		}
		for _, ret := range lost.Returns {
			n := len(ret.Results)
			switch {
			case n == 0 && (told || st.Direct && m.Try):
				return true // the error of a wrapper that waits only says that waiting failed
			case n > 0 && code.IsError(ret.Results[n-1].Type()) && lost.Fact(ret.Results[n-1]).IsNil():
				return true
			}
		}
	}
	return false
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
// lock: code that only logs a refusal and goes on leaves nothing out.
func leavesOut(s *summary.Summary, section, lost *world.Region) bool {
	done := make(map[ssa.Instruction]bool)
	for _, in := range lost.Held {
		done[in] = true
	}
	for _, in := range section.Held {
		call, ok := in.(*ssa.Call)
		if !done[in] && (len(s.Steps[in]) > 0 || ok && call.Call.IsInvoke() && works(call.Call.Method)) {
			return true
		}
	}
	return false
}

// keepsError reports whether the loser, and nobody else, hands an error to a
// function that is no logger: it is told at the end, with those of other elements.
func keepsError(section, lost *world.Region) bool {
	won := make(map[ssa.Instruction]bool)
	for _, in := range section.Held {
		won[in] = true
	}
	for _, in := range lost.Held {
		call, ok := in.(*ssa.Call)
		if !ok || won[in] || code.LogVerb(code.MethodOf(call.Common())) {
			continue
		}
		for _, a := range call.Common().Args {
			if c, ok := a.(*ssa.Const); (!ok || !c.IsNil()) && ofErrors(a.Type()) {
				return true
			}
		}
	}
	return false
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
