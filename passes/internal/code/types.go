package code

import "go/types"

// IsError reports whether t is the type error.
func IsError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// IsNumber reports whether t is an integer or floating-point number that is no
// time.Duration.
func IsNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0 && !IsNamed(t, "time", "Duration")
}

// IsNamed reports whether t is the type of that name in that package.
func IsNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}

// IsDuration reports whether t is time.Duration.
func IsDuration(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration"
}

// IsContext reports whether t is context.Context.
func IsContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

// IsBasic reports whether t is, below its name, a number, a text or a bool.
func IsBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// Worldly reports whether a function looks as if it left the process: it takes
// a context. Loggers, encoders and the like do not, or return no error; what is given
// a context alone and returns nothing runs until that ends.
func Worldly(sig *types.Signature) bool {
	n := sig.Params().Len()
	if n == 0 {
		return false
	}
	if !IsContext(sig.Params().At(0).Type()) {
		return false
	}
	if sig.Results().Len() == 0 {
		return n == 1
	}
	last := sig.Results().At(sig.Results().Len() - 1).Type()
	return IsError(last)
}

// NamedOf is the named type that t is or points to, or nil.
func NamedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// Deref is what a pointer points to; t itself where it is none.
func Deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// FieldName is the name of the i-th field of a struct, or of what points to one.
func FieldName(t types.Type, i int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if st, ok := t.Underlying().(*types.Struct); ok && i < st.NumFields() {
		return st.Field(i).Name()
	}
	return "?"
}

// Embedded reports whether a field of a struct, or of what points to one, is embedded.
func Embedded(t types.Type, i int) bool {
	st, ok := Deref(t).Underlying().(*types.Struct)
	return ok && i < st.NumFields() && st.Field(i).Embedded()
}

// IsFunc reports whether t is a type of functions.
func IsFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// IsMap reports whether a type is one of maps.
func IsMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// HasContext reports whether a type has a method that returns its context, or is one
// itself beside what else it is: a request.
func HasContext(t types.Type) bool {
	for _, name := range []string{"Context", "Done"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		fn, ok := obj.(*types.Func)
		if !ok || fn.Signature().Params().Len() != 0 || fn.Signature().Results().Len() != 1 {
			continue
		}
		r := fn.Signature().Results().At(0).Type()
		if _, channel := r.Underlying().(*types.Chan); channel || IsContext(r) {
			return true
		}
	}
	return false
}

// A Slot is a field of a named type.
type Slot struct {
	Owner *types.TypeName // the type
	Field int             // its index
}

// SlotOf is a field of the named type that t is or points to; false where that has no name.
func SlotOf(t types.Type, field int) (Slot, bool) {
	n, ok := types.Unalias(Deref(t)).(*types.Named)
	if !ok {
		return Slot{}, false
	}
	return Slot{n.Origin().Obj(), field}, true
}
