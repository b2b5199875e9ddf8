package slips

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A session's lock is given back through the connection that took it. Once that is back in
// its pool, an unlock through it does not arrive, and the session keeps the lock there.

// parted finds releases of a session's lock that run on a connection which has gone back to
// its pool by then, in functions that belong to the lock.
func parted(e *engine.Engine, t *taking) []lock.Slip {
	if t.m.Kind != lock.Advisory || t.m.Scope != "session" || t.m.On == nil {
		return nil
	}
	var out []lock.Slip
	e.EachIn(code.PackagePath(t.st.Func), func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		if f != t.f && !kin(fn, t.st.Func) && !beside(e, fn, t.st.Func) {
			return
		}
		back := handings(f, fn)
		if len(back) == 0 {
			return
		}
		releases := make(map[ssa.Instruction]summary.Effect)
		unlocks := false // also by a plain call: a deferred one is for what that leaves
		for in, list := range s.Steps {
			for _, x := range list {
				r, ok := e.Release(x)
				if !ok || r.Family != t.m.Family || r.On == nil || len(r.On.Alts()) > 1 || x.Reach == summary.ByGoroutine || f == t.f && !e.Related(r.On, t.m.On) {
					continue
				}
				if _, plain := in.(*ssa.Call); plain {
					unlocks = true
				}
				if slices.ContainsFunc(back, func(h handing) bool { return h.of(r.On) && h.before(in) }) && !ended(f, r.On) {
					releases[in] = x
				}
			}
		}
		given := func(in ssa.Instruction, x summary.Effect) {
			_, deferred := in.(*ssa.Defer)
			r, _ := e.Release(x)
			for _, h := range back {
				if !h.of(r.On) || !h.before(in) || deferred && unlocks || fn == t.st.Func && code.Before(h.at, t.st.At) && !h.deferred() {
					continue // taken through another one since
				}
				at := f.Frame(in, "")
				for _, frame := range summary.Way(x) {
					if c := f.CallAt(frame.Position); c != nil {
						at = f.Frame(c, "")
					}
				}
				out = append(out, lock.Slip{Frame: at, Kind: lock.SlipReturned, Detail: "before", Other: f.Frame(h.at, "the session goes back to the pool here")})
				break
			}
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if x, ok := releases[in]; ok {
					given(in, x)
				}
			}
		}
	})
	return out
}

// A handing is a call in a function that gives a connection back to its pool.
type handing struct {
	at ssa.CallInstruction
	on *term.T
}

func (h handing) of(on *term.T) bool { return on.Any(func(x *term.T) bool { return x == h.on }) }

func (h handing) deferred() bool { _, ok := h.at.(*ssa.Defer); return ok }

// before reports whether the connection is gone when a call of the same function runs.
// Deferred calls run last in, first out.
func (h handing) before(in ssa.Instruction) bool {
	_, deferred := in.(*ssa.Defer)
	switch {
	case ssa.Instruction(h.at) == in:
		return false
	case h.deferred():
		return deferred && code.Before(in, h.at)
	case deferred && code.Before(in, h.at):
		return true
	}
	return code.Before(h.at, in)
}

// handings lists the calls of a function that give back a connection, by themselves or in
// the function that they run, which does so whatever happens.
func handings(f *engine.Family, fn *ssa.Function) []handing {
	var out []handing
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(ssa.CallInstruction)
			if _, async := in.(*ssa.Go); !ok || async {
				continue
			}
			if on := handed(f, c.Common(), c); on != nil {
				out = append(out, handing{c, on})
				continue
			}
			callee := code.Origin(c.Common().StaticCallee())
			if callee == nil {
				continue
			}
			g := f.Engine.Families[code.Root(callee)]
			if g == nil {
				continue
			}
			for _, b := range callee.Blocks {
				for _, in := range b.Instrs {
					inner, ok := in.(*ssa.Call)
					if !ok || !code.OnEveryWay(callee, b) {
						continue
					}
					on := handed(g, inner.Common(), inner)
					if on != nil && g != f {
						on = given(f, c.Common(), g, callee, on)
					}
					if on != nil {
						out = append(out, handing{c, on})
					}
				}
			}
		}
	}
	return out
}

// handed is the connection that a call gives back to its pool; nil for other calls.
func handed(f *engine.Family, c *ssa.CallCommon, in ssa.Instruction) *term.T {
	if len(f.Entries(c)) == 0 {
		return nil
	}
	call := f.CallTerm(c, in.Pos())
	entry := f.Engine.Reader.Entry(call)
	if entry == nil || entry.Hands.IsZero() {
		return nil
	}
	on := f.Engine.Reader.Get(entry.Hands, call, nil)
	if len(on.Alts()) != 1 {
		return nil // one of several
	}
	return on
}

// given is the argument that a function of another family gets for a parameter; nil for
// anything else.
func given(f *engine.Family, c *ssa.CallCommon, g *engine.Family, callee *ssa.Function, param *term.T) *term.T {
	for i, p := range callee.Params {
		if i < len(c.Args) && g.Get(p) == param {
			return f.Get(c.Args[i])
		}
	}
	return nil
}
