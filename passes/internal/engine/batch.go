package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// gathered marks what a callback does with how the call that runs it sends that. A batch is
// written where it is sent. Meanwhile keys are watched.
func (f *Family) gathered(list []summary.Effect, r *catalog.Runs, call *term.T, at lock.Frame) []summary.Effect {
	for i := range list {
		x := &list[i]
		if r.Batch {
			if len(x.Via) < summary.MaxVia {
				x.Via = append(x.Via[:len(x.Via):len(x.Via)], x.At)
			}
			x.At, x.Batch = at, summary.Queued
			switch {
			case r.Apart:
				x.Batch = summary.Apart
			case r.Atomic:
				x.Batch = summary.Atomic
			}
		}
		if r.Watch.IsZero() {
			continue
		}
		if x.Batch == summary.Alone && f.tied(x.Call) {
			x.Batch = summary.Atomic
		}
		keys := f.Engine.Reader.Get(r.Watch, call, nil)
		switch {
		case x.Batch != summary.Atomic, f.unwatched(keys, x.Asked):
			x.Batch = summary.Loose
		default:
			x.Batch = summary.Watched
			if keys != nil && keys.Kind == term.List {
				x.Watched = keys.Args
			}
		}
	}
	return list
}

// tied reports whether a command is queued on a transaction of the connection on which
// keys are watched.
func (f *Family) tied(call *term.T) bool {
	e := f.Engine.Reader.Entry(meaning.Receiver(call))
	return e != nil && e.Part != nil && e.Part.Word == "watched"
}

// unwatched reports whether what is compared before a write is read from keys none of which
// is watched.
func (f *Family) unwatched(keys *term.T, asked []summary.Asked) bool {
	if keys == nil || keys.Kind != term.List || len(keys.Args) == 0 {
		return false // out of sight
	}
	for _, a := range asked {
		for _, q := range f.Engine.Reader.Queries(a.Read) {
			if q.Key != nil && !slices.ContainsFunc(keys.Args, func(k *term.T) bool {
				return f.Engine.Pool.Alike(k, q.Key) || k.Kind == term.Unknown || q.Key.Kind == term.Unknown
			}) {
				return true
			}
		}
	}
	return false
}

// An acquire that is queued takes the lock when its batch is sent, and has no answer
// before.

// sender is the call that sends what a call queues on its receiver, or nil: the first
// that always comes after it.
func (f *Family) sender(in ssa.CallInstruction) ssa.CallInstruction {
	pipe := code.Operand(in.Common(), catalog.Ref{Base: catalog.Receiver})
	if pipe == nil || pipe.Referrers() == nil {
		return nil
	}
	for _, r := range *pipe.Referrers() {
		c, ok := r.(*ssa.Call)
		if !ok || !code.Before(in, c) {
			continue
		}
		if e := f.Engine.Reader.Entry(f.CallTerm(c.Common(), c.Pos())); e != nil && !e.Sends.IsZero() && code.Operand(c.Common(), e.Sends) == pipe {
			return c
		}
	}
	return nil
}

// batchOf is the call that runs the function literal around a call, and sends what that
// queues on what the literal is given; nil: there is none.
func (f *Family) batchOf(in ssa.CallInstruction) ssa.CallInstruction {
	pipe, ok := code.Operand(in.Common(), catalog.Ref{Base: catalog.Receiver}).(*ssa.Parameter)
	if !ok || pipe.Parent().Parent() == nil {
		return nil
	}
	for _, c := range f.Calling {
		e := f.Engine.Reader.Entry(f.CallTerm(c.Common(), c.Pos()))
		if e != nil && e.Runs != nil && e.Runs.Batch && functionIn(code.Operand(c.Common(), e.Runs.Func)) == pipe.Parent() {
			return c
		}
	}
	return nil
}

// queuedSites lists the locks that the function literal which a call runs queues for it.
func (f *Family) queuedSites(batch ssa.CallInstruction) []*summary.Site {
	var sites []*summary.Site
	for _, in := range f.Calling {
		call := f.CallTerm(in.Common(), in.Pos())
		if _, ok := f.Engine.Acquire(call); !ok || f.batchOf(in) != batch {
			continue
		}
		at := f.Frame(in, "")
		sites = append(sites, &summary.Site{At: in, Sent: batch, Lock: summary.Acquired{Call: call, At: at, Origin: at.Position}, Term: call, Direct: true})
	}
	return sites
}
