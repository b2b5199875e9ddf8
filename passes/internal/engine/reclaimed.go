package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// reclaimed lists what makes it a lock that a record is given another holder, if a value that
// moves with each sign of life still is what was read. Documents with a version are changed
// in the same way. But who takes a lock from another looks how long that has not moved: he
// waits after he has read it, or compares a time that he has read with his clock. And a lock
// is given back: code of the same package takes the holder's name out of the record, or the
// record away. Besides, something has to be named like a lock.
func (ev *Evidence) reclaimed(f *Family, s *summary.Summary, st *summary.Site, m meaning.Meaning) []string {
	pkg := code.PackagePath(st.Func)
	if !st.Guarded && !st.Wrapper || !m.Row.Named && !namedLock(st.Func, m.Key) {
		return nil
	}
	freed := func(c *meaning.Change) bool {
		return c.Deletes() || slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
			return Frees(s.Value) && slices.ContainsFunc(m.Row.Sets, func(a meaning.Setting) bool { return a.Value == m.Value && a.Column == s.Column })
		})
	}
	if !ev.any(pkg, m.Row.Resource, freed) || !f.waitsAfterReading(s, st) && !f.readsAge(s, st) {
		return nil
	}
	return []string{"record says who has it", "it is taken when it has not moved for a while"}
}

// Replacing lists the writes of a package that put something in place of what was read there,
// if that still is there, and give nothing back.
func (ev *Evidence) Replacing(pkg string) []meaning.Meaning {
	if list, ok := ev.replacing[pkg]; ok {
		return list
	}
	var list []meaning.Meaning
	look := func(call *term.T) {
		ms := ev.e.Reader.Of(call)
		if slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Release }) {
			return
		}
		for _, m := range ms {
			if m.Role == meaning.Write && m.Write.Key != nil && slices.ContainsFunc(m.Write.Guards, func(g meaning.Guard) bool { return g.Op == "version" }) {
				list = append(list, m)
			}
		}
	}
	ev.e.EachIn(pkg, func(_ *Family, _ *ssa.Function, s *summary.Summary) {
		for _, x := range s.Effects {
			if x.Call != nil && x.Open == summary.Closed {
				look(x.Call)
			}
		}
	})
	for _, c := range ev.e.Index.CallsIn(pkg) {
		look(c.Term())
	}
	ev.replacing[pkg] = list
	return list
}

// maxPairs bounds the reads, and the waits, of a function that are looked at.
const maxPairs = 16

// waitsAfterReading reports whether a function reads the record that it takes, waits, and
// takes it then as it was read.
func (f *Family) waitsAfterReading(s *summary.Summary, st *summary.Site) bool {
	records := f.Engine.RecordsOf(st.Lock.Call)
	var reads, waits []ssa.Instruction
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			if f.Engine.readAmong(s.Steps[in], records) {
				reads = append(reads, in)
			}
			if slices.ContainsFunc(s.Steps[in], f.Engine.pauses) {
				waits = append(waits, in)
			}
		}
	}
	for _, read := range reads[:min(len(reads), maxPairs)] {
		for _, wait := range waits[:min(len(waits), maxPairs)] {
			again := read.Block()
			if wait.Block() == again {
				again = nil
			}
			if code.Before(read, wait) && code.CanReach(wait.Block(), st.At.Block(), again) {
				return true
			}
		}
	}
	return false
}

// readAmong reports whether one of the effects reads one of the resources.
func (e *Engine) readAmong(list []summary.Effect, resources []string) bool {
	return slices.ContainsFunc(list, func(x summary.Effect) bool { return x.Call != nil && e.Reads(x.Call, resources) })
}

// pauses reports whether an effect is that time passes, and nothing else.
func (e *Engine) pauses(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Block && m.Block != nil && (m.Block.Kind == "wait" || m.Block.Kind == "tick" || m.Block.Kind == "sleep")
	})
}

// readsAge reports whether a branch before a record is taken compares what was read of it with
// the clock.
func (f *Family) readsAge(s *summary.Summary, st *summary.Site) bool {
	records := f.Engine.RecordsOf(st.Lock.Call)
	clock := func(t *term.T) bool {
		return t.Kind == term.Call && (strings.HasPrefix(t.Name, "time.") || strings.HasPrefix(t.Name, "(time.Time)."))
	}
	read := func(t *term.T) bool { return t.Kind == term.Call && f.Engine.Reads(t, records) }
	for _, b := range st.Func.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !b.Dominates(st.At.Block()) {
			continue
		}
		of := []ssa.Value{br.Cond}
		if op, ok := br.Cond.(*ssa.BinOp); ok {
			of = []ssa.Value{op.X, op.Y}
		}
		has := func(is func(*term.T) bool) bool {
			return slices.ContainsFunc(of, func(v ssa.Value) bool { t := f.Get(v); return t != nil && t.Any(is) })
		}
		if has(clock) && has(read) {
			return true
		}
	}
	return false
}
