package remarks

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A renewal that goes on beside its function runs on a context. Where that function
// hands the lock on to its caller, a context that limits the wait for the lock is
// over when it returns, and so is the renewal.

// boundAside says why the context ends early that a goroutine renews on, at the
// statement that starts it or, in a closure, at the renewal.
func (k *keeping) boundAside(f *engine.Family, in ssa.CallInstruction, x summary.Effect) string {
	if _, ok := in.(*ssa.Go); !ok && !k.runsAside(f, in) {
		return ""
	}
	for _, a := range in.Common().Args {
		if !code.IsContext(a.Type()) {
			continue
		}
		t := f.Get(a)
		if !x.Call.Any(func(y *term.T) bool { return y == t }) {
			continue
		}
		if why := k.endsEarly(f, a); why != "" {
			return why
		}
	}
	return ""
}

// runsAside reports whether a call in a closure is made by a goroutine that was
// started with a lock held.
func (k *keeping) runsAside(f *engine.Family, in ssa.CallInstruction) bool {
	if in.Parent().Parent() == nil {
		return false
	}
	at := f.Frame(in, "").Position
	return slices.ContainsFunc(k.e.Recorded[f], func(r summary.Recorded) bool {
		return slices.ContainsFunc(r.Site.Effects, func(x summary.Effect) bool {
			return x.Reach == summary.ByGoroutine && slices.ContainsFunc(summary.Way(x), func(fr lock.Frame) bool { return fr.Position == at })
		})
	})
}

// endsEarly says why a context that a renewal runs on ends before the lock does: the
// lock is handed on to the caller, and the context is cancelled when that is done, or
// has a deadline.
func (k *keeping) endsEarly(f *engine.Family, ctx ssa.Value) string {
	if ctx == nil {
		return ""
	}
	line := f.Lineage(ctx)
	for _, r := range k.e.Recorded[f] {
		if (r.Site.HeldOut || r.Site.Returned) && cancelled(f, r.Site, line) {
			return "it is cancelled when " + r.Site.Func.Name() + " returns"
		}
	}
	if !slices.ContainsFunc(k.e.Recorded[f], func(r summary.Recorded) bool { return r.Site.HeldOut || r.Site.Returned }) {
		return ""
	}
	return k.ownDeadline(f, ctx)
}

// cancelled reports whether a context of the lineage has been cancelled where the
// function of a site returns with the lock held: by a defer on the way to it, or by a
// call on every way from there.
func cancelled(f *engine.Family, st *summary.Site, line []ssa.Value) bool {
	if st.Region == nil || len(st.Region.Returns) == 0 {
		return false
	}
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			switch c := in.(type) {
			case *ssa.Defer:
				if c.Block().Dominates(st.At.Block()) && f.Cancels(c, line) {
					return true
				}
			case *ssa.Call:
				if slices.ContainsFunc(st.Region.Returns, func(ret *ssa.Return) bool { return code.Before(c, ret) }) && code.Before(st.At, c) && f.Cancels(c, line) {
					return true
				}
			}
		}
	}
	return false
}

// sessions notes those of a function that their library renews only until a context ends
// which is over before the lock: whoever gets the session, or a lock made from it, holds it
// longer, or works on by another context. A function that only makes one has no summary.
func (k *keeping) sessions(f *engine.Family, fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			made, ok := in.(*ssa.Call)
			if ok && slices.ContainsFunc(f.Entries(made.Common()), func(e *catalog.Call) bool { return e.New != nil && e.New.Leaks && !e.New.Lapses }) {
				k.bounds(f.Settled(), made)
			}
		}
	}
}

// bounds judges one session.
func (k *keeping) bounds(f *engine.Family, in *ssa.Call) {
	call := f.CallTerm(in.Common(), in.Pos())
	ctx := k.contextOf(f, in, call)
	if ctx == nil {
		return
	}
	why := ""
	if k.leavesWith(f, in, call, ctx) {
		why = k.endsWith(f, in, ctx)
	} else {
		why = k.worksOn(f, call, ctx)
	}
	if why != "" {
		frame := f.Frame(in, why)
		k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.SessionBound})
	}
}

// contextOf is the context that a call which makes a session is given for it, as an
// argument or by an option that is made here.
func (k *keeping) contextOf(f *engine.Family, made *ssa.Call, call *term.T) ssa.Value {
	entry := k.e.Reader.Entry(call)
	if entry == nil || entry.New == nil {
		return nil
	}
	if !entry.New.Context.IsZero() {
		return code.Operand(made.Common(), entry.New.Context)
	}
	var ctx ssa.Value
	if options := k.e.Reader.Get(entry.New.Options, call, nil); options != nil {
		options.Any(func(o *term.T) bool {
			e := k.e.Reader.Entry(o)
			if e == nil || e.Option == nil || e.Option.Context.IsZero() {
				return false
			}
			if in := f.CallOf(o); in != nil {
				ctx = code.Operand(in.Common(), e.Option.Context)
			}
			return true
		})
	}
	return ctx
}

// leavesWith reports whether what a call has made outlives its function: that returns
// it, or puts it into an object, be it in a lock. A function that puts it there and then
// works by the same context may stay as long as the object is used.
func (k *keeping) leavesWith(f *engine.Family, made *ssa.Call, call *term.T, ctx ssa.Value) bool {
	has := func(v ssa.Value) bool {
		t := f.Value(v)
		return t != nil && t.Any(func(x *term.T) bool { return x == call })
	}
	if slices.ContainsFunc(f.Places, func(p engine.Placed) bool { return has(p.Val) }) && !f.WaitsAnywhere() && !runsOn(f, made, ctx) {
		return true
	}
	for _, b := range made.Parent().Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return !code.IsError(v.Type()) && has(v) }) {
			return true
		}
	}
	return slices.ContainsFunc(k.e.Recorded[f], func(r summary.Recorded) bool {
		return r.Site.Func == made.Parent() && r.Site.HeldOut && r.Lock.Parent != nil && r.Lock.Parent.Any(func(x *term.T) bool { return x == call })
	})
}

// runsOn reports whether a context is given to a call of the program's own after another.
func runsOn(f *engine.Family, made *ssa.Call, ctx ssa.Value) bool {
	line := f.Lineage(ctx)
	return slices.ContainsFunc(f.Calling, func(in ssa.CallInstruction) bool {
		return len(f.Entries(in.Common())) == 0 && in != ssa.CallInstruction(made) && code.CanReach(made.Block(), in.Block(), nil) &&
			slices.ContainsFunc(in.Common().Args, func(a ssa.Value) bool {
				own := []ssa.Value(nil)
				if code.IsContext(a.Type()) {
					own = f.Lineage(a)
				}
				return len(line) > 0 && slices.Contains(own, line[0])
			})
	})
}

// endsWith says why a context is over once the function returns what was made with it.
func (k *keeping) endsWith(f *engine.Family, made *ssa.Call, ctx ssa.Value) string {
	line := f.Lineage(ctx)
	for _, b := range made.Parent().Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if !ok || !f.Cancels(c, line) {
				continue
			}
			_, deferred := in.(*ssa.Defer)
			if deferred && (code.Before(in, made) || code.Before(made, in)) && !code.Failing(b) || !deferred && code.Before(made, in) && onEveryWayFrom(made, b) {
				return "it is cancelled when " + made.Parent().Name() + " returns"
			}
		}
	}
	return k.ownDeadline(f, ctx)
}

// onEveryWayFrom reports whether control that comes from a call, and does not fail, gets
// to a block before it returns.
func onEveryWayFrom(made *ssa.Call, b *ssa.BasicBlock) bool {
	for _, r := range made.Parent().Blocks {
		if _, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return); ok && code.CanReach(made.Block(), r, nil) && !code.Failing(r) && !b.Dominates(r) {
			return false
		}
	}
	return true
}

// ownDeadline says after which time a context ends, where the family itself sets that.
func (k *keeping) ownDeadline(f *engine.Family, ctx ssa.Value) string {
	for _, d := range k.e.SetDeadlines(f.Get(ctx), nil, 0) {
		if _, own := f.CallBlocks()[d.Site]; own {
			return "the context ends after " + meaning.Length(d.Args[1])
		}
	}
	return ""
}

// worksOn says why a session ends under a lock that is taken by it in the same function:
// its context is cancelled before the work, or has a deadline that the work has not, and
// the lock was waited for with it.
func (k *keeping) worksOn(f *engine.Family, call *term.T, ctx ssa.Value) string {
	line := f.Lineage(ctx)
	for _, r := range k.e.Recorded[f] {
		if r.Site.Region == nil || r.Lock.Parent == nil || !r.Lock.Parent.Any(func(x *term.T) bool { return x == call }) {
			continue
		}
		var work []*ssa.Call
		for _, in := range r.Site.Region.Held {
			if c, ok := in.(*ssa.Call); ok && f.Works(f.Sums[r.Site.Func].Steps[in], r.Lock) && f.ReleaseIndex(f.Sums[r.Site.Func].Steps[in], r.Site.Match) < 0 {
				work = append(work, c)
			}
		}
		for _, in := range r.Site.Region.Held {
			c, ok := in.(*ssa.Call)
			if ok && f.Cancels(c, line) && slices.ContainsFunc(work, func(w *ssa.Call) bool { return code.Before(c, w) }) {
				return "it is cancelled before the work is done"
			}
		}
		waited := slices.ContainsFunc(r.Site.At.Common().Args, func(a ssa.Value) bool {
			return code.IsContext(a.Type()) && len(line) > 0 && slices.Contains(f.Lineage(a), line[0])
		})
		if why := k.ownDeadline(f, ctx); waited && why != "" && slices.ContainsFunc(work, func(w *ssa.Call) bool { return k.apartFrom(f, w, line, call) }) {
			return why
		}
	}
	return ""
}

// apartFrom reports whether a call is given a context without a deadline of the family's
// own, which ends neither with those of a lineage nor with a session.
func (k *keeping) apartFrom(f *engine.Family, call *ssa.Call, line []ssa.Value, session *term.T) bool {
	apart := false
	for _, a := range call.Common().Args {
		if !code.IsContext(a.Type()) {
			continue
		}
		if own := f.Lineage(a); len(own) == 0 || len(line) == 0 || slices.Contains(own, line[0]) || k.ownDeadline(f, a) != "" || f.Get(a).Any(func(x *term.T) bool { return x == session }) {
			return false
		}
		apart = true
	}
	return apart
}
