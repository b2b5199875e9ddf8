package engine

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// leaves finds ways on which a section ends with the lock still held: a return
// where others release, the next turn of a loop, the end of the process.
func (e *Engine) leaves(t *taking) []lock.Slip {
	if t.st.region == nil {
		return nil
	}
	if at := t.dropped(); at.IsValid() {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "dropped", Other: at}}
	}
	if len(t.st.release) == 0 {
		return nil
	}
	if at := t.unstarted(); at.IsValid() {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Other: at}}
	}
	var out []lock.Slip
	if at := t.left(); at.IsValid() {
		out = append(out, lock.Slip{Frame: t.u.Acquire, Kind: lock.SlipLeft, Other: at})
	}
	for _, in := range t.st.region.Held {
		if c, ok := in.(*ssa.Call); ok && t.ends(c) {
			slip := lock.Slip{Frame: t.f.frame(c, ""), Kind: lock.SlipExit, Other: t.u.Acquire}
			if t.st.deferred {
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
	if st.wrapper || st.deferred && !t.withSession() || st.returned || len(st.region.Stops) == 0 || t.handed(nil) {
		return lock.Frame{}
	}
	if in := t.around(); in != nil {
		return t.f.frame(in, "the loop goes on here with the lock held")
	}
	if !st.heldOut || st.deferred || t.takenAgain() {
		return lock.Frame{}
	}
	var early *ssa.Return
	for _, ret := range st.region.Returns {
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
	return t.f.frame(early, "returns here with the lock held")
}

// withSession reports whether all that is deferred is the end of the session that
// owns the lock. That comes when the function returns: until then, a loop in which the
// lock is taken keeps what it does not release itself.
func (t *taking) withSession() bool {
	return !slices.ContainsFunc(t.releasing(), func(r freeing) bool {
		if _, deferred := r.in.(*ssa.Defer); !deferred {
			return false
		}
		m, ok := t.f.e.release(r.x)
		return !ok || !m.Session
	})
}

// takenAgain reports whether the section takes the same lock again, in the next turn
// of a loop: that renews the lease, and whoever leaves the loop lets it end.
func (t *taking) takenAgain() bool {
	return t.st.region.Again || slices.ContainsFunc(t.f.sums[t.st.fn].sites, func(other *site) bool {
		return other != t.st && slices.Contains(t.st.region.Held, ssa.Instruction(other.at)) && t.sameAs(other)
	})
}

// sameAs reports whether another site takes the same lock.
func (t *taking) sameAs(other *site) bool {
	m, ok := t.f.e.acquire(other.lock.Call)
	if !ok || m.Library != t.m.Library {
		return false
	}
	if m.Key == nil && t.m.Key == nil { // out of sight: then by what takes it
		return t.f.e.pool.Alike(meaning.Receiver(other.lock.Call), meaning.Receiver(t.st.lock.Call))
	}
	return t.f.e.pool.Alike(m.Key, t.m.Key)
}

// passes reports whether a return of a function without an error comes before
// the release on another way: there the lock was forgotten, after it the lock is
// kept on purpose and what is released is a failure.
func (t *taking) passes(ret *ssa.Return) bool {
	for _, v := range ret.Results {
		if isError(v.Type()) && !t.owns() || t.st.region.Fact(v).Same(world.True) {
			return false
		}
	}
	return ret.Pos().IsValid() && !NamesLock(rootOf(t.st.fn).Name()) && slices.ContainsFunc(t.st.region.Stops, func(in ssa.Instruction) bool {
		return in.Pos() > ret.Pos() && !failing(in.Block())
	})
}

// owns reports whether the lock can be released by an object only that the function
// made itself.
func (t *taking) owns() bool {
	return t.st.direct && !t.m.Raw && t.m.Handle != nil && t.m.Handle.Kind == term.Call && t.f.callOf(t.m.Handle) != nil
}

// dropped returns a return with an error in a function that gives the lock to its
// caller when all goes well: on that way nobody gets it, and nobody can release it.
func (t *taking) dropped() lock.Frame {
	st := t.st
	if !st.direct || !st.wrapper || !st.returned || t.m.Kind != lock.Lease || t.m.Row != nil {
		return lock.Frame{}
	}
	for _, ret := range st.region.Returns {
		b := ret.Block()
		if failed, known := fails(st, ret); !known || !failed || !failing(b) || t.lost(b) || t.handed(b) || t.gives(ret) || t.tidied(b) {
			continue
		}
		return t.f.frame(ret, "returns here with the lock held")
	}
	return lock.Frame{}
}

// unstarted returns a return with an error in a function that starts a goroutine which
// gives the lock back: on that way it is not started, and nobody else knows the lock.
func (t *taking) unstarted() lock.Frame {
	st := t.st
	if t.m.Raw && t.m.Kind != lock.Lease || t.m.Record != "" || st.wrapper || st.deferred || st.returned || !slices.ContainsFunc(st.region.Held, func(in ssa.Instruction) bool {
		c, ok := in.(ssa.CallInstruction)
		if !ok {
			return false
		}
		list := t.f.sums[st.fn].steps[c]
		i := t.f.releaseIndex(list, st.match)
		return i >= 0 && list[i].Reach == ByGoroutine
	}) {
		return lock.Frame{}
	}
	for _, ret := range st.region.Returns {
		b := ret.Block()
		if failed, known := fails(st, ret); known && failed && !t.lost(b) && !t.handed(b) && !t.gives(ret) && !t.tidied(b) {
			return t.f.frame(ret, "returns here with the lock held")
		}
	}
	return lock.Frame{}
}

// gives reports whether a return gives the caller the lock.
func (t *taking) gives(ret *ssa.Return) bool {
	return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
		return !isError(v.Type()) && t.f.get(v).Any(func(x *term.T) bool { return x == t.st.callTerm || t.m.Handle != nil && x == t.m.Handle })
	})
}

// tidied reports whether a closure that releases the lock was made on the way to b: it
// may be deferred for the case of an error, or kept for later.
func (t *taking) tidied(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(t.f.members, func(fn *ssa.Function) bool {
		if fn == t.st.fn || !slices.ContainsFunc(slices.Collect(maps.Values(t.f.sums[fn].steps)), func(list []Effect) bool {
			return t.f.releaseIndex(list, t.st.match) >= 0
		}) {
			return false
		}
		for fn.Parent() != nil && fn.Parent() != t.st.fn {
			fn = fn.Parent()
		}
		made := t.f.made[fn]
		return made == nil || made.Block() == b || canReach(made.Block(), b, nil)
	})
}

// around returns where a loop goes on to the next acquire with the lock held,
// although it releases on another way in the same loop.
func (t *taking) around() ssa.Instruction {
	if !t.st.region.Again || !t.comesBack() {
		return nil
	}
	for _, l := range t.f.sums[t.st.fn].loops {
		if !l.body[t.st.at.Block()] {
			continue
		}
		for _, in := range t.st.region.Stops {
			if l.body[in.Block()] && before(t.st.at, in) && !failing(in.Block()) && canReach(in.Block(), t.st.at.Block(), nil) {
				return t.st.at
			}
		}
	}
	return nil
}

// comesBack reports whether control comes to the acquire again with the lock held: it
// was neither released on the way nor seen to be lost.
func (t *taking) comesBack() bool {
	at := t.st.at.Block()
	held, seen := make(map[*ssa.BasicBlock]bool), make(map[*ssa.BasicBlock]bool)
	for _, in := range t.st.region.Held {
		held[in.Block()] = true
	}
	for _, in := range t.st.region.Stops {
		held[in.Block()] = in.Block() == at && before(in, t.st.at)
	}
	work := slices.Clone(at.Succs)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] || b != at && (!held[b] || t.lost(b)) {
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
	entry := t.f.e.reader.Entry(t.f.callTerm(c.Common(), c.Pos()))
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
		if selected(p, d, t.signal) != nil {
			return true
		}
	}
	found := false
	reasons(b, func(br *ssa.If, _ int) {
		bin, ok := br.Cond.(*ssa.BinOp)
		found = found || ok && t.tends(bin.X)
	})
	return found
}

// signal reports whether a channel tells the loss of the lock.
func (t *taking) signal(c ssa.Value) bool {
	apart := t.m.Parent == nil || t.m.Parent.Kind == term.Unknown // from its session, in an object made elsewhere
	return t.f.get(c).Any(func(x *term.T) bool {
		if apart && x.Kind == term.Call && slices.ContainsFunc(t.f.e.reader.Of(x), func(m meaning.Meaning) bool { return m.Role == meaning.Loss && m.Library == t.m.Library }) {
			return true
		}
		return x == t.st.callTerm || x == t.st.lock.Call || t.m.Handle != nil && x == t.m.Handle || t.m.Parent != nil && x == t.m.Parent
	})
}

// tends reports whether an error is that of a call which takes, renews or
// releases a lock, or asks whether its session is alive.
func (t *taking) tends(v ssa.Value) bool {
	call := t.f.get(v)
	if call.Any(func(x *term.T) bool { return x == t.st.callTerm }) {
		return true // what a helper made of the acquire's own answer
	}
	for call != nil && (call.Kind == term.Result || call.Kind == term.Call && t.f.e.reader.Entry(call) != nil && t.f.e.reader.Entry(call).Reads != nil) {
		call = call.Args[0]
	}
	if call == nil || call.Kind != term.Call {
		return false
	}
	for _, m := range t.f.e.reader.Of(call) {
		if m.Role == meaning.Acquire || m.Role == meaning.Renew || m.Role == meaning.Release {
			return true
		}
	}
	if recv := meaning.Receiver(call); recv != nil && t.m.On != nil && t.f.e.related(recv, t.m.On) && strings.Contains(call.Name, ").Ping") {
		return true
	}
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	c, ok := v.(*ssa.Call) // of a wrapper
	return ok && slices.ContainsFunc(t.f.sums[c.Parent()].steps[c], t.f.e.frees)
}

// stacks finds a second acquire of a session's own lock while it is held: those
// stack, and one release frees one of them.
func (e *Engine) stacks(t *taking) []lock.Slip {
	if t.st.region == nil || t.m.Kind != lock.Advisory || t.m.Scope != "session" || len(t.st.release) == 0 {
		return nil
	}
	sum := t.f.sums[t.st.fn]
	releases := 0
	for _, r := range t.releasing() {
		if r.in != nil {
			releases++
		}
	}
	var out []lock.Slip
	for _, other := range sum.sites {
		m, ok := e.acquire(other.lock.Call)
		if other == t.st || !ok || m.Library != t.m.Library || !reaches(t.st.region, other.at) || !e.pool.Alike(m.Key, t.m.Key) || !e.pool.Alike(m.On, t.m.On) {
			continue
		}
		turns := slices.ContainsFunc(sum.loops, func(l *loop) bool { return l.body[other.at.Block()] && !l.body[t.st.at.Block()] })
		if turns || releases < 2 {
			out = append(out, lock.Slip{Frame: other.lock.At, Kind: lock.SlipStacked, Other: t.u.Acquire})
		}
	}
	return out
}

// handsBack finds a session lock that nothing releases, while its connection
// goes back to the pool it came from.
func (e *Engine) handsBack(t *taking) []lock.Slip {
	if t.st.region == nil || t.m.Scope != "session" || t.m.On == nil || len(t.st.freed) > 0 || t.st.wrapper && t.st.returned {
		return nil
	}
	made := e.handleMaker(t.m.On)
	if made == nil {
		return nil
	}
	what := ""
	switch e.reader.Entry(made).Pool {
	case "conn":
	case "tx":
		if e.handleKind(made, meaning.Receiver(made)) != "pool" {
			return nil // its session is somebody's, who may unlock
		}
		what = "transaction"
	default:
		return nil
	}
	for _, fn := range t.f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := t.f.callTerm(c.Common(), c.Pos())
				entry := e.reader.Entry(call)
				if entry == nil {
					continue
				}
				hands := entry.Hands
				if what != "" && endsTransaction(entry) {
					hands = entry.Release.Handle
				}
				if hands.IsZero() || !e.related(e.reader.Get(hands, call, nil), t.m.On) {
					continue
				}
				if _, deferred := in.(*ssa.Defer); !t.runs(in) || t.st.wrapper && t.st.heldOut && !deferred {
					continue // where the lock was not taken, or may not have been
				}
				if t.ended() {
					return nil
				}
				return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipReturned, Detail: what, Other: t.f.frame(in, "the session goes back to the pool here")}}
			}
		}
	}
	return nil
}

// endsTransaction reports whether a call ends a transaction, which gives back what was
// taken for that alone.
func endsTransaction(entry *catalog.Call) bool {
	return entry.Release != nil && entry.Release.Scope == "transaction"
}

// runs reports whether a call runs in the section, or in a defer.
func (t *taking) runs(in ssa.Instruction) bool {
	if in.Parent() == t.st.fn {
		d, ok := in.(*ssa.Defer)
		return reaches(t.st.region, in) || ok && before(d, t.st.at)
	}
	mc := t.f.made[in.Parent()]
	return mc != nil && slices.ContainsFunc(*mc.Referrers(), func(r ssa.Instruction) bool { _, ok := r.(*ssa.Defer); return ok })
}

// ended reports whether the family does something else with the connection that
// can end the session: Raw with driver.ErrBadConn.
func (t *taking) ended() bool {
	for _, fn := range t.f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := t.f.callTerm(c.Common(), c.Pos())
				if recv := meaning.Receiver(call); recv != nil && t.f.e.related(recv, t.m.On) && (strings.HasSuffix(call.Name, ".Raw") || strings.HasSuffix(call.Name, ".Hijack")) {
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
func (e *Engine) abandons(t *taking) []lock.Slip {
	if !t.st.direct || t.m.Parent == nil {
		return nil
	}
	sum := t.f.sums[t.st.fn]
	for _, b := range t.st.fn.Blocks {
		for _, in := range b.Instrs {
			made, ok := in.(*ssa.Call)
			if !ok || !before(made, t.st.at) {
				continue
			}
			call := t.f.callTerm(made.Common(), made.Pos())
			entry := e.reader.Entry(call)
			if entry == nil || entry.New == nil || !entry.New.Leaks || !t.m.Parent.Any(func(x *term.T) bool { return x == call }) {
				continue
			}
			if entry.New.Lapses && t.u.TTL.Source != "none" && !t.f.renewed(call) {
				continue
			}
			if ret := t.abandoned(made, call, sum); ret != nil {
				return []lock.Slip{{Frame: t.f.frame(made, ""), Kind: lock.SlipAbandoned, Other: t.f.frame(ret, "returns here with the session alive")}}
			}
		}
	}
	return nil
}

// renewed reports whether the family renews a session that would end by itself.
func (f *family) renewed(session *term.T) bool {
	return slices.ContainsFunc(f.members, func(fn *ssa.Function) bool {
		for _, list := range f.sums[fn].steps {
			if slices.ContainsFunc(list, func(x Effect) bool {
				return x.Call != nil && x.Open == Closed && slices.ContainsFunc(f.e.reader.Of(x.Call), func(m meaning.Meaning) bool {
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
func (t *taking) abandoned(made *ssa.Call, call *term.T, sum *Summary) *ssa.Return {
	e := t.f.e
	is := func(v ssa.Value) bool { return t.f.get(v) == call }
	closes := func(in ssa.Instruction) bool {
		return slices.ContainsFunc(t.f.sums[in.Parent()].steps[in], func(x Effect) bool {
			r, ok := e.release(x)
			return ok && r.Session && (r.Handle == nil || r.Handle.Any(func(y *term.T) bool { return y == call })) ||
				x.Call != nil && x.Open == Closed && strings.HasSuffix(x.Call.Name, ".Orphan")
		})
	}
	for _, fn := range t.f.members {
		if fn != t.st.fn && t.f.sums[fn] != nil {
			for in := range t.f.sums[fn].steps {
				if closes(in) {
					return nil // a closure's task
				}
			}
		}
	}
	closed := slices.ContainsFunc(sum.loops, func(l *loop) bool { return l.body[made.Block()] })
	for in := range sum.steps {
		if closes(in) {
			if _, async := in.(*ssa.Go); async {
				return nil
			}
			closed = true // here, or by a defer from here on
		}
		if c, ok := in.(ssa.CallInstruction); ok && e.reader.Entry(t.f.callTerm(c.Common(), c.Pos())) == nil && slices.ContainsFunc(c.Common().Args, is) {
			return nil // given to others
		}
	}
	if !closed {
		return nil // one for the life of the process
	}
	for _, p := range t.f.places {
		if t.f.get(p.val).Any(func(x *term.T) bool { return x == call }) {
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
			return !isError(v.Type()) && t.f.get(v).Any(func(x *term.T) bool { return x == call })
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
