package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// register makes the reader know a called function and returns its entries.
func (e *Engine) register(fn *types.Func) []*catalog.Call {
	if fn == nil {
		return nil
	}
	fn = fn.Origin()
	if list, ok := e.entries[fn]; ok {
		return list
	}
	list := e.Reader.Catalog.Calls(fn)
	e.entries[fn] = list
	if len(list) > 0 {
		e.Reader.Register(fn.FullName(), list)
	}
	return list
}

// TellsLoss reports whether a function of a library returns what tells the loss of a lease:
// a channel or a context.
func (e *Engine) TellsLoss(fn *types.Func) bool {
	return slices.ContainsFunc(e.register(fn), func(c *catalog.Call) bool {
		return c.Loss != nil && c.Acquire == nil && (c.Loss.How == "channel" || c.Loss.How == "context")
	})
}

// byType is the function that the catalogue means by the name of a type of
// functions: some clients have a field of such a type for each request. It is nil
// for other types.
func (e *Engine) byType(t types.Type) *types.Func {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil
	}
	sig, ok := n.Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	fn := e.typed[n.Obj()]
	if fn == nil {
		fn = types.NewFunc(n.Obj().Pos(), n.Obj().Pkg(), n.Obj().Name(), sig)
		e.typed[n.Obj()] = fn
	}
	return fn
}

// dynamic is the name of a call of a function value, of which its type tells nothing.
const dynamic = "call"

// nameOf is the name of what a call calls, as its term has it; the reader knows what the
// catalogue says of that then.
func (e *Engine) nameOf(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return e.fullName(e.Implementations.method(c).Origin())
	}
	if fn := code.Origin(c.StaticCallee()); fn != nil {
		obj, ok := fn.Object().(*types.Func)
		if !ok {
			return e.Name(fn)
		}
		e.register(obj)
		return e.fullName(obj.Origin())
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return b.Name()
	}
	if fn := e.byType(c.Value.Type()); len(e.register(fn)) > 0 {
		return e.fullName(fn)
	}
	return dynamic
}

// CallTerm is a call as a term: receiver, then arguments.
func (f *Family) CallTerm(c *ssa.CallCommon, pos token.Pos) *term.T {
	p := f.Engine.Pool
	name := f.Engine.nameOf(c)
	value := f.Get
	if name != dynamic && f.Engine.buildsOn(name) {
		value = func(a ssa.Value) *term.T { return f.built(c, a) }
	}
	var args []*term.T
	if c.IsInvoke() || name == dynamic {
		args = append(make([]*term.T, 0, len(c.Args)+1), value(c.Value))
	} else {
		args = make([]*term.T, 0, len(c.Args))
	}
	marks, writes, names := f.Engine.versionMarks(name), f.Engine.writesTo(name), f.Engine.readsNames(name)
	for i, a := range c.Args {
		t := value(a)
		if writes && (i > 0 || c.IsInvoke() || c.Signature().Recv() == nil) || code.IsMap(a.Type()) {
			t = f.storedIn(c, a, t)
		}
		t = f.withheld(a, f.versioned(t, a, marks), instructionOf(a, c))
		if names {
			t = f.tagged(t, a)
		}
		if t.Kind != term.Const && code.IsDuration(a.Type()) && strings.HasPrefix(name, "time.") {
			if waits := f.growing(a); waits != nil {
				t = waits
			}
		}
		if f.isKey(c, name, i) {
			t = f.contextKey(a)
		}
		args = append(args, t)
	}
	t := p.Call(name, f.Engine.CallSite(pos), args...)
	if t.Kind != term.Call { // too large: what it is given is cut, lest nothing of it be left
		for i, a := range args {
			args[i] = p.Fit(a)
		}
		t = p.Call(name, f.Engine.CallSite(pos), args...)
	}
	return t
}

// call is the value of a call with one result (or the tuple of several).
func (f *Family) call(c *ssa.CallCommon, pos token.Pos) *term.T {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return f.builtin(b.Name(), c)
	}
	t := f.scoped(f.CallTerm(c, pos))
	if s := f.std(c, t); s != nil {
		return s
	}
	if e := f.Engine.Reader.Entry(t); e != nil {
		if !e.Same.IsZero() {
			if s := f.Engine.Reader.Get(e.Same, t, nil); s != nil {
				return s
			}
		}
		if e.Reads != nil && e.Token == nil && e.Reads.Out.IsZero() && c.Signature().Results().Len() == 1 && !code.IsError(c.Signature().Results().At(0).Type()) {
			if s := f.Engine.Reader.Get(e.Reads.Of, t, nil); s != nil {
				return s
			}
		}
		return t
	}
	if c.Signature().Results().Len() == 1 {
		if r := f.returned(c, t, 0); r != nil {
			return r
		}
	}
	return t
}

// maxReturning bounds the implementations whose results an interface call is said
// to return.
const maxReturning = 4

// returned is what a call returns as its index-th result, as far as it is known
// of the callee; of an interface's method, what any implementation returns.
func (f *Family) returned(c *ssa.CallCommon, call *term.T, index int) *term.T {
	callees := []*ssa.Function{code.Origin(c.StaticCallee())}
	if fn := f.Engine.injectedIn(c); fn != nil && call.Name == dynamic {
		sum := f.Engine.Summary(fn)
		if sum == nil || index >= len(sum.Results) {
			return nil
		}
		return f.put(sum.Results[index], closureBinder(f.Engine.injectedValue(fn), call.Args[1:]))
	}
	if c.IsInvoke() {
		callees = f.Engine.Implementations.Of(c)
		if len(callees) == 0 || len(callees) > maxReturning {
			return nil
		}
	}
	var alts []*term.T
	for _, fn := range callees {
		sum := f.Engine.Summary(fn)
		if sum == nil || index >= len(sum.Results) {
			return nil
		}
		t := f.itself(sum.Results[index], c, call, fn)
		if t == nil {
			t = f.instance(sum.Results[index], call, fn)
		}
		if t == nil {
			return nil
		}
		if !t.IsZero() || len(callees) == 1 {
			alts = append(alts, t)
		}
	}
	if len(alts) == 0 {
		return nil
	}
	return f.Engine.Pool.Join(alts...)
}

// instance puts a call's arguments into a term of the callee. What a result is
// made of stays visible only while it is known; else the call itself stands.
func (f *Family) instance(t, call *term.T, fn *ssa.Function) *term.T {
	return f.put(t, f.Engine.binder(f.Engine.Name(fn), call.Args))
}

func (f *Family) put(t *term.T, bind func(*term.T) *term.T) *term.T {
	if t == nil || t.Kind == term.Unknown {
		return nil
	}
	r := f.binding(bind).Put(t)
	if r.Kind == term.Unknown {
		return nil // too large with the arguments put in
	}
	return r
}

// binder binds the parameters of function fn to args.
func (e *Engine) binder(fn string, args []*term.T) func(*term.T) *term.T {
	return func(p *term.T) *term.T {
		if p.Name == fn && p.Index < len(args) {
			return e.Pool.Fit(args[p.Index])
		}
		return nil
	}
}

func (f *Family) extract(v *ssa.Extract) *term.T {
	p := f.Engine.Pool
	switch x := v.Tuple.(type) {
	case *ssa.Call:
		c := x.Common()
		t := f.CallTerm(c, x.Pos())
		if e := f.Engine.Reader.Entry(t); e != nil {
			if !e.Same.IsZero() && v.Index == 0 {
				if s := f.Engine.Reader.Get(e.Same, t, nil); s != nil {
					if isInteger(v.Type()) {
						return s.Number()
					}
					return s
				}
			}
			if e.Reads != nil && e.Token == nil && !code.IsError(v.Type()) {
				if s := f.Engine.Reader.Get(e.Reads.Of, t, nil); s != nil {
					return s
				}
			}
		} else if r := f.returned(c, t, v.Index); r != nil {
			return r
		}
		if v.Index == 0 {
			return t
		}
		return p.Result(t, v.Index)
	case *ssa.TypeAssert:
		if v.Index == 0 {
			return f.asserted(x)
		}
		if t := f.Value(x.X); t != nil {
			return p.There(t)
		}
	case *ssa.Lookup:
		if v.Index == 0 {
			return f.element(f.Get(x.X), f.Get(x.Index))
		}
	case *ssa.UnOp:
		if v.Index == 0 {
			return p.Op("<-", f.Get(x.X))
		}
	case *ssa.Next:
		if v.Index > 0 {
			return p.Elem(f.Get(x.Iter), nil)
		}
	}
	return p.Unknown("value")
}

// std knows the few functions of the standard library that build strings, and
// what contexts carry.
func (f *Family) std(c *ssa.CallCommon, t *term.T) *term.T {
	p := f.Engine.Pool
	args := meaning.Args(t)
	if copies(c) {
		return t.Args[0]
	}
	switch t.Name {
	case "fmt.Sprintf":
		if len(args) == 2 {
			list := args[1].Args
			if args[1].Kind != term.List {
				list = nil
			}
			if s, ok := args[0].Str(); ok && len(list) == 0 {
				return p.Const("string", s)
			}
			return p.Op("format", append([]*term.T{args[0]}, list...)...)
		}
	case "fmt.Sprint":
		if len(args) == 1 && args[0].Kind == term.List {
			if len(args[0].Args) == 1 {
				if vs := f.Variadic(c.Args[0]); len(vs) == 1 {
					if x, ok := vs[0].(*ssa.MakeInterface); ok && isInteger(x.X.Type()) {
						return p.Digits(args[0].Args[0])
					}
				}
				return args[0].Args[0]
			}
			return p.Op("+", args[0].Args...)
		}
	case "strconv.Itoa", "strconv.FormatInt", "strconv.FormatUint":
		return p.Digits(args[0])
	case "strings.Join":
		if len(args) == 2 {
			if list := f.assembled(c.Args[0], nil); list.Kind == term.List && len(list.Args) > 0 || list.Kind == term.Op || list.Kind == term.Param || list.Kind == term.Field {
				return p.Joined(list, args[1])
			}
		}
	case "path.Join": // of what is no absolute path, and has no dots in it
		if list := f.assembled(c.Args[0], nil); list.Kind == term.List && len(list.Args) > 1 {
			return p.Joined(list, p.Const("string", "/"))
		}
	case "context.WithValue":
		return t
	case "(context.Context).Value":
		if len(args) == 1 {
			return p.Elem(t.Args[0], args[0])
		}
	case "(*net/http.Request).Context":
		return p.RequestContext(t.Args[0])
	case "(*strings.Builder).String", "(*bytes.Buffer).String":
		return f.written(c)
	case "maps.Clone", "golang.org/x/exp/maps.Clone":
		return p.Merged(p.Struct("map", t.Site, nil, nil), args[0])
	case "strings.TrimSpace", "strings.ToLower", "strings.ToUpper", "strings.Clone":
		return args[0]
	case "strings.TrimSuffix", "strings.TrimPrefix", "strings.Trim", "strings.TrimLeft", "strings.TrimRight":
		return f.trimmed(t.Name, args)
	case "strings.Replace", "strings.ReplaceAll":
		return f.replaced(t.Name, args)
	}
	return nil
}

// CallOf finds the call of the family that a term stands for, or nil.
func (f *Family) CallOf(t *term.T) ssa.CallInstruction {
	site := siteOfCall(t)
	if site == "" {
		return nil
	}
	b, ok := f.CallBlocks()[site]
	if !ok {
		return nil
	}
	for _, in := range b.Instrs {
		if c, ok := in.(ssa.CallInstruction); ok && f.Engine.CallSite(c.Common().Pos()) == site {
			return c
		}
	}
	return nil
}

// CallAt finds a call of the family by its place.
func (f *Family) CallAt(at lock.Position) ssa.CallInstruction {
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok && f.begin(c) == at.Pos && f.Engine.Position(at.Pos) == at {
					return c
				}
			}
		}
	}
	return nil
}

// FrameOf is where a call stands, or other where that is out of view.
func (e *Engine) FrameOf(call *term.T, other lock.Frame) lock.Frame {
	if f, in := e.Index.CallOf(call); in != nil {
		return f.Frame(in, "")
	}
	return other
}

// Starts reports whether a call starts a goroutine by itself: what functions that
// it calls start is theirs to end.
func (f *Family) Starts(c ssa.CallInstruction) bool {
	if _, ok := c.(*ssa.Go); ok {
		return true
	}
	entry := f.Engine.Reader.Entry(f.CallTerm(c.Common(), c.Pos()))
	return entry != nil && entry.Runs != nil && entry.Runs.How == "go"
}

// Inputs lists what a call is given, with the elements of a variadic argument.
func (f *Family) Inputs(c *ssa.CallCommon) []ssa.Value {
	out := slices.Clone(c.Args)
	for _, a := range c.Args {
		out = append(out, f.Variadic(a)...)
	}
	return out
}

// Below is the call of an effect as the function that is called at in makes it, with
// its own parameters; nil where in makes it itself, or the function is out of sight.
func (e *Engine) Below(in ssa.CallInstruction, x summary.Effect) *term.T {
	if len(x.Via) == 0 {
		return nil
	}
	for _, fn := range e.Callees(in.Common()) {
		if sum := e.Summary(fn); sum != nil {
			for _, y := range sum.Effects {
				if y.Call != nil && y.At.Position == x.At.Position {
					return y.Call
				}
			}
		}
	}
	return nil
}

// ResultOf lists the values that are the index-th result of a call.
func ResultOf(call *ssa.Call, index int) []ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return []ssa.Value{call}
	}
	var out []ssa.Value
	for _, in := range *call.Referrers() {
		if x, ok := in.(*ssa.Extract); ok && x.Index == index {
			out = append(out, x)
		}
	}
	return out
}

// siteOfCall is the place of the call whose result a term is; it is empty for others.
func siteOfCall(t *term.T) string {
	for t != nil && (t.Kind == term.Result || t.Kind == term.Field) {
		t = t.Args[0]
	}
	if t == nil || t.Kind != term.Call {
		return ""
	}
	return t.Site
}

// Within is the call of the family by which an effect happens: in a closure, the one
// that the closure makes.
func (f *Family) Within(x summary.Effect) lock.Frame {
	for _, at := range slices.Backward(summary.Way(x)) {
		if f.holds(at) {
			return at
		}
	}
	return summary.Happens(x)
}

// AsGiven reports whether a key has a parameter in it as it is. A field of one is what
// an object keeps.
func AsGiven(key *term.T) bool {
	return key != nil && key.Kind != term.Field && (key.Kind == term.Param || slices.ContainsFunc(key.Args, AsGiven))
}

// CallIn is the call that a term is a result of, or the term itself.
func CallIn(t *term.T) *term.T {
	if t.Kind == term.Result {
		return t.Args[0]
	}
	return t
}
