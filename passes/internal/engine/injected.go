package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A dependency may be injected as a function: a field of a struct that main sets. Where one
// function is all that a module ever stores in such a field, a call of the field is a call of
// that function.
//
// Imprecision: of a function literal that is found this way nothing is known of the variables
// that it has captured. So those whose caller is in view, who knows more, are left to him.

// injections knows what is stored in the fields of functions that the units declare.
type injections struct {
	stored map[code.Slot][]ssa.Value
	passed map[*ssa.Parameter][]ssa.Value // what calls in view give for a parameter
	open   map[code.Slot]bool             // something is done with the field's address
	memo   map[code.Slot]*ssa.Function
}

// Injected is the one function that a field holds wherever it is set; nil where there are
// several, where one is out of sight, and where the module is.
func (e *Engine) Injected(at code.Slot) *ssa.Function {
	if !e.Whole() || !e.Implementations.local[at.Owner.Pkg()] {
		return nil
	}
	if e.injections == nil {
		e.injections = e.inject()
	}
	in := e.injections
	if fn, ok := in.memo[at]; ok {
		return fn
	}
	in.memo[at] = nil // while it is looked for
	if in.open[at] {
		return nil
	}
	set := make(map[*ssa.Function]bool)
	for _, v := range in.stored[at] {
		if !in.resolve(e, v, set, 0) {
			return nil
		}
	}
	if len(set) != 1 {
		return nil
	}
	for fn := range set {
		in.memo[at] = fn
	}
	return in.memo[at]
}

func (e *Engine) inject() *injections {
	in := &injections{
		stored: make(map[code.Slot][]ssa.Value), passed: make(map[*ssa.Parameter][]ssa.Value),
		open: make(map[code.Slot]bool), memo: make(map[code.Slot]*ssa.Function),
	}
	for _, f := range e.Order {
		for _, fn := range f.Members {
			for _, b := range fn.Blocks {
				for _, x := range b.Instrs {
					in.note(x)
				}
			}
		}
	}
	return in
}

func (in *injections) note(x ssa.Instruction) {
	switch x := x.(type) {
	case *ssa.FieldAddr:
		if !code.IsFunc(code.Deref(x.Type())) {
			return
		}
		at, ok := code.SlotOf(x.X.Type(), x.Field)
		if !ok {
			return
		}
		for _, r := range *x.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.Store:
				if r.Val == ssa.Value(x) {
					in.open[at] = true
				} else {
					in.stored[at] = append(in.stored[at], r.Val)
				}
			default:
				in.open[at] = true
			}
		}
	case ssa.CallInstruction:
		callee := code.Origin(x.Common().StaticCallee())
		if callee == nil {
			return
		}
		for i, a := range x.Common().Args {
			if i < len(callee.Params) && code.IsFunc(a.Type()) {
				in.passed[callee.Params[i]] = append(in.passed[callee.Params[i]], a)
			}
		}
	}
}

// resolve adds the functions that a value can be to set; it is false where one of them is out
// of sight.
func (in *injections) resolve(e *Engine, v ssa.Value, set map[*ssa.Function]bool, depth int) bool {
	if depth > MaxLooks {
		return false
	}
	all := func(list []ssa.Value) bool {
		return len(list) > 0 && !slices.ContainsFunc(list, func(v ssa.Value) bool { return !in.resolve(e, v, set, depth+1) })
	}
	add := func(fn *ssa.Function) bool {
		fn = code.Origin(e.behind(fn))
		set[fn] = true
		return e.Families[code.Root(fn)] != nil
	}
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.Function:
		return add(v)
	case *ssa.MakeClosure:
		return add(v.Fn.(*ssa.Function))
	case *ssa.ChangeType:
		return in.resolve(e, v.X, set, depth+1)
	case *ssa.Phi:
		return all(v.Edges)
	case *ssa.Call: // of what makes it
		fn := code.Origin(v.Call.StaticCallee())
		if fn == nil || len(fn.Blocks) == 0 {
			return false
		}
		var made []ssa.Value
		for _, b := range fn.Blocks {
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) == 1 {
				made = append(made, ret.Results[0])
			}
		}
		return all(made)
	case *ssa.Parameter:
		return all(in.passed[v])
	case *ssa.UnOp:
		if x, field, ok := code.FieldRead(v); ok && v.Op == token.MUL {
			if at, ok := code.SlotOf(x.Type(), field); ok {
				fn := e.Injected(at)
				return fn != nil && add(fn)
			}
		}
	}
	return false
}

// injectedIn is the function that the value of a call was injected as, or nil.
func (e *Engine) injectedIn(c *ssa.CallCommon) *ssa.Function {
	if c.IsInvoke() || c.StaticCallee() != nil {
		return nil
	}
	x, field, ok := code.FieldRead(c.Value)
	if !ok {
		return nil
	}
	at, ok := code.SlotOf(x.Type(), field)
	if !ok {
		return nil
	}
	return e.Injected(at)
}

// link runs what is called in the sections of locks, and was injected: nobody else will
// say what it is.
func (e *Engine) link() {
	if !e.Whole() {
		return
	}
	var todo []*Family
	e.EachSummary(func(_ *Family, _ *ssa.Function, s *summary.Summary) {
		for _, st := range s.Sites {
			for _, x := range slices.Concat(st.Effects, st.After) {
				if fn := e.injectedAs(x); fn != nil && !e.Solved[e.Families[code.Root(fn)]] {
					todo = append(todo, e.Families[code.Root(fn)])
				}
			}
		}
	})
	e.SolveFrom(todo)
	e.EachSummary(func(f *Family, _ *ssa.Function, s *summary.Summary) {
		for _, st := range s.Sites {
			if !st.Wrapper {
				st.Effects, st.After = f.withInjected(st.Effects), f.withInjected(st.After)
			}
		}
	})
}

// injectedAs is the function that an open call calls, where it was injected.
func (e *Engine) injectedAs(x summary.Effect) *ssa.Function {
	if x.Call == nil || x.Open != summary.Value || x.Call.Args[0].Kind != term.Field {
		return nil
	}
	at, ok := e.slotOf(x.Call.Args[0], true)
	if !ok {
		return nil
	}
	return e.Injected(at)
}

// withInjected is a list of effects with what injected functions do in the place of their calls.
func (f *Family) withInjected(list []summary.Effect) []summary.Effect {
	if !slices.ContainsFunc(list, func(x summary.Effect) bool { return f.Engine.injectedAs(x) != nil }) {
		return list
	}
	var out []summary.Effect
	for _, x := range list {
		fn := f.Engine.injectedAs(x)
		if fn == nil || f.Engine.Summary(fn) == nil {
			out = append(out, x)
			continue
		}
		value := f.Engine.injectedValue(fn)
		more, _ := f.Apply(value, x.Call.Args[1:], x.At, max(summary.ByCallback, x.Reach))
		out = append(out, ran(x, value, more)...)
	}
	return bound(out)
}

// injectedValue is an injected function as a value. The receiver of a method is out of sight.
func (e *Engine) injectedValue(fn *ssa.Function) *term.T {
	name := e.Name(fn)
	e.Functions[name] = fn
	if fn.Signature.Recv() == nil {
		return e.Pool.Func(name)
	}
	return e.Pool.Closure(name, e.Pool.Param(name, 0, "recv"), e.Pool.Unknown("injected"))
}
