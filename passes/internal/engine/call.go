package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
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
	list := e.reader.Catalog.Calls(fn)
	e.entries[fn] = list
	if len(list) > 0 {
		e.reader.Register(fn.FullName(), list)
	}
	return list
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

// callTerm is a call as a term: receiver, then arguments.
func (f *family) callTerm(c *ssa.CallCommon, pos token.Pos) *term.T {
	p := f.e.pool
	var args []*term.T
	name := "?"
	switch {
	case c.IsInvoke():
		name = f.e.impls.method(c).FullName()
		args = append(args, f.get(c.Value))
	case c.StaticCallee() != nil:
		fn := origin(c.StaticCallee())
		name = fnName(fn)
		if obj, ok := fn.Object().(*types.Func); ok {
			f.e.register(obj)
			name = obj.Origin().FullName()
		}
	default:
		if b, ok := c.Value.(*ssa.Builtin); ok {
			name = b.Name()
		} else if fn := f.e.byType(c.Value.Type()); len(f.e.register(fn)) > 0 {
			name = fn.FullName()
		} else {
			name = "call"
			args = append(args, f.get(c.Value))
		}
	}
	value := f.get
	if !c.IsInvoke() && f.e.buildsOn(name) {
		value = func(a ssa.Value) *term.T { return f.built(c, a) }
	}
	marks := f.e.versionMarks(name)
	for _, a := range c.Args {
		t := f.versioned(value(a), a, marks)
		if t.Kind != term.Const && isDuration(a.Type()) && strings.HasPrefix(name, "time.") {
			if waits := f.growing(a); waits != nil {
				t = waits
			}
		}
		args = append(args, t)
	}
	t := p.Call(name, f.e.site(pos), args...)
	if t.Kind != term.Call { // too large: what it is given is cut, lest nothing of it be left
		for i, a := range args {
			args[i] = p.Fit(a)
		}
		t = p.Call(name, f.e.site(pos), args...)
	}
	return t
}

// call is the value of a call with one result (or the tuple of several).
func (f *family) call(c *ssa.CallCommon, pos token.Pos) *term.T {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return f.builtin(b.Name(), c)
	}
	t := f.callTerm(c, pos)
	if s := f.std(c, t); s != nil {
		return s
	}
	if e := f.e.reader.Entry(t); e != nil {
		if !e.Same.IsZero() {
			if s := f.e.reader.Get(e.Same, t, nil); s != nil {
				return s
			}
		}
		if e.Reads != nil && e.Token == nil && e.Reads.Out.IsZero() && c.Signature().Results().Len() == 1 && !isError(c.Signature().Results().At(0).Type()) {
			if s := f.e.reader.Get(e.Reads.Of, t, nil); s != nil {
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
func (f *family) returned(c *ssa.CallCommon, call *term.T, index int) *term.T {
	callees := []*ssa.Function{origin(c.StaticCallee())}
	if c.IsInvoke() {
		callees = f.e.impls.of(c)
		if len(callees) == 0 || len(callees) > maxReturning {
			return nil
		}
	}
	var alts []*term.T
	for _, fn := range callees {
		sum := f.e.summary(fn)
		if sum == nil || index >= len(sum.Results) {
			return nil
		}
		t := f.instance(sum.Results[index], call, fn)
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
	return f.e.pool.Join(alts...)
}

// instance puts a call's arguments into a term of the callee. What a result is
// made of stays visible only while it is known; else the call itself stands.
func (f *family) instance(t, call *term.T, fn *ssa.Function) *term.T {
	if t == nil || t.Kind == term.Unknown {
		return nil
	}
	r := f.binding(f.e.binder(fnName(fn), call.Args)).Put(t)
	if r.Kind == term.Unknown {
		return nil // too large with the arguments put in
	}
	return r
}

// binder binds the parameters of function fn to args.
func (e *Engine) binder(fn string, args []*term.T) func(*term.T) *term.T {
	return func(p *term.T) *term.T {
		if p.Name == fn && p.Index < len(args) {
			return e.pool.Fit(args[p.Index])
		}
		return nil
	}
}

func (f *family) extract(v *ssa.Extract) *term.T {
	p := f.e.pool
	switch x := v.Tuple.(type) {
	case *ssa.Call:
		c := x.Common()
		t := f.callTerm(c, x.Pos())
		if e := f.e.reader.Entry(t); e != nil {
			if !e.Same.IsZero() && v.Index == 0 {
				if s := f.e.reader.Get(e.Same, t, nil); s != nil {
					return s
				}
			}
			if e.Reads != nil && e.Token == nil && !isError(v.Type()) {
				if s := f.e.reader.Get(e.Reads.Of, t, nil); s != nil {
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
			return f.value(x.X)
		}
	case *ssa.Lookup:
		if v.Index == 0 {
			return f.element(f.get(x.X), f.get(x.Index))
		}
	case *ssa.UnOp:
		if v.Index == 0 {
			return p.Op("<-", f.get(x.X))
		}
	case *ssa.Next:
		if v.Index > 0 {
			return p.Elem(f.get(x.Iter), nil)
		}
	}
	return p.Unknown("value")
}

func (f *family) builtin(name string, c *ssa.CallCommon) *term.T {
	p := f.e.pool
	if name == "append" && len(c.Args) == 2 {
		x, y := f.value(c.Args[0]), f.value(c.Args[1])
		if y != nil && y.Kind == term.List && (x == nil || x.IsZero()) {
			return y
		}
	}
	args := make([]*term.T, len(c.Args))
	for i, a := range c.Args {
		args[i] = f.get(a)
	}
	return p.Op(name, args...)
}

// assembled is a slice that is put together by append. Where ways differ in what they
// add to what is common to all, or a loop adds something in each turn, that is one
// element that nothing is known of.
func (f *family) assembled(v ssa.Value, seen []ssa.Value) *term.T {
	p := f.e.pool
	switch x := v.(type) {
	case *ssa.Call:
		if isAppend(x) {
			return p.Append(f.assembled(x.Call.Args[0], seen), f.get(x.Call.Args[1]))
		}
	case *ssa.Phi:
		if slices.Contains(seen, v) {
			break
		}
		for _, base := range x.Edges {
			if !slices.ContainsFunc(x.Edges, func(e ssa.Value) bool { return !appends(e, base, x) }) {
				return p.Append(f.assembled(base, append(seen, v)), p.List(p.Unknown("part")))
			}
		}
	case *ssa.MakeSlice:
		if n, ok := x.Len.(*ssa.Const); ok && n.Int64() == 0 {
			return p.List()
		}
	case *ssa.Slice:
		if n, ok := x.High.(*ssa.Const); ok && n.Int64() == 0 && x.Low == nil {
			return p.List()
		}
	case *ssa.Const:
		if x.IsNil() {
			return p.List()
		}
	}
	return f.get(v)
}

// copied is a slice that is made as long as another one and what stands before that: the
// first elements are stored one by one, and the other is copied behind them. It is nil for
// others.
func (f *family) copied(m *ssa.MakeSlice) *term.T {
	p := f.e.pool
	head := make(map[int64]*term.T)
	var rest *term.T
	var from int64
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			i, ok := constInt(r.Index)
			if !ok || len(*r.Referrers()) != 1 {
				return nil
			}
			st, ok := (*r.Referrers())[0].(*ssa.Store)
			if !ok || st.Addr != ssa.Value(r) || head[i] != nil {
				return nil
			}
			head[i] = f.get(st.Val)
		case *ssa.Slice:
			for _, u := range *r.Referrers() {
				c, ok := u.(*ssa.Call)
				if !ok || !isBuiltin(c, "copy") || c.Call.Args[0] != ssa.Value(r) {
					continue
				}
				low, ok := constInt(r.Low)
				if r.Low == nil {
					low, ok = 0, true
				}
				if !ok || rest != nil {
					return nil
				}
				from, rest = low, f.get(c.Call.Args[1])
			}
		}
	}
	if rest == nil || int64(len(head)) != from {
		return nil
	}
	list := make([]*term.T, from)
	for i := range list {
		if list[i] = head[int64(i)]; list[i] == nil {
			return nil
		}
	}
	return p.Append(p.List(list...), rest)
}

// appends reports whether v is base, or made from it or from other by append.
func appends(v, base, other ssa.Value) bool {
	for {
		if v == base || v == other {
			return true
		}
		c, ok := v.(*ssa.Call)
		if !ok || !isAppend(c) {
			return false
		}
		v = c.Call.Args[0]
	}
}

func isAppend(c *ssa.Call) bool {
	return isBuiltin(c, "append")
}

func isBuiltin(c *ssa.Call, name string) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name && len(c.Call.Args) == 2
}

// std knows the few functions of the standard library that build strings, and
// what contexts carry.
func (f *family) std(c *ssa.CallCommon, t *term.T) *term.T {
	p := f.e.pool
	args := meaning.Args(t)
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
				return args[0].Args[0]
			}
			return p.Op("+", args[0].Args...)
		}
	case "strings.Join":
		if len(args) == 2 {
			if list := f.assembled(c.Args[0], nil); list.Kind == term.List && len(list.Args) > 0 || list.Kind == term.Op {
				return p.Joined(list, args[1])
			}
		}
	case "context.WithValue":
		return t
	case "(context.Context).Value":
		if len(args) == 1 {
			return p.Elem(t.Args[0], args[0])
		}
	case "strings.TrimSpace", "strings.ToLower", "strings.ToUpper", "strings.Clone":
		return args[0]
	}
	return nil
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}
