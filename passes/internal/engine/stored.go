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
	switch v := v.(type) {
	case *ssa.Alloc:
		return f.setLast(v, t, at)
	case *ssa.MakeMap, *ssa.Const, *ssa.Global, *ssa.Function:
		return t
	}
	if at == nil || t.Kind == term.Struct || t.Kind == term.List || t.Kind == term.Const {
		return t
	}
	o := &filling{f.Engine.Pool, t}
	for _, x := range f.loadsOf(v) {
		for _, r := range *x.Referrers() {
			if !code.Before(r, at) {
				continue
			}
			switch r := r.(type) {
			case *ssa.MapUpdate:
				if key := f.Get(r.Key); r.Map == x && key.Kind == term.Const {
					o.set(key.Name, f.Get(r.Value))
				}
			case *ssa.FieldAddr:
				f.assigned(r, at, o)
			case *ssa.Call:
				f.setBy(r, f.Get(x), o)
			}
		}
	}
	return o.object
}

// A filling is an object or map while it is filled.
type filling struct {
	pool   *term.Pool
	object *term.T
}

func (o *filling) set(name string, value *term.T) { o.object = o.pool.With(o.object, name, value) }

// setBy notes what a call stores in the object or map of, whatever way it takes, and
// whichever of several methods it is of.
func (f *Family) setBy(call *ssa.Call, of *term.T, o *filling) {
	callees := f.Engine.Callees(call.Common())
	if slices.ContainsFunc(callees, func(fn *ssa.Function) bool { return len(fn.Blocks) != 1 }) {
		return // it may store, or not
	}
	seen := make(map[summary.Set]int)
	f.called(call, func(s summary.Set) {
		if s.Of != of {
			return
		}
		key := summary.Set{Field: s.Field, Index: s.Index, Value: s.Value}
		if seen[key]++; seen[key] < len(callees) {
			return
		}
		switch {
		case s.Field != "":
			o.set(s.Field, s.Value)
		case s.Index != nil && s.Index.Kind == term.Const:
			o.set(s.Index.Name, s.Value)
		}
	})
}

// assigned notes what is stored in a field, or in those of a struct that lies there. Those of
// an embedded one count as the object's own.
func (f *Family) assigned(a *ssa.FieldAddr, at ssa.Instruction, o *filling) {
	name := code.FieldName(a.X.Type(), a.Field)
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == ssa.Value(a) && code.Before(r, at) {
				o.set(name, f.Get(r.Val))
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
				f.entered(r, name, at, o)
			}
		case *ssa.Call: // of a method that is promoted
			if code.Embedded(a.X.Type(), a.Field) && code.Before(r, at) {
				f.setBy(r, f.Get(a), o)
			}
		}
	}
}

// entered notes what is surely put under constant keys of a map in a field.
func (f *Family) entered(m *ssa.UnOp, name string, at ssa.Instruction, o *filling) {
	before := o.pool.Field(o.object, name)
	inner := &filling{o.pool, before}
	for _, r := range *m.Referrers() {
		if u, ok := r.(*ssa.MapUpdate); ok && code.Before(r, at) {
			if key := f.Get(u.Key); key.Kind == term.Const {
				inner.set(key.Name, f.Get(u.Value))
			}
		}
	}
	if inner.object != before {
		o.set(name, inner.object)
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
