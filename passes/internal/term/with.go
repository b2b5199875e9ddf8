package term

import "slices"

// An object with one field set, whatever is known of the others.

// ofSomeType is the type of a struct that was zero before one of its fields was set.
const ofSomeType = "struct"

// With is the object x with a field set.
func (p *Pool) With(x *T, name string, value *T) *T {
	if x.Kind == Struct {
		names, args := slices.Clone(x.Names), slices.Clone(x.Args)
		if i := slices.Index(names, name); i >= 0 {
			args[i] = value
		} else {
			names, args = append(names, name), append(args, value)
		}
		return p.Struct(x.Type, x.Site, names, args)
	}
	if x.Kind == Call && x.Name == "make" { // a map with nothing in it yet
		return p.Struct("map", x.Site, []string{name}, []*T{value})
	}
	if x.Kind == Const && x.Type == "zero" {
		return p.Struct(ofSomeType, "", []string{name}, []*T{value})
	}
	return p.intern(T{Kind: Op, Name: opWith, Args: []*T{p.Without(x, name), p.Const("field", name), value}})
}

// Without is the object x before its field was set.
func (p *Pool) Without(x *T, name string) *T {
	inner, other, value, ok := x.Changed()
	switch {
	case !ok:
		return x
	case other == name:
		return p.Without(inner, name)
	}
	if y := p.Without(inner, name); y != inner {
		return p.intern(T{Kind: Op, Name: opWith, Args: []*T{y, x.Args[1], value}})
	}
	return x
}

// Changed takes apart an object with a field set; ok is false for other terms.
func (t *T) Changed() (x *T, name string, value *T, ok bool) {
	if t == nil || t.Kind != Op || t.Name != opWith {
		return nil, "", nil, false
	}
	return t.Args[0], t.Args[1].Name, t.Args[2], true
}
