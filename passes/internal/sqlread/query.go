package sqlread

// query is a source of rows: a select, a CTE, a derived table, a write with
// RETURNING.
type query struct {
	list   []Expr   // output columns
	names  []string // their names, as far as known
	where  []Guard  // its own WHERE
	guards []Guard  // must hold for a row to come out
	rows   string   // why guards may not be all, or no row's condition
	table  string   // the one table it reads, if it is one
	keeps  bool     // what it reads stays as it is until the transaction ends
	write  *Write   // the write it is
	from   []source // of a select
}

// with reads the CTEs in front of a statement.
func (r *reader) with() {
	r.i++
	recursive := r.eat("recursive")
	for {
		name := r.name()
		if name == "" {
			r.fail("unexpected " + r.near())
			return
		}
		names := r.columnNames()
		r.eat("as")
		r.eat("not")
		r.eat("materialized")
		if !r.isOp("(") {
			r.fail("unexpected " + r.near())
			return
		}
		q := &query{}
		if recursive {
			r.define(name, &query{rows: "rows come from a recursive select"})
		}
		why := r.take(func() { r.inside(func() { q = r.body() }) })
		if q.rows == "" {
			q.rows = why
		}
		if names != nil {
			q.names = names
		}
		r.define(name, q)
		if r.isWord("search", "cycle") {
			r.skipTo("select", "insert", "update", "delete", "merge")
		}
		if !r.eatOp(",") {
			return
		}
	}
}

func (r *reader) define(name string, q *query) {
	if r.ctes == nil {
		r.ctes = map[string]*query{}
	}
	if len(r.ctes) >= maxNames {
		r.fail("too many CTEs")
		return
	}
	r.ctes[name] = q
}

// columnNames reads an optional (a, b, c).
func (r *reader) columnNames() []string {
	if !r.isOp("(") {
		return nil
	}
	var out []string
	r.inside(func() {
		for {
			out = append(out, unqualified(r.name()))
			if !r.eatOp(",") {
				return
			}
		}
	})
	return out
}

// columnTypes reads the columns of what a function returns, which have types where it
// returns records: AS x(code text, price numeric(10, 2)).
func (r *reader) columnTypes() []string {
	if !r.isOp("(") {
		return nil
	}
	var out []string
	r.inside(func() {
		for {
			out = append(out, unqualified(r.name()))
			for !r.end() && !r.isOp(")") && !r.isOp(",") {
				r.skip()
			}
			if !r.eatOp(",") {
				return
			}
		}
	})
	return out
}

// body reads a statement in the place of a query.
func (r *reader) body() *query {
	if r.isWord("with") {
		r.with()
	}
	if r.isWord("insert", "update", "delete", "merge", "replace", "upsert") {
		return r.change()
	}
	return r.query()
}

func (r *reader) query() *query {
	q := &query{}
	r.deeper(func() {
		q = r.term()
		for r.isWord("union", "intersect", "except", "minus") {
			r.i++
			if !r.eat("all") {
				r.eat("distinct")
			}
			q.join(r.term())
		}
		q.keeps = r.tail(q)
	})
	return q
}

// join makes q the rows of two selects: only what both agree on is known.
func (q *query) join(other *query) {
	if len(q.guards)+len(other.guards) > 0 || other.rows != "" {
		q.rows = "rows come from several selects"
	}
	q.guards, q.table = nil, ""
	for i, e := range q.list {
		if i >= len(other.list) || !same(e, other.list[i]) {
			q.list[i] = Expr{Kind: "other", Text: e.Text}
		}
	}
}

func (r *reader) term() *query {
	switch {
	case r.isOp("("):
		var q *query
		r.inside(func() { q = r.query() })
		if q == nil {
			q = &query{}
		}
		return q
	case r.isWord("with"):
		var q *query
		r.with()
		r.deeper(func() { q = r.body() })
		if q == nil {
			q = &query{}
		}
		return q
	case r.eat("values"):
		return r.values()
	case r.eat("table"):
		name := r.name()
		r.st.Tables = append(r.st.Tables, name)
		return &query{table: name}
	case r.eat("select"):
		return r.selects()
	}
	r.fail("unexpected " + r.near())
	r.skipTo()
	return &query{rows: "not a select"}
}

// values reads the rows behind VALUES. A column in which rows differ is not
// one expression.
func (r *reader) values() *query {
	q := &query{}
	for n := 0; ; n++ {
		r.eat("row")
		if !r.isOp("(") {
			if n == 0 && (r.cur().kind == verb || r.cur().kind == param) {
				r.i++ // assembled rows
				return q
			}
			r.fail("unexpected " + r.near())
			return q
		}
		var row []Expr
		r.inside(func() {
			if !r.isOp(")") {
				row = r.exprs()
			}
		})
		if n == 0 {
			q.list = row
			q.names = make([]string, len(row))
			for i := range q.names {
				q.names[i] = "column" + string(rune('1'+min(i, 8)))
			}
		} else {
			for i := range q.list {
				if i >= len(row) || !same(q.list[i], row[i]) {
					q.list[i] = Expr{Kind: "other", Text: q.list[i].Text}
				}
			}
		}
		if !r.eatOp(",") {
			return q
		}
	}
}

func (r *reader) selects() *query {
	for {
		if r.eat("all") || r.eat("straight_join") || r.eat("sql_no_cache") || r.eat("sql_calc_found_rows") {
			continue
		}
		if r.eat("distinct") {
			if r.eat("on") {
				r.skip()
			}
			continue
		}
		if r.eat("top") {
			r.operand(3)
			continue
		}
		break
	}
	q := &query{}
	for !r.isWord("from", "where") && !r.end() && !r.isOp(")") {
		e := r.expr()
		name := ""
		if e.Kind == "column" {
			name = e.Name
		}
		if r.eat("as") || r.cur().kind == quoted || r.cur().kind == word && !clause(r.cur().low) {
			if r.cur().kind == str {
				r.i++
			} else {
				name = r.name()
			}
		}
		q.list, q.names = append(q.list, e), append(q.names, name)
		if !r.eatOp(",") {
			break
		}
	}
	s := &scope{r: r}
	r.intoTable()
	if r.eat("from") {
		s.from()
	}
	r.intoTable()
	if q.from = s.sources; len(s.sources) == 1 {
		q.table = s.sources[0].table
	}
	var where Expr
	grouped := false
	if r.eat("where") {
		where = r.condition()
	}
	if r.eat("group", "by") {
		grouped = true
		r.exprs()
		r.eat("with", "rollup")
	}
	if r.eat("having") {
		grouped = true
		r.expr()
	}
	for i := range q.list {
		q.list[i] = s.resolve(q.list[i])
	}
	if where.Kind != "" {
		q.where = s.guards(where, false)
	}
	q.guards = append(s.inherited(), q.where...)
	q.rows = s.rows()
	if !grouped && len(q.guards) > 0 && aggregate(q.list) {
		q.guards = nil
		q.rows = "an aggregate yields a row in any case"
	}
	return q
}

// condition reads a WHERE. A piece of SQL assembled elsewhere cannot be read.
func (r *reader) condition() Expr {
	if r.eat("current", "of") {
		r.name()
		return Expr{}
	}
	return r.expr()
}

// intoTable reads SELECT ... INTO table, which creates one.
func (r *reader) intoTable() {
	if !r.eat("into") {
		return
	}
	if r.isWord("outfile", "dumpfile") || r.cur().kind == param {
		for !r.isWord("from", "where", "limit", "order") && !r.end() && !r.isOp(")") {
			r.skip()
		}
		return
	}
	for r.isWord("temp", "temporary", "unlogged", "table", "strict") {
		r.i++
	}
	r.write(Write{Op: "DDL", Table: r.name()})
}

// tail reads what may follow a select q, and tells whether the rows stay locked.
func (r *reader) tail(q *query) (keeps bool) {
	for {
		switch {
		case r.eat("order", "by"):
			for {
				r.expr()
				for r.isWord("asc", "desc", "nulls", "first", "last") {
					r.i++
				}
				if !r.eatOp(",") {
					break
				}
			}
		case r.eat("limit"):
			if !r.eat("all") {
				r.operand(1)
			}
			if r.eatOp(",") {
				r.operand(1)
			}
		case r.eat("offset"):
			r.operand(1)
			if !r.eat("rows") {
				r.eat("row")
			}
		case r.eat("fetch"):
			for r.isWord("first", "next", "row", "rows", "only", "with", "ties", "percent") || r.cur().kind == number || r.cur().kind == param {
				r.i++
			}
		case r.eat("window"):
			for {
				r.name()
				r.eat("as")
				r.skip()
				if !r.eatOp(",") {
					break
				}
			}
		case r.eat("for"):
			if r.isWord("update", "share", "no") { // FOR KEY SHARE lets other columns change
				r.st.ForUpdate, keeps = true, true
			}
			for r.isWord("update", "share", "no", "key", "nowait", "wait", "of", "system_time", "browse", "read", "only", "skip", "locked") || r.cur().kind == number {
				if r.isWord("skip") {
					r.st.SkipLocked = true
				}
				of := r.isWord("of")
				r.i++
				if of {
					for name := r.name(); name != ""; name = r.name() {
						r.st.Locked = append(r.st.Locked, q.named(name))
						if !r.eatOp(",") {
							break
						}
					}
				}
			}
		case r.eat("lock", "in", "share", "mode"):
			r.st.ForUpdate, keeps = true, true
		case r.eat("option"):
			r.skip()
		default:
			return keeps
		}
	}
}

// named is the table that a select calls by a name.
func (q *query) named(name string) string {
	for _, it := range q.from {
		if it.alias == name && it.table != "" {
			return it.table
		}
	}
	return name
}

// from reads the items of a FROM clause with their joins.
func (s *scope) from() {
	s.item()
	s.more()
}

// more reads the items behind the first.
func (s *scope) more() {
	r := s.r
	for {
		left, right := false, false
		switch {
		case r.eatOp(","):
			r.eat("lateral")
			s.item()
			continue
		case r.isWord("cross", "outer") && r.isWordAt(1, "apply"):
			left = r.isWord("outer")
			r.i += 2
		default:
			start := r.i
			r.eat("natural")
			switch {
			case r.eat("left"):
				left = true
			case r.eat("right"):
				right = true
			case r.eat("full"):
				left, right = true, true
			default:
				if !r.eat("inner") {
					r.eat("cross")
				}
			}
			r.eat("outer")
			if !r.eat("join") && !r.eat("straight_join") {
				r.i = start
				return
			}
		}
		before := len(s.sources)
		r.eat("lateral")
		s.item()
		if right {
			for i := range s.sources[:before] {
				s.sources[i].optional = true
			}
			s.joined = nil
		}
		if left {
			for i := before; i < len(s.sources); i++ {
				s.sources[i].optional = true
			}
		}
		if r.eat("on") {
			cond := r.expr()
			if !left && !right {
				s.joined = append(s.joined, cond)
			}
		} else if r.isWord("using") {
			r.i++
			r.columnNames()
		}
	}
}

// item reads one table, sub-select, function or parenthesised join.
func (s *scope) item() {
	r := s.r
	var it source
	function := false
	switch {
	case r.isOp("(") && r.startsQuery():
		why := r.take(func() { r.inside(func() { it.query = r.body() }) })
		if it.query == nil {
			it.query = &query{rows: why}
		}
	case r.isOp("("):
		r.inside(func() { s.from() })
		return
	default:
		for r.eat("only") || r.eat("lateral") {
		}
		name := r.name()
		if name == "" {
			r.fail("unexpected " + r.near())
			return
		}
		for r.cur().kind == verb && r.cur().glued {
			r.i++
		}
		if r.isOp("(") {
			var args []Expr
			r.inside(func() { args = r.callArgs() })
			r.st.Functions = append(r.st.Functions, Call{Name: unqualified(name), Args: args})
			it.query, function = &query{}, true
			r.eat("with", "ordinality")
		} else if q, ok := r.ctes[name]; ok {
			it.query, it.alias = q, name
		} else {
			it.table, it.alias = name, unqualified(name)
			r.st.Tables = append(r.st.Tables, name)
		}
		r.eatOp("*")
	}
	r.hints()
	if function && r.isWord("as") && r.isOpAt(1, "(") {
		r.i++
		it.names = r.columnTypes()
	} else if alias, ok := r.alias(); ok {
		it.alias = alias
		if function {
			it.names = r.columnTypes()
		} else {
			it.names = r.columnNames()
		}
	}
	r.hints()
	if len(s.sources) == maxNames {
		r.fail("too many tables")
		return
	}
	s.sources = append(s.sources, it)
}

func (r *reader) alias() (string, bool) {
	if !r.eat("as") {
		named := r.isWord("lock") && !r.isWordAt(1, "in") // LOCK IN SHARE MODE is a clause
		if t := r.cur(); t.kind != quoted && (t.kind != word || clause(t.low)) && !named {
			return "", false
		}
	}
	return r.name(), true
}

// hints steps over what a dialect lets one say about reading a table.
func (r *reader) hints() {
	for {
		switch {
		case r.isWord("with") && r.isOpAt(1, "("):
			r.i++
			r.skip()
		case r.isWord("use", "force", "ignore") && r.isWordAt(1, "index", "key"):
			r.i += 2
			if r.eat("for") {
				r.skipTo()
			}
			r.skip()
		case r.eat("tablesample"):
			r.skip()
			r.skip()
		case r.isWord("partition") && r.isOpAt(1, "("):
			r.i++
			r.skip()
		case r.eat("not", "indexed"):
		case r.eat("indexed", "by"):
			r.name()
		default:
			return
		}
	}
}

// aggregate tells whether a select list makes one row of all.
func aggregate(list []Expr) bool {
	for _, e := range list {
		if e.Kind == "call" {
			switch e.Name {
			case "count", "sum", "avg", "min", "max", "bool_or", "bool_and", "every", "array_agg", "string_agg", "json_agg",
				"jsonb_agg", "group_concat", "any_value", "total":
				return true
			}
		}
		if aggregate(e.Args) {
			return true
		}
	}
	return false
}

// using steps over the USING TTL or TIMESTAMP of Cassandra. What was written with a greater
// timestamp stays, so one that the program gives decides which write wins.
func (r *reader) using(until ...string) []Guard {
	if !r.isWord("using") || !r.isWordAt(1, "ttl", "timestamp") {
		return nil
	}
	start, given := r.i, false
	for !r.end() && !r.isOp(")") && !r.isWord(until...) {
		given = given || r.isWord("timestamp") && (r.at(1).kind == param || r.at(1).kind == verb)
		r.skip()
	}
	if !given {
		return nil
	}
	return []Guard{{Op: "other", Value: Expr{Kind: "other", Text: r.span(start)}, Text: r.span(start)}}
}
