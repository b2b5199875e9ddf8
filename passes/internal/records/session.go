package records

import (
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
