package slips

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// undeferred returns a return that comes after the acquire and before its release is
// deferred. It has to tell an error, or the lock has to be the function's own: whoever
// returns without an error may leave a lock on purpose, so that nothing is done twice.
func (t *taking) undeferred() lock.Frame {
	st := t.st
	if _, here := st.At.(*ssa.Call); !here { // in a goroutine: it may not have the lock yet
		return lock.Frame{}
	}
	if !st.Deferred || st.Returned || st.Sent != nil || t.m.Row != nil || t.m.Record != "" || t.m.Raw && t.m.Kind != lock.Lease {
		return lock.Frame{}
	}
	var defers []*ssa.Defer
	for _, r := range t.releasing() {
		switch in := r.in.(type) {
		case *ssa.Defer:
			if code.Before(in, st.At) {
				return lock.Frame{}
			}
			defers = append(defers, in)
		case *ssa.Go:
			return lock.Frame{}
		}
	}
	for _, ret := range st.Region.Returns {
		b := ret.Block()
		if slices.ContainsFunc(defers, func(d *ssa.Defer) bool { return d.Block() == b || code.CanReach(d.Block(), b, nil) }) {
			continue
		}
		failed, known := fails(st, ret)
		if !(known && failed) && !t.owns() || !ret.Pos().IsValid() {
			continue
		}
		if !t.lost(b) && !t.undecided(b) && !t.handed(b) && !t.gives(ret) && !t.tidied(b) {
			return t.f.Frame(ret, "returns here with the lock held")
		}
	}
	return lock.Frame{}
}

// undecided reports whether control gets to b by a branch on what the acquire answered, or
// on what the lock was asked since, which the section leaves open: there the lock may not
// have been taken, or be lost.
func (t *taking) undecided(b *ssa.BasicBlock) bool {
	held := func(b *ssa.BasicBlock) bool { return code.Reaches(t.st.Region, b.Instrs[len(b.Instrs)-1]) }
	for d := b.Idom(); d != nil; d = d.Idom() {
		br, ok := d.Instrs[len(d.Instrs)-1].(*ssa.If)
		if !ok || !held(d.Succs[0]) || !held(d.Succs[1]) {
			continue
		}
		asked := []ssa.Value{br.Cond}
		if cond, ok := br.Cond.(*ssa.BinOp); ok {
			asked = []ssa.Value{cond.X, cond.Y}
		}
		if slices.ContainsFunc(asked, func(v ssa.Value) bool { return t.tells(v) || t.readsAnswer(v) }) {
			return true
		}
	}
	return false
}

// tells reports whether a value is made of what the acquire answered, be it to the batch that
// it was sent with, or of the lock.
func (t *taking) tells(v ssa.Value) bool {
	answers := []string{t.st.Term.Site, t.st.Lock.Call.Site}
	if t.st.Sent != nil {
		answers = append(answers, t.f.CallTerm(t.st.Sent.Common(), t.st.Sent.Pos()).Site)
	}
	if last := t.f.Single(v); last != nil {
		v = last
	}
	return t.f.Get(v).Any(func(x *term.T) bool {
		if x.Kind == term.Call && x.Site != "" && slices.Contains(answers, x.Site) {
			return true // also what it has put into a variable that it was given
		}
		return t.m.Handle != nil && x == t.m.Handle && x.Kind == term.Call
	})
}

// readsAnswer reports whether a value is read from a variable that the acquire was given to
// fill, or what reads its answer.
func (t *taking) readsAnswer(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	at := load.X
	for {
		field, ok := at.(*ssa.FieldAddr)
		if !ok {
			break
		}
		at = field.X
	}
	variable := t.f.Base(at)
	return slices.ContainsFunc(t.f.Calling, func(in ssa.CallInstruction) bool {
		return slices.ContainsFunc(t.f.Inputs(in.Common()), func(x ssa.Value) bool {
			if mi, ok := x.(*ssa.MakeInterface); ok {
				x = mi.X
			}
			return t.f.Base(x) == variable
		}) && (in == t.st.At || in.Value() != nil && t.tells(in.Value()))
	})
}
