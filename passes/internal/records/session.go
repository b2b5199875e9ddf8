package records

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// sessionWrites lists what the methods of fn's receiver type write, where fn
// takes an advisory lock on a connection that its receiver keeps. The lock is
// held across methods there: nothing is in the section of the one that takes
// it, but everything that goes through the same connection is inside. ok is
// false when a method writes through anything else.
func sessionWrites(e *engine.Engine, fn *ssa.Function, j *judge) (list []summary.Effect, ok bool) {
	on := j.lock.On
	root := code.Root(fn)
	if j.lock.Kind != lock.Advisory || j.lock.Shared || on == nil || on.Kind != term.Field || on.Args[0].Kind != term.Param || root.Signature.Recv() == nil {
		return nil, false
	}
	if e.OwnerHandle(j.st, j.lock) == "pool" {
		return nil, false
	}
	recv := code.NamedOf(root.Signature.Recv().Type())
	if recv == nil {
		return nil, false
	}
	for i := range recv.NumMethods() {
		m := e.Program.FuncValue(recv.Method(i))
		if f := e.Families[code.Origin(m)]; f != nil && !e.Solved[f] {
			e.SolveFrom([]*engine.Family{f}) // called from elsewhere, if at all
		}
		sum := e.Summary(m)
		if sum == nil || m == root {
			continue
		}
		for _, x := range sum.Effects {
			if x.Call == nil || x.Open != summary.Closed {
				continue
			}
			ms := e.Reader.Of(x.Call)
			if e.PartOfLocking(j.st, j.lock, x, ms) || e.Draws(j.counters, x.Call, ms) {
				continue // this lock's, or another one's record
			}
			for _, w := range ms {
				if w.Role != meaning.Write {
					continue
				}
				if w.Write.On == nil || !onField(e.Session(w.Write.On), on.Name, m) {
					if w.Write.On != nil && !w.Write.On.Any(func(t *term.T) bool { return t == e.Pool.Param(code.FuncName(m), 0, "") }) {
						continue // another object's, as in a method that opens one
					}
					return nil, false
				}
				list = append(list, x)
			}
		}
	}
	return list, len(list) > 0
}

// onField reports whether a statement's handle is, or was made from, a field of
// the method's receiver.
func onField(on *term.T, field string, m *ssa.Function) bool {
	name := code.FuncName(m)
	return on.Any(func(t *term.T) bool {
		return t.Kind == term.Field && t.Name == field && t.Args[0].Kind == term.Param && t.Args[0].Name == name && t.Args[0].Index == 0
	})
}

// onSession reports whether a statement runs on the session or transaction
// that owns the lock.
func (j *judge) onSession(on *term.T) bool {
	if j.lock.On == nil || on == nil || j.lock.Kind != lock.Advisory || j.unheard() {
		return false
	}
	if j.e.OwnerHandle(j.st, j.lock) == "pool" {
		return false
	}
	for _, a := range on.Alts() {
		// The connection, a transaction begun on it, or a prepared statement of it.
		a = j.e.Session(a)
		begun := a.Kind == term.Call && a.MadeOf(j.lock.On)
		switch made, own := j.e.HandleMaker(a), j.e.HandleMaker(j.lock.On); {
		case made != nil && made == own, begun: // one of the two may be called on what is embedded in the other
		case made != nil && own != nil && made.Site != own.Site:
			return false // they look alike, and are opened in two places
		case !j.e.Pool.Alike(a, j.lock.On):
			return false
		}
	}
	return true
}

// unheard reports whether nobody asks for the answer that tells whether the session has got
// the lock: then it may be without.
func (j *judge) unheard() bool {
	return j.lock.Deaf || j.lock.InRow && slices.ContainsFunc(append(slices.Clip(j.st.Lock.Chain), j.st), func(st *summary.Site) bool { return st.Mute && !st.Guarded })
}

// givenSession reports whether a statement runs on something that was made out of sight, and
// was given the session or transaction that owns the lock: a repository by a function value.
func (j *judge) givenSession(on *term.T) bool {
	if on == nil || j.lock.On == nil || j.lock.Kind != lock.Advisory || j.unheard() || on == j.lock.On || j.e.OwnerHandle(j.st, j.lock) == "pool" {
		return false
	}
	has := func(t *term.T) bool { return t.MadeOf(j.lock.On) }
	return has(on) && !slices.ContainsFunc(on.Alts(), func(a *term.T) bool { return !has(a) && j.e.HandleMaker(a) != nil })
}

// rewrites reports whether a write stores what was made of what had been read from the same
// place.
func (j *judge) rewrites(c *meaning.Change) bool {
	return slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool {
		return s.Value != nil && slices.ContainsFunc(j.e.Reader.Queries(s.Value), func(q meaning.Meaning) bool { return engine.Overlap(q.Store, c.Resource) })
	})
}
