package remarks

import (
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// again notes a lock that its holder takes once more, over and over, where a live
// lock refuses everybody: that renews nothing, and takes a lost lock anew without a
// word. Beside a renewal it is what is done once that has failed: then it counts where
// the work goes on meanwhile, in another goroutine that is told nothing.
func (k *keeping) again(r summary.Recorded) {
	m := r.Lock
	if _, async := r.Site.At.(*ssa.Go); async || !refusesAll(m) || m.Row != nil || engine.UnknownKey(m.Key) {
		return // a goroutine that takes locks is no holder to the next one
	}
	for _, x := range r.Site.Effects {
		if x.Call == nil || x.Open != summary.Closed || x.Turns.Rounds < summary.Endless || x.Call.Site == r.Site.Lock.Call.Site && summary.Happens(x).Position == r.Site.Lock.At.Position {
			continue
		}
		if slices.ContainsFunc(summary.Way(x), func(at lock.Frame) bool { return at.Position == r.Site.Lock.At.Position }) {
			continue // the function comes to itself, through an interface say, with another object
		}
		for _, n := range k.e.Reader.Of(x.Call) {
			if n.Role != meaning.Acquire || n.Family != m.Family || !refusesAll(n) || !k.e.Pool.Alike(n.Key, m.Key) {
				continue
			}
			at, in := k.turning(x)
			if in != nil && x.Reach == summary.ByGoroutine && k.givesBack(in) {
				continue
			}
			if r.Use.Renewal != "none" && (x.Reach != summary.ByGoroutine || in == nil || k.told(in)) {
				continue
			}
			if filepath.Dir(at.File) != filepath.Dir(r.Site.Lock.At.File) {
				at = summary.Happens(x)
			}
			k.found.of(r.Use, lock.Call{Frame: framed(at, ""), Call: at.Callee, Kind: lock.RenewAgain})
			return
		}
	}
}

// givesBack reports whether a call takes a lock in each turn of its loop, and gives it back in there:
// that is a holder like any other.
func (k *keeping) givesBack(call *ssa.Call) bool {
	f := k.e.Families[code.Origin(code.Root(call.Parent()))]
	return f != nil && slices.ContainsFunc(f.Sums[call.Parent()].Sites, func(st *summary.Site) bool {
		return st.At == ssa.CallInstruction(call) && st.Region != nil && len(st.Freed) > 0 && !st.HeldOut && !st.Region.Again
	})
}

// refusesAll reports whether a live lock refuses its own holder as well. Of a record
// that is read first and written on a condition, what was read decides.
func refusesAll(m meaning.Meaning) bool {
	if m.Record != "" {
		return false
	}
	alone := m.Kind == lock.Lease || m.Kind == lock.Session && slices.Contains(m.Evidence, meaning.KeyAbsent)
	return alone && (!m.Mine || m.Value == nil || m.Value.IsZero())
}

// turning is the call on the way to an effect that a loop makes again and again, and
// where it stands; without one in view, the effect itself.
func (k *keeping) turning(x summary.Effect) (lock.Frame, *ssa.Call) {
	for _, frame := range summary.Way(x) {
		for _, f := range k.e.Index.InFile(k.e.Place(frame.Position).File) {
			call, ok := f.CallAt(frame.Position).(*ssa.Call)
			if ok && slices.ContainsFunc(f.Sums[call.Parent()].Loops, func(l *summary.Loop) bool { return l.Body[call.Block()] && l.Turns.Rounds >= summary.Endless }) {
				return frame, call
			}
		}
	}
	return x.At, nil
}

// told reports whether something that others notice happens in the loop around a call
// before it, so that the work may have ended. Renewals and what they answer are not
// that.
func (k *keeping) told(call *ssa.Call) bool {
	fn := call.Parent()
	f := k.e.Families[code.Origin(code.Root(fn))]
	s := f.Sums[fn]
	for _, l := range s.Loops {
		if !l.Body[call.Block()] {
			continue
		}
		for b := range l.Body {
			for _, in := range b.Instrs {
				renews := slices.ContainsFunc(s.Steps[in], func(x summary.Effect) bool { _, ok := k.renews(fn, x); return ok })
				if !renews && code.Before(in, call) && tellsSomebody(f, in) {
					return true
				}
			}
		}
	}
	return false
}

// forever reports whether a goroutine renews, in a loop that nothing ends, a lock
// that is given back by the function that started it: no condition, no error, and at
// the most the closing of a channel that ticks.
func (k *keeping) forever(f *engine.Family, in ssa.CallInstruction) bool {
	fn := in.Parent()
	if fn.Parent() == nil || !inGoroutine(fn) || !slices.ContainsFunc(k.e.Recorded[f], func(r summary.Recorded) bool { return r.Site.Func == fn.Parent() && len(r.Site.Freed) > 0 }) {
		return false
	}
	return slices.ContainsFunc(f.Sums[fn].Loops, func(l *summary.Loop) bool {
		if !l.Body[in.Block()] {
			return false
		}
		for b := range l.Body {
			if len(b.Succs) == 0 {
				return false
			}
			for _, s := range b.Succs {
				if !l.Body[s] && !endsOnTick(f, b) {
					return false
				}
			}
		}
		return true
	})
}

// stops reports whether a renewal runs after the first tick of a ticker and never again:
// neither it nor what starts the goroutine that it runs in stands in a loop. Who waits
// for a single time may want to renew a single time; a ticker is made to go on. Where the
// tick tells when to take the lock, what comes after that is the work.
func (k *keeping) stops(f *engine.Family, in ssa.CallInstruction) bool {
	_, plain := in.(*ssa.Call)
	if !plain || !afterTick(f, in.Block()) || slices.ContainsFunc(f.Sums[in.Parent()].Sites, func(st *summary.Site) bool {
		return code.Before(st.At, in) && afterTick(f, st.At.Block())
	}) {
		return false
	}
	return k.single(f, in, 0)
}

// afterTick reports whether control gets to b by the tick of a ticker.
func afterTick(f *engine.Family, b *ssa.BasicBlock) bool {
	ticker := func(c ssa.Value) bool {
		if load, ok := c.(*ssa.UnOp); ok {
			if a, ok := load.X.(*ssa.FieldAddr); ok && types.TypeString(types.Unalias(a.X.Type()), nil) == "*time.Ticker" {
				return true // wherever that is kept
			}
		}
		t := f.Get(c)
		if t.Kind == term.Field {
			t = t.Args[0]
		}
		return t.Kind == term.Call && f.Timer(t) && f.Engine.Reader.Entry(t).Blocks.Kind == "tick"
	}
	for d := b; d != nil; d = d.Idom() {
		for _, in := range d.Instrs {
			if recv, ok := in.(*ssa.UnOp); ok && recv.Op == token.ARROW && ticker(recv.X) {
				return true
			}
		}
		if p := d.Idom(); p != nil && code.Selected(p, d, ticker) != nil {
			return true
		}
	}
	return false
}

// maxStarters bounds how many functions up who starts a goroutine is looked for.
const maxStarters = 3

// single reports whether a call in a goroutine runs once for each time that its lock is
// taken, as far as everybody is in view who starts it.
func (k *keeping) single(f *engine.Family, in ssa.CallInstruction, depth int) bool {
	fn := in.Parent()
	if depth > maxStarters || slices.ContainsFunc(f.Sums[fn].Loops, func(l *summary.Loop) bool {
		return l.Body[in.Block()] && !slices.ContainsFunc(f.Sums[fn].Sites, func(st *summary.Site) bool { return l.Body[st.At.Block()] && code.Before(st.At, in) })
	}) {
		return false
	}
	if depth > 0 && f.Starts(in) {
		return true
	}
	var callers []ssa.CallInstruction
	if fn.Parent() == nil {
		if fn.Object() == nil || fn.Object().Exported() {
			return false
		}
		for _, g := range k.e.Order {
			for _, c := range g.Calling {
				if code.Origin(c.Common().StaticCallee()) == fn {
					callers = append(callers, c)
				}
			}
		}
	} else if made := f.Made[fn]; made != nil {
		for _, r := range *made.Referrers() {
			if _, debug := r.(*ssa.DebugRef); debug {
				continue
			}
			c, ok := r.(ssa.CallInstruction)
			if !ok {
				return false
			}
			callers = append(callers, c)
		}
	}
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(c ssa.CallInstruction) bool {
		g := k.e.Families[code.Origin(code.Root(c.Parent()))]
		return g == nil || g == f && fn.Parent() == nil || !k.single(g, c, depth+1)
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

// endsOnTick reports whether a block ends by asking whether a ticker's channel is closed,
// which it never is.
func endsOnTick(f *engine.Family, b *ssa.BasicBlock) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	x, ok := br.Cond.(*ssa.Extract)
	if !ok || x.Index != 1 {
		return false
	}
	recv, ok := x.Tuple.(*ssa.UnOp)
	return ok && len(f.Waiting(recv)) > 0
}
