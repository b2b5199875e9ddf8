package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// What a section writes in a transaction is there for the next holder once the
// transaction is committed. Where that is after the release, he reads what was there
// before; that the transaction is on the session which owned the lock helps nobody
// then, for the lock is gone before the write lands.

// committed returns where a write is committed after the release that nothing but the
// lock guards; what the resource compares by itself it compares then as well.
func (j *judge) committed(x Effect, r ruling) lock.Frame {
	session := r.cond == lock.Transaction && !r.own && !r.claimed
	if j.st.fn == nil || r.fault != "" || r.compared != "" || r.cond != lock.None && !session {
		return lock.Frame{}
	}
	at, _ := j.e.families[rootOf(j.st.fn)].lateCommit(j.st, j.lock, x)
	return at
}

// lateCommit returns where the transaction that a write runs in is committed, if that
// is after the lock was given back on every way in view.
func (f *family) lateCommit(st *site, m meaning.Meaning, x Effect) (lock.Frame, bool) {
	if st.fn == nil || st.wrapper || st.heldOut || len(st.release) == 0 && !st.closed || m.Scope == "transaction" {
		return lock.Frame{}, false
	}
	on := f.transaction(x)
	if on == nil || m.Kind != lock.Advisory && slices.ContainsFunc(st.freed, func(y Effect) bool { return f.transaction(y) == on }) {
		return lock.Frame{}, false // a record that is a lock is free when the transaction is over
	}
	if in := f.runsIn(on, st.fn); in != nil {
		return f.frame(in, "commits after the function that takes and frees the lock"), true
	}
	var found lock.Frame
	for in, list := range f.sums[st.fn].steps {
		i := slices.IndexFunc(list, func(y Effect) bool { return f.e.commits(y, on) })
		if i < 0 {
			continue
		}
		if !f.comesAfter(st, in) {
			return lock.Frame{}, false
		}
		if at := list[i].At; !found.IsValid() || at.Compare(found.Position) < 0 {
			found = at
		}
	}
	return found, found.IsValid()
}

// transaction is the handle of the transaction that an effect writes in, or nil.
func (f *family) transaction(x Effect) *term.T {
	if x.Call == nil || x.Open != Closed || x.Reach == ByGoroutine {
		return nil
	}
	for _, m := range f.e.reader.Of(x.Call) {
		if m.Role == meaning.Write && m.Write.On != nil && f.e.handleKind(x.Call, m.Write.On) == "tx" {
			return m.Write.On
		}
	}
	return nil
}

// commits reports whether an effect commits the transaction that on is, or was made
// from.
func (e *Engine) commits(x Effect, on *term.T) bool {
	return e.ends(x, on) && strings.HasSuffix(x.Call.Name, ".Commit")
}

// ends reports whether an effect ends that transaction, one way or the other.
func (e *Engine) ends(x Effect, on *term.T) bool {
	r, ok := e.release(x)
	if !ok || r.Handle == nil || on == nil {
		return false
	}
	entry := e.reader.Entry(x.Call)
	return entry != nil && endsTransaction(entry) &&
		(on.Any(func(t *term.T) bool { return t == r.Handle }) || e.related(r.Handle, on))
}

// comesAfter reports whether in runs after the lock at st was given back. Deferred
// calls run last, the last of them first.
func (f *family) comesAfter(st *site, in ssa.Instruction) bool {
	_, deferred := in.(*ssa.Defer)
	if st.region == nil { // taken and given back by the call at st
		return before(st.at, in) || deferred && before(in, st.at)
	}
	if !deferred {
		return slices.Contains(st.region.After, in)
	}
	steps := f.sums[st.fn].steps
	for _, b := range st.fn.Blocks {
		for _, r := range b.Instrs {
			if d, ok := r.(*ssa.Defer); ok && f.releaseIndex(steps[r], st.match) >= 0 {
				if d == in || !before(in, d) {
					return false
				}
			}
		}
	}
	return before(in, st.at) || reaches(st.region, in)
}

// runsIn returns the call that runs a function in the transaction on and commits it
// when that has returned, where fn is the function or a closure in it.
func (f *family) runsIn(on *term.T, fn *ssa.Function) ssa.CallInstruction {
	for ; fn.Parent() != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			given := f.get(p)
			if isContext(p.Type()) || !on.Any(func(t *term.T) bool { return t == given }) {
				continue
			}
			for _, c := range f.calling {
				if i := slices.IndexFunc(c.Common().Args, func(a ssa.Value) bool { return functionIn(a) == fn }); i >= 0 && f.transacts(c, i, p) {
					return c
				}
			}
		}
	}
	return nil
}

// functionIn is the function literal that a value is, or nil.
func functionIn(v ssa.Value) *ssa.Function {
	if mc, ok := v.(*ssa.MakeClosure); ok {
		v = mc.Fn
	}
	fn, _ := v.(*ssa.Function)
	return fn
}

// transacts reports whether a call runs its i-th argument with a transaction for the
// parameter p, and ends that afterwards: a call of the catalogue, or of a function of
// the project that commits what it hands over.
func (f *family) transacts(in ssa.CallInstruction, i int, p *ssa.Parameter) bool {
	c := in.Common()
	if entry := f.e.reader.Entry(f.callTerm(c, in.Pos())); entry != nil {
		named := namedOf(p.Type())
		return entry.Runs != nil && entry.Runs.How != "go" && entry.Runs.How != "later" &&
			(entry.Pool == "tx" || named != nil && f.e.reader.Catalog.Handle(types.TypeString(named, nil)) == "tx")
	}
	callees := []*ssa.Function{origin(c.StaticCallee())}
	if c.IsInvoke() {
		callees, i = f.e.impls.of(c), i+1 // the receiver comes first
	}
	return len(callees) > 0 && !slices.ContainsFunc(callees, func(callee *ssa.Function) bool {
		sum := f.e.summary(callee)
		return sum == nil || !slices.ContainsFunc(sum.Effects, func(x Effect) bool {
			return x.Open == Value && x.Call.Args[0].Kind == term.Param && x.Call.Args[0].Index == i &&
				slices.ContainsFunc(x.Call.Args[1:], func(tx *term.T) bool {
					return slices.ContainsFunc(sum.Effects, func(y Effect) bool { return f.e.commits(y, tx) })
				})
		})
	})
}
