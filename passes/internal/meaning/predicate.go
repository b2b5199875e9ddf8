package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// AllOf and OneOf are operations on conditions: of a list of them, whose type says which.
const (
	AllOf = "all of"
	OneOf = "one of"
)

// predicate reads a condition that is built by calls, as goqu.C("token").Lt(token)
// or expression.Name("token").LessThan(expression.Value(token)): what all the
// guards say must hold. The catalogue tells what each call adds; one that it does
// not know makes a guard that cannot be read.
func (r *Reader) predicate(t *term.T) []Guard {
	switch {
	case t == nil || t.Kind == term.Nil:
		return nil
	case t.Kind == term.List:
		var out []Guard
		for _, a := range t.Args {
			out = append(out, r.predicate(a)...)
		}
		return out
	case t.IsMap():
		return r.columns(t)
	}
	if isClause(t) {
		return r.clauses(t)
	}
	if t.Kind == term.Op && t.Name == AllOf {
		return r.predicate(r.Pool.List(t.Args...))
	}
	if t.Kind == term.Op && t.Name == OneOf {
		var ways []Guard
		for _, a := range t.Args {
			ways = append(ways, Guard{Op: "and", Alts: r.predicate(a)})
		}
		return []Guard{either(ways)}
	}
	e := r.Entry(t)
	if e == nil || e.Part == nil {
		return []Guard{{Op: "other", Text: "a condition that is out of sight"}}
	}
	of := r.Get(e.Part.Of, t, nil)
	if e.Part.Of.IsZero() {
		of = Receiver(t)
	}
	args := r.Get(e.Part.Args, t, nil)
	switch e.Part.Kind {
	case "compare":
		if s, ok := of.Str(); ok && !e.Part.Of.IsZero() {
			return []Guard{compared(columnName(s), e.Part.Word, args)}
		}
		return []Guard{r.comparison(e.Part.Word, of, args)}
	case "where":
		return append(r.predicate(of), r.predicate(args)...)
	case "or":
		var ways []Guard
		for _, a := range append(slices.Clone(list(of)), list(args)...) {
			for _, way := range list(a) { // the variadic ones come as a list
				ways = append(ways, Guard{Op: "and", Alts: r.predicate(way)})
			}
		}
		return []Guard{either(ways)}
	case "raw":
		if s, ok := r.Get(e.Part.Text, t, nil).Str(); ok {
			guards, _ := r.condition(s, r.params(e.Part.Args, t))
			return guards
		}
	}
	return []Guard{{Op: "other", Text: "a condition that is out of sight"}}
}

// either is a guard of which one alternative must hold. Where one asks for nothing
// to be stored yet, and the other for less than the value, that is one comparison.
func either(ways []Guard) Guard {
	single := func(g Guard) Guard {
		for g.Op == "and" && len(g.Alts) == 1 {
			g = g.Alts[0]
		}
		return g
	}
	if len(ways) == 2 {
		for i := range ways {
			null, g := single(ways[i]), single(ways[1-i])
			none := null.Op == "is null" || null.Op == "absent" || null.Op == "=" && (constText(null.Value) == "0" || null.Value.IsZero())
			if none && null.Column != "" && g.Column == null.Column && (g.Op == "<" || g.Op == "<=") {
				g.NullOK = true
				return g
			}
		}
	}
	return Guard{Op: "or", Alts: ways, Text: "or"}
}

// list is the elements of a list, or the one value.
func list(t *term.T) []*term.T {
	switch {
	case t == nil, t.Kind == term.Nil:
		return nil
	case t.Kind == term.List:
		return t.Args
	}
	return []*term.T{t}
}

// comparison reads column op value. Where the column stands on the right, the
// operator turns round.
func (r *Reader) comparison(op string, x, y *term.T) Guard {
	if y != nil && y.Kind == term.List && len(y.Args) == 1 {
		y = y.Args[0]
	}
	column, ok := r.column(x)
	if !ok {
		if column, ok = r.column(y); !ok {
			return Guard{Op: "other", Text: op}
		}
		x, y, op = y, x, turned(op)
	}
	if _, both := r.column(y); both {
		return Guard{Column: column, Op: "other", Text: column + " " + op}
	}
	return compared(column, op, y)
}

// compared is the guard column op value.
func compared(column, op string, value *term.T) Guard {
	g := Guard{Column: column, Op: op, Text: column + " " + op}
	if op != "is null" && op != "absent" && op != "present" {
		if value != nil && value.Kind == term.List && len(value.Args) == 1 && op != "in" {
			value = value.Args[0]
		}
		g.Value = value
	}
	return g
}

func turned(op string) string {
	switch op {
	case "<":
		return ">"
	case "<=":
		return ">="
	case ">":
		return "<"
	case ">=":
		return "<="
	}
	return op
}

// column is the column that a call names: goqu.C("token").
func (r *Reader) column(t *term.T) (string, bool) {
	e := r.Entry(t)
	if e == nil || e.Part == nil || e.Part.Kind != "target" {
		return "", false
	}
	s, ok := r.Get(e.Part.Text, t, nil).Str()
	return columnName(s), ok
}

// columns reads a struct or map of columns and what they must be: a value, or a
// map of operators and values (goqu.Op{"lt": token}). Some libraries have a type of
// maps for each operator (squirrel.Lt), and one of maps of which one entry will do.
func (r *Reader) columns(t *term.T) []Guard {
	op := "="
	switch kind := t.Type[strings.LastIndexByte(t.Type, '.')+1:]; kind {
	case "Lt":
		op = "<"
	case "LtOrEq", "Lte":
		op = "<="
	case "Gt":
		op = ">"
	case "GtOrEq", "Gte":
		op = ">="
	case "NotEq", "Neq":
		op = "<>"
	case "Like", "NotLike", "ILike", "NotILike", "IsNull", "NotNull":
		op = "other"
	}
	var out []Guard
	for i, name := range t.Names {
		g := Guard{Column: columnName(name), Op: op, Value: t.Args[i], Text: name + " " + op}
		if v := t.Args[i]; v.IsMap() && len(v.Names) == 1 {
			g.Op, g.Value = operators[v.Names[0]], v.Args[0]
			if g.Op == "" {
				g.Op = "other"
			}
		} else if v.Kind == term.Nil {
			g.Op, g.Value = "is null", nil
		} else if v.Kind == term.List {
			g.Op = "in"
		}
		out = append(out, g)
	}
	if strings.HasSuffix(t.Type, ".ExOr") {
		return []Guard{{Op: "or", Alts: out, Text: "or"}}
	}
	return out
}

var operators = map[string]string{"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}

// condition reads a condition that is text with placeholders; ok is false where
// some of it cannot be followed.
func (r *Reader) condition(text string, params *term.T) (out []Guard, ok bool) {
	ok = true
	for _, st := range sqlread.Read("DELETE FROM t WHERE " + text) {
		for _, w := range st.Writes {
			ok = ok && w.Unknown == "" && st.Unknown == ""
			for _, g := range w.Guards {
				out = append(out, unnamed(r.sqlGuard(g, w, params), w.Table))
			}
		}
	}
	return out, ok
}

// expressed reads a guard whose value is an expression that goes into the statement as text:
// a column that is compared with itself asks for nothing.
func (r *Reader) expressed(g Guard, p *catalog.Part) Guard {
	other := Guard{Op: "other", Text: "an expression"}
	text, ok := r.Get(p.Text, g.Value, nil).Str()
	if !ok {
		return other
	}
	if text = strings.TrimSpace(text); strings.EqualFold(text[strings.LastIndexByte(text, '.')+1:], g.Column) {
		g.Value = nil
		return g
	}
	if text == "?" {
		if args := r.params(p.Args, g.Value); args != nil && args.Kind == term.List && len(args.Args) == 1 {
			g.Value = args.Args[0]
			return g
		}
	}
	return other
}
