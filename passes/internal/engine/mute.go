package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// The error of a general command says that it was sent. Whether it found its key
// taken is in the reply, and where nobody reads that, everybody gets the lock.

// mute reports whether all that is read of a command's answer is an error which a
// refusal does not make.
func (f *family) mute(st *site, m meaning.Meaning) bool {
	call, ok := st.at.(*ssa.Call)
	if !ok || !st.direct || m.Deaf || !m.Counts && (!m.Raw || m.Row != nil) {
		return false
	}
	entry := f.e.reader.Entry(st.lock.Call)
	if entry == nil || entry.Reads != nil && filledBy(operand(call.Common(), entry.Reads.Out)) {
		return false
	}
	var a answered
	f.read(call, &a)
	if a.value || !a.err {
		return false
	}
	return strings.Contains(call.Type().String(), "Bool") || m.Counts || entry.Quiet && !a.converted
}

// deaf reports whether all that is read of the answer to a renewal is an error, which a
// lease that is lost does not make: it finds no row, key or session to extend.
func (f *family) deaf(call *ssa.Call, renewal *term.T, m meaning.Meaning) bool {
	entry := f.e.reader.Entry(renewal)
	if entry == nil || entry.Reads != nil && filledBy(operand(call.Common(), entry.Reads.Out)) {
		return false
	}
	var a answered
	f.read(call, &a)
	return a.err && !a.value && (m.Counts || entry.Quiet && !a.converted)
}

// deaf reports whether nobody hears of it when a renewal finds that the lease is lost.
func (k *keeping) deaf(f *family, in ssa.CallInstruction, x Effect, m meaning.Meaning) bool {
	call, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	if m.Row != nil {
		return m.Counts && x.Checked < 0 && !k.readsBack(f.sums[in.Parent()], m.Row.Resource)
	}
	return f.deaf(call, x.Call, m)
}

// readsBack reports whether a function also reads the table that it extends a lease
// in: it may look there whose the lease is.
func (k *keeping) readsBack(s *Summary, resource string) bool {
	_, table, _ := strings.Cut(resource, ":")
	return slices.ContainsFunc(s.Effects, func(x Effect) bool {
		return x.Call != nil && x.Open == Closed && slices.ContainsFunc(k.e.reader.Of(x.Call), func(m meaning.Meaning) bool {
			_, tables, _ := strings.Cut(m.Store, ":")
			return m.Role == meaning.Query && slices.Contains(strings.Split(tables, ","), table)
		})
	})
}

// filledBy reports whether a call writes its answer through a pointer.
func filledBy(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	return v != nil && !isConstant(v)
}

// answered tells what is read of what a call returned.
type answered struct {
	value     bool // more than its errors
	err       bool // an error
	converted bool // by a call that makes an error of no value
}

func (f *family) read(v ssa.Value, a *answered) {
	if isError(v.Type()) {
		a.err = true
		return
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			f.read(r, a)
		case *ssa.MakeInterface:
			f.read(r, a)
		case *ssa.ChangeInterface:
			f.read(r, a)
		case *ssa.FieldAddr: // whose method it is, of what is embedded
			f.read(r, a)
		case *ssa.UnOp: // a field: the Error of an answer
			f.read(r, a)
		case *ssa.Call:
			entry := f.e.reader.Entry(f.callTerm(r.Common(), r.Pos()))
			if entry == nil || entry.Reads == nil {
				a.value = true
				return
			}
			for result := range r.Common().Signature().Results().Variables() {
				a.converted = a.converted || !isError(result.Type()) && !empty(result.Type())
			}
			f.read(r, a)
		default:
			a.value = true
			return
		}
	}
}

// untold finds a wrapper that takes a lock by a command whose answer it does not read,
// or by a statement that brings none back, and one that counts the last of several
// tries as a success: its callers are told that they hold the lock whoever does.
func (t *taking) untold() []lock.Slip {
	switch {
	case !t.st.heldOut:
	case t.st.mute && !t.st.guarded && (t.m.Raw || NamesLock(t.st.fn.Name())), // the record of a service, say, is no lock to its callers
		t.m.Deaf && t.st.wrapper && t.st.direct:
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUntold}}
	case t.exhausted():
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUntold, Detail: lock.AfterTries}}
	}
	return nil
}

// exhausted reports whether a wrapper that tries a number of times tells success once
// it has been refused each time. That has to follow from the end of the loop alone: what
// is decided on the way to the return may well be whether the lock was taken.
func (t *taking) exhausted() bool {
	if !t.st.wrapper || !t.answers() || t.passedOn() {
		return false
	}
	told := factsOf(t.st.fn, t.st.region)
	denied := t.denied(false)
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	for _, l := range t.f.sums[t.st.fn].loops {
		if !l.body[t.st.at.Block()] {
			continue
		}
		for b := range l.body {
			if !refused[b.Instrs[len(b.Instrs)-1]] {
				continue
			}
			for _, s := range b.Succs {
				ret := straight(s)
				if l.body[s] || ret == nil || !refused[ret] || len(told) == 0 || t.hands(ret) {
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

// straight is the return that a block comes to without a decision, or nil.
func straight(b *ssa.BasicBlock) *ssa.Return {
	for range maxLooks {
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

// readsBack reports whether a function in view reads the record that the acquire
// writes: who holds the lock may be told by that, and not by the answer.
func (t *taking) readsBack() bool {
	e, found := t.f.e, false
	records := e.recordsOf(t.st.lock.Call)
	e.functions(func(f *family, fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				found = found || ok && f.looksUp(c, records)
			}
		}
	})
	return found
}
