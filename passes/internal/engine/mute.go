package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
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
	if !ok || !st.direct || m.Deaf || !m.Counts && !m.InRow && (!m.Raw || m.Row != nil) {
		return false
	}
	entry := f.e.reader.Entry(st.lock.Call)
	if entry == nil || !m.InRow && entry.Reads != nil && filledBy(operand(call.Common(), entry.Reads.Out)) {
		return false
	}
	var a answered
	a.value = m.InRow && f.fillsRead(call)
	f.read(call, &a)
	if a.value || !a.err && !m.InRow {
		return false
	}
	return quietly(call, m, entry, a)
}

// quietly reports whether a command that is refused makes no error of it.
func quietly(call *ssa.Call, m meaning.Meaning, entry *catalog.Call, a answered) bool {
	return strings.Contains(call.Type().String(), "Bool") || m.Counts || m.InRow || entry.Quiet && !a.converted
}

// refusesQuietly reports whether a value that is looked at tells that the acquire was
// refused, which makes no error.
func (f *family) refusesQuietly(st *site, m meaning.Meaning) bool {
	call, ok := st.at.(*ssa.Call)
	entry := f.e.reader.Entry(st.lock.Call)
	if !ok || entry == nil {
		return false
	}
	var a answered
	f.read(call, &a)
	return quietly(call, m, entry, a) && tellsByValue(f.oracle(st, m), st.fn)
}

// fillsRead reports whether a variable that a call fills is looked at afterwards, or may
// be because it is not a local one.
func (f *family) fillsRead(call *ssa.Call) bool {
	for _, v := range f.inputs(call.Common()) {
		mi, ok := v.(*ssa.MakeInterface)
		if !ok {
			continue
		}
		if _, pointer := mi.X.Type().Underlying().(*types.Pointer); !pointer {
			continue
		}
		a, local := f.base(mi.X).(*ssa.Alloc)
		if !local || f.lookedAt(a, 0) {
			return true
		}
	}
	return false
}

// lookedAt reports whether more becomes of a variable, or of a value, than that a call
// fills it and a log tells it. Whether the text of a log tells more than nothing is
// not asked, nor whether a column was null: a refusal is not.
func (f *family) lookedAt(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > maxLooks {
		return true
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.Store:
			if r.Val != v {
				return false // set, not read
			}
			at, element := r.Addr.(*ssa.IndexAddr)
			if !element {
				return true
			}
			list, local := at.X.(*ssa.Alloc)
			return !local || f.lookedAt(list, depth+1)
		case *ssa.IndexAddr:
			return false // where an argument is put
		case *ssa.FieldAddr:
			return !(fieldName(r.X.Type(), r.Field) == "Valid" && ofSQL(r.X.Type())) && f.lookedAt(r, depth+1)
		case *ssa.MakeClosure:
			for i, b := range r.Bindings {
				if b == v && f.lookedAt(r.Fn.(*ssa.Function).FreeVars[i], depth+1) {
					return true
				}
			}
			return false
		case *ssa.UnOp, *ssa.MakeInterface, *ssa.Convert, *ssa.ChangeType, *ssa.Slice:
			return f.lookedAt(r.(ssa.Value), depth+1)
		case *ssa.Call:
			for _, e := range f.entries(r.Common()) {
				if e.Reads != nil && !e.Reads.Out.IsZero() || e.Query != nil && !e.Query.Out.IsZero() {
					return false // fills it
				}
			}
			return !f.quietCall(r.Common()) || formats(r.Common()) && f.leaves(r, 0)
		}
		return true
	})
}

// ofSQL reports whether a type is one of database/sql, which tells a value from none.
func ofSQL(t types.Type) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "database/sql"
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

// unaware finds a release of which the error is looked at and nothing else, where a lock
// that has run out is told by a number or a flag. That is where whoever worked too long
// can still hear of it; a lock that is renewed tells earlier.
func (e *Engine) unaware(t *taking) []lock.Slip {
	if t.u.Verdict == lock.Fenced || t.u.Renewal != "none" || t.m.Kind != lock.Lease {
		return nil
	}
	var out []lock.Slip
	for _, r := range t.releasing() {
		call, here := t.f.callOf(r.x.Call).(*ssa.Call)
		m, ok := e.release(r.x)
		if !ok || !here || !m.Counts && !e.flags(call, r.x.Call) {
			continue
		}
		if t.f.onlyErrors(call) {
			out = append(out, lock.Slip{Frame: t.f.frame(call, ""), Kind: lock.SlipUnheard, Other: t.u.Acquire})
		}
	}
	return out
}

// onlyErrors reports whether the errors of a call are looked at and nothing else that it
// answers.
func (f *family) onlyErrors(call *ssa.Call) bool {
	var a answered
	f.read(call, &a)
	return a.err && !a.value && !a.converted
}

// flags reports whether a release of a library answers with a flag beside its error.
func (e *Engine) flags(call *ssa.Call, t *term.T) bool {
	entry, results := e.reader.Entry(t), call.Call.Signature().Results()
	if entry == nil || entry.Release == nil || entry.Release.Result.Index >= results.Len() || results.Len() < 2 {
		return false
	}
	b, ok := results.At(entry.Release.Result.Index).Type().Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
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
			if !entry.Reads.Out.IsZero() && f.fillsRead(r) {
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
	case t.st.mute && !t.st.guarded && (t.m.Raw || t.m.Kind == lock.Advisory || NamesLock(t.st.fn.Name())), // the record of a service, say, is no lock to its callers
		t.m.Deaf && t.st.wrapper && t.st.direct:
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
	if !t.st.wrapper || !t.st.direct || t.st.mute || t.m.Row != nil || t.passedOn() || keepsState(t.st.fn, 0) {
		return false
	}
	if !t.f.refusesQuietly(t.st, t.m) {
		return false
	}
	told, denied := t.st.region.Results(), t.denied(false)
	steps := t.f.sums[t.st.fn].steps
	if denied.Limit || len(told) == 0 || slices.ContainsFunc(denied.Held, func(in ssa.Instruction) bool { return in != ssa.Instruction(t.st.at) && len(steps[in]) > 0 }) {
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
	e := t.f.e
	return e.index.reads(e.recordsOf(t.st.lock.Call))
}
