package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// What a statement changes, and what it asks before it does.

func (r *Reader) sqlChange(w sqlread.Write, params, conn *term.T, reject string, call *term.T) *Change {
	c := &Change{Store: "sql", Operation: w.Op, Resource: "sql", On: conn, Reject: reject, Columns: w.Columns, Call: call}
	if w.Table != "" {
		c.Resource = "sql:" + w.Table
	}
	sets := w.Set
	if len(sets) == 0 {
		sets = w.Insert
	}
	for _, a := range sets {
		v := r.sqlTerm(a.Value, params)
		if a.Greater && !greatest(v) {
			v = r.Pool.Op("sql:greatest", v) // CASE WHEN c < $1 THEN $1 ELSE c END
		}
		c.Sets = append(c.Sets, Setting{a.Column, v})
	}
	for _, a := range w.Insert {
		if slices.Contains(w.Unique, a.Column) {
			c.By = append(c.By, Setting{a.Column, r.sqlTerm(a.Value, params)})
		}
	}
	if w.Unknown != "" {
		c.Unknown = lock.ReasonSQL
	}
	if w.Conflict == "nothing" {
		c.Guards = append(c.Guards, Guard{Op: "absent", Text: "on conflict do nothing", Unique: w.Unique})
	}
	if w.Missing {
		c.Guards = append(c.Guards, Guard{Op: "absent", Text: "created where there is none"})
	}
	for _, g := range w.Guards {
		c.Guards = append(c.Guards, r.sqlGuard(g, w, params))
	}
	return c
}

// Text is the change that a statement makes whose arguments are out of sight.
func (r *Reader) Text(w sqlread.Write) *Change { return r.sqlChange(w, nil, nil, "", nil) }

func (r *Reader) sqlGuard(g sqlread.Guard, w sqlread.Write, params *term.T) Guard {
	out := Guard{Column: g.Column, Table: g.Table, Op: g.Op, NullOK: g.NullOK, AsText: g.AsText, Text: g.Text}
	if g.Not {
		out.Op = "other"
		return out
	}
	from := w
	if g.From != nil {
		from = *g.From
	}
	switch g.Op {
	case "or", "and":
		list := g.Or
		if g.Op == "and" {
			list = g.And
		}
		for _, a := range list {
			out.Alts = append(out.Alts, r.sqlGuard(a, w, params))
		}
		if g.Op == "or" {
			out = r.required(out)
		}
	case "exists", "in":
		for _, a := range g.And {
			out.Alts = append(out.Alts, r.sqlGuard(a, w, params))
		}
		if states(g.Value) {
			one := out
			one.Op = "or" // of one state or another
			for _, v := range g.Value.Args {
				one.Alts = append(one.Alts, r.sqlGuard(sqlread.Guard{Column: g.Column, Table: g.Table, From: g.From, Op: "=", Value: v, Text: g.Text}, w, params))
			}
			if !slices.ContainsFunc(one.Alts, func(a Guard) bool { return !a.Moves }) {
				return one
			}
		}
	}
	if g.Value.Kind != "" {
		out.Value = r.sqlTerm(g.Value, params)
		if e := r.Entry(out.Value); e != nil && e.Part != nil && e.Part.Kind == "raw" && g.Column != "" {
			return r.expressed(out, e.Part)
		}
	}
	if g.Column == "" || g.Table != "" && g.Table != from.Table {
		return out
	}
	if v, ok := storedBy(from, g.Column); ok {
		r.settle(&out, r.sqlTerm(v, params))
		if v.Kind == "param" && g.Value.Kind == "param" && v.Param == g.Value.Param && v.Name == g.Value.Name {
			out.Stored, out.Moves = true, false // the same argument, be it out of sight
		}
	}
	return out
}

// states reports whether a value is a list of literals. A write that moves a column from
// any of them to another one is refused where somebody else was first.
func states(v sqlread.Expr) bool {
	return v.Name == "list" && len(v.Args) > 0 && !slices.ContainsFunc(v.Args, func(a sqlread.Expr) bool { return a.Kind != "literal" })
}

// storedBy returns what a write stores in a column of a row that is there
// already: what an upsert would have inserted does not count.
func storedBy(w sqlread.Write, column string) (sqlread.Expr, bool) {
	list := w.Set
	if len(list) == 0 {
		list = w.Insert
	}
	for _, a := range list {
		if a.Column == column {
			return a.Value, true
		}
	}
	return sqlread.Expr{}, false
}

// settle notes what the write stores where the guard looks: the very value, the
// greater of it and the present one, or another value (SET version = version + 1
// WHERE version = $1, SET status = 'done' WHERE status = 'new').
func (r *Reader) settle(g *Guard, stored *term.T) {
	switch {
	case stored == nil:
	case g.Op == "is null":
		g.Moves = stored.Kind != term.Nil && !strings.EqualFold(constText(stored), "null")
	case g.Value == nil:
	case r.Pool.Alike(stored, g.Value), (greatest(stored) || kept(stored)) && slices.ContainsFunc(stored.Args, func(a *term.T) bool { return r.Pool.Alike(a, g.Value) }):
		g.Stored = true
	case stored.Kind == term.Unknown && stored.Name == "ways" && stored == g.Value && (g.Op == "<" || g.Op == "<="):
		g.Stored = true // the same argument, as far as is known
	default:
		g.Moves = !(constText(g.Value) == "0" && unsure(stored))
	}
}

// unsure reports whether a value that comes from elsewhere may be the zero that it would
// have to differ from: of a quantity, other than of a state, that is to be expected.
func unsure(t *term.T) bool {
	return t.Kind != term.Const && !(t.Kind == term.Op && (strings.HasPrefix(t.Name, "sql:") || strings.HasPrefix(t.Name, "$")))
}

// Greatest reports whether a statement stores the token, unless the one that is there
// is greater, in a column of its own, and what else it stores in any case.
func (s Setting) Greatest() bool {
	return greatest(s.Value) && s.Value.Any(func(t *term.T) bool {
		return t.Kind == term.Op && t.Name == "column" && constText(t.Args[0]) == s.Column
	})
}

// Counts reports whether a statement adds something to what is in the column, or takes
// something off.
func (s Setting) Counts() bool {
	v := s.Value
	return v != nil && v.Kind == term.Op && (v.Name == "sql:+" || v.Name == "sql:-") && len(v.Args) == 2 &&
		v.Args[0].Kind == term.Op && v.Args[0].Name == "column" && constText(v.Args[0].Args[0]) == s.Column
}

// kept reports whether a value is what is given, and what is there where nothing is.
func kept(t *term.T) bool {
	return t.Kind == term.Op && t.Name == "sql:coalesce" && len(t.Args) == 2 && t.Args[1].Kind == term.Op && t.Args[1].Name == "column"
}

func greatest(t *term.T) bool {
	return t.Kind == term.Op && (t.Name == "sql:greatest" || t.Name == "sql:max")
}
