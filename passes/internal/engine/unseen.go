package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// foreign is the call, through a value, of a function without source.
func (f *Family) foreign(fn *ssa.Function, args []*term.T, at lock.Frame, reach summary.Reach) []summary.Effect {
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	f.Engine.register(obj)
	call := f.Engine.Pool.Call(obj.Origin().FullName(), f.Engine.siteOf(at.Position), args...)
	if f.Engine.Reader.Entry(call) != nil {
		if len(f.Engine.Reader.Of(call)) > 0 {
			return []summary.Effect{{Call: call, At: at, Reach: reach}}
		}
		return nil
	}
	if Standard(obj.Pkg().Path()) || !code.Worldly(fn.Signature) {
		return nil
	}
	return []summary.Effect{{Call: call, Open: summary.Dynamic, Why: lock.ReasonNoSource, At: at, Reach: reach}}
}

// unseen is the call of a method whose implementation is out of sight. What is given
// something of a store, and answers an error, will send it there.
func (f *Family) unseen(c *ssa.CallCommon, call *term.T, at lock.Frame, reach summary.Reach) []summary.Effect {
	if !code.Worldly(c.Signature()) && !(answersError(c.Signature()) && f.Engine.Reader.Catalog.GivenStore(c.Signature())) {
		return f.callbacks(c, call, at, reach)
	}
	return append(f.callbacks(c, call, at, reach), summary.Effect{Call: call, Open: summary.Dynamic, Why: lock.ReasonInterface, At: at, Reach: reach})
}

// external is the call of a function without source.
func (f *Family) external(c *ssa.CallCommon, call *term.T, at lock.Frame, reach summary.Reach) []summary.Effect {
	effects := f.callbacks(c, call, at, reach)
	if name := code.CalleeName(c); name == "(reflect.Value).Call" || name == "(reflect.Value).CallSlice" {
		// Which function that is, is not told; one that is given nothing computes something.
		if params, ok := c.Args[len(c.Args)-1].(*ssa.Const); !ok || !params.IsNil() {
			effects = append(effects, summary.Effect{Call: call, Open: summary.Dynamic, Why: lock.ReasonReflect, At: at, Reach: reach})
		}
	}
	if fn, ok := c.StaticCallee().Object().(*types.Func); ok && fn.Pkg() != nil && !Standard(fn.Pkg().Path()) && code.Worldly(c.Signature()) {
		effects = append(effects, summary.Effect{Call: call, Open: summary.Dynamic, Why: lock.ReasonNoSource, At: at, Reach: reach})
	}
	return effects
}

// inC reports whether a call is of a C function that may do something: one that is given
// something. The cgo command makes a Go function of each, and of those that only convert or
// allocate as well.
func inC(c *ssa.CallCommon) bool {
	name, ok := strings.CutPrefix(c.StaticCallee().Name(), "_Cfunc_")
	if !ok {
		if name, ok = strings.CutPrefix(c.StaticCallee().Name(), "_C2func_"); !ok {
			return false
		}
	}
	return c.Signature().Params().Len() > 0 && !slices.Contains([]string{
		"CString", "CBytes", "GoString", "GoStringN", "GoBytes", "_CMalloc", "malloc", "calloc", "realloc", "free", "memcpy", "memset", "strlen", "strcmp",
	}, name)
}

// callbacks runs the function arguments of a call that is not understood: it
// most likely calls them. A pool of goroutines, told by the name of its method,
// does so later, and what the caller handed over for such a pool is the caller's to tell.
func (f *Family) callbacks(c *ssa.CallCommon, call *term.T, at lock.Frame, reach summary.Reach) []summary.Effect {
	var effects []summary.Effect
	if meaning.Named(call.Name[strings.LastIndexByte(call.Name, '.')+1:], "go", "submit", "invoke", "schedule", "spawn") {
		reach = summary.ByGoroutine
		for _, a := range c.Args {
			if sig, ok := a.Type().Underlying().(*types.Signature); ok && sig.Params().Len() == 0 {
				if t := f.Get(a); t.Kind == term.Param {
					effects = append(effects, f.open(t, nil, at, reach))
				}
			}
		}
	}
	for _, a := range meaning.Args(call) {
		items := []*term.T{a}
		if a.Kind == term.List {
			items = a.Args
		}
		for _, x := range items {
			if x.Kind == term.Func || x.Kind == term.Closure {
				more, _ := f.Apply(x, nil, at, max(reach, summary.ByCallback))
				for i := range more {
					more[i].Lost = nil // what becomes of its error is out of sight
				}
				effects = append(effects, more...)
			}
		}
	}
	return effects
}

// tells reports whether a function is given values, but nothing that could stop
// it (a context, or what has one, as a request does; a channel to receive from), and
// answers nothing: an observer, not the work that a lock is taken for.
func tells(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		c, channel := p.Type().Underlying().(*types.Chan)
		if code.IsContext(p.Type()) || code.HasContext(p.Type()) || channel && c.Dir() != types.SendOnly {
			return false
		}
	}
	return sig.Results().Len() == 0 && sig.Params().Len() > 0
}
