package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A record that comes from elsewhere is stamped before it is written: row.Fence = turn,
// item["turn"] = turn. What it is made of is not known, but this much of it is.

// writesTo reports whether a function is one that writes its arguments to a store.
func (e *Engine) writesTo(fn string) bool {
	return slices.ContainsFunc(e.Reader.Entries(fn), func(c *catalog.Call) bool { return c.Write != nil })
}

// stored is the object or map v, whose term is t, with what is surely stored in it before
// at, where it is handed on. Of an object that the family makes itself, all that it stores
// is known anyway, but not when.
func (f *Family) stored(v ssa.Value, t *term.T, at ssa.Instruction) *term.T {
	v = unboxed(v)
	if code.IsMap(v.Type()) && v.Referrers() != nil && t != nil {
		if _, made := v.(*ssa.MakeMap); made || at == nil {
			return t
		}
		return f.poured(v, t, at)
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return f.setLast(v, t, at)
	case *ssa.MakeMap, *ssa.Const, *ssa.Global, *ssa.Function:
		return t
	}
	if at == nil || t.Kind == term.List || t.Kind == term.Const {
		return t
	}
	o := &filling{f.Engine.Pool, t}
	for _, x := range f.loadsOf(v) {
		for _, r := range *x.Referrers() {
			switch r := r.(type) {
			case *ssa.FieldAddr:
				f.assigned(r, at, o)
			case *ssa.Call:
				f.setBy(r, at, x, o)
			}
		}
	}
	return o.object
}

// handedBack is what a function returns: of what it was given itself, or got from another
// one, that with what is surely stored in it before.
func (f *Family) handedBack(v ssa.Value, t *term.T, ret *ssa.Return) *term.T {
	switch v.(type) {
	case *ssa.Parameter, *ssa.Call, *ssa.Extract:
		if t != nil && (isPointer(v.Type()) || code.IsMap(v.Type())) {
			return f.stored(v, t, ret)
		}
	}
	return t
}

// itself is what a call returns where that is what it was given, changed perhaps: it is as it
// was before, but for that. It is nil for others.
func (f *Family) itself(result *term.T, c *ssa.CallCommon, call *term.T, fn *ssa.Function) *term.T {
	if result == nil || c.IsInvoke() {
		return nil
	}
	of, changed := result, false
	for {
		x, _, _, ok := of.Changed()
		if !ok {
			break
		}
		of, changed = x, true
	}
	name := f.Engine.Name(fn)
	if of.Kind != term.Param || of.Name != name || of.Index >= len(c.Args) {
		return nil
	}
	given := c.Args[of.Index]
	if a, ok := f.Base(given).(*ssa.Alloc); ok && isStruct(a) {
		return f.Get(given) // what is stored there is known of it
	}
	if !changed {
		return nil
	}
	before := f.stored(given, f.Get(given), instructionOf(given, c))
	out := f.Engine.Pool.Subst(result, func(t *term.T) *term.T {
		switch {
		case t == of:
			return f.Engine.Pool.Fit(before)
		case t.Name == name && t.Index < len(call.Args):
			return f.Engine.Pool.Fit(call.Args[t.Index])
		}
		return nil
	})
	if out.Kind == term.Unknown {
		return nil
	}
	return out
}

// storedIn is what a call is given, with what is surely stored in it before, and in the maps
// in a list that is made for the call.
func (f *Family) storedIn(c *ssa.CallCommon, v ssa.Value, t *term.T) *term.T {
	at := instructionOf(v, c)
	list := f.Variadic(v)
	if t.Kind != term.List || len(list) != len(t.Args) {
		return f.stored(v, t, at)
	}
	items := slices.Clone(t.Args)
	for i, x := range list {
		if code.IsMap(unboxed(x).Type()) {
			items[i] = f.stored(x, items[i], at)
		}
	}
	return f.Engine.Pool.List(items...)
}

// A filling is an object or map while it is filled.
type filling struct {
	pool   *term.Pool
	object *term.T
}

func (o *filling) set(name string, value *term.T) { o.object = o.pool.With(o.object, name, value) }

// put does what a function does that stores something there.
func (o *filling) put(s summary.Set) {
	switch {
	case s.Field != "":
		o.set(s.Field, s.Value)
	case s.Index == nil:
		o.object = o.pool.Merged(o.object, s.Value)
	case s.Index.Kind == term.Const:
		o.set(s.Index.Name, s.Value)
	}
}

// perhaps does what a function does that stores something there on some ways: a pointer, or
// what is in a map, is not known then. Of other fields that is passed over.
func (o *filling) perhaps(s summary.Set, pointer bool) {
	switch {
	case s.Field == "" || pointer:
		s.Value = o.pool.Unknown("ways")
		o.put(s)
	}
}

// setBy notes what a call that comes before an instruction stores in the object or map v, or
// in what lies in a field of it, whichever of several methods it is of.
func (f *Family) setBy(call *ssa.Call, at ssa.Instruction, v ssa.Value, o *filling) {
	callees := f.Engine.Callees(call.Common())
	sets := func(fn *ssa.Function) bool {
		sum := f.Engine.Summary(fn)
		return sum != nil && len(sum.Sets) > 0
	}
	if call == at || !slices.ContainsFunc(callees, sets) || !mayPrecede(call, at) {
		return
	}
	args := call.Call.Args
	if call.Call.IsInvoke() {
		args = append([]ssa.Value{call.Call.Value}, args...)
	}
	seen := make(map[summary.Set]int)
	for _, callee := range callees {
		sum := f.Engine.Summary(callee)
		if sum == nil || f.Engine.spent() {
			continue
		}
		put := f.Engine.Pool.Binding(func(t *term.T) *term.T {
			switch {
			case t.Name != f.Engine.Name(callee) || t.Index >= len(args):
				return nil
			case unboxed(args[t.Index]) == v:
				return o.object
			}
			return f.Engine.Pool.Fit(f.Get(args[t.Index]))
		}, nil)
		for _, s := range sum.Sets {
			of, field := s.Of, ""
			if of.Kind == term.Field {
				of, field = of.Args[0], of.Name
			}
			if of.Kind != term.Param || of.Index >= len(args) || unboxed(args[of.Index]) != v {
				continue
			}
			perhaps := s.Perhaps || !code.Before(call, at)
			s.Of, s.Index, s.Value = f.Engine.Pool.Const("field", field), put.Put(s.Index), put.Put(s.Value)
			if seen[s]++; seen[s] < len(callees) {
				continue
			}
			inner := o
			if field != "" {
				inner = &filling{o.pool, o.pool.Field(o.object, field)}
			}
			if perhaps {
				inner.perhaps(s, field == "" && isPointerField(v.Type(), s.Field))
			} else {
				inner.put(s)
			}
			if field != "" {
				o.set(field, inner.object)
			}
		}
	}
}

// assigned notes what is stored in a field, or in those of a struct that lies there. Those of
// an embedded one count as the object's own.
func (f *Family) assigned(a *ssa.FieldAddr, at ssa.Instruction, o *filling) {
	name := code.FieldName(a.X.Type(), a.Field)
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			switch {
			case r.Addr != ssa.Value(a) || !mayPrecede(r, at):
			case code.Before(r, at):
				o.set(name, f.Get(r.Val))
			case asksZero(r):
				o.set(name, o.pool.Or(o.pool.Field(o.object, name), f.Get(r.Val)))
			case isPointer(r.Val.Type()):
				o.set(name, o.pool.Unknown("ways"))
			}
		case *ssa.FieldAddr:
			if code.Embedded(a.X.Type(), a.Field) {
				f.assigned(r, at, o)
				continue
			}
			before := o.pool.Field(o.object, name)
			inner := &filling{o.pool, before}
			if f.assigned(r, at, inner); inner.object != before {
				o.set(name, inner.object)
			}
		case *ssa.UnOp:
			switch {
			case !code.IsMap(r.Type()):
			case name == meaning.Annotations:
				f.annotated(r, at, func(t *term.T) { o.set(name, t) })
			default:
				before := o.pool.Field(o.object, name)
				if after := f.poured(r, before, at); after != before {
					o.set(name, after)
				}
			}
		case *ssa.Call: // of a method that is promoted
			if code.Embedded(a.X.Type(), a.Field) {
				f.setBy(r, at, a, o)
			}
		}
	}
}

// annotated notes what is surely put under a key of a map of annotations, or taken from
// there, before the object that has them is handed on.
func (f *Family) annotated(m *ssa.UnOp, at ssa.Instruction, set func(*term.T)) {
	p := f.Engine.Pool
	note := func(key ssa.Value, value *term.T) {
		set(p.Struct(meaning.Annotation, f.Engine.CallSite(m.Pos()), []string{"key", "value"}, []*term.T{f.Get(key), value}))
	}
	for _, r := range *m.Referrers() {
		if !code.Before(r, at) {
			continue
		}
		switch r := r.(type) {
		case *ssa.MapUpdate:
			note(r.Key, f.Get(r.Value))
		case *ssa.Call:
			if b, ok := r.Call.Value.(*ssa.Builtin); ok && b.Name() == "delete" {
				note(r.Call.Args[1], p.Nil())
			}
		}
	}
}

// handedMap is a map that is put into a struct or another map, with what is surely stored
// in it before.
func (f *Family) handedMap(v ssa.Value) *term.T {
	t := f.Value(v)
	if t == nil || v.Referrers() == nil || !code.IsMap(unboxed(v).Type()) {
		return t
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Val == v {
				return f.stored(v, t, r)
			}
		case *ssa.MapUpdate:
			if r.Value == v {
				return f.stored(v, t, r)
			}
		}
	}
	return t
}

// loadsOf lists the values that are v: of a variable that is set once, all that is loaded
// from it.
func (f *Family) loadsOf(v ssa.Value) []ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		if v.Referrers() == nil {
			return nil
		}
		return []ssa.Value{v}
	}
	base, ok := f.Base(load.X).(*ssa.Alloc)
	if !ok || len(f.Stores[base]) != 1 {
		return []ssa.Value{v}
	}
	var out []ssa.Value
	for _, r := range *load.X.Referrers() { // of the variable, or of what a closure captures of it
		if l, ok := r.(*ssa.UnOp); ok && l.Op == token.MUL {
			out = append(out, l)
		}
	}
	return out
}

// unboxed is a value before it was made an interface value, or given another type.
func unboxed(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return v
		}
	}
}
