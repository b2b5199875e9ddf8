package sqlread

import "strings"

// name reads a dotted name and gives it lower-case and unquoted; "" if none
// stands here.
func (r *reader) name() string {
	var parts []string
	for {
		t := r.cur()
		switch t.kind {
		case word, quoted:
			parts = append(parts, t.low)
		case verb:
			parts = append(parts, strings.ToLower(r.text[t.pos:t.end]))
		default:
			if len(parts) == 0 {
				return ""
			}
			return strings.Join(parts, ".")
		}
		r.i++
		if !r.isOp(".") {
			return strings.Join(parts, ".")
		}
		for r.eatOp(".") {
		}
	}
}

// startsQuery tells whether a select follows, also behind parentheses.
func (r *reader) startsQuery() bool {
	k := 0
	for r.isOpAt(k, "(") && k < maxDepth {
		k++
	}
	return r.isWordAt(k, "select", "with", "values") && !(r.duplicate && r.isWordAt(k, "values"))
}

// reserved tells whether a word cannot be a column.
func reserved(low string) bool {
	switch low {
	case "select", "from", "where", "group", "order", "having", "limit", "union", "intersect", "except", "returning", "on", "set",
		"values", "when", "then", "else", "end", "using", "join", "inner", "left", "right", "cross", "and", "or", "not", "in", "is",
		"between", "like", "as", "into", "for", "with", "default", "by", "asc", "desc", "distinct", "case":
		return true
	}
	return false
}

// clause tells whether a word goes on with the statement rather than being an
// alias.
func clause(low string) bool {
	if reserved(low) {
		return true
	}
	switch low {
	case "offset", "fetch", "minus", "output", "full", "natural", "outer", "lateral", "straight_join", "xor", "ilike", "window",
		"do", "option", "use", "force", "ignore", "tablesample", "partition", "collate", "insert", "update", "delete", "merge",
		"lock", "qualify", "connect", "apply", "value", "indexed", "search", "cycle":
		return true
	}
	return false
}

func (r *reader) primary() Expr {
	start := r.i
	t := r.cur()
	switch t.kind {
	case str, number:
		r.i++
		for r.cur().kind == str && t.kind == str {
			r.i++
		}
		return Expr{Kind: "literal", Text: r.span(start)}
	case param:
		r.i++
		return Expr{Kind: "param", Param: t.ord, Name: t.name, Text: r.span(start)}
	case verb:
		if !r.isOpAt(1, ".") && !r.isOpAt(1, "(") {
			r.i++
			return Expr{Kind: "param", Param: t.ord, Name: t.name, Text: r.span(start)}
		}
		return r.reference()
	case quoted:
		return r.reference()
	case word:
		return r.keyword()
	case op:
		switch t.low {
		case "(":
			return r.parenthesis()
		case "*":
			r.i++
			return Expr{Kind: "other", Text: "*"}
		case "[":
			// A literal of ClickHouse or an array behind ARRAY.
			r.i++
			var args []Expr
			if !r.isOp("]") {
				args = r.exprs()
			}
			if !r.eatOp("]") {
				r.fail("unexpected " + r.near())
			}
			return Expr{Kind: "other", Name: "array", Args: args, Text: r.span(start)}
		}
	}
	r.fail("unexpected " + r.near())
	return Expr{Kind: "other"}
}

// subselect makes a value of a select: Args are its output columns.
func subselect(q *query) Expr {
	return Expr{Kind: "other", Name: "select", Args: q.list[:min(len(q.list), maxNames)], query: q}
}

func (r *reader) parenthesis() Expr {
	start := r.i
	var e Expr
	r.inside(func() {
		if r.startsQuery() {
			e = subselect(r.query())
			return
		}
		if r.isOp(")") {
			e = Expr{Kind: "other", Name: "list"}
			return
		}
		list := r.exprs()
		if len(list) == 1 {
			e = list[0]
			return
		}
		e = Expr{Kind: "other", Name: "row", Args: list}
	})
	e.Text = r.span(start)
	return e
}

// keyword reads an operand that begins with a bare word.
func (r *reader) keyword() Expr {
	start := r.i
	low := r.cur().low
	call := r.isOpAt(1, "(")
	switch low {
	case "null", "true", "false", "default":
		if !call {
			r.i++
			return Expr{Kind: "literal", Text: r.span(start)}
		}
	case "case":
		return r.caseOf()
	case "exists":
		if call {
			r.i++
			var q *query
			r.inside(func() { q = r.query() })
			return Expr{Kind: "binary", Name: "exists", query: q, Text: r.span(start)}
		}
	case "cast", "try_cast", "safe_cast":
		if call {
			r.i++
			var e Expr
			r.inside(func() {
				e = r.expr()
				if r.eat("as") {
					e.text = r.typeName()
					r.skipTo()
				}
			})
			e.Text = r.span(start)
			return e
		}
	case "convert", "try_convert":
		if call {
			r.i++
			return r.convert(start)
		}
	case "interval", "date", "time", "timestamp", "timestamptz":
		if e, ok := r.typed(low); ok {
			return e
		}
	case "array":
		if r.isOpAt(1, "[") {
			r.i++
			return r.primary()
		}
		if call {
			r.i++
			return r.parenthesis()
		}
	case "row":
		if call {
			r.i++
			return r.parenthesis()
		}
	case "next":
		if r.isWordAt(1, "value") && r.isWordAt(2, "for") {
			r.i += 3
			name := r.reference()
			return r.called(start, "nextval", []Expr{name})
		}
	case "values":
		// MySQL's VALUES(col) is the incoming value of that column.
		if call {
			r.i++
			var name string
			r.inside(func() { name = r.name() })
			return Expr{Kind: "column", Name: unqualified(name), qualifier: "excluded", Text: r.span(start)}
		}
	case "current_timestamp", "current_date", "current_time", "localtimestamp", "localtime", "sysdate", "systimestamp",
		"current_user", "session_user", "utc_timestamp", "getdate":
		if !call {
			r.i++
			return r.called(start, low, nil)
		}
	}
	if reserved(low) && !(call && (low == "left" || low == "right" || low == "insert" || low == "default")) {
		r.fail("unexpected " + r.near())
		return Expr{Kind: "other"}
	}
	return r.reference()
}

// typed reads literals such as INTERVAL '5 minutes', INTERVAL ? SECOND and
// DATE '2026-01-01'.
func (r *reader) typed(low string) (Expr, bool) {
	start := r.i
	next := r.at(1)
	if next.kind == str {
		r.i += 2
		r.unit()
		return Expr{Kind: "literal", Text: r.span(start)}, true
	}
	if low != "interval" || next.kind == op && next.low != "(" && next.low != "-" || next.kind == eof || next.kind == word && reserved(next.low) {
		return Expr{}, false
	}
	r.i++
	arg := r.operand(1)
	r.unit()
	if arg.Kind == "literal" {
		return Expr{Kind: "literal", Text: r.span(start)}, true
	}
	return Expr{Kind: "call", Name: "interval", Args: []Expr{arg}, Text: r.span(start)}, true
}

// unit steps over the unit of an interval.
func (r *reader) unit() {
	for r.isWord("microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year", "seconds", "minutes",
		"hours", "days", "to", "day_second", "hour_second", "minute_second") {
		r.i++
		if r.isOp("(") && r.cur().glued {
			r.skip()
		}
	}
}

// convert reads CONVERT(type, x) of SQL Server and CONVERT(x, type) or
// CONVERT(x USING charset) of MySQL.
func (r *reader) convert(start int) Expr {
	var e Expr
	r.inside(func() {
		first := r.expr()
		e = first
		if r.eat("using") {
			r.name()
			return
		}
		if r.eatOp(",") {
			typeFirst := first.Kind == "call" || first.Kind == "column" && !r.isTypeEnd()
			if typeFirst {
				e = r.expr()
			} else {
				r.typeName()
			}
			for r.eatOp(",") {
				r.expr()
			}
		}
	})
	e.Text = r.span(start)
	return e
}

// isTypeEnd tells whether a type stands here as last argument.
func (r *reader) isTypeEnd() bool {
	return r.isWord("signed", "unsigned", "char", "binary", "date", "datetime", "decimal", "time", "json", "nchar") &&
		(r.isOpAt(1, ")") || r.isOpAt(1, "(") || r.isWordAt(1, "integer"))
}

func (r *reader) caseOf() Expr {
	start := r.i
	r.i++
	e := Expr{Kind: "call", Name: "case"}
	r.deeper(func() {
		var subject *Expr
		if !r.isWord("when") {
			s := r.expr()
			subject = &s
		}
		for r.eat("when") {
			cond := r.expr()
			if subject != nil {
				cond = Expr{Kind: "binary", Name: "=", Args: []Expr{*subject, cond}, Text: cond.Text}
			}
			if !r.eat("then") {
				r.fail("unexpected " + r.near())
				return
			}
			e.Args = append(e.Args, cond, r.expr())
		}
		if r.eat("else") {
			e.Args = append(e.Args, r.expr())
		}
		if !r.eat("end") {
			r.fail("unexpected " + r.near())
		}
	})
	e.Text = r.span(start)
	return e
}

// reference reads a column or a function call.
func (r *reader) reference() Expr {
	start := r.i
	name := r.name()
	if name == "" {
		r.fail("unexpected " + r.near())
		return Expr{Kind: "other"}
	}
	if strings.HasSuffix(r.span(start), ".") && r.eatOp("*") {
		return Expr{Kind: "other", Text: r.span(start)}
	}
	bare := unqualified(name)
	if r.isOp("(") {
		var args []Expr
		r.inside(func() { args = r.callArgs() })
		e := r.called(start, bare, args)
		r.window()
		e.Text = r.span(start)
		return e
	}
	qualifier := strings.TrimSuffix(strings.TrimSuffix(name, bare), ".")
	if qualifier != "" && (bare == "nextval" || bare == "currval") {
		return r.called(start, bare, []Expr{{Kind: "column", Name: qualifier, Text: qualifier}})
	}
	return Expr{Kind: "column", Name: bare, qualifier: qualifier, Text: r.span(start)}
}

func (r *reader) called(start int, name string, args []Expr) Expr {
	r.st.Functions = append(r.st.Functions, Call{Name: name, Args: args})
	return Expr{Kind: "call", Name: name, Args: args, Text: r.span(start)}
}

// callArgs reads arguments. Words such as FROM, FOR and USING separate them
// in some functions; named arguments lose their names.
func (r *reader) callArgs() []Expr {
	var out []Expr
	for !r.isOp(")") && !r.end() {
		switch {
		case r.eatOp(",") || r.eat("distinct") || r.eat("all") || r.eat("order", "by") || r.eat("asc") || r.eat("desc") ||
			r.eat("from") || r.eat("for") || r.eat("using") || r.eat("both") || r.eat("leading") || r.eat("trailing") ||
			r.eat("separator") || r.eat("in") || r.eat("nulls", "first") || r.eat("nulls", "last") ||
			r.eat("respect", "nulls") || r.eat("ignore", "nulls"):
		case r.eat("as"):
			r.typeName()
		case r.startsQuery():
			start := r.i
			e := subselect(r.query())
			e.Text = r.span(start)
			out = append(out, e)
		case r.cur().kind == word && (r.isOpAt(1, "=>") || r.isOpAt(1, ":=")):
			r.i += 2
		case r.isWord("limit"):
			r.i++
		default:
			before := r.i
			out = append(out, r.expr())
			if r.i == before {
				r.skip()
			}
		}
	}
	return out
}

// window steps over FILTER, WITHIN GROUP and OVER.
func (r *reader) window() {
	for {
		switch {
		case r.isWord("filter", "over") && r.isOpAt(1, "("):
			r.i++
			r.skip()
		case r.isWord("within") && r.isWordAt(1, "group"):
			r.i += 2
			r.skip()
		case r.isWord("over") && r.at(1).kind == word:
			r.i += 2 // a named window
		default:
			return
		}
	}
}
