package slips

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// An object may keep a context and what cancels it, to end the renewal of its lock. A
// release that cancels first, and then sends that same context, is not sent.

// spent finds such releases in functions that belong to the lock.
func spent(e *engine.Engine, t *taking) []lock.Slip {
	var out []lock.Slip
	for _, d := range t.dead.in(code.PackagePath(t.st.Func)) {
		if d.family == t.m.Family && (d.f == t.f || kin(d.fn, t.st.Func) || beside(e, d.fn, t.st.Func)) {
			out = append(out, d.slip)
		}
	}
	return out
}

// A deadRelease is a release that is not sent, of whichever lock of a family.
type deadRelease struct {
	f      *engine.Family
	fn     *ssa.Function
	family string
	slip   lock.Slip
}

// deadReleases finds those of packages, of each once: there may be many locks in one.
type deadReleases struct {
	e     *engine.Engine
	found map[string][]deadRelease
}

func (d *deadReleases) in(pkg string) []deadRelease {
	if list, ok := d.found[pkg]; ok {
		return list
	}
	var list []deadRelease
	d.e.EachIn(pkg, func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		ended := cancelled(d.e, f, fn)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if _, async := in.(*ssa.Go); !ok || async {
					continue
				}
				for _, x := range s.Steps[in] {
					r, ok := d.e.Release(x)
					if !ok || x.Reach == summary.ByGoroutine {
						continue
					}
					add := func(end lock.Frame) {
						list = append(list, deadRelease{f, fn, r.Family, lock.Slip{Frame: f.Frame(c, ""), Kind: lock.SlipDead, Detail: "cancelled", Other: end}})
					}
					if end, g := keptDead(d.e, x.Call); end != nil {
						add(g.Frame(end, "cancelled here"))
						continue
					}
					for _, end := range ended {
						_, deferred := in.(*ssa.Defer)
						before := code.Before(end.at, in) || deferred && code.Before(in, end.at) && code.OnEveryWay(fn, end.at.Block())
						if before && slices.ContainsFunc(meaning.Args(x.Call), end.of) {
							add(f.Frame(end.at, "cancelled here"))
						}
					}
				}
			}
		}
	})
	d.found[pkg] = list
	return list
}

// An ending is a call that cancels the context which an object keeps.
type ending struct {
	at *ssa.Call
	of func(*term.T) bool // whether a context is that one, or made of it
}

// cancelled lists the calls of a function that cancel what an object keeps, by the field
// that has the cancel function or by a short method that calls it.
func cancelled(e *engine.Engine, f *engine.Family, fn *ssa.Function) []ending {
	var out []ending
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.IsInvoke() {
				continue
			}
			value, object := c.Call.Value, func(x ssa.Value) *term.T { return f.Get(x) }
			if callee := code.Origin(c.Call.StaticCallee()); callee != nil {
				value = called(callee)
				object = func(x ssa.Value) *term.T {
					if x != ssa.Value(callee.Params[0]) {
						return nil
					}
					return f.Get(c.Call.Args[0])
				}
			}
			x, field, ok := code.FieldRead(value)
			if !ok {
				continue
			}
			slot, ok := code.SlotOf(x.Type(), field)
			if !ok || slot.Owner.Pkg() == nil {
				continue
			}
			of := object(x)
			if of == nil {
				continue
			}
			for _, ctx := range e.CancelledBy(slot) {
				if setsField(fn, ctx) {
					continue // it may be another one by then
				}
				kept := e.Pool.Field(of, code.FieldName(ctx.Owner.Type(), ctx.Field))
				out = append(out, ending{at: c, of: func(a *term.T) bool { return madeOf(a, kept) }})
			}
		}
	}
	return out
}

// called is the function value in a field that a short method of an object calls, whatever
// else it does; nil for other functions.
func called(fn *ssa.Function) ssa.Value {
	if len(fn.Blocks) != 1 || len(fn.Params) != 1 {
		return nil
	}
	for _, in := range fn.Blocks[0].Instrs {
		if c, ok := in.(*ssa.Call); ok && !c.Call.IsInvoke() && c.Call.StaticCallee() == nil {
			return c.Call.Value
		}
	}
	return nil
}

// madeOf reports whether a context is another one, or ends with it.
func madeOf(ctx, kept *term.T) bool {
	switch ctx.Kind {
	case term.Field:
		return ctx == kept
	case term.Result:
		return madeOf(ctx.Args[0], kept)
	case term.Call:
		return derives(ctx) && madeOf(meaning.Args(ctx)[0], kept)
	}
	return false
}

// derives reports whether a call makes a context that ends with the one that it is given.
func derives(call *term.T) bool {
	return strings.HasPrefix(call.Name, "context.With") && !strings.HasSuffix(call.Name, ".WithoutCancel") && len(meaning.Args(call)) > 0
}

// setsField reports whether a function stores to a field.
func setsField(fn *ssa.Function, slot code.Slot) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if st, ok := in.(*ssa.Store); ok {
				if fa, ok := st.Addr.(*ssa.FieldAddr); ok {
					if at, ok := code.SlotOf(fa.X.Type(), fa.Field); ok && at == slot {
						return true
					}
				}
			}
		}
	}
	return false
}
