package engine

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// A refusal that is recognised and then returned like a success is worse than one
// that nobody looks at: the caller is told that the write is done.

// silent reports whether an effect of a call is a write whose refusal is swallowed.
func (f *Family) silent(in ssa.CallInstruction, x summary.Effect) bool {
	call, ok := in.(*ssa.Call)
	return ok && x.Open == summary.Closed && f.isWrite(x) && f.swallows(call, x)
}

// swallows reports whether a function returns the same and does nothing else, be x, an
// effect of call, accepted or refused. To write a line of the log about a refusal is
// something else.
func (f *Family) swallows(call *ssa.Call, x summary.Effect) bool {
	fn := call.Parent()
	if n := fn.Signature.Results().Len(); n == 0 || !code.IsError(fn.Signature.Results().At(n-1).Type()) {
		return false // nobody is told anything
	}
	for _, w := range f.refusals(call, x) {
		a := &answering{Oracle: w, f: f, says: x.Says}
		lost := world.Explore(call, a, func(ssa.Instruction) world.Verb { return world.Go })
		if l, ok := w.(*loser); !a.asked && !(ok && l.byValue) || lost.Limit {
			continue
		}
		well := world.Explore(call, accepted(f, call, x), func(ssa.Instruction) world.Verb { return world.Go })
		if f.sameEnd(lost, well) {
			return true
		}
	}
	return false
}

// accepted is the world in which an effect of a call was accepted.
func accepted(f *Family, call *ssa.Call, x summary.Effect) world.Oracle {
	if len(x.Via) == 0 {
		return &oracle{f: f, st: &summary.Site{At: call, Direct: true, Lock: summary.Acquired{Call: x.Call}}, memo: make(map[ssa.Value]bool)}
	}
	facts := make([]world.Fact, len(x.Lost))
	for i := range facts {
		facts[i] = world.Varying
	}
	facts[len(facts)-1] = world.Nil
	return answer{call, facts}
}

// sameEnd reports whether two ways part, and yet return the same, a nil error among it,
// and do the same before.
func (f *Family) sameEnd(lost, well *world.Region) bool {
	ways := make(map[ssa.Instruction]int)
	for _, in := range lost.Held {
		ways[in] |= 1
	}
	for _, in := range well.Held {
		ways[in] |= 2
	}
	part := false
	for in, way := range ways {
		if way == 3 {
			continue
		}
		part = true
		switch in := in.(type) {
		case *ssa.Call:
			if !f.asksOnly(in) {
				return false
			}
		case *ssa.Store:
			if a, local := f.Base(in.Addr).(*ssa.Alloc); !local || a.Parent() != in.Parent() {
				return false
			}
		case *ssa.Send, *ssa.MapUpdate, *ssa.Go, *ssa.Defer, *ssa.Panic, *ssa.Select:
			return false
		}
	}
	a, b := lost.Results(), well.Results()
	if !part || len(a) == 0 || len(a) != len(b) || !a[len(a)-1].IsNil() {
		return false
	}
	for i := range a {
		if !a[i].Same(b[i]) {
			return false
		}
	}
	return true
}

// asksOnly reports whether a call only asks what an error is.
func (f *Family) asksOnly(call *ssa.Call) bool {
	about, _ := f.recognises(call, "")
	return about != nil
}

// An answering world also answers the questions whether an error is a refusal.
type answering struct {
	world.Oracle
	f     *Family
	says  string // the error variable of the project by which a callee tells the refusal
	asked bool
}

// Value implements world.Oracle.
func (a *answering) Value(v ssa.Value) (world.Fact, bool) {
	about, yes := a.f.recognises(v, a.says)
	if about != nil && yes {
		if fact, ok := a.Oracle.Value(about); ok && fact.Same(world.NotNil) {
			a.asked = true
			return world.True, true
		}
	}
	return a.Oracle.Value(v)
}

// recognises returns the error that v asks about, what it is or whether it is a certain
// one, and true if that is one by which a write is refused. says is such a one of the
// project's own.
func (f *Family) recognises(v ssa.Value, says string) (about ssa.Value, refusal bool) {
	known := f.Engine.Reader.Catalog.Refusal
	switch v := v.(type) {
	case *ssa.Call:
		callee := code.Origin(v.Call.StaticCallee())
		if callee == nil || len(v.Call.Args) == 0 || !code.IsError(v.Call.Args[0].Type()) {
			return nil, false
		}
		path := ""
		if callee.Pkg != nil {
			path = callee.Pkg.Pkg.Path()
		}
		switch about = v.Call.Args[0]; {
		case (path == "errors" || path == "golang.org/x/xerrors" || path == "github.com/pkg/errors") && len(v.Call.Args) == 2 && (callee.Name() == "Is" || callee.Name() == "As"):
			return about, f.namesRefusal(v.Call.Args[1], says)
		case len(v.Call.Args) == 1 && types.Identical(v.Type(), types.Typ[types.Bool]):
			return about, known(callee.Object())
		}
	case *ssa.BinOp:
		if v.Op == token.EQL && code.IsError(v.X.Type()) {
			return v.X, f.namesRefusal(v.Y, says)
		}
	case *ssa.Extract:
		if x, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 && code.IsError(x.X.Type()) {
			n := code.NamedOf(x.AssertedType)
			return x.X, n != nil && known(n.Obj())
		}
	}
	return nil, false
}

// namesRefusal reports whether what an error is compared with is a refusal: a variable,
// or a pointer to one of the type.
func (f *Family) namesRefusal(v ssa.Value, says string) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if g, ok := load.X.(*ssa.Global); ok {
			return g.RelString(nil) == says || f.Engine.Reader.Catalog.Refusal(g.Object())
		}
	}
	t := v.Type()
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok {
			break
		}
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && f.Engine.Reader.Catalog.Refusal(n.Obj())
}

// sayings adds the error variables that a returned error is, or wraps. What call
// answers when x is refused is known.
func (f *Family) sayings(v ssa.Value, call *ssa.Call, x summary.Effect, depth int, add func(string)) {
	if depth > MaxLooks {
		return
	}
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		f.sayings(v.X, call, x, depth+1, add)
	case *ssa.Extract:
		if v.Tuple == ssa.Value(call) {
			add(x.Says)
		}
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			add(g.RelString(nil))
		}
	case *ssa.Call:
		if v == call {
			add(x.Says)
		} else if code.Formats(v.Common()) {
			for _, a := range v.Call.Args {
				for _, part := range append(f.Variadic(a), a) {
					f.sayings(part, call, x, depth+1, add)
				}
			}
		}
	}
}
