package remarks

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// maxCounting bounds how far calls are followed to a metric.
const maxCounting = 3

// A tally is what a function counts, itself or by what it calls.
type tally struct{ events, times bool }

// metrics finds what a program counts about its locks: metrics that move only
// where something went wrong, and times around renewals.
type metrics struct {
	e    *engine.Engine
	memo map[counting]tally
}

// A counting is a function that is asked what it counts, so many calls away from
// where a metric is looked for: how far is left to go is part of the question, or
// the answer would depend on who asks first.
type counting struct {
	fn    *ssa.Function
	depth int
}

// measure fills in the metrics of all uses. Which metric it is that moves is not
// asked: in the section of a lock, one that moves on some ways only is taken to
// tell a refusal.
func measure(e *engine.Engine, uses []*lock.Use) {
	m := &metrics{e: e, memo: make(map[counting]tally)}
	e.EachUse(func(_ *engine.Family, r summary.Recorded) { r.Use.Metrics.Rejections = m.refusals(r.Site) })
	e.EachSummary(func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		renews, hears := false, false
		for _, x := range s.Effects {
			if x.Call == nil || x.Open != summary.Closed || len(x.Via) > 1 {
				continue
			}
			for _, what := range e.Reader.Of(x.Call) {
				renews = renews || what.Role == meaning.Renew
				hears = hears || what.Role == meaning.Loss
			}
		}
		if !renews && !hears {
			return
		}
		u := nearest(uses, fn)
		if own := e.Recorded[f]; len(own) > 0 {
			u = own[0].Use
		}
		if u == nil {
			return
		}
		u.Metrics.RenewalLatency = u.Metrics.RenewalLatency || renews && m.of(fn, 0).times
		u.Metrics.LeaseLoss = u.Metrics.LeaseLoss || m.sometimes(fn, 0)
	})
}

// refusals reports whether something is counted on some of the ways through a
// section.
func (m *metrics) refusals(st *summary.Site) bool {
	if st.Region == nil {
		return m.sometimes(st.Func, 0)
	}
	for _, in := range slices.Concat(st.Region.Held, st.Region.After, st.Region.Stops) {
		c, ok := in.(ssa.CallInstruction)
		if ok && (m.call(st.Func, c, 0).events && !in.Block().Dominates(lastReturn(st.Func)) || m.within(st.Func, c, 0)) {
			return true
		}
	}
	return false
}

// lastReturn is the block of the way out on which all went well, by convention the
// last one of the source.
func lastReturn(fn *ssa.Function) *ssa.BasicBlock {
	last := fn.Blocks[0]
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && ret.Pos() > last.Instrs[len(last.Instrs)-1].Pos() {
			last = b
		}
	}
	return last
}

// sometimes reports whether fn counts events on some of its ways only.
func (m *metrics) sometimes(fn *ssa.Function, depth int) bool {
	if depth > maxCounting {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if ok && (m.call(fn, c, depth).events && !code.OnEveryWay(fn, b) || m.within(fn, c, depth)) {
				return true
			}
		}
	}
	return false
}

// within reports whether a function that is called counts on some of its ways.
func (m *metrics) within(fn *ssa.Function, c ssa.CallInstruction, depth int) bool {
	return slices.ContainsFunc(m.callees(c), func(callee *ssa.Function) bool { return callee != fn && m.sometimes(callee, depth+1) })
}

// callees lists the functions with source that a call may run.
func (m *metrics) callees(c ssa.CallInstruction) []*ssa.Function {
	if c.Common().IsInvoke() {
		if impls := m.e.Implementations.Of(c.Common()); len(impls) <= engine.MaxImplementations {
			return impls
		}
		return nil
	}
	if callee := code.Origin(c.Common().StaticCallee()); callee != nil && len(callee.Blocks) > 0 {
		return []*ssa.Function{callee}
	}
	return nil
}

// call is what a call counts.
func (m *metrics) call(fn *ssa.Function, c ssa.CallInstruction, depth int) tally {
	var t tally
	if f := m.e.Families[code.Root(fn)]; f != nil {
		for _, entry := range f.Entries(c.Common()) {
			t.events = t.events || entry.Counts == "event"
			t.times = t.times || entry.Counts == "time"
		}
	}
	for _, callee := range m.callees(c) {
		more := m.of(callee, depth+1)
		t.events, t.times = t.events || more.events, t.times || more.times
	}
	return t
}

// of is what a function counts.
func (m *metrics) of(fn *ssa.Function, depth int) tally {
	asked := counting{fn, depth}
	t, ok := m.memo[asked]
	if ok || depth > maxCounting {
		return t
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok {
				more := m.call(fn, c, depth)
				t.events, t.times = t.events || more.events, t.times || more.times
			}
		}
	}
	m.memo[asked] = t
	return t
}
