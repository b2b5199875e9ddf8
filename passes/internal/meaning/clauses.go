package meaning

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// Clauses of gorm are conditions as values: clause.Lt{Column: "turn", Value: turn}. They
// stand in lists that options may have filled.

const clauses = "gorm.io/gorm/clause."

// isClause reports whether a value is a condition of that kind.
func isClause(t *term.T) bool {
	switch t.Kind {
	case term.Struct:
		return strings.HasPrefix(t.Type, clauses)
	case term.Call:
		return t.Name == clauses+"And" || t.Name == clauses+"Or"
	}
	return false
}

// clauses lists what a condition asks for; other clauses (Locking, Returning) ask for
// nothing.
func (r *Reader) clauses(t *term.T) []Guard {
	hidden := []Guard{{Op: "other", Text: "a condition that is out of sight"}}
	if t.Kind == term.Call && isClause(t) {
		if len(t.Args) != 1 {
			return hidden
		}
		all, seen := r.elements(t.Args[0])
		switch {
		case !seen:
			return hidden
		case t.Name == clauses+"And":
			return r.eachClause(all)
		}
		return r.anyClause(all)
	}
	if t.Kind != term.Struct || !isClause(t) {
		return hidden
	}
	field := func(name string) *term.T { return r.Pool.Field(t, name) }
	switch kind := strings.TrimPrefix(t.Type, clauses); kind {
	case "Lt", "Lte", "Gt", "Gte", "Eq", "Neq":
		column := field("Column")
		if column.Kind == term.Struct {
			column = r.Pool.Field(column, "Name")
		}
		name, ok := column.Str()
		if !ok {
			return hidden
		}
		if v := field("Value"); kind == "Eq" && (v.Kind == term.Nil || v.Type == "zero") {
			return []Guard{compared(columnName(name), "is null", nil)}
		}
		return []Guard{compared(columnName(name), operators[strings.ToLower(kind)], field("Value"))}
	case "Expr":
		text, ok := field("SQL").Str()
		if !ok {
			return hidden
		}
		if guards, ok := r.condition(text, field("Vars")); ok {
			return guards
		}
		return hidden
	case "Where", "AndConditions", "OrConditions":
		all, seen := r.elements(field("Exprs"))
		guards := r.eachClause(all)
		if kind == "OrConditions" {
			guards = r.anyClause(all)
		}
		if !seen {
			guards = append(guards, hidden...)
		}
		return guards
	case "Not", "NotConditions", "IN", "Like", "NamedExpr":
		return hidden
	}
	return nil
}

func (r *Reader) eachClause(list []*term.T) []Guard {
	var out []Guard
	for _, a := range list {
		out = append(out, r.clauses(a)...)
	}
	return out
}

func (r *Reader) anyClause(list []*term.T) []Guard {
	if len(list) == 0 {
		return nil
	}
	ways := make([]Guard, len(list))
	for i, a := range list {
		ways[i] = Guard{Op: "and", Alts: r.clauses(a)}
	}
	return []Guard{either(ways)}
}

// elements lists what is surely in a list that is filled piece by piece; seen is false
// where there may be more.
func (r *Reader) elements(t *term.T) (in []*term.T, seen bool) {
	switch {
	case t == nil || t.IsZero() || t.Kind == term.Nil:
		return nil, true
	case t.Kind == term.List:
		return t.Args, true
	case t.Kind == term.Op && t.Name == "append" && len(t.Args) == 2:
		a, seenA := r.elements(t.Args[0])
		b, seenB := r.elements(t.Args[1])
		return append(a[:len(a):len(a)], b...), seenA && seenB
	}
	if x, with, without, ok := t.Cases(); ok {
		switch zero, known := r.zero(x); {
		case known && zero:
			return r.elements(without)
		case known:
			return r.elements(with)
		}
	}
	return nil, false
}
