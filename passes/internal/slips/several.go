package slips

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// several finds a loop that takes a lock for each of a list and, where one of them is
// refused, returns without those that it has: whoever called takes none of them for
// taken, and so releases none.
func several(e *engine.Engine, t *taking) []lock.Slip {
	st := t.st
	if !st.Guarded || st.Sent != nil { // all at once, in a batch
		return nil
	}
	if st.Region == nil || !st.Region.Again || st.Deferred || t.m.Raw && t.m.Kind != lock.Lease || t.m.Row != nil || t.m.Record != "" {
		return nil // a session gives back all that it has when it ends
	}
	if !perItem(t.m.Key) && !perItem(t.m.Handle) || !t.comesBack(false) {
		return nil
	}
	taken := t.gathered()
	if len(st.Release) == 0 && !t.releasesEach() && !(st.Wrapper && (st.Returned || t.passesOn(taken) || len(e.Halves(st.Func)) > 0)) {
		return nil // left on purpose
	}
	if t.given(nil, taken) || t.released(taken) {
		return nil
	}
	told := code.FactsOf(st.Func, st.Region)
	for _, broken := range []bool{false, true} {
		lost := t.denied(broken)
		for _, ret := range lost.Returns {
			if !refuses(lost, ret, told) || slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return taken[v] }) {
				continue
			}
			if !slices.ContainsFunc(lost.Held, func(in ssa.Instruction) bool {
				return t.undoes(in, taken) && (in.Block() == ret.Block() || code.CanReach(in.Block(), ret.Block(), st.At.Block()))
			}) {
				return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "several", Other: t.f.Frame(ret, "returns here with the earlier locks held")}}
			}
		}
	}
	return nil
}

// perItem reports whether a key or a handle is another one for each element of a list.
func perItem(t *term.T) bool {
	return t != nil && t.Any(func(x *term.T) bool { return x.Kind == term.Elem })
}

// refuses reports whether a return tells another outcome than that of whoever has the lock.
func refuses(lost *world.Region, ret *ssa.Return, told []world.Fact) bool {
	for i, v := range ret.Results {
		fact := lost.Fact(v)
		if fact.Contradicts(told[i]) || code.IsError(v.Type()) && !fact.IsNil() && code.Failing(ret.Block()) {
			return true
		}
	}
	return false
}

// gathered lists the values of the function that hold what was taken in earlier turns: a
// list to which each lock is appended, a map in which it is put.
func (t *taking) gathered() map[ssa.Value]bool {
	ours := func(v ssa.Value) bool {
		if c, ok := v.(*ssa.ChangeInterface); ok {
			v = c.X
		}
		if code.IsError(v.Type()) {
			return false // it is made of the answer as well
		}
		x := t.f.Get(v)
		return x.Any(func(y *term.T) bool {
			return y == t.st.Term || y == t.st.Lock.Call || t.m.Handle != nil && y == t.m.Handle && y.Kind == term.Call
		})
	}
	var work []ssa.Value
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Call:
				if builtin, ok := in.Call.Value.(*ssa.Builtin); ok && builtin.Name() == "append" && code.Reaches(t.st.Region, in) {
					work = append(work, in)
				}
			case *ssa.MapUpdate:
				if _, local := t.f.Single(in.Map).(*ssa.MakeMap); local && ours(in.Value) {
					work = append(work, in.Map)
				}
			case *ssa.Store:
				if at, ok := in.Addr.(*ssa.IndexAddr); ok && ours(in.Val) {
					work = append(work, at.X)
				}
			}
		}
	}
	out := make(map[ssa.Value]bool)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if out[v] || v.Referrers() == nil {
			continue
		}
		out[v] = true
		if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
			if a, ok := t.f.Base(load.X).(*ssa.Alloc); ok {
				work = append(work, a)
			}
		}
		for _, r := range *v.Referrers() {
			switch r := r.(type) {
			case *ssa.Phi, *ssa.ChangeType, *ssa.MakeInterface, *ssa.Slice:
				work = append(work, r.(ssa.Value))
			case *ssa.UnOp:
				work = append(work, r)
			case *ssa.Store:
				if a, ok := t.f.Base(r.Addr).(*ssa.Alloc); ok && r.Val == v {
					work = append(work, a)
				}
			}
		}
	}
	return out
}

// releasesEach reports whether the section goes through what was taken, and releases it.
func (t *taking) releasesEach() bool {
	return slices.ContainsFunc(t.st.Region.Held, func(in ssa.Instruction) bool {
		return slices.ContainsFunc(t.f.Sums[t.st.Func].Steps[in], func(x summary.Effect) bool {
			r, ok := t.f.Engine.Release(x)
			return ok && r.Library == t.m.Library && (perItem(r.Handle) || perItem(r.Key))
		})
	})
}

// passesOn reports whether a return gives the caller what was taken, or a function that
// has it.
func (t *taking) passesOn(taken map[ssa.Value]bool) bool {
	return slices.ContainsFunc(t.st.Region.Returns, func(ret *ssa.Return) bool {
		return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			mc, ok := v.(*ssa.MakeClosure)
			return taken[v] || ok && slices.ContainsFunc(mc.Bindings, func(v ssa.Value) bool { return taken[v] })
		})
	})
}

// released reports whether what was taken is, or may be, given back however the function
// ends: by a defer, or by a closure that was made before.
func (t *taking) released(taken map[ssa.Value]bool) bool {
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Defer:
				if t.undoes(in, taken) {
					return true
				}
			case *ssa.MakeClosure:
				if code.CanReach(b, t.st.At.Block(), nil) && slices.ContainsFunc(in.Bindings, func(v ssa.Value) bool { return taken[v] }) {
					return true
				}
			}
		}
	}
	return false
}

// undoes reports whether an instruction gives back, or may give back, what was taken in
// earlier turns.
func (t *taking) undoes(in ssa.Instruction, taken map[ssa.Value]bool) bool {
	c, ok := in.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if _, builtin := c.Common().Value.(*ssa.Builtin); builtin {
		return false
	}
	return taken[c.Common().Value] || slices.ContainsFunc(c.Common().Args, func(v ssa.Value) bool { return taken[v] }) ||
		slices.ContainsFunc(t.f.Sums[in.Parent()].Steps[in], func(x summary.Effect) bool { _, frees := t.f.Engine.Release(x); return frees })
}
