package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

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
	for _, d := range k.e.setDeadlines(f.get(ctx), nil, 0) {
		if _, own := f.callBlocks()[d.Site]; own {
			return "the context ends after " + meaning.Length(d.Args[1])
		}
	}
	return ""
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
