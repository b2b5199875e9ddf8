package term

import "strings"

// Place renders what a value names, for people: a key, an object, a file. It is
// Pattern without what means nothing to them: how a value was decoded, which
// element of a list it is. Of a value that nothing is known of it is empty.
func (t *T) Place() string {
	if t == nil {
		return ""
	}
	if s, known := t.pattern(); known {
		return s
	}
	switch t.Kind {
	case Param:
		return t.Label
	case Global:
		return t.Name[strings.LastIndexByte(t.Name, '.')+1:]
	case Field:
		switch base := t.Args[0].Place(); {
		case base == "" || strings.HasSuffix(base, ")"):
			return t.Name
		default:
			return base + "." + t.Name
		}
	case Elem:
		if base := t.Args[0].Place(); base != "" && !strings.HasSuffix(base, ")") {
			return base + "[]"
		}
	case List:
		if len(t.Args) == 2 { // the two numbers of an advisory lock
			if a, b := t.Args[0].Place(), t.Args[1].Place(); a != "" && b != "" {
				return a + ", " + b
			}
		}
		if len(t.Args) > 0 {
			return t.Args[0].Place()
		}
	case Result, Out, Join, Op:
		if t.Kind == Op && t.Name == opApplied {
			return t.Args[2].Place()
		}
		for _, a := range t.Args {
			if t.Kind != Result && t.Kind != Out && a.Kind == Const && (t.Kind == Op || a.IsZero()) {
				continue // what a number starts from, or is computed with, names nothing
			}
			if s := a.Place(); s != "" {
				return s
			}
		}
	case Call:
		return t.callPlace()
	}
	return ""
}

// callPlace renders a call: joined paths as they come out, others by name. A
// name without a package is the engine's own (make).
func (t *T) callPlace() string {
	name := t.Name[strings.LastIndexByte(t.Name, '.')+1:]
	switch t.Name {
	case "path/filepath.Join", "path.Join":
		if len(t.Args) != 1 || t.Args[0].Kind != List {
			return ""
		}
		var parts []string
		for _, a := range t.Args[0].Args {
			if s := a.Place(); s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "/")
	case name:
		return ""
	}
	return name + "(...)"
}
