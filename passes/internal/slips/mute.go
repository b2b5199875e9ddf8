package slips

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/lock"
)

// unaware finds a release of which the error is looked at and nothing else, where a lock
// that has run out is told by a number alone. That is where whoever worked too long can
// still hear of it; a lock that is renewed tells earlier. Libraries that have a flag beside
// their error (redsync 4.18.1, dynamolock 2.1.0) make an error of it as well.
func unaware(e *engine.Engine, t *taking) []lock.Slip {
	if t.u.Verdict == lock.Fenced || t.u.Renewal != "none" || t.m.Kind != lock.Lease {
		return nil
	}
	var out []lock.Slip
	for _, r := range t.releasing() {
		call, here := t.f.CallOf(r.x.Call).(*ssa.Call)
		m, ok := e.Release(r.x)
		if ok && here && m.Counts && t.f.OnlyErrors(call) {
			out = append(out, lock.Slip{Frame: t.f.Frame(call, ""), Kind: lock.SlipUnheard, Other: t.u.Acquire})
		}
	}
	return out
}

// untold finds a wrapper that takes a lock by a command whose answer it does not read,
// or by a statement that brings none back, and one that counts the last of several
// tries as a success: its callers are told that they hold the lock whoever does.
func (t *taking) untold() []lock.Slip {
	switch {
	case !t.st.HeldOut:
	case t.st.Mute && !t.st.Guarded && (t.m.Raw || t.m.Kind == lock.Advisory || engine.NamesLock(t.st.Func.Name())), // the record of a service, say, is no lock to its callers
		t.m.Deaf && t.st.Wrapper && t.st.Direct:
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUntold}}
	case t.blurred():
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUntold, Detail: lock.Blurred}}
	case t.exhausted():
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUntold, Detail: lock.AfterTries}}
	}
	return nil
}

// blurred reports whether a wrapper looks at the answer, and yet tells its caller of a
// refusal what it tells of success: it asks for something that is none (a code below
// zero, where a refusal is zero), or logs the refusal and goes on. Nothing else may be
// done on the way, which might take the lock after all.
func (t *taking) blurred() bool {
	if !t.st.Wrapper || !t.st.Direct || t.st.Mute || t.m.Row != nil || t.passedOn() || engine.KeepsState(t.st.Func, 0) {
		return false
	}
	if !t.f.RefusesQuietly(t.st, t.m) {
		return false
	}
	told, denied := t.st.Region.Results(), t.denied(false)
	steps := t.f.Sums[t.st.Func].Steps
	if denied.Limit || len(told) == 0 || slices.ContainsFunc(denied.Held, func(in ssa.Instruction) bool { return in != ssa.Instruction(t.st.At) && len(steps[in]) > 0 }) {
		return false
	}
	return slices.ContainsFunc(denied.Returns, func(ret *ssa.Return) bool {
		for i, v := range ret.Results {
			if !told[i].Definite() || !denied.Fact(v).Same(told[i]) {
				return false
			}
		}
		return !t.hands(ret)
	})
}

// exhausted reports whether a wrapper that tries a number of times tells success once
// it has been refused each time. That has to follow from the end of the loop alone: what
// is decided on the way to the return may well be whether the lock was taken.
func (t *taking) exhausted() bool {
	if !t.st.Wrapper || !t.answers() || t.passedOn() {
		return false
	}
	told := code.FactsOf(t.st.Func, t.st.Region)
	denied := t.denied(false)
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	for _, l := range t.f.Sums[t.st.Func].Loops {
		if !l.Body[t.st.At.Block()] {
			continue
		}
		for b := range l.Body {
			if !refused[b.Instrs[len(b.Instrs)-1]] {
				continue
			}
			for _, s := range b.Succs {
				ret := straight(s)
				if l.Body[s] || ret == nil || !refused[ret] || len(told) == 0 || t.hands(ret) {
					continue
				}
				same := true
				for i, v := range ret.Results {
					same = same && denied.Fact(v).Same(told[i])
				}
				if same {
					return true
				}
			}
		}
	}
	return false
}

// readsBack reports whether a function in view reads the record that the acquire
// writes: who holds the lock may be told by that, and not by the answer.
func (t *taking) readsBack() bool {
	e := t.f.Engine
	return e.Index.Reads(e.RecordsOf(t.st.Lock.Call))
}

// straight is the return that a block comes to without a decision, or nil.
func straight(b *ssa.BasicBlock) *ssa.Return {
	for range engine.MaxLooks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			return ret
		}
		if len(b.Succs) != 1 {
			return nil
		}
		b = b.Succs[0]
	}
	return nil
}
