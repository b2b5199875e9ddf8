package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// LateCommit returns where the transaction that a write runs in is committed, if that
// is after the lock was given back on every way in view.
func (f *Family) LateCommit(st *summary.Site, m meaning.Meaning, x summary.Effect) (lock.Frame, bool) {
	if st.Func == nil || st.Wrapper || st.HeldOut || len(st.Release) == 0 && !st.Closed || m.Scope == "transaction" {
		return lock.Frame{}, false
	}
	on := f.transaction(x)
	if on == nil || m.Kind != lock.Advisory && slices.ContainsFunc(st.Freed, func(y summary.Effect) bool { return f.transaction(y) == on }) {
		return lock.Frame{}, false // a record that is a lock is free when the transaction is over
	}
	if in := f.runsIn(on, st.Func); in != nil {
		return f.Frame(in, "commits after the function that takes and frees the lock"), true
	}
	var found lock.Frame
	for in, list := range f.Sums[st.Func].Steps {
		i := slices.IndexFunc(list, func(y summary.Effect) bool { return f.Engine.Commits(y, on) })
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
func (f *Family) transaction(x summary.Effect) *term.T {
	if x.Call == nil || x.Open != summary.Closed || x.Reach == summary.ByGoroutine {
		return nil
	}
	for _, m := range f.Engine.Reader.Of(x.Call) {
		if m.Role == meaning.Write && m.Write.On != nil && f.Engine.HandleKind(x.Call, m.Write.On) == "tx" {
			return m.Write.On
		}
	}
	return nil
}

// Commits reports whether an effect commits the transaction that on is, or was made
// from.
func (e *Engine) Commits(x summary.Effect, on *term.T) bool {
	return e.ends(x, on) && strings.HasSuffix(x.Call.Name, ".Commit")
}

// comesAfter reports whether in runs after the lock at st was given back. Deferred
// calls run last, the last of them first.
func (f *Family) comesAfter(st *summary.Site, in ssa.Instruction) bool {
	_, deferred := in.(*ssa.Defer)
	if st.Region == nil { // taken and given back by the call at st
		return code.Before(st.At, in) || deferred && code.Before(in, st.At)
	}
	if !deferred {
		return slices.Contains(st.Region.After, in)
	}
	steps := f.Sums[st.Func].Steps
	for _, b := range st.Func.Blocks {
		for _, r := range b.Instrs {
			if d, ok := r.(*ssa.Defer); ok && f.ReleaseIndex(steps[r], st.Match) >= 0 {
				if d == in || !code.Before(in, d) {
					return false
				}
			}
		}
	}
	return code.Before(in, st.At) || code.Reaches(st.Region, in)
}

// runsIn returns the call that runs a function in the transaction on and commits it
// when that has returned, where fn is the function or a closure in it.
func (f *Family) runsIn(on *term.T, fn *ssa.Function) ssa.CallInstruction {
	for ; fn.Parent() != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			given := f.Get(p)
			if code.IsContext(p.Type()) || !on.MadeOf(given) {
				continue
			}
			for _, c := range f.Calling {
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
func (f *Family) transacts(in ssa.CallInstruction, i int, p *ssa.Parameter) bool {
	c := in.Common()
	if entry := f.Engine.Reader.Entry(f.CallTerm(c, in.Pos())); entry != nil {
		named := code.NamedOf(p.Type())
		return entry.Runs != nil && entry.Runs.How != "go" && entry.Runs.How != "later" &&
			(entry.Pool == "tx" || named != nil && f.Engine.Reader.Catalog.Handle(types.TypeString(named, nil)) == "tx")
	}
	callees := []*ssa.Function{code.Origin(c.StaticCallee())}
	if c.IsInvoke() {
		callees, i = f.Engine.Implementations.Of(c), i+1 // the receiver comes first
	}
	return len(callees) > 0 && !slices.ContainsFunc(callees, func(callee *ssa.Function) bool {
		sum := f.Engine.Summary(callee)
		return sum == nil || !slices.ContainsFunc(sum.Effects, func(x summary.Effect) bool {
			return x.Open == summary.Value && x.Call.Args[0].Kind == term.Param && x.Call.Args[0].Index == i &&
				slices.ContainsFunc(x.Call.Args[1:], func(tx *term.T) bool {
					return slices.ContainsFunc(sum.Effects, func(y summary.Effect) bool { return f.Engine.Commits(y, tx) })
				})
		})
	})
}

// ends reports whether an effect ends that transaction, one way or the other.
func (e *Engine) ends(x summary.Effect, on *term.T) bool {
	r, ok := e.Release(x)
	if !ok || r.Handle == nil || on == nil {
		return false
	}
	entry := e.Reader.Entry(x.Call)
	return entry != nil && EndsTransaction(entry) &&
		(on.MadeOf(r.Handle) || e.Related(r.Handle, on))
}

// endsOne reports whether an effect ends some transaction.
func (e *Engine) endsOne(x summary.Effect) bool {
	if x.Call == nil || x.Open != summary.Closed {
		return false
	}
	entry := e.Reader.Entry(x.Call)
	return entry != nil && EndsTransaction(entry)
}

// RunsHere reports whether a transaction is begun by the family of fn, and by which call of
// the catalogue, if that runs a function in it.
func (e *Engine) RunsHere(fn *ssa.Function, on *term.T) (runs, here bool) {
	made := e.HandleMaker(on)
	if made == nil {
		return false, false
	}
	g, _ := e.Index.CallOf(made)
	return e.Reader.Entry(made).Runs != nil, g != nil && g == e.Families[code.Origin(code.Root(fn))]
}

// EndsTransaction reports whether a call ends a transaction, which gives back what was
// taken for that alone.
func EndsTransaction(entry *catalog.Call) bool {
	return entry.Release != nil && entry.Release.Scope == "transaction"
}
