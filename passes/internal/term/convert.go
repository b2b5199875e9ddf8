package term

import "slices"

// Conversions that are kept in a term, as a value does not say all of it any more, or is
// ordered otherwise: a number in fewer bits, a number as text.

const opText = "text" // the number Args[0] in digits

// narrow has the types that hold less than the numbers that are converted to them.
var narrow = []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32"}

// Narrowed is a number in a type that cannot hold all of its values.
func (p *Pool) Narrowed(typ string, x *T) *T {
	if x.Kind == Const || x.Kind == Nil || x.Kind == Unknown || !slices.Contains(narrow, typ) {
		return x
	}
	return p.intern(T{Kind: Op, Name: typ, Args: []*T{x}})
}

// Narrowed returns the type that a number was converted to which cannot hold all of its
// values; it is empty where it was not.
func (t *T) Narrowed() string {
	if t.Kind == Op && len(t.Args) == 1 && slices.Contains(narrow, t.Name) {
		return t.Name
	}
	return ""
}

// Digits is a number as text.
func (p *Pool) Digits(x *T) *T {
	if x.Kind == Const || x.Kind == Nil || x.Kind == Unknown || x.IsText() {
		return x
	}
	return p.intern(T{Kind: Op, Name: opText, Args: []*T{x}})
}

// Number is what the text of a number was made of, or t itself.
func (t *T) Number() *T {
	if t.Kind == Op && t.Name == opText {
		return t.Args[0]
	}
	return t
}

// IsText reports whether a value is a text that was made of other values.
func (t *T) IsText() bool {
	if t == nil {
		return false
	}
	switch {
	case t.Kind == Join:
		return slices.ContainsFunc(t.Args, (*T).IsText)
	case t.Kind != Op:
		return false
	case t.Name == "+":
		return slices.ContainsFunc(t.Args, func(a *T) bool { _, text := a.Str(); return text || a.IsText() })
	}
	return t.Name == opText || t.Name == "format" || t.Name == opJoin
}
