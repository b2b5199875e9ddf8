package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// unasked reports whether a function that is named after locks takes a key for its caller,
// who goes on to work whatever it answers. A marker is asked for what it marks: by its
// answer, or by whoever reads it later. So a key that nobody reads, and whose taker does not
// look at the answer, is meant to keep others out, and does not, though nobody gives it back.
func (ev *Evidence) unasked(st *summary.Site, m meaning.Meaning) bool {
	call, ok := st.At.(*ssa.Call)
	if !ok || st.Direct || st.Wrapper || st.Closed || !m.Raw || m.Row != nil || UnknownKey(m.Key) || !callsLock(call) {
		return false
	}
	f := ev.e.Families[code.Root(st.Func)]
	if f == nil || !dropsAnswer(call, st.Facts) || !f.Works(st.Effects, m) {
		return false
	}
	return !slices.ContainsFunc(append(slices.Clip(st.Lock.Chain), st), func(c *summary.Site) bool { return ev.e.Index.Reads(ev.e.RecordsOf(c.Lock.Call)) })
}

// dropsAnswer reports whether nothing looks at what tells whether a wrapper has taken the
// lock: its flags, and where it has none, any of its results.
func dropsAnswer(call *ssa.Call, facts []world.Fact) bool {
	flag := slices.IndexFunc(facts, func(x world.Fact) bool { return x.Same(world.True) || x.Same(world.False) })
	used := func(v ssa.Value) bool {
		return slices.ContainsFunc(*v.Referrers(), func(in ssa.Instruction) bool { _, debug := in.(*ssa.DebugRef); return !debug })
	}
	if call.Call.Signature().Results().Len() < 2 {
		return len(facts) > 0 && !used(call)
	}
	return !slices.ContainsFunc(*call.Referrers(), func(in ssa.Instruction) bool {
		x, ok := in.(*ssa.Extract)
		return ok && (flag < 0 || x.Index == flag) && used(x)
	})
}

// callsLock reports whether the function that is called, or its receiver's type, is named
// after locks.
func callsLock(call *ssa.Call) bool {
	callee := code.Declared(call.Common())
	if callee == nil {
		return false
	}
	if recv := callee.Signature().Recv(); recv != nil {
		if n := code.NamedOf(recv.Type()); n != nil && NamesLock(n.Obj().Name()) {
			return true
		}
	}
	return NamesLock(callee.Name())
}
