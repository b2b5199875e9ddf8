package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A renewal that goes on beside its function runs on a context. Where that function
// hands the lock on to its caller, a context that limits the wait for the lock is
// over when it returns, and so is the renewal.

// boundAside says why the context ends early that a goroutine renews on, at the
// statement that starts it or, in a closure, at the renewal.
func (k *keeping) boundAside(f *family, in ssa.CallInstruction, x Effect) string {
	if _, ok := in.(*ssa.Go); !ok && !k.runsAside(f, in) {
		return ""
	}
	for _, a := range in.Common().Args {
		if !isContext(a.Type()) {
			continue
		}
		t := f.get(a)
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
func (k *keeping) runsAside(f *family, in ssa.CallInstruction) bool {
	if in.Parent().Parent() == nil {
		return false
	}
	at := f.frame(in, "").Position
	return slices.ContainsFunc(k.e.recorded[f], func(r recorded) bool {
		return slices.ContainsFunc(r.st.effects, func(x Effect) bool {
			return x.Reach == ByGoroutine && slices.ContainsFunc(way(x), func(fr lock.Frame) bool { return fr.Position == at })
		})
	})
}

// endsEarly says why a context that a renewal runs on ends before the lock does: the
// lock is handed on to the caller, and the context is cancelled when that is done, or
// has a deadline.
func (k *keeping) endsEarly(f *family, ctx ssa.Value) string {
	if ctx == nil {
		return ""
	}
	line := f.lineage(ctx)
	for _, r := range k.e.recorded[f] {
		if (r.st.heldOut || r.st.returned) && f.cancelled(r.st, line) {
			return "it is cancelled when " + r.st.fn.Name() + " returns"
		}
	}
	if !slices.ContainsFunc(k.e.recorded[f], func(r recorded) bool { return r.st.heldOut || r.st.returned }) {
		return ""
	}
	return k.ownDeadline(f, ctx)
}

// cancelled reports whether a context of the lineage has been cancelled where the
// function of a site returns with the lock held: by a defer on the way to it, or by a
// call on every way from there.
func (f *family) cancelled(st *site, line []ssa.Value) bool {
	if st.region == nil || len(st.region.Returns) == 0 {
		return false
	}
	for _, b := range st.fn.Blocks {
		for _, in := range b.Instrs {
			switch c := in.(type) {
			case *ssa.Defer:
				if c.Block().Dominates(st.at.Block()) && f.cancels(c, line) {
					return true
				}
			case *ssa.Call:
				if slices.ContainsFunc(st.region.Returns, func(ret *ssa.Return) bool { return before(c, ret) }) && before(st.at, c) && f.cancels(c, line) {
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
func (k *keeping) sessions(f *family, fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			made, ok := in.(*ssa.Call)
			if ok && slices.ContainsFunc(f.entries(made.Common()), func(e *catalog.Call) bool { return e.New != nil && e.New.Leaks && !e.New.Lapses }) {
				k.bounds(f.settled(), made)
			}
		}
	}
}

// bounds judges one session.
func (k *keeping) bounds(f *family, in *ssa.Call) {
	call := f.callTerm(in.Common(), in.Pos())
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
		frame := f.frame(in, why)
		k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.SessionBound})
	}
}

// contextOf is the context that a call which makes a session is given for it, as an
// argument or by an option that is made here.
func (k *keeping) contextOf(f *family, made *ssa.Call, call *term.T) ssa.Value {
	entry := k.e.reader.Entry(call)
	if entry == nil || entry.New == nil {
		return nil
	}
	if !entry.New.Context.IsZero() {
		return operand(made.Common(), entry.New.Context)
	}
	var ctx ssa.Value
	if options := k.e.reader.Get(entry.New.Options, call, nil); options != nil {
		options.Any(func(o *term.T) bool {
			e := k.e.reader.Entry(o)
			if e == nil || e.Option == nil || e.Option.Context.IsZero() {
				return false
			}
			if in := f.callOf(o); in != nil {
				ctx = operand(in.Common(), e.Option.Context)
			}
			return true
		})
	}
	return ctx
}

// leavesWith reports whether what a call has made outlives its function: that returns
// it, or puts it into an object, be it in a lock. A function that puts it there and then
// works by the same context may stay as long as the object is used.
func (k *keeping) leavesWith(f *family, made *ssa.Call, call *term.T, ctx ssa.Value) bool {
	has := func(v ssa.Value) bool {
		t := f.value(v)
		return t != nil && t.Any(func(x *term.T) bool { return x == call })
	}
	if slices.ContainsFunc(f.places, func(p placed) bool { return has(p.val) }) && !f.waitsAnywhere() && !f.runsOn(made, ctx) {
		return true
	}
	for _, b := range made.Parent().Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return !isError(v.Type()) && has(v) }) {
			return true
		}
	}
	return slices.ContainsFunc(k.e.recorded[f], func(r recorded) bool {
		return r.st.fn == made.Parent() && r.st.heldOut && r.lock.Parent != nil && r.lock.Parent.Any(func(x *term.T) bool { return x == call })
	})
}

// runsOn reports whether a context is given to a call of the program's own after another.
func (f *family) runsOn(made *ssa.Call, ctx ssa.Value) bool {
	line := f.lineage(ctx)
	return slices.ContainsFunc(f.calling, func(in ssa.CallInstruction) bool {
		return len(f.entries(in.Common())) == 0 && in != ssa.CallInstruction(made) && canReach(made.Block(), in.Block(), nil) &&
			slices.ContainsFunc(in.Common().Args, func(a ssa.Value) bool {
				own := []ssa.Value(nil)
				if isContext(a.Type()) {
					own = f.lineage(a)
				}
				return len(line) > 0 && slices.Contains(own, line[0])
			})
	})
}

// endsWith says why a context is over once the function returns what was made with it.
func (k *keeping) endsWith(f *family, made *ssa.Call, ctx ssa.Value) string {
	line := f.lineage(ctx)
	for _, b := range made.Parent().Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if !ok || !f.cancels(c, line) {
				continue
			}
			_, deferred := in.(*ssa.Defer)
			if deferred && (before(in, made) || before(made, in)) && !failing(b) || !deferred && before(made, in) && onEveryWayFrom(made, b) {
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
		if _, ok := r.Instrs[len(r.Instrs)-1].(*ssa.Return); ok && canReach(made.Block(), r, nil) && !failing(r) && !b.Dominates(r) {
			return false
		}
	}
	return true
}

// ownDeadline says after which time a context ends, where the family itself sets that.
func (k *keeping) ownDeadline(f *family, ctx ssa.Value) string {
	for _, d := range k.e.setDeadlines(f.get(ctx), nil, 0) {
		if _, own := f.callBlocks()[d.Site]; own {
			return "the context ends after " + meaning.Length(d.Args[1])
		}
	}
	return ""
}

// worksOn says why a session ends under a lock that is taken by it in the same function:
// its context is cancelled before the work, or has a deadline that the work has not, and
// the lock was waited for with it.
func (k *keeping) worksOn(f *family, call *term.T, ctx ssa.Value) string {
	line := f.lineage(ctx)
	for _, r := range k.e.recorded[f] {
		if r.st.region == nil || r.lock.Parent == nil || !r.lock.Parent.Any(func(x *term.T) bool { return x == call }) {
			continue
		}
		var work []*ssa.Call
		for _, in := range r.st.region.Held {
			if c, ok := in.(*ssa.Call); ok && f.works(f.sums[r.st.fn].steps[in], r.lock) && f.releaseIndex(f.sums[r.st.fn].steps[in], r.st.match) < 0 {
				work = append(work, c)
			}
		}
		for _, in := range r.st.region.Held {
			c, ok := in.(*ssa.Call)
			if ok && f.cancels(c, line) && slices.ContainsFunc(work, func(w *ssa.Call) bool { return before(c, w) }) {
				return "it is cancelled before the work is done"
			}
		}
		waited := slices.ContainsFunc(r.st.at.Common().Args, func(a ssa.Value) bool {
			return isContext(a.Type()) && len(line) > 0 && slices.Contains(f.lineage(a), line[0])
		})
		if why := k.ownDeadline(f, ctx); waited && why != "" && slices.ContainsFunc(work, func(w *ssa.Call) bool { return k.apartFrom(f, w, line, call) }) {
			return why
		}
	}
	return ""
}

// apartFrom reports whether a call is given a context without a deadline of the family's
// own, which ends neither with those of a lineage nor with a session.
func (k *keeping) apartFrom(f *family, call *ssa.Call, line []ssa.Value, session *term.T) bool {
	apart := false
	for _, a := range call.Common().Args {
		if !isContext(a.Type()) {
			continue
		}
		if own := f.lineage(a); len(own) == 0 || len(line) == 0 || slices.Contains(own, line[0]) || k.ownDeadline(f, a) != "" || f.get(a).Any(func(x *term.T) bool { return x == session }) {
			return false
		}
		apart = true
	}
	return apart
}
