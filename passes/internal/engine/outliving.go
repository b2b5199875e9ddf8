package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// late finds the write that a lock was taken for after its release: the section
// does nothing, or what it read is written afterwards. Writing the same table
// again is no sign; to claim a job under the lock and to finish it later is sound.
func (e *Engine) late(t *taking) []lock.Slip {
	if at := t.st.late; at.IsValid() {
		freed := t.st.lock.At
		if len(t.st.freed) > 0 {
			freed = t.st.freed[0].At
		}
		return []lock.Slip{{Frame: at, Kind: lock.SlipAfter, Detail: "commit", Other: freed}}
	}
	if t.st.region == nil || t.st.wrapper || t.st.heldOut || t.st.deferred {
		return nil
	}
	idle := e.idle(t.st)
	for _, x := range t.st.after {
		if x.Reach == ByGoroutine || !t.guarded(x) || x.Memory == nil && x.Open != Closed || t.inAnother(x) {
			continue
		}
		if idle || t.carries(x) {
			return []lock.Slip{{Frame: x.At, Kind: lock.SlipAfter, Other: t.st.freed[0].At}}
		}
	}
	return nil
}

// inAnother reports whether an effect lies in the section of another lock that
// the function takes.
func (t *taking) inAnother(x Effect) bool {
	for _, other := range t.f.sums[t.st.fn].sites {
		if other == t.st || other.at == t.st.at {
			continue
		}
		if other.lock.At.Position == x.At.Position || slices.ContainsFunc(other.effects, func(y Effect) bool { return y.At.Position == x.At.Position }) {
			return true
		}
	}
	return false
}

// carries reports whether a write stores what a query of the section read.
func (t *taking) carries(x Effect) bool {
	reads := make(map[*term.T]bool)
	for _, y := range t.st.effects {
		if y.Call != nil && y.Open == Closed && slices.ContainsFunc(t.f.e.reader.Of(y.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query }) {
			reads[y.Call] = true
		}
	}
	read := func(v *term.T) bool { return v.Any(func(y *term.T) bool { return reads[y] }) }
	return slices.ContainsFunc(t.f.e.reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && (read(m.Write.Value) || slices.ContainsFunc(m.Write.Sets, func(s meaning.Setting) bool { return read(s.Value) }))
	})
}

// outlives finds work that the section starts and does not wait for, so that it
// goes on after the release. It counts where it is the section's only work, or
// writes what the section writes. A function that returns with the lock held may
// leave it to what it has started.
func (e *Engine) outlives(t *taking) []lock.Slip {
	if slip, ok := e.onCancel(t); ok {
		return []lock.Slip{slip}
	}
	if t.st.region == nil || t.st.wrapper || t.st.heldOut || len(t.st.freed) == 0 || t.waits() {
		return nil
	}
	sum := t.f.sums[t.st.fn]
	for _, in := range t.st.region.Held {
		c, ok := in.(ssa.CallInstruction)
		if !ok || !t.starts(c) || t.f.releaseIndex(sum.steps[in], t.st.match) >= 0 {
			continue
		}
		for _, x := range sum.steps[in] {
			if x.Reach == ByGoroutine && x.Open == Closed && x.Memory == nil && t.guarded(x) && t.mainly(x) {
				at := t.f.frame(c, "")
				if g, ok := c.(*ssa.Go); ok {
					at.Position = e.position(g.Pos()) // of the word go, not of the call
				}
				return []lock.Slip{{Frame: at, Kind: lock.SlipOutlives, Other: x.At}}
			}
		}
	}
	return nil
}

// starts reports whether a call starts a goroutine by itself: what functions that
// it calls start is theirs to end.
func (t *taking) starts(c ssa.CallInstruction) bool {
	if _, ok := c.(*ssa.Go); ok {
		return true
	}
	entry := t.f.e.reader.Entry(t.f.callTerm(c.Common(), c.Pos()))
	return entry != nil && entry.Runs != nil && entry.Runs.How == "go"
}

// mainly reports whether a goroutine's write is what the section is for.
func (t *taking) mainly(x Effect) bool {
	resources := func(x Effect) []string {
		var out []string
		for _, m := range t.f.e.reader.Of(x.Call) {
			if m.Role == meaning.Write && !m.Write.Cache {
				out = append(out, m.Write.Resource)
			}
		}
		return out
	}
	mine := resources(x)
	alone := len(mine) > 0
	for _, y := range t.st.effects {
		if y.Reach == ByGoroutine || !t.guarded(y) {
			continue
		}
		alone = false
		if y.Call != nil && y.Open == Closed && slices.ContainsFunc(resources(y), func(r string) bool { return strings.Contains(r, ":") && slices.Contains(mine, r) }) {
			return true
		}
	}
	return alone
}

// waits reports whether the function or a closure in it waits for anything: that
// may be the work. Which of several is waited for is not asked.
func (t *taking) waits() bool {
	for _, fn := range t.f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.UnOp:
					if in.Op.String() == "<-" {
						return true
					}
				case *ssa.Select:
					return true
				case ssa.CallInstruction:
					if d := declared(in.Common()); d != nil && d.Name() == "Wait" {
						return true
					}
				}
			}
		}
	}
	return false
}

// onCancel finds an election that gives the lease back as soon as its context
// ends (ReleaseOnCancel of client-go): the leader's work runs in a goroutine of
// the library, which does not wait for it.
func (e *Engine) onCancel(t *taking) (lock.Slip, bool) {
	if !t.st.direct || t.m.Kind != lock.Election || !t.st.lock.Call.Any(func(x *term.T) bool {
		i := slices.Index(x.Names, "ReleaseOnCancel")
		return x.Kind == term.Struct && i >= 0 && isConst(x.Args[i], "true")
	}) {
		return lock.Slip{}, false
	}
	return lock.Slip{Frame: t.u.Acquire, Kind: lock.SlipOutlives, Detail: "ReleaseOnCancel"}, true
}
