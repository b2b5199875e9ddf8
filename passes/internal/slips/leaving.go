package slips

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// leaves finds ways on which a section ends with the lock still held: a return
// where others release, the next turn of a loop, the end of the process.
func leaves(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil {
		return nil
	}
	if at := t.dropped(); at.IsValid() {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "dropped", Other: at}}
	}
	if len(t.st.Release) == 0 {
		return nil
	}
	if at := t.unstarted(); at.IsValid() {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Other: at}}
	}
	if at := t.undeferred(); at.IsValid() {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Other: at}}
	}
	var out []lock.Slip
	if at := t.left(); at.IsValid() {
		out = append(out, lock.Slip{Frame: t.u.Acquire, Kind: lock.SlipLeft, Other: at})
	} else if at := t.leftLost(); at.IsValid() {
		out = append(out, lock.Slip{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "lost", Other: at})
	}
	for _, in := range t.st.Region.Held {
		if c, ok := in.(*ssa.Call); ok && t.ends(c) {
			slip := lock.Slip{Frame: t.f.Frame(c, ""), Kind: lock.SlipExit, Other: t.u.Acquire}
			if t.st.Deferred {
				slip.Detail = "deferred"
			}
			out = append(out, slip)
		}
	}
	return out
}

// left returns the place where the lock is left behind: a return that tells an
// error, or that comes before the release in a function that tells none. Where a
// return without an error keeps the lock, the function takes it for others, unless
// it keeps to itself by what they could release it.
func (t *taking) left() lock.Frame {
	st := t.st
	if t.m.Raw && t.m.Kind != lock.Lease || t.m.Record != "" {
		return lock.Frame{} // it ends with its session, or when the record says so
	}
	if !t.ours() {
		return lock.Frame{}
	}
	if in := t.around(false); in != nil {
		return t.f.Frame(in, "the loop goes on here with the lock held")
	}
	if !st.HeldOut || st.Deferred || t.takenAgain() {
		return lock.Frame{}
	}
	var early *ssa.Return
	for _, ret := range st.Region.Returns {
		failed, known := fails(st, ret)
		switch {
		case t.lost(ret.Block()):
		case known && failed, (!known || t.owns()) && t.passes(ret):
			if early == nil {
				early = ret
			}
		default:
			return lock.Frame{}
		}
	}
	if early == nil {
		return lock.Frame{}
	}
	return t.f.Frame(early, "returns here with the lock held")
}

// ours reports whether the function releases its lock itself, and on some ways only.
func (t *taking) ours() bool {
	st := t.st
	return !st.Wrapper && (!st.Deferred || t.withSession()) && !st.Returned && len(st.Region.Stops) > 0 && !t.handed(nil)
}

// withSession reports whether all that is deferred is the end of the session that
// owns the lock. That comes when the function returns: until then, a loop in which the
// lock is taken keeps what it does not release itself.
func (t *taking) withSession() bool {
	return !slices.ContainsFunc(t.releasing(), func(r freeing) bool {
		if _, deferred := r.in.(*ssa.Defer); !deferred {
			return false
		}
		m, ok := t.f.Engine.Release(r.x)
		return !ok || !m.Session
	})
}

// takenAgain reports whether the section takes the same lock again, in the next turn
// of a loop, or is where one that has it takes it again: that renews the lease, and whoever
// leaves the loop lets it end.
func (t *taking) takenAgain() bool {
	return t.st.Region.Again || slices.ContainsFunc(t.f.Sums[t.st.Func].Sites, func(other *summary.Site) bool {
		within := slices.Contains(t.st.Region.Held, ssa.Instruction(other.At)) || other.Region != nil && slices.Contains(other.Region.Held, ssa.Instruction(t.st.At))
		return other != t.st && within && t.sameAs(other)
	})
}

// sameAs reports whether another site takes the same lock.
func (t *taking) sameAs(other *summary.Site) bool {
	m, ok := t.f.Engine.Acquire(other.Lock.Call)
	if !ok || m.Library != t.m.Library {
		return false
	}
	if m.Key == nil && t.m.Key == nil { // out of sight: then by what takes it
		return t.f.Engine.Pool.Alike(meaning.Receiver(other.Lock.Call), meaning.Receiver(t.st.Lock.Call))
	}
	return t.f.Engine.Pool.Alike(m.Key, t.m.Key)
}

// passes reports whether a return of a function without an error comes before
// the release on another way: there the lock was forgotten, after it the lock is
// kept on purpose and what is released is a failure.
func (t *taking) passes(ret *ssa.Return) bool {
	for _, v := range ret.Results {
		if code.IsError(v.Type()) && !t.owns() || t.st.Region.Fact(v).Same(world.True) {
			return false
		}
	}
	return ret.Pos().IsValid() && !engine.NamesLock(code.Root(t.st.Func).Name()) && slices.ContainsFunc(t.st.Region.Stops, func(in ssa.Instruction) bool {
		return in.Pos() > ret.Pos() && !code.Failing(in.Block())
	})
}

// owns reports whether the lock can be released by an object only that the function
// made itself.
func (t *taking) owns() bool {
	return t.st.Direct && !t.m.Raw && t.m.Handle != nil && t.m.Handle.Kind == term.Call && t.f.CallOf(t.m.Handle) != nil
}

// dropped returns a return with an error in a function that gives the lock to its
// caller when all goes well: on that way nobody gets it, and nobody can release it.
func (t *taking) dropped() lock.Frame {
	st := t.st
	if !st.Direct || !st.Wrapper || !st.Returned || t.m.Kind != lock.Lease || t.m.Row != nil {
		return lock.Frame{}
	}
	for _, ret := range st.Region.Returns {
		b := ret.Block()
		if failed, known := fails(st, ret); !known || !failed || !code.Failing(b) || t.lost(b) || t.handed(b) || t.gives(ret) || t.tidied(b) {
			continue
		}
		return t.f.Frame(ret, "returns here with the lock held")
	}
	return lock.Frame{}
}

// unstarted returns a return with an error in a function that starts a goroutine which
// gives the lock back: on that way it is not started, and nobody else knows the lock.
func (t *taking) unstarted() lock.Frame {
	st := t.st
	if t.m.Raw && t.m.Kind != lock.Lease || t.m.Record != "" || st.Wrapper || st.Deferred || st.Returned || !slices.ContainsFunc(st.Region.Held, func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		if !ok {
			return false
		}
		list := t.f.Sums[st.Func].Steps[c]
		i := t.f.ReleaseIndex(list, st.Match)
		return i >= 0 && list[i].Reach == summary.ByGoroutine
	}) {
		return lock.Frame{}
	}
	for _, ret := range st.Region.Returns {
		b := ret.Block()
		if failed, known := fails(st, ret); known && failed && !t.lost(b) && !t.handed(b) && !t.gives(ret) && !t.tidied(b) {
			return t.f.Frame(ret, "returns here with the lock held")
		}
	}
	return lock.Frame{}
}

// gives reports whether a return gives the caller the lock.
func (t *taking) gives(ret *ssa.Return) bool {
	return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
		return !code.IsError(v.Type()) && t.f.Get(v).Any(func(x *term.T) bool { return x == t.st.Term || t.m.Handle != nil && x == t.m.Handle })
	})
}

// tidied reports whether a closure that releases the lock was made on the way to b: it
// may be deferred for the case of an error, or kept for later.
func (t *taking) tidied(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(t.f.Members, func(fn *ssa.Function) bool {
		if fn == t.st.Func || !slices.ContainsFunc(slices.Collect(maps.Values(t.f.Sums[fn].Steps)), func(list []summary.Effect) bool {
			return t.f.ReleaseIndex(list, t.st.Match) >= 0
		}) {
			return false
		}
		for fn.Parent() != nil && fn.Parent() != t.st.Func {
			fn = fn.Parent()
		}
		made := t.f.Made[fn]
		return made == nil || made.Block() == b || code.CanReach(made.Block(), b, nil)
	})
}

// around returns where a loop goes on to the next acquire with the lock held,
// although it releases on another way in the same loop.
func (t *taking) around(anyway bool) ssa.Instruction {
	if !t.st.Region.Again || !t.comesBack(anyway) {
		return nil
	}
	for _, l := range t.f.Sums[t.st.Func].Loops {
		if !l.Body[t.st.At.Block()] {
			continue
		}
		for _, in := range t.st.Region.Stops {
			if l.Body[in.Block()] && code.Before(t.st.At, in) && !code.Failing(in.Block()) && code.CanReach(in.Block(), t.st.At.Block(), nil) {
				return t.st.At
			}
		}
	}
	return nil
}

// comesBack reports whether control comes to the acquire again with the lock held: it
// was neither released on the way nor seen to be lost, unless that does not matter.
func (t *taking) comesBack(anyway bool) bool {
	at := t.st.At.Block()
	held, seen := make(map[*ssa.BasicBlock]bool), make(map[*ssa.BasicBlock]bool)
	for _, in := range t.st.Region.Held {
		held[in.Block()] = true
	}
	for _, in := range t.st.Region.Stops {
		held[in.Block()] = in.Block() == at && code.Before(in, t.st.At)
	}
	work := slices.Clone(at.Succs)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || b != at && (!held[b] || !anyway && t.lost(b)) {
			continue
		}
		if b == at {
			return true
		}
		seen[b] = true
		work = append(work, b.Succs...)
	}
	return false
}

// ends reports whether a call ends the process, although the lock is not lost:
// where the loss was seen, there is nothing to release.
func (t *taking) ends(c *ssa.Call) bool {
	entry := t.f.Engine.Reader.Entry(t.f.CallTerm(c.Common(), c.Pos()))
	if entry == nil || !entry.Ends {
		return false
	}
	if fn := c.Common().StaticCallee(); fn == nil || strings.HasPrefix(fn.Name(), "Panic") || fn.Name() == "Goexit" {
		return false // deferred calls run
	}
	return !t.lost(c.Block())
}

// lost reports whether control gets to b because the lock was lost: it received
// from the lock's signal, could not renew or release, or its session does not
// answer.
func (t *taking) lost(b *ssa.BasicBlock) bool {
	for d := b; d.Idom() != nil; d = d.Idom() {
		p := d.Idom()
		for _, in := range p.Instrs {
			if recv, ok := in.(*ssa.UnOp); ok && recv.Op == token.ARROW && t.signal(recv.X) {
				return true
			}
		}
		if code.Selected(p, d, t.signal) != nil {
			return true
		}
	}
	found := false
	code.Reasons(b, func(br *ssa.If, _ int) {
		bin, ok := br.Cond.(*ssa.BinOp)
		found = found || ok && t.tends(bin.X)
	})
	return found
}

// signal reports whether a channel tells the loss of the lock.
func (t *taking) signal(c ssa.Value) bool {
	apart := t.m.Parent == nil || t.m.Parent.Kind == term.Unknown // from its session, in an object made elsewhere
	return t.f.Get(c).Any(func(x *term.T) bool {
		if apart && x.Kind == term.Call && slices.ContainsFunc(t.f.Engine.Reader.Of(x), func(m meaning.Meaning) bool { return m.Role == meaning.Loss && m.Library == t.m.Library }) {
			return true
		}
		return x == t.st.Term || x == t.st.Lock.Call || t.m.Handle != nil && x == t.m.Handle || t.m.Parent != nil && x == t.m.Parent
	})
}

// tends reports whether an error is that of a call which takes, renews or
// releases a lock, or asks whether its session is alive.
func (t *taking) tends(v ssa.Value) bool {
	if last := t.f.Single(v); last != nil {
		v = last // not what the variable held before
	}
	call := t.f.Get(v)
	if call.Any(func(x *term.T) bool { return x == t.st.Term }) {
		return true // what a helper made of the acquire's own answer
	}
	for call != nil && (call.Kind == term.Result || call.Kind == term.Call && t.f.Engine.Reader.Entry(call) != nil && t.f.Engine.Reader.Entry(call).Reads != nil) {
		call = call.Args[0]
	}
	if call == nil || call.Kind != term.Call {
		return false
	}
	for _, m := range t.f.Engine.Reader.Of(call) {
		if m.Role == meaning.Acquire || m.Role == meaning.Renew || m.Role == meaning.Release {
			return true
		}
	}
	if recv := meaning.Receiver(call); recv != nil && t.m.On != nil && t.f.Engine.Related(recv, t.m.On) && strings.Contains(call.Name, ").Ping") {
		return true
	}
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	c, ok := v.(*ssa.Call) // of a wrapper
	return ok && slices.ContainsFunc(t.f.Sums[c.Parent()].Steps[c], t.f.Engine.Frees)
}

// stacks finds a second acquire of a session's own lock while it is held: those
// stack, and one release frees one of them.
func stacks(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || t.m.Kind != lock.Advisory || t.m.Scope != "session" || len(t.st.Release) == 0 {
		return nil
	}
	sum := t.f.Sums[t.st.Func]
	releases := 0
	for _, r := range t.releasing() {
		if r.in != nil {
			releases++
		}
	}
	var out []lock.Slip
	for _, other := range sum.Sites {
		m, ok := e.Acquire(other.Lock.Call)
		if other == t.st || !ok || m.Library != t.m.Library || !code.Reaches(t.st.Region, other.At) || !e.Pool.Alike(m.Key, t.m.Key) || !e.Pool.Alike(m.On, t.m.On) {
			continue
		}
		turns := slices.ContainsFunc(sum.Loops, func(l *summary.Loop) bool { return l.Body[other.At.Block()] && !l.Body[t.st.At.Block()] })
		if turns || releases < 2 {
			out = append(out, lock.Slip{Frame: other.Lock.At, Kind: lock.SlipStacked, Other: t.u.Acquire})
		}
	}
	return out
}

// handsBack finds a session lock that nothing releases, while its connection
// goes back to the pool it came from.
func handsBack(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || t.m.Scope != "session" || t.m.On == nil || len(t.st.Freed) > 0 || t.st.Wrapper && t.st.Returned {
		return nil
	}
	made := e.HandleMaker(t.m.On)
	if made == nil {
		return nil
	}
	what := ""
	switch e.Reader.Entry(made).Pool {
	case "conn":
	case "tx":
		if e.HandleKind(made, meaning.Receiver(made)) != "pool" {
			return nil // its session is somebody's, who may unlock
		}
		what = "transaction"
	default:
		return nil
	}
	for _, fn := range t.f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := t.f.CallTerm(c.Common(), c.Pos())
				entry := e.Reader.Entry(call)
				if entry == nil {
					continue
				}
				hands := entry.Hands
				if what != "" && engine.EndsTransaction(entry) {
					hands = entry.Release.Handle
				}
				if hands.IsZero() || !e.Related(e.Reader.Get(hands, call, nil), t.m.On) {
					continue
				}
				if _, deferred := in.(*ssa.Defer); !t.runs(in) || t.st.Wrapper && t.st.HeldOut && !deferred {
					continue // where the lock was not taken, or may not have been
				}
				if ended(t.f, t.m.On) {
					return nil
				}
				return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipReturned, Detail: what, Other: t.f.Frame(in, "the session goes back to the pool here")}}
			}
		}
	}
	return nil
}

// runs reports whether a call runs in the section, or in a defer.
func (t *taking) runs(in ssa.Instruction) bool {
	if in.Parent() == t.st.Func {
		d, ok := in.(*ssa.Defer)
		return code.Reaches(t.st.Region, in) || ok && code.Before(d, t.st.At)
	}
	mc := t.f.Made[in.Parent()]
	return mc != nil && slices.ContainsFunc(*mc.Referrers(), func(r ssa.Instruction) bool { _, ok := r.(*ssa.Defer); return ok })
}

// ended reports whether the family does something else with a connection that
// can end the session: Raw with driver.ErrBadConn.
func ended(f *engine.Family, on *term.T) bool {
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := f.CallTerm(c.Common(), c.Pos())
				if recv := meaning.Receiver(call); recv != nil && f.Engine.Related(recv, on) && (strings.HasSuffix(call.Name, ".Raw") || strings.HasSuffix(call.Name, ".Hijack")) {
					return true
				}
			}
		}
	}
	return false
}

// abandons finds a session that is closed where the section ends but not where
// the lock could not be taken: it is kept alive, and its place in the queue with
// it.
func abandons(e *engine.Engine, t *taking) []lock.Slip {
	if !t.st.Direct || t.m.Parent == nil {
		return nil
	}
	sum := t.f.Sums[t.st.Func]
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			made, ok := in.(*ssa.Call)
			if !ok || !code.Before(made, t.st.At) {
				continue
			}
			call := t.f.CallTerm(made.Common(), made.Pos())
			entry := e.Reader.Entry(call)
			if entry == nil || entry.New == nil || !entry.New.Leaks || !t.m.Parent.Any(func(x *term.T) bool { return x == call }) {
				continue
			}
			if entry.New.Lapses && t.u.TTL.Source != "none" && !renewed(t.f, call) {
				continue
			}
			if ret := t.abandoned(made, call, sum); ret != nil {
				return []lock.Slip{{Frame: t.f.Frame(made, ""), Kind: lock.SlipAbandoned, Other: t.f.Frame(ret, "returns here with the session alive")}}
			}
		}
	}
	return nil
}

// renewed reports whether the family renews a session that would end by itself.
func renewed(f *engine.Family, session *term.T) bool {
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
		for _, list := range f.Sums[fn].Steps {
			if slices.ContainsFunc(list, func(x summary.Effect) bool {
				return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool {
					return m.Role == meaning.Renew && m.Handle != nil && m.Handle.Any(func(y *term.T) bool { return y == session })
				})
			}) {
				return true
			}
		}
		return false
	})
}

// abandoned returns a return after an error of the acquire on which the session
// is not closed, in a function that keeps the session to itself.
func (t *taking) abandoned(made *ssa.Call, call *term.T, sum *summary.Summary) *ssa.Return {
	e := t.f.Engine
	is := func(v ssa.Value) bool { return t.f.Get(v) == call }
	closes := func(in ssa.Instruction) bool {
		return slices.ContainsFunc(t.f.Sums[in.Parent()].Steps[in], func(x summary.Effect) bool {
			r, ok := e.Release(x)
			return ok && r.Session && (r.Handle == nil || r.Handle.Any(func(y *term.T) bool { return y == call })) ||
				x.Call != nil && x.Open == summary.Closed && strings.HasSuffix(x.Call.Name, ".Orphan")
		})
	}
	for _, fn := range t.f.Members {
		if fn != t.st.Func && t.f.Sums[fn] != nil {
			for in := range t.f.Sums[fn].Steps {
				if closes(in) {
					return nil // a closure's task
				}
			}
		}
	}
	closed := slices.ContainsFunc(sum.Loops, func(l *summary.Loop) bool { return l.Body[made.Block()] })
	for in := range sum.Steps {
		if closes(in) {
			if _, async := in.(*ssa.Go); async {
				return nil
			}
			closed = true // here, or by a defer from here on
		}
		if c, ok := in.(ssa.CallInstruction); ok && e.Reader.Entry(t.f.CallTerm(c.Common(), c.Pos())) == nil && slices.ContainsFunc(c.Common().Args, is) {
			return nil // given to others
		}
	}
	if !closed {
		return nil // one for the life of the process
	}
	for _, p := range t.f.Places {
		if t.f.Get(p.Val).Any(func(x *term.T) bool { return x == call }) {
			return nil // kept in an object, whose Close may end it
		}
	}
	region := world.Explore(made, born{made}, func(in ssa.Instruction) world.Verb {
		if closes(in) {
			return world.Stop
		}
		return world.Go
	})
	refused := make(map[*ssa.Return]bool)
	for _, broken := range []bool{false, true} {
		for _, ret := range t.denied(broken).Returns {
			refused[ret] = true
		}
	}
	for _, ret := range region.Returns {
		if refused[ret] && !slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			return !code.IsError(v.Type()) && t.f.Get(v).Any(func(x *term.T) bool { return x == call })
		}) {
			return ret
		}
	}
	return nil
}

// born is the world in which a constructor has made its object.
type born struct{ made *ssa.Call }

// Value implements world.Oracle.
func (w born) Value(v ssa.Value) (world.Fact, bool) {
	if v == ssa.Value(w.made) {
		return world.Success(v.Type()), true
	}
	if x, ok := v.(*ssa.Extract); ok && x.Tuple == ssa.Value(w.made) {
		return world.Success(x.Type()), true
	}
	return world.Fact{}, false
}

// Stored implements world.Oracle.
func (born) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }
