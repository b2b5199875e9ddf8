package sqlread

import (
	"slices"
	"strings"
)

// guards turns a condition, or its negation, into the conjuncts that must
// hold.
func (s *scope) guards(e Expr, neg bool) []Guard {
	if e.Kind == "call" && e.Name == "coalesce" && len(e.Args) == 2 && logical(e.Args[0]) {
		switch truth(e.Args[1]) {
		case !neg:
			return passNull(s.guards(e.Args[0], neg))
		default:
			return s.guards(e.Args[0], neg)
		}
	}
	if e.Kind == "call" && e.Name == "case" && len(e.Args) == 3 && isBool(e.Args[1]) && isBool(e.Args[2]) && truth(e.Args[1]) != truth(e.Args[2]) {
		if truth(e.Args[1]) {
			return s.guards(e.Args[0], neg)
		}
		return passNull(s.guards(e.Args[0], !neg)) // neither true nor false is ELSE
	}
	if e.Kind != "binary" {
		return []Guard{s.bare(e, neg)}
	}
	switch e.Name {
	case "and", "or":
		if (e.Name == "and") != neg {
			var out []Guard
			for _, a := range e.Args {
				out = append(out, s.guards(a, neg)...)
			}
			return out
		}
		var alts [][]Guard
		for _, a := range e.Args {
			alts = append(alts, s.guards(a, neg))
		}
		return disjunction(alts, e.Text)
	case "not":
		return s.guards(e.Args[0], !neg)
	case "is true":
		return s.guards(e.Args[0], neg)
	case "is false":
		return s.guards(e.Args[0], !neg)
	case "is not true", "is not false":
		return passNull(s.guards(e.Args[0], (e.Name == "is not true") != neg))
	case "is null", "is not null":
		op := e.Name
		if neg {
			op = negated(op)
		}
		g := Guard{Op: op, Text: e.Text}
		if c, ok := s.stored(e.Args[0]); ok {
			g.Column, g.Table = c.column, c.table
		} else {
			g.Value = s.resolve(e)
		}
		return []Guard{g}
	case "exists":
		g := Guard{Op: "exists", Not: neg, Text: e.Text, Value: Expr{Kind: "other", Name: "select", Text: e.Text}}
		s.nested(&g, e.query)
		return []Guard{g}
	case "in", "like":
		g := Guard{Op: e.Name, Not: neg, Text: e.Text, Value: s.resolve(e.Args[1])}
		if c, ok := s.stored(e.Args[0]); ok {
			g.Column, g.Table, g.NullOK = c.column, c.table, c.nullOK
		} else if e.Args[0].Name == "row" || e.Args[0].Kind != "other" {
			g.Value = s.resolve(e)
		}
		s.nested(&g, e.Args[1].query)
		return []Guard{g}
	}
	if comparison(e.Name) {
		return s.compare(e, neg)
	}
	return []Guard{s.bare(e, neg)}
}

// nested gives a guard on a sub-select the conjuncts of that select.
func (s *scope) nested(g *Guard, q *query) {
	if q == nil {
		return
	}
	if q.rows != "" {
		s.r.fail(q.rows)
	}
	if s.rereads(q) {
		g.Op = "other"
		return
	}
	g.And = q.guards
	if g.Op == "exists" {
		g.Table = q.table
	}
}

// truth tells whether a literal is TRUE.
func truth(e Expr) bool {
	return e.Kind == "literal" && (len(e.Text) == 4 && e.Text[0]|0x20 == 't' || e.Text == "1")
}

// isBool tells whether e is TRUE or FALSE, by its name or number.
func isBool(e Expr) bool {
	if e.Kind != "literal" {
		return false
	}
	switch strings.ToLower(e.Text) {
	case "true", "false", "1", "0":
		return true
	}
	return false
}

// passNull marks comparisons as passed by absent values.
func passNull(gs []Guard) []Guard {
	if len(gs) == 1 && gs[0].Column != "" {
		gs[0].NullOK = true
		return gs
	}
	return []Guard{{Op: "or", Or: []Guard{{Op: "and", And: gs}, {Op: "is null"}}}}
}

// bare makes a guard of a condition that is no comparison.
func (s *scope) bare(e Expr, neg bool) Guard {
	g := Guard{Op: "other", Not: neg, Text: e.Text, Value: s.resolve(e)}
	switch {
	case g.Value.Kind == "column" && !g.Value.Incoming:
		// A boolean column.
		g.Column, g.Table = g.Value.Name, g.Value.owner()
		g.Op, g.Not = "=", false
		g.Value = Expr{Kind: "literal", Text: "true"}
		if neg {
			g.Value.Text = "false"
		}
	case g.Value.Kind == "param" && dynamic(g.Value) || g.Value.Kind == "":
		s.r.fail("a condition is assembled")
	}
	return g
}

// dynamic tells whether e is a piece of text that Go fills in.
func dynamic(e Expr) bool {
	return e.Kind == "param" && e.Text != "" && (e.Text[0] == '%' || e.Text[0] == '{')
}

// storedValue is a column behind what does not change its order.
type storedValue struct {
	column, table string
	nullOK        bool
	early         bool // may be read before the row is locked
}

// stored takes e for a stored column, if it is one.
func (s *scope) stored(e Expr) (storedValue, bool) {
	switch e.Kind {
	case "column":
		c := s.column(e)
		return storedValue{column: c.Name, table: c.owner()}, !c.Incoming
	case "call":
		if len(e.Args) == 2 {
			switch e.Name {
			case "coalesce", "ifnull", "nvl", "isnull":
				c, ok := s.stored(e.Args[0])
				_, both := s.stored(e.Args[1])
				c.nullOK = true
				return c, ok && !both
			}
		}
	case "other":
		if q := e.query; q != nil && len(q.list) == 1 {
			v := q.list[0]
			if v.Kind == "call" && (v.Name == "max" || v.Name == "min") && len(v.Args) == 1 {
				v = v.Args[0]
			}
			inner := &scope{r: s.r}
			c, ok := inner.stored(v)
			if ok && c.table == "" {
				c.table = q.table
			}
			c.early = s.rereads(q)
			return c, ok
		}
	}
	return storedValue{}, false
}

var flip = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

func negated(op string) string {
	switch op {
	case "<":
		return ">="
	case "<=":
		return ">"
	case ">":
		return "<="
	case ">=":
		return "<"
	case "=":
		return "<>"
	case "<>":
		return "="
	case "is null":
		return "is not null"
	case "is not null":
		return "is null"
	}
	return op
}

// compare makes the guard of one comparison.
func (s *scope) compare(e Expr, neg bool) []Guard {
	left, right, op := e.Args[0], e.Args[1], e.Name
	nullOK := false
	switch op {
	case "is not distinct":
		op = "="
	case "is distinct":
		op, nullOK = "<>", true
	}
	if neg {
		op = negated(op)
	}
	if left.Name == "row" && right.Name == "row" && len(left.Args) == len(right.Args) {
		return s.compareRows(left.Args, right.Args, op, e.Text)
	}
	if g, ok := s.monotone(left, right, op, e.Text); ok {
		return []Guard{g}
	}
	l, lok := s.stored(left)
	rv, rok := s.stored(right)
	if q := right.query; q != nil && op == "=" && lok && rok && s.target != nil && q.table == s.target.table && len(q.guards) > 0 && l.column == rv.column {
		g := Guard{Op: "in", Column: l.column, Table: l.table, Text: e.Text, Value: s.resolve(right)}
		s.nested(&g, q)
		return []Guard{g}
	}
	if rok && (!lok || s.target != nil && rv.table == s.target.table && l.table != s.target.table) {
		left, right, l, lok = right, left, rv, true
		if f, ok := flip[op]; ok {
			op = f
		}
	}
	if right.Kind == "call" && (right.Name == "any" || right.Name == "some") && op == "=" {
		op = "in"
	}
	if !lok {
		if dynamic(left) || dynamic(right) {
			s.r.fail("a name is assembled")
		}
		return []Guard{{Op: op, Value: s.resolve(e), Not: neg && op == "other", Text: e.Text}}
	}
	if l.early {
		return []Guard{{Op: "other", Value: s.resolve(e), Text: e.Text}}
	}
	return []Guard{{
		Column: l.column, Table: l.table, Op: op, Value: s.resolve(right), NullOK: l.nullOK || nullOK && op == "<>", Text: e.Text,
		AsText: flip[op] != "" && (left.text || right.text),
	}}
}

// compareRows reads (a, b) op (x, y). An ordering of rows implies the same
// ordering, or equality, of their first fields.
func (s *scope) compareRows(left, right []Expr, op, text string) []Guard {
	at := func(i int, op string) Expr {
		return Expr{Kind: "binary", Name: op, Args: []Expr{left[i], right[i]}, Text: text}
	}
	switch op {
	case "=":
		var out []Guard
		for i := range left {
			out = append(out, s.compare(at(i, op), false)...)
		}
		return out
	case "<>":
		return []Guard{{Op: "other", Text: text, Value: Expr{Kind: "other", Args: []Expr{s.resolve(left[0]), s.resolve(right[0])}, Text: text}}}
	}
	return s.compare(at(0, op[:1]+"="), false)
}

// monotone reads GREATEST(col, x) = x, another way to write col <= x.
func (s *scope) monotone(left, right Expr, op, text string) (Guard, bool) {
	if op != "=" {
		return Guard{}, false
	}
	if right.Kind == "call" && (right.Name == "greatest" || right.Name == "least") {
		left, right = right, left
	}
	if left.Kind != "call" || len(left.Args) != 2 || left.Name != "greatest" && left.Name != "least" {
		return Guard{}, false
	}
	order := "<="
	if left.Name == "least" {
		order = ">="
	}
	for i, a := range left.Args {
		if c, ok := s.stored(a); ok && same(left.Args[1-i], right) {
			return Guard{Column: c.column, Table: c.table, Op: order, NullOK: c.nullOK, Value: s.resolve(right), Text: text}, true
		}
	}
	return Guard{}, false
}

// disjunction joins alternatives, as one comparison where they amount to one.
func disjunction(alts [][]Guard, text string) []Guard {
	var flat []Guard
	for _, gs := range alts {
		switch {
		case len(gs) == 1 && gs[0].Op == "or":
			flat = append(flat, gs[0].Or...)
		case len(gs) == 1:
			flat = append(flat, gs[0])
		default:
			flat = append(flat, Guard{Op: "and", And: gs})
		}
	}
	flat = nullable(flat)
	flat = lessOrEqual(flat)
	if len(flat) == 1 {
		g := flat[0]
		if g.Op == "and" {
			return g.And
		}
		g.Text = text
		return []Guard{g}
	}
	return []Guard{{Op: "or", Or: flat, Text: text}}
}

// nullable folds "c IS NULL" into comparisons of c, if these are all the rest. A number
// that is zero until something is written is as good as none, beside an ordering.
func nullable(alts []Guard) []Guard {
	at := -1
	for i, g := range alts {
		if empty(g) && !(at >= 0 && alts[at].Op == "is null") {
			at = i
		}
	}
	if at < 0 || len(alts) < 2 {
		return alts
	}
	null := alts[at]
	var out []Guard
	for _, g := range alts {
		if empty(g) && g.Column == null.Column && g.Table == null.Table {
			continue
		}
		if g.Column != null.Column || g.Table != null.Table || !comparison(g.Op) || null.Op == "=" && flip[g.Op] == "" {
			return alts
		}
		g.NullOK = true
		out = append(out, g)
	}
	if len(out) == 0 {
		if slices.ContainsFunc(alts, func(g Guard) bool { return g.Op == "=" }) {
			return alts
		}
		return []Guard{null}
	}
	return out
}

// empty tells whether a guard finds nothing in its column.
func empty(g Guard) bool {
	return g.Column != "" && (g.Op == "is null" || g.Op == "=" && g.Value.Kind == "literal" && g.Value.Text == "0")
}

// lessOrEqual joins c < v OR c = v.
func lessOrEqual(alts []Guard) []Guard {
	if len(alts) != 2 {
		return alts
	}
	a, b := alts[0], alts[1]
	if a.Op == "=" {
		a, b = b, a
	}
	if a.Column == "" || a.Column != b.Column || a.Table != b.Table || b.Op != "=" || a.Op != "<" && a.Op != ">" || !same(a.Value, b.Value) {
		return alts
	}
	a.Op += "="
	a.NullOK = a.NullOK || b.NullOK
	return []Guard{a}
}

// same tells whether two expressions are written alike.
func same(a, b Expr) bool {
	if a.Kind != b.Kind || a.Name != b.Name || a.Incoming != b.Incoming || len(a.Args) != len(b.Args) {
		return false
	}
	switch a.Kind {
	case "param":
		// Two question marks are two arguments.
		return a.Param == b.Param
	case "literal", "other":
		if a.Text != b.Text {
			return false
		}
	case "column":
		return true
	}
	for i := range a.Args {
		if !same(a.Args[i], b.Args[i]) {
			return false
		}
	}
	return true
}
