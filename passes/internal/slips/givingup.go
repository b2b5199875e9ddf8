package slips

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/lock"
)

// Some locks cannot be waited for by a context. To bound the wait, a goroutine takes the
// lock and tells by a channel; whoever stops listening leaves it waiting, and in the end
// it holds a lock of which nobody knows.

// givesUp finds such a goroutine whose answer is left where it is once the wait is over.
func givesUp(e *engine.Engine, t *taking) []lock.Slip {
	fn := t.st.Func
	if t.st.Region == nil || fn.Parent() == nil || len(t.st.Freed) > 0 || !t.startedBy(fn) {
		return nil
	}
	for _, answer := range t.answersOn() {
		for _, b := range fn.Parent().Blocks {
			for _, in := range b.Instrs {
				sel, ok := in.(*ssa.Select)
				if !ok || !sel.Blocking || receives(t.f, answer) != 1 {
					continue
				}
				listens := slices.ContainsFunc(sel.States, func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly && channel(t.f, s.Chan) == answer })
				if !listens {
					continue
				}
				for i, s := range sel.States {
					if s.Dir != types.RecvOnly || channel(t.f, s.Chan) == answer || t.endsWait(s.Chan) {
						continue
					}
					if ret := t.leftBy(sel, i); ret != nil {
						return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "late", Other: t.f.Frame(sel, "nobody waits for the answer any more")}}
					}
				}
			}
		}
	}
	return nil
}

// startedBy reports whether the function around a closure runs it as a goroutine.
func (t *taking) startedBy(fn *ssa.Function) bool {
	mc := t.f.Made[fn]
	return mc != nil && slices.ContainsFunc(*mc.Referrers(), func(r ssa.Instruction) bool {
		c, ok := r.(ssa.CallInstruction)
		return ok && t.f.Starts(c)
	})
}

// channel is the variable or the call that a channel comes from.
func channel(f *engine.Family, v ssa.Value) ssa.Value { return f.Single(v) }

// answersOn lists the channels on which the goroutine tells what became of the acquire: it
// sends there afterwards, or closes them.
func (t *taking) answersOn() []ssa.Value {
	var out []ssa.Value
	add := func(v ssa.Value) {
		if c := channel(t.f, v); c != nil && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Send:
				add(in.Chan)
			case ssa.CallInstruction:
				if builtin, ok := in.Common().Value.(*ssa.Builtin); ok && builtin.Name() == "close" {
					add(in.Common().Args[0])
				}
			}
		}
	}
	return out
}

// receives counts the places where the family receives from a channel; one that is given
// away may be received from anywhere.
func receives(f *engine.Family, ch ssa.Value) int {
	n := 0
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Select:
					for _, s := range in.States {
						if s.Dir == types.RecvOnly && channel(f, s.Chan) == ch {
							n++
						}
					}
				case *ssa.UnOp:
					if f.WaitsFor(in) && channel(f, in.X) == ch {
						n++
					}
				case *ssa.Range:
					if channel(f, in.X) == ch {
						n++
					}
				case *ssa.Return:
					if slices.ContainsFunc(in.Results, func(v ssa.Value) bool { return channel(f, v) == ch }) {
						n += 2
					}
				case ssa.CallInstruction:
					if _, builtin := in.Common().Value.(*ssa.Builtin); !builtin && slices.ContainsFunc(in.Common().Args, func(v ssa.Value) bool { return channel(f, v) == ch }) {
						n += 2
					}
				}
			}
		}
	}
	return n
}

// endsWait reports whether the acquire comes to an end with the channel by which the wait
// for it is ended: it was given that channel, or its context. One whose context is
// cancelled, or has a deadline, does not wait for ever either.
func (t *taking) endsWait(ch ssa.Value) bool {
	for _, a := range t.st.At.Common().Args {
		if _, ok := a.Type().Underlying().(*types.Chan); ok && !code.IsConstant(a) {
			return true
		}
		if !code.IsContext(a.Type()) {
			continue
		}
		line := t.f.Lineage(a)
		if len(line) == 0 || doneOf(t.f, ch, line) || slices.ContainsFunc(t.f.Calling, func(c ssa.CallInstruction) bool { return t.f.Cancels(c, line) }) ||
			len(t.f.Engine.SetDeadlines(t.f.Get(a), nil, 0)) > 0 {
			return true
		}
	}
	return false
}

// leftBy returns a way out of the function that the case of a select leads to, without
// another look at the select and without a release; nil where there is none.
func (t *taking) leftBy(sel *ssa.Select, state int) *ssa.Return {
	steps := t.f.Sums[sel.Parent()]
	if steps == nil {
		return nil
	}
	var work []*ssa.BasicBlock
	for _, b := range sel.Parent().Blocks {
		if to := chosen(b, sel, state); to != nil {
			work = append(work, to)
		}
	}
	seen := map[*ssa.BasicBlock]bool{sel.Block(): true}
	var found *ssa.Return
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		if seen[b] {
			continue
		}
		seen[b] = true
		for _, in := range b.Instrs {
			if t.st.Match != nil && t.f.ReleaseIndex(steps.Steps[in], t.st.Match) >= 0 {
				return nil
			}
			if ret, ok := in.(*ssa.Return); ok && found == nil {
				found = ret
			}
		}
		for _, s := range b.Succs {
			if s == sel.Block() {
				return nil // it listens again
			}
			work = append(work, s)
		}
	}
	return found
}

// chosen is where a branch leads to when a state of a select was ready; nil where the
// branch is about something else. Several states may lead to one place.
func chosen(b *ssa.BasicBlock, sel *ssa.Select, state int) *ssa.BasicBlock {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	test, ok := br.Cond.(*ssa.BinOp)
	if !ok || test.Op != token.EQL {
		return nil
	}
	index, ok := test.X.(*ssa.Extract)
	if n, known := code.ConstInt(test.Y); ok && known && index.Tuple == ssa.Value(sel) && int(n) == state {
		return b.Succs[0]
	}
	return nil
}
