package engine

import (
	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/lock"
)

// Batch says how a write that a callback queues is sent.
type Batch uint8

const (
	Alone   Batch = iota
	Queued        // together with others
	Atomic        // in one transaction
	Watched       // in one transaction, which fails where what was read before has changed
	Loose         // while something is watched, but not in the transaction that would tell
)

// gathered marks what a callback does with how r sends it. A batch is written
// where it is sent.
func gathered(list []Effect, r *catalog.Runs, at lock.Frame) []Effect {
	for i := range list {
		x := &list[i]
		if r.Batch {
			if len(x.Via) < maxVia {
				x.Via = append(x.Via[:len(x.Via):len(x.Via)], x.At)
			}
			x.At, x.Batch = at, Queued
			if r.Atomic {
				x.Batch = Atomic
			}
		}
		if !r.Watch.IsZero() {
			if x.Batch == Atomic {
				x.Batch = Watched
			} else {
				x.Batch = Loose
			}
		}
	}
	return list
}

// sent adds what the way a write is sent says about its condition.
func sent(b Batch, r ruling) ruling {
	if r.cond != lock.None {
		return r
	}
	switch b {
	case Watched:
		return ruling{cond: lock.Version, note: "in a transaction that fails where what was read has changed"}
	case Loose:
		if r.fault == "" {
			r.fault = "what is watched guards a transaction only, and this is none"
		}
	}
	return r
}

// writes lists what a call writes: what was queued in the section, where it
// sends a batch. A batch that was filled before stays out of sight.
func (j *judge) writes(ms []meaning.Meaning) []*meaning.Change {
	var out []*meaning.Change
	for _, m := range ms {
		if m.Role != meaning.Write {
			continue
		}
		queued := j.queued(m.Write)
		if len(queued) == 0 {
			queued = []*meaning.Change{m.Write}
		}
		out = append(out, queued...)
	}
	return out
}

func (j *judge) queued(sent *meaning.Change) []*meaning.Change {
	if sent.Batch == nil {
		return nil
	}
	var out []*meaning.Change
	for _, x := range j.st.effects {
		if x.Call == nil || x.Open != Closed {
			continue
		}
		for _, m := range j.e.reader.Of(x.Call) {
			if m.Role == meaning.Queued && m.On == sent.Batch {
				c := *m.Write
				c.On, c.Call = sent.On, sent.Call
				out = append(out, &c)
			}
		}
	}
	return out
}

// An acquire that is queued takes the lock when its batch is sent, and has no answer
// before.

// sender is the call that sends what a call queues on its receiver, or nil: the first
// that always comes after it.
func (f *family) sender(in ssa.CallInstruction) ssa.CallInstruction {
	pipe := operand(in.Common(), catalog.Ref{Base: catalog.Receiver})
	if pipe == nil || pipe.Referrers() == nil {
		return nil
	}
	for _, r := range *pipe.Referrers() {
		c, ok := r.(*ssa.Call)
		if !ok || !before(in, c) {
			continue
		}
		if e := f.e.reader.Entry(f.callTerm(c.Common(), c.Pos())); e != nil && !e.Sends.IsZero() && operand(c.Common(), e.Sends) == pipe {
			return c
		}
	}
	return nil
}

// batchOf is the call that runs the function literal around a call, and sends what that
// queues on what the literal is given; nil: there is none.
func (f *family) batchOf(in ssa.CallInstruction) ssa.CallInstruction {
	pipe, ok := operand(in.Common(), catalog.Ref{Base: catalog.Receiver}).(*ssa.Parameter)
	if !ok || pipe.Parent().Parent() == nil {
		return nil
	}
	for _, c := range f.calling {
		e := f.e.reader.Entry(f.callTerm(c.Common(), c.Pos()))
		if e != nil && e.Runs != nil && e.Runs.Batch && functionIn(operand(c.Common(), e.Runs.Func)) == pipe.Parent() {
			return c
		}
	}
	return nil
}

// queuedSites lists the locks that the function literal which a call runs queues for it.
func (f *family) queuedSites(batch ssa.CallInstruction) []*site {
	var sites []*site
	for _, in := range f.calling {
		call := f.callTerm(in.Common(), in.Pos())
		if _, ok := f.e.acquire(call); !ok || f.batchOf(in) != batch {
			continue
		}
		at := f.frame(in, "")
		sites = append(sites, &site{at: in, sent: batch, lock: Acquired{Call: call, At: at, Origin: at.Position}, callTerm: call, direct: true})
	}
	return sites
}
