package remarks

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A lock of a database session lives as long as its connection. Whoever pings that in a
// loop renews the lock, and hears first that it is lost.

// pings notes a loop that asks the connection of a lock whether it is there, and does
// nothing but to write a log line where it is not.
func (k *keeping) pings(f *engine.Family, in ssa.CallInstruction) {
	call, ok := in.(*ssa.Call)
	if !ok || !turnsHeld(f, call) {
		return
	}
	c := call.Common()
	callee := code.Declared(c)
	if callee == nil || c.IsInvoke() || !strings.HasPrefix(callee.Name(), "Ping") || k.e.Reader.Catalog.Handle(code.ReceiverType(callee.Origin().FullName())) != "conn" {
		return
	}
	if !k.ownsLock(f, c.Args[0]) {
		return
	}
	if how := unheard(f, call); how != "" {
		k.found.add(f, call.Parent(), lock.Call{Frame: f.Frame(call, how), Call: f.Frame(call, "").Callee, Kind: lock.RenewUnheard})
	}
}

// ownsLock reports whether a connection is one on which the family, or a caller that hands
// it over, takes a lock.
func (k *keeping) ownsLock(f *engine.Family, conn ssa.Value) bool {
	if k.takesOn(f, f.Get(conn)) {
		return true
	}
	p, ok := f.Single(conn).(*ssa.Parameter)
	if !ok {
		return false
	}
	i := slices.Index(p.Parent().Params, p)
	return slices.ContainsFunc(k.e.Readings().Callers[p.Parent()], func(c *ssa.CallCommon) bool {
		if i >= len(c.Args) {
			return false
		}
		g := k.e.Readings().Family(c.Args[i])
		return g != nil && g != f && k.takesOn(g, g.Get(c.Args[i]))
	})
}

// takesOn reports whether a family takes a session's lock on a connection.
func (k *keeping) takesOn(f *engine.Family, on *term.T) bool {
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
		s := f.Sums[fn]
		if s == nil {
			return false
		}
		for _, st := range s.Sites {
			if m, ok := k.e.Acquire(st.Lock.Call); ok && m.Kind == lock.Advisory && m.On != nil && m.On == on {
				return true
			}
		}
		return false
	})
}
