package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A record is read, compared, changed and written back. What a field of it is at one of
// these depends on which side of the change that stands; all else joins what the family
// stores in a field anywhere.

// reached is the field that a load reads, where that is known by what comes before it: the
// store that surely came last, or, where none can have come yet, what the record was
// filled with. It is nil for others.
func (f *Family) reached(load *ssa.UnOp) *term.T {
	if a, ok := load.X.(*ssa.Alloc); ok {
		return f.filledLast(a, load)
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	if a, ok := fa.X.(*ssa.Alloc); ok {
		if t := f.assignedAnew(a, load); t != nil {
			return f.Engine.Pool.Field(t, code.FieldName(fa.X.Type(), fa.Field))
		}
	}
	list, calls, ok := f.setters(fa.X, fa.Field)
	if !ok || len(list) == 0 {
		return nil
	}
	if last := lastSet(list, calls, load); last != nil {
		return f.handedMap(last.Val)
	}
	if slices.ContainsFunc(list, func(s *ssa.Store) bool { return mayPrecede(s, load) }) {
		return nil
	}
	p, name := f.Engine.Pool, code.FieldName(fa.X.Type(), fa.Field)
	if a, ok := f.Base(fa.X).(*ssa.Alloc); ok {
		if len(f.outs[a]) == 0 || len(f.Stores[a]) > 0 {
			return nil
		}
		return p.Field(p.Without(f.Get(a), name), name)
	}
	if len(calls) > 0 {
		return nil // a call that sets it may have come
	}
	x := f.Value(fa.X)
	if x == nil {
		return nil
	}
	return p.Field(x, name)
}

// filledLast is what the last of several calls has filled a variable with, where that is
// one and the same on every way to a load: a version that was read, and then read again.
func (f *Family) filledLast(a *ssa.Alloc, load *ssa.UnOp) *term.T {
	if len(f.outs[a]) < 2 || isStruct(a) {
		return nil
	}
	var sets []ssa.Instruction
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeInterface: // the calls are in outs
		case *ssa.Store:
			sets = append(sets, r)
		default:
			return nil
		}
	}
	for _, o := range f.outs[a] {
		sets = append(sets, o.value.(ssa.Instruction))
	}
	for _, o := range f.outs[a] {
		fills := o.value.(ssa.Instruction)
		replaced := func(x ssa.Instruction) bool { return x == fills || earlier(x, fills, load) }
		if fills.Parent() == load.Parent() && code.Before(fills, load) && !slices.ContainsFunc(sets, func(x ssa.Instruction) bool { return !replaced(x) }) {
			return f.filled(o)
		}
	}
	return nil
}

// setLast puts into t, which is what the variable a holds at some time, what its fields
// surely are at one instruction.
func (f *Family) setLast(a *ssa.Alloc, t *term.T, at ssa.Instruction) *term.T {
	st, ok := code.Deref(a.Type()).Underlying().(*types.Struct)
	if at == nil || !ok {
		return t
	}
	for i := range st.NumFields() {
		if !slices.ContainsFunc(f.Fields[a], func(s FieldStore) bool { return s.Field == i }) {
			continue
		}
		name := st.Field(i).Name()
		list, calls, ok := f.setters(a, i)
		if !ok {
			continue
		}
		if last := lastSet(list, calls, at); last != nil {
			if v := f.handedMap(last.Val); v != nil {
				t = f.Engine.Pool.With(t, name, v)
			}
		} else if len(list) > 0 && len(calls) == 0 && isPointer(list[0].Val.Type()) && leftOut(a, list, at) {
			t = f.Engine.Pool.With(t, name, f.Engine.Pool.Join(f.Engine.Pool.Field(t, name), f.Engine.Pool.Nil()))
		}
	}
	return t
}

// leftOut reports whether there is a way from where an object is made to an instruction
// on which nothing is stored in a field.
func leftOut(a *ssa.Alloc, stores []*ssa.Store, at ssa.Instruction) bool {
	if a.Parent() != at.Parent() {
		return false
	}
	seen := make(map[*ssa.BasicBlock]bool)
	var reaches func(b *ssa.BasicBlock) bool
	reaches = func(b *ssa.BasicBlock) bool {
		if slices.ContainsFunc(stores, func(s *ssa.Store) bool { return s.Block() == b && (b != at.Block() || code.Before(s, at)) }) {
			return false
		}
		if b == at.Block() {
			return true
		}
		seen[b] = true
		return slices.ContainsFunc(b.Succs, func(next *ssa.BasicBlock) bool { return !seen[next] && reaches(next) })
	}
	return reaches(a.Block())
}

// bindingAt is the binding of a call: what surely was stored in a field of an argument
// before it is what the callee finds there.
func (f *Family) bindingAt(in ssa.CallInstruction, bind func(*term.T) *term.T) *term.Binding {
	return f.Engine.Pool.Binding(bind, func(place, x *term.T, field string, index *term.T) *term.T {
		if field != "" {
			for _, a := range in.Common().Args {
				if a = unboxed(a); isPointer(a.Type()) && f.Get(a) == x {
					if v := f.fieldAt(a, field, in); v != nil {
						return v
					}
				}
			}
		}
		return f.at(place, x, field, index)
	})
}

// fieldAt is what surely was stored last in a field of an object before an instruction;
// nil where that is not known.
func (f *Family) fieldAt(obj ssa.Value, name string, at ssa.Instruction) *term.T {
	st, ok := code.Deref(obj.Type()).Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range st.NumFields() {
		if st.Field(i).Name() != name {
			continue
		}
		if list, calls, ok := f.setters(obj, i); ok {
			if last := lastSet(list, calls, at); last != nil {
				return f.handedMap(last.Val)
			}
			// Of what was read, and is changed on some ways, either may be there.
			if a, ok := f.Base(obj).(*ssa.Alloc); ok && len(list) > 0 && len(calls) > 0 && leftOut(a, list, at) {
				alts := []*term.T{f.Engine.Pool.Unknown("read")}
				for _, s := range list {
					alts = append(alts, f.Get(s.Val))
				}
				return f.Engine.Pool.Join(alts...)
			}
		}
	}
	return nil
}

// setters lists the stores in a field of an object, and the calls that may set it as well;
// ok is false where others may do so unseen.
func (f *Family) setters(base ssa.Value, field int) (stores []*ssa.Store, calls []ssa.Instruction, ok bool) {
	bases := []ssa.Value{base}
	if _, local := base.(*ssa.Alloc); !local {
		bases = f.loadsOf(base)
	}
	for _, b := range bases {
		if b.Referrers() == nil {
			return nil, nil, false
		}
		for _, r := range *b.Referrers() {
			switch r := r.(type) {
			case *ssa.FieldAddr:
				if r.Field != field {
					continue
				}
				for _, u := range *r.Referrers() {
					switch u := u.(type) {
					case *ssa.UnOp, *ssa.DebugRef:
					case *ssa.Store:
						if u.Addr != ssa.Value(r) {
							return nil, nil, false
						}
						stores = append(stores, u)
					case *ssa.MakeInterface, *ssa.Call:
						calls = append(calls, u)
					default:
						return nil, nil, false
					}
				}
			case *ssa.Call:
				if f.mayFill(r) {
					calls = append(calls, r)
				}
			case *ssa.MakeInterface:
				for _, u := range *r.Referrers() {
					call, isCall := u.(*ssa.Call)
					if !isCall || f.mayFill(call) {
						calls = append(calls, u)
					}
				}
			case *ssa.UnOp, *ssa.DebugRef, *ssa.Return, *ssa.BinOp, *ssa.Phi:
			default:
				return nil, nil, false
			}
		}
	}
	return stores, calls, true
}

// mayFill reports whether a call that is given an object may change it: one of the
// catalogue says so.
func (f *Family) mayFill(call *ssa.Call) bool {
	entries := f.Engine.register(code.Declared(call.Common()))
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e *catalog.Call) bool { return e.Query != nil || e.Reads != nil || e.Runs != nil })
}

// lastSet is the store that came last before an instruction, on whatever way; nil where
// that is not one and the same.
func lastSet(stores []*ssa.Store, calls []ssa.Instruction, at ssa.Instruction) *ssa.Store {
	for _, s := range stores {
		if s.Parent() != at.Parent() || !code.Before(s, at) {
			continue
		}
		sure := true
		for _, o := range stores {
			sure = sure && (o == s || o.Parent() == at.Parent() && earlier(o, s, at))
		}
		for _, c := range calls {
			sure = sure && c.Parent() == at.Parent() && earlier(c, s, at)
		}
		if sure {
			return s
		}
	}
	return nil
}

// earlier reports whether what x sets is surely replaced by what s sets, or set only after
// what stands at an instruction.
func earlier(x, s, at ssa.Instruction) bool {
	return x == at || !mayPrecede(x, at) || x.Parent() == s.Parent() && code.Before(x, s) && !mayPrecede(s, x)
}

// Replaced reports whether what a read puts into variables of fn is not there any more at
// an instruction: each of them is surely given another value in between.
func (f *Family) Replaced(read *term.T, at ssa.Instruction) bool {
	found := false
	for v, list := range f.outs {
		for _, o := range list {
			if t := f.filled(o); t == nil || !t.Any(func(x *term.T) bool { return x == read }) {
				continue
			}
			if found = true; !givenAnew(v, o.value.(ssa.Instruction), at) {
				return false
			}
		}
	}
	return found
}

// givenAnew reports whether a variable is surely stored to as a whole between two
// instructions.
func givenAnew(v ssa.Value, from, to ssa.Instruction) bool {
	if v.Referrers() == nil || from.Parent() != to.Parent() {
		return false
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		s, ok := r.(*ssa.Store)
		return ok && s.Addr == v && s.Parent() == to.Parent() && code.Before(from, s) && code.Before(s, to)
	})
}
