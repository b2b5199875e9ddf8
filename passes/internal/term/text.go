package term

import (
	"slices"
	"strings"
)

// Pattern renders a string value for people: constants as they are, everything
// else as %s or %d, as in "order:%s". A value without any constant part is
// rendered as the expression it comes from: "l.key".
func (t *T) Pattern() string {
	if t == nil {
		return ""
	}
	if s, known := t.pattern(); known {
		return s
	}
	return t.Text()
}

// elements renders what is in a list, of which a part may be out of sight: that
// stands for one element.
func elements(list *T) (parts []string, known bool) {
	switch {
	case list.Kind == List:
		for _, a := range list.Args {
			s, k := a.pattern()
			parts, known = append(parts, s), known || k
		}
		return parts, known
	case list.Kind == Op && list.Name == opAppend:
		for _, a := range list.Args {
			more, k := elements(a)
			parts, known = append(parts, more...), known || k
		}
		return parts, known
	}
	return []string{"%s"}, false
}

// pattern returns the rendering and whether any part of it is constant.
func (t *T) pattern() (string, bool) {
	switch t.Kind {
	case Const:
		if t.Type == "zero" {
			return "", true
		}
		return t.Name, true
	case Op:
		switch t.Name {
		case "+":
			if slices.ContainsFunc(t.Args, func(a *T) bool { return a.Kind == Const && a.Type == "int" }) {
				break // a sum
			}
			var b strings.Builder
			known := false
			for _, a := range t.Args {
				s, k := a.pattern()
				known = known || k
				b.WriteString(s)
			}
			return b.String(), known
		case opWhen:
			if s, known := t.Args[2].pattern(); known {
				return s, true
			}
			return t.Args[1].pattern()
		case opText:
			return t.Args[0].pattern()
		case opBuilt:
			parts, known := elements(&T{Kind: List, Args: t.Args[1:]})
			return strings.Join(parts, "%s"), known
		case opJoin:
			sep, _ := t.Args[1].pattern()
			parts, known := elements(t.Args[0])
			return strings.Join(parts, sep), known
		case "format":
			if f, ok := t.Args[0].Str(); ok {
				return fill(f, t.Args[1:]), true
			}
		}
	case Join:
		for _, a := range t.Args {
			if s, k := a.pattern(); k && !a.IsZero() {
				return s, true
			}
		}
	case List:
		if len(t.Args) > 0 {
			return t.Args[0].pattern()
		}
	}
	return "%s", false
}

// verbEnd is where the letter of the verb stands that begins at i; the length of the format
// if it has none.
func verbEnd(format string, i int) int {
	for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; {
		i++
	}
	return i
}

// Verbs lists the letters of a format's verbs, in the order of what they print.
func Verbs(format string) []byte {
	var out []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i = verbEnd(format, i); i < len(format) && format[i] != '%' {
			out = append(out, format[i])
		}
	}
	return out
}

// fill puts constant arguments into a format and leaves the other verbs, and those that
// may cut off something.
func fill(format string, args []*T) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		j := verbEnd(format, i)
		if j == len(format) {
			b.WriteString(format[i:])
			break
		}
		switch {
		case format[j] == '%':
			b.WriteByte('%')
		case len(args) > 0:
			if s, known := args[0].pattern(); known && strings.IndexByte(format[i:j], '.') < 0 {
				b.WriteString(s)
			} else {
				b.WriteString("%" + format[j:j+1])
			}
			args = args[1:]
		default:
			b.WriteString(format[i : j+1])
		}
		i = j
	}
	return b.String()
}

// plain reports whether a format and what goes into it are known, so that the text is: strings
// by %s, and whole numbers by %d.
func plain(args []*T) bool {
	f, ok := args[0].Str()
	if !ok {
		return false
	}
	for _, a := range args[1:] {
		i := strings.IndexByte(f, '%')
		if i < 0 || i+1 == len(f) || a.Kind != Const || !(a.Type == "string" && f[i+1] == 's' || a.Type == "int" && f[i+1] == 'd') {
			return false
		}
		f = f[i+2:]
	}
	return !strings.Contains(f, "%")
}

// Holes lists the parts of a string value that are not constant, in the order in
// which Pattern shows them as verbs.
func (t *T) Holes() []*T {
	switch {
	case t.Kind == Op && t.Name == "+":
		var list []*T
		for _, a := range t.Args {
			list = append(list, a.Holes()...)
		}
		return list
	case t.Kind == Op && t.Name == "format":
		if _, ok := t.Args[0].Str(); !ok {
			break
		}
		var list []*T
		for _, a := range t.Args[1:] {
			if _, known := a.pattern(); !known {
				list = append(list, a)
			}
		}
		return list
	case t.Kind == Join || t.Kind == List:
		for _, a := range t.Args {
			if _, known := a.pattern(); known {
				return a.Holes()
			}
		}
	}
	if _, known := t.pattern(); known {
		return nil
	}
	return []*T{t}
}

// Text renders t as a short expression.
func (t *T) Text() string {
	if t == nil {
		return ""
	}
	switch t.Kind {
	case Const:
		if t.Type == "string" {
			return `"` + t.Name + `"`
		}
		return t.Name
	case Nil:
		return "nil"
	case Param:
		return t.Label
	case Global, Func, Closure:
		return ShortName(t.Name)
	case Call:
		return ShortName(t.Name) + "(...)"
	case Result, Out:
		return t.Args[0].Text()
	case Field:
		return strings.TrimSuffix(t.Args[0].Text(), "{...}") + "." + t.Name
	case Elem:
		if len(t.Args) == 2 {
			return t.Args[0].Text() + "[" + t.Args[1].Text() + "]"
		}
		return t.Args[0].Text() + "[]"
	case Struct:
		return ShortName(t.Type) + "{...}"
	case List:
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = a.Text()
		}
		return strings.Join(parts, ", ")
	case Op:
		if t.Name == "format" {
			if s, known := t.pattern(); known {
				return s
			}
			return "Sprintf(...)"
		}
		switch t.Name {
		case opOr, opWith:
			return t.Args[0].Text()
		case opApplied:
			return t.Args[2].Text()
		case opText:
			return t.Args[0].Text()
		}
		if typ := t.Narrowed(); typ != "" {
			return typ + "(" + t.Args[0].Text() + ")"
		}
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = a.Text()
		}
		if len(parts) == 1 {
			return t.Name + parts[0]
		}
		return strings.Join(parts, " "+t.Name+" ")
	case Join:
		return t.Args[0].Text()
	}
	return "?"
}
