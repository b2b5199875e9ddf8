package engine

import (
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/lock"
)

// again notes a lock that its holder takes once more, over and over, where a live
// lock refuses everybody: that renews nothing, and takes a lost lock anew without a
// word.
func (k *keeping) again(r recorded) {
	m := r.lock
	if m.Kind != lock.Lease || m.Mine || m.Row != nil || unknownKey(m.Key) || r.use.Renewal != "none" {
		return
	}
	for _, x := range r.st.effects {
		if x.Call == nil || x.Open != Closed || x.Turns.Rounds < Endless || x.Call.Site == r.st.lock.Call.Site {
			continue
		}
		for _, n := range k.e.reader.Of(x.Call) {
			if n.Role == meaning.Acquire && n.Family == m.Family && !n.Mine && k.e.pool.Alike(n.Key, m.Key) {
				at := x.At
				if filepath.Dir(at.File) != filepath.Dir(r.st.lock.At.File) {
					at = happens(x)
				}
				k.found.of(r.use, lock.Call{Frame: framed(at, ""), Call: at.Callee, Kind: lock.RenewAgain})
				return
			}
		}
	}
}

// forever reports whether a goroutine renews, in a loop that nothing ends, a lock
// that is given back by the function that started it: no condition, no error, and at
// the most the closing of a channel that ticks.
func (k *keeping) forever(f *family, in ssa.CallInstruction) bool {
	fn := in.Parent()
	if fn.Parent() == nil || !inGoroutine(fn) || !slices.ContainsFunc(k.e.recorded[f], func(r recorded) bool { return r.st.fn == fn.Parent() && len(r.st.freed) > 0 }) {
		return false
	}
	return slices.ContainsFunc(f.sums[fn].loops, func(l *loop) bool {
		if !l.body[in.Block()] {
			return false
		}
		for b := range l.body {
			if len(b.Succs) == 0 {
				return false
			}
			for _, s := range b.Succs {
				if !l.body[s] && !f.ticks(b) {
					return false
				}
			}
		}
		return true
	})
}

// inGoroutine reports whether a closure is the body of a goroutine.
func inGoroutine(fn *ssa.Function) bool {
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			if g, ok := in.(*ssa.Go); ok {
				if mc, ok := g.Call.Value.(*ssa.MakeClosure); ok && mc.Fn == ssa.Value(fn) || g.Call.Value == ssa.Value(fn) {
					return true
				}
			}
		}
	}
	return false
}

// ticks reports whether a block ends by asking whether a ticker's channel is closed,
// which it never is.
func (f *family) ticks(b *ssa.BasicBlock) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	x, ok := br.Cond.(*ssa.Extract)
	if !ok || x.Index != 1 {
		return false
	}
	recv, ok := x.Tuple.(*ssa.UnOp)
	return ok && len(f.waiting(recv)) > 0
}
