package records

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// headers lists the conditions that the request of a write carries.
func (j *judge) headers(c *meaning.Change) []meaning.Guard {
	if c.Unknown != lock.ReasonRPC {
		return nil
	}
	var guards []meaning.Guard
	for _, x := range j.st.Effects {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		for _, m := range j.e.Reader.Of(x.Call) {
			if m.Role != meaning.Condition || m.On == nil || len(m.On.Args) != 1 {
				continue
			}
			for _, a := range meaning.Args(c.Call) {
				if a == m.On.Args[0] {
					guards = append(guards, m.Guard)
				}
			}
		}
	}
	return guards
}

// bare reports whether a request carries nothing that belongs to the lock: no
// service can then tell a stale holder's request from the present one's.
func (j *judge) bare(c *meaning.Change, headers []meaning.Guard) bool {
	ours := func(t *term.T) bool {
		if t.Kind == term.Unknown && t.Name != "loop" || t == j.lock.Handle || t == j.st.Term || t == j.lock.Value && t.Kind != term.Const {
			return true
		}
		_, ok := j.token(t)
		return ok
	}
	return !slices.ContainsFunc(c.Call.Args, func(a *term.T) bool { return a.Any(ours) }) &&
		!slices.ContainsFunc(headers, func(g meaning.Guard) bool { return g.Value.Any(ours) })
}
