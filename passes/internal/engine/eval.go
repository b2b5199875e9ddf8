package engine

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Value evaluates v. A value that depends on itself (a loop variable) is
// evaluated over its other inputs; nil means nothing but itself.
func (f *Family) Value(v ssa.Value) *term.T {
	if f.values == nil {
		f.reset()
	}
	if t, ok := f.values[v]; ok {
		return t
	}
	if f.busy[v] {
		return nil
	}
	f.busy[v] = true
	t := f.compute(v)
	delete(f.busy, v)
	if t == nil {
		t = f.Engine.Pool.Unknown("loop")
	}
	f.values[v] = t
	return t
}

// Get is value without nil.
func (f *Family) Get(v ssa.Value) *term.T {
	if t := f.Value(v); t != nil {
		return t
	}
	return f.Engine.Pool.Unknown("loop")
}

func (f *Family) compute(v ssa.Value) *term.T {
	p := f.Engine.Pool
	switch v := v.(type) {
	case *ssa.Const:
		return f.constant(v)
	case *ssa.Parameter:
		if t := f.handle(v); t != nil {
			return t
		}
		for i, x := range v.Parent().Params {
			if x == v {
				return p.Param(f.Engine.Name(v.Parent()), i, v.Name())
			}
		}
	case *ssa.FreeVar:
		if b := f.Base(v); b != v {
			return f.Value(b)
		}
	case *ssa.Function:
		v = f.Engine.behind(v)
		f.Engine.Functions[f.Engine.Name(v)] = v
		return p.Func(f.Engine.Name(v))
	case *ssa.Global:
		return f.Engine.global(v)
	case *ssa.Alloc:
		return f.contents(v)
	case *ssa.MakeClosure:
		return f.closure(v)
	case *ssa.Phi:
		if t := f.carriedOr(v); t != nil {
			return t
		}
		if t := f.fallback(v); t != nil {
			return t
		}
		if t := f.linkedWhen(v); t != nil {
			return t
		}
		var alts []*term.T
		for _, x := range v.Edges {
			if t := f.Value(x); t != nil {
				alts = append(alts, t)
			}
		}
		if len(alts) == 0 {
			return nil
		}
		return p.Join(alts...)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if a, ok := f.Base(v.X).(*ssa.Alloc); ok {
				if t := f.wholeAt(a, v); t != nil {
					return t
				}
				if t := f.contextAt(a, v); t != nil {
					return t
				}
			}
			t := f.reached(v)
			if t == nil {
				t = f.load(v.X)
			}
			if t != nil && f.unset(v) {
				t = p.Join(t, f.Get(ssa.NewConst(constant.MakeInt64(0), v.Type())))
			}
			return t
		}
		if v.Op == token.ARROW {
			return p.Op("<-", f.Get(v.X))
		}
		return p.Op(v.Op.String(), f.Get(v.X))
	case *ssa.BinOp:
		return p.Op(v.Op.String(), f.Get(v.X), f.Get(v.Y))
	case *ssa.FieldAddr:
		return f.load(v)
	case *ssa.Field:
		return p.Field(f.Get(v.X), code.FieldName(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return f.load(v)
	case *ssa.Index:
		return p.Elem(f.Get(v.X), f.Get(v.Index))
	case *ssa.Lookup:
		return f.element(f.Get(v.X), f.Get(v.Index))
	case *ssa.Slice:
		return f.slice(v)
	case *ssa.ChangeType:
		return f.Value(v.X)
	case *ssa.Convert:
		return f.converted(v)
	case *ssa.MultiConvert:
		return f.Value(v.X)
	case *ssa.ChangeInterface:
		return f.Value(v.X)
	case *ssa.MakeInterface:
		return f.joined(v.X, f.Value(v.X))
	case *ssa.SliceToArrayPointer:
		return f.Value(v.X)
	case *ssa.TypeAssert:
		return f.asserted(v)
	case *ssa.Extract:
		return f.extract(v)
	case *ssa.Call:
		return f.call(v.Common(), v.Pos())
	case *ssa.Range:
		return f.Value(v.X)
	case *ssa.Next:
		return p.Elem(f.Get(v.Iter), nil)
	case *ssa.MakeMap:
		return f.mapping(v)
	case *ssa.MakeSlice:
		if t := f.copied(v); t != nil {
			return t
		}
		return p.Call("make", f.Engine.CallSite(v.Pos()))
	case *ssa.MakeChan:
		return p.Call("make", f.Engine.CallSite(v.Pos()))
	}
	return p.Unknown("value")
}

func (f *Family) constant(c *ssa.Const) *term.T {
	p := f.Engine.Pool
	if c.Value == nil {
		if c.IsNil() {
			return p.Nil()
		}
		return p.Const("zero", "")
	}
	switch c.Value.Kind() {
	case constant.String:
		return p.Const("string", constant.StringVal(c.Value))
	case constant.Bool:
		return p.Const("bool", c.Value.String())
	case constant.Int:
		if n, ok := c.Type().(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration" {
			return p.Const("duration", c.Value.ExactString())
		}
		return p.Const("int", c.Value.ExactString())
	case constant.Float:
		return p.Const("float", c.Value.String())
	}
	return p.Unknown("constant")
}

// closure binds the parameters of the enclosing functions that it may depend on
// to themselves; substitution in a caller then reaches what the closure captured.
func (f *Family) closure(v *ssa.MakeClosure) *term.T {
	fn := v.Fn.(*ssa.Function)
	p := f.Engine.Pool
	var binds []*term.T
	if m := f.Engine.behind(fn); m != fn && len(v.Bindings) == 1 {
		// A method value: the receiver is bound.
		f.Engine.Functions[f.Engine.Name(m)] = m
		return p.Closure(f.Engine.Name(m), p.Param(f.Engine.Name(m), 0, "recv"), f.Get(v.Bindings[0]))
	}
	f.Engine.Functions[f.Engine.Name(fn)] = fn
	needs := f.needs(v)
	for outer := fn.Parent(); outer != nil; outer = outer.Parent() {
		for i, x := range outer.Params {
			if !needs[x] {
				continue
			}
			t := p.Param(f.Engine.Name(outer), i, x.Name())
			binds = append(binds, t, t)
		}
	}
	return p.Closure(f.Engine.Name(fn), binds...)
}

// behind returns the method that a synthetic function (of a method value or
// method expression) calls, or fn itself.
func (e *Engine) behind(fn *ssa.Function) *ssa.Function {
	if fn.Synthetic == "" || fn.Parent() != nil {
		return fn
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		if m := e.Program.FuncValue(obj.Origin()); m != nil {
			return m
		}
	}
	return fn
}

// contents is what a local variable holds; for a struct, its fields.
func (f *Family) contents(a *ssa.Alloc) *term.T {
	p := f.Engine.Pool
	elem := a.Type().Underlying().(*types.Pointer).Elem()
	var alts []*term.T
	for _, s := range f.Stores[a] {
		if f.same(a, s) {
			continue
		}
		if t := f.Value(s); t != nil {
			alts = append(alts, t)
		}
	}
	for _, o := range f.outs[a] {
		if t := f.filled(o); t != nil {
			alts = append(alts, t)
		}
	}
	if len(alts) > 1 {
		// The zero value that a declaration stores is overwritten.
		kept := alts[:0:0]
		for _, t := range alts {
			if !t.IsZero() {
				kept = append(kept, t)
			}
		}
		if len(kept) > 0 {
			alts = kept
		}
	}
	if st, ok := elem.Underlying().(*types.Struct); ok {
		if len(alts) > 0 {
			whole := p.Join(alts...)
			x := whole
			for i := range st.NumFields() {
				if t := f.localField(a, i, st.Field(i).Name(), whole); t != nil {
					x = p.With(x, st.Field(i).Name(), t)
				}
			}
			return f.passed(a, x)
		}
		var names []string
		var args []*term.T
		for i := range st.NumFields() {
			if vals, _ := f.inField(a, i); len(vals) > 0 {
				var fs []*term.T
				for _, x := range vals {
					if t := f.handedMap(x); t != nil {
						fs = append(fs, t)
					}
				}
				names, args = append(names, st.Field(i).Name()), append(args, p.Join(fs...))
			}
		}
		return f.passed(a, p.Struct(types.TypeString(elem, nil), f.Engine.CallSite(a.Pos()), names, args))
	}
	if arr, ok := elem.Underlying().(*types.Array); ok && len(alts) == 0 && arr.Len() <= 64 {
		args := make([]*term.T, arr.Len())
		for i := range args {
			if x := f.elem(a, int64(i)); x != nil {
				args[i] = f.Get(x)
			} else {
				args[i] = f.structElement(a, int64(i), arr.Elem())
			}
		}
		return p.List(args...)
	}
	if len(alts) == 0 {
		return p.Const("zero", "")
	}
	return p.Join(alts...)
}

// localField is what a field of a local struct is set to by itself, or nil. Where
// that is not on all ways, whole may be there still: what the struct is set to.
func (f *Family) localField(a *ssa.Alloc, i int, name string, whole *term.T) *term.T {
	p := f.Engine.Pool
	var alts []*term.T
	stored, unsure := f.inField(a, i)
	for _, v := range stored {
		if t := f.Value(v); t != nil {
			alts = append(alts, t)
		}
	}
	if len(alts) == 0 {
		return nil
	}
	set := p.Join(alts...)
	if unsure == certain {
		return set
	}
	if whole == nil {
		var old []*term.T
		for _, v := range f.Stores[a] {
			if t := f.Value(v); t != nil {
				old = append(old, t)
			}
		}
		if len(old) == 0 {
			return set
		}
		whole = p.Join(old...)
	}
	switch old := p.Field(whole, name); {
	case unsure == ifZero:
		return p.Or(old, set)
	case !old.IsZero():
		return p.Join(old, set)
	}
	return set
}

// same reports whether a value that is stored in a variable is what it holds: the return
// of a named result leaves it as it is.
func (f *Family) same(a *ssa.Alloc, stored ssa.Value) bool {
	load, ok := stored.(*ssa.UnOp)
	return ok && load.Op == token.MUL && f.Base(load.X) == ssa.Value(a)
}

// wholeField is a field of a local struct that is set with the whole struct only, where
// that is known to set it: what the other fields are set to, perhaps to something that
// this one is used for, is no part of it. It is nil for others.
func (f *Family) wholeField(a *ssa.Alloc, i int, name string) *term.T {
	if stored, _ := f.inField(a, i); len(stored) > 0 || len(f.outs[a]) > 0 {
		return nil
	}
	var alts []*term.T
	for _, s := range f.Stores[a] {
		if f.same(a, s) {
			continue
		}
		switch t := f.Value(s); {
		case t == nil || t.IsZero():
		case t.Kind == term.Struct && slices.Contains(t.Names, name), t.Kind == term.Param:
			alts = append(alts, f.Engine.Pool.Field(t, name))
		default:
			return nil
		}
	}
	if len(alts) == 0 {
		return nil
	}
	return f.Engine.Pool.Join(alts...)
}

// structElement is a struct that a composite literal puts into an array field by
// field.
func (f *Family) structElement(a *ssa.Alloc, i int64, typ types.Type) *term.T {
	p := f.Engine.Pool
	st, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return p.Const("zero", "")
	}
	var names []string
	var args []*term.T
	for n := range st.NumFields() {
		var alts []*term.T
		for _, v := range f.cells[cell{a, i, n}] {
			alts = append(alts, f.Get(v))
		}
		if len(alts) > 0 {
			names, args = append(names, st.Field(n).Name()), append(args, p.Join(alts...))
		}
	}
	if len(names) == 0 {
		return p.Const("zero", "")
	}
	return p.Struct(types.TypeString(typ, nil), f.Engine.CallSite(a.Pos()), names, args)
}

// mapping is a map as a struct of its constant keys; with other keys among
// them, its fields cannot be told apart, but its values are there.
func (f *Family) mapping(m *ssa.MakeMap) *term.T {
	p := f.Engine.Pool
	typ := "map"
	if n := code.NamedOf(m.Type()); n != nil {
		typ += ":" + types.TypeString(n, nil)
	}
	if f.putTogether(m) {
		return f.poured(m, p.Struct(typ, f.Engine.CallSite(m.Pos()), nil, nil), nil)
	}
	var names []string
	values := make(map[string]*term.T)
	for _, r := range *m.Referrers() {
		u, ok := r.(*ssa.MapUpdate)
		if !ok || u.Map != ssa.Value(m) {
			continue
		}
		key := "?"
		if k := f.Get(u.Key); k.Kind == term.Const {
			key = k.Name
		} else {
			typ = ""
		}
		if values[key] == nil {
			names = append(names, key)
		}
		value := f.handedMap(u.Value)
		if value == nil {
			value = p.Unknown("loop")
		}
		values[key] = p.Join(values[key], value)
	}
	if len(names) == 0 && !emptyLiteral(m) || len(names) > 64 {
		return p.Call("make", f.Engine.CallSite(m.Pos()))
	}
	args := make([]*term.T, len(names))
	for i, n := range names {
		args[i] = values[n]
	}
	return p.Struct(typ, f.Engine.CallSite(m.Pos()), names, args)
}

// emptyLiteral reports whether a map of a named type is only handed on as an
// interface value, as bson.M{} is to a client: nobody fills it on the way.
func emptyLiteral(m *ssa.MakeMap) bool {
	return code.NamedOf(m.Type()) != nil && !slices.ContainsFunc(*m.Referrers(), func(r ssa.Instruction) bool {
		_, boxed := r.(*ssa.MakeInterface)
		return !boxed
	})
}

// filled is what a call stored through a pointer.
func (f *Family) filled(o out) *term.T {
	// Not the call's value: that may be what is being evaluated (an error that
	// later errors join).
	call := f.CallTerm(o.call, o.value.Pos())
	if e := f.Engine.Reader.Entry(call); e != nil && e.Reads != nil {
		if src := f.Engine.Reader.Get(e.Reads.Of, call, nil); src != nil {
			return f.Engine.Pool.Out(src, o.index)
		}
	}
	return f.Engine.Pool.Out(call, o.index)
}

// load reads through an address.
func (f *Family) load(addr ssa.Value) *term.T {
	p := f.Engine.Pool
	addr = f.Base(addr)
	switch a := addr.(type) {
	case *ssa.Alloc:
		return f.Value(a)
	case *ssa.FieldAddr:
		name := code.FieldName(a.X.Type(), a.Field)
		if x, ok := f.Base(a.X).(*ssa.Alloc); ok {
			if t := f.wholeAt(x, a); t != nil {
				return p.Field(t, name)
			}
			if !f.lentBefore(x, a) {
				if t := f.unchanged(x, a, name); t != nil {
					return t
				}
				if t := f.localField(x, a.Field, name, nil); t != nil {
					return t
				}
				if t := f.wholeField(x, a.Field, name); t != nil {
					return t
				}
			}
		}
		x := f.Value(a.X)
		if x == nil {
			return nil
		}
		place := f.at(p.Field(x, name), x, name, nil)
		if place.Kind == term.Field {
			if text := f.Engine.fieldText(a); text != nil {
				return text
			}
		}
		return place
	case *ssa.IndexAddr:
		x := f.Value(a.X)
		if x == nil {
			return nil
		}
		return p.Elem(x, f.Get(a.Index))
	case *ssa.Global:
		return f.Engine.global(a)
	}
	return f.Value(addr)
}

// element is an element of x, with what the family stores there.
func (f *Family) element(x, index *term.T) *term.T {
	return f.at(f.Engine.Pool.Elem(x, index), x, "", index)
}

func (f *Family) slice(v *ssa.Slice) *term.T {
	x := f.Value(v.X)
	if x == nil || v.Low == nil && v.High == nil {
		return x
	}
	return f.Engine.Pool.Op("slice", x)
}

// converted is a number in another type: fewer bits do not hold all of it.
func (f *Family) converted(v *ssa.Convert) *term.T {
	x := f.Value(v.X)
	from, ok := v.X.Type().Underlying().(*types.Basic)
	to, also := v.Type().Underlying().(*types.Basic)
	if x == nil || !ok || !also || from.Info()&types.IsInteger == 0 || to.Info()&types.IsNumeric == 0 {
		return x
	}
	sizes := types.SizesFor("gc", "amd64")
	if sizes.Sizeof(to) < sizes.Sizeof(from) || to.Kind() == types.Float32 {
		return f.Engine.Pool.Narrowed(types.Typ[to.Kind()].Name(), x)
	}
	return x
}
