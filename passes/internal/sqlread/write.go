package sqlread

import "strings"

// change reads INSERT, UPDATE, DELETE, MERGE or REPLACE and gives it as the
// source of rows it is inside a CTE.
func (r *reader) change() *query {
	first := len(r.st.Writes)
	q := &query{}
	why := r.take(func() {
		r.deeper(func() {
			switch {
			case r.eat("insert"):
				q.list, q.names = r.insert("INSERT")
			case r.eat("replace"):
				q.list, q.names = r.insert("REPLACE")
			case r.eat("upsert"):
				q.list, q.names = r.insert("UPSERT")
			case r.eat("update"):
				q.list, q.names = r.update()
			case r.eat("delete"):
				q.list, q.names = r.delete()
			case r.eat("merge"):
				q.list, q.names = r.merge()
			}
		})
	})
	// The statement's own write is the one noted last: CTEs and sub-selects
	// stand in front of it or inside it, and it is noted when it ends.
	if len(r.st.Writes) == first {
		q.rows = why
		return q
	}
	w := &r.st.Writes[len(r.st.Writes)-1]
	if w.Unknown == "" {
		w.Unknown = why
	}
	own := *w
	q.write, q.table, q.rows = &own, own.Table, own.Unknown
	for _, g := range own.Guards {
		if g.From == nil {
			g.From = &own
		}
		q.guards = append(q.guards, g)
	}
	return q
}

// targetTable reads the table that is written.
func (s *scope) targetTable() {
	r := s.r
	for r.isWord("into", "only", "low_priority", "high_priority", "delayed", "quick", "overwrite", "table") {
		r.i++
	}
	if r.eat("top") {
		r.skip()
		r.eat("percent")
	}
	name := r.name()
	for r.cur().kind == verb && r.cur().glued {
		name += r.text[r.cur().pos:r.cur().end]
		r.i++
	}
	if name == "" {
		r.fail("unexpected " + r.near())
	}
	r.eatOp("*")
	if q := r.ctes[name]; q != nil && q.table != "" {
		// SQL Server writes through a CTE, PostgreSQL would not.
		r.fail("the target is a CTE")
	}
	s.target = &source{alias: unqualified(name), table: name}
}

func (r *reader) insert(op string) ([]Expr, []string) {
	w := Write{Op: op}
	s := &scope{r: r}
	ignore := false
	switch {
	case r.eat("or", "replace"):
		w.Op = "REPLACE"
	case r.eat("or", "ignore"):
		ignore = true
	case r.eat("or"):
		r.skip()
	}
	for r.isWord("low_priority", "high_priority", "delayed", "ignore") {
		ignore = ignore || r.isWord("ignore")
		r.i++
	}
	if r.isWord("all") || r.isWord("first") {
		r.fail("an insert into several tables")
		r.skipTo()
		return nil, nil
	}
	s.targetTable()
	w.Table = s.target.table
	if ignore {
		w.Conflict = "nothing"
	}
	if r.isWord("partition") && r.isOpAt(1, "(") {
		r.i++
		r.skip()
	}
	if !r.isWord("values", "select", "with", "default", "set") {
		if alias, ok := r.alias(); ok {
			s.target.alias = alias
		}
	}
	var columns []string
	if r.isOp("(") && !r.startsQuery() {
		columns = r.columnNames()
	}
	if r.eat("overriding") {
		r.skip()
		r.skip()
	}
	list, names := r.output(s)
	rows := r.rows(s, columns)
	if rows != nil {
		w.Insert = pair(columns, rows.list)
		w.Guards, w.Unknown = rows.guards, rows.rows
	} else {
		w.Insert = s.insert
	}
	s.insert = w.Insert
	s.sources = nil
	if r.eat("as") {
		s.newRow = r.name()
		s.newCols = r.columnNames()
	}
	w.conflict(s)
	if r.eat("if", "not", "exists") {
		w.Conflict = "nothing"
	}
	w.Guards = append(w.Guards, r.using()...)
	if r.isWord("returning") {
		list, names = r.output(s)
	}
	r.write(w)
	return list, names
}

// rows reads what is inserted; nil if it was an assignment list.
func (r *reader) rows(s *scope, columns []string) *query {
	switch {
	case r.eat("default", "values"):
		return &query{}
	case r.eat("values") || r.eat("value"):
		return r.values()
	case r.isWord("set"):
		r.i++
		s.insert = s.assigns()
		return nil
	case r.cur().kind == verb || r.cur().kind == param:
		r.i++
		return &query{rows: "the rows are assembled"}
	case r.isWord("exec", "execute"):
		r.skipTo()
		return &query{rows: "a stored procedure"}
	case r.end() && columns == nil:
		return &query{} // a builder adds the values
	}
	return r.query()
}

func pair(columns []string, values []Expr) []Assign {
	out := make([]Assign, 0, len(values))
	for i, v := range values {
		a := Assign{Value: v}
		if i < len(columns) {
			a.Column = columns[i]
		}
		out = append(out, a)
	}
	return out
}

// conflict reads what happens when the row is already there.
func (w *Write) conflict(s *scope) {
	r := s.r
	switch {
	case r.eat("on", "conflict"):
		if r.eat("on", "constraint") {
			r.name()
		} else if r.isOp("(") {
			from := r.i + 1
			r.skip()
			for _, t := range r.toks[from:max(from, r.i-1)] {
				if t.kind == word || t.kind == quoted {
					w.Unique = append(w.Unique, t.low)
				}
			}
			if r.eat("where") {
				r.expr()
			}
		}
		if !r.eat("do") {
			r.fail("unexpected " + r.near())
			return
		}
		if r.eat("nothing") {
			if w.Conflict == "" {
				w.Conflict = "nothing"
			}
			if r.isWord("on") {
				w.conflict(s)
			}
			return
		}
		if !r.eat("update", "set") {
			r.fail("unexpected " + r.near())
			return
		}
		w.Op, w.Conflict = "UPSERT", "update"
		w.Set = s.assigns()
		var where Expr
		if r.eat("where") {
			where = r.condition()
		}
		w.settle(s, where)
	case r.eat("on", "duplicate", "key", "update"):
		w.Op, w.Conflict = "UPSERT", "update"
		r.duplicate = true
		w.Set = s.assigns()
		r.duplicate = false
		w.settle(s, Expr{})
	}
}

func (r *reader) update() ([]Expr, []string) {
	w := Write{Op: "UPDATE"}
	s := &scope{r: r}
	if r.eat("or") {
		r.skip()
	}
	r.eat("ignore")
	r.eat("low_priority")
	r.eat("ignore")
	s.targetTable()
	r.hints()
	if !r.isWord("set") {
		if alias, ok := r.alias(); ok {
			s.target.alias = alias
		}
	}
	timed := r.using("set")
	if !r.isWord("set") {
		s.more() // MySQL joins here
	}
	if !r.eat("set") {
		r.fail("unexpected " + r.near())
		r.skipTo("where")
	}
	w.Set = s.assigns()
	list, names := r.output(s)
	if r.eat("from") {
		s.from()
		s.retarget()
	}
	var where Expr
	if r.eat("where") {
		where = r.condition()
	}
	where = r.only(where)
	s.assigned(w.Set)
	w.Table = s.target.table
	w.Guards = append(s.inherited(), timed...)
	w.Unknown = s.rows()
	w.settle(s, where)
	r.tail(&query{})
	if r.isWord("returning") {
		list, names = r.output(s)
	}
	r.option()
	r.write(w)
	return list, names
}

// assigned finds the table that a joined update really changes, by what
// qualifies its assignments.
func (s *scope) assigned(set []Assign) {
	at := -1
	for n, a := range set {
		found := -1
		for i, it := range s.sources {
			if a.qualifier != "" && it.query == nil && a.qualifier == it.alias {
				found = i
			}
		}
		if n > 0 && found != at {
			s.r.fail("several tables are updated")
			return
		}
		at = found
	}
	if at >= 0 {
		*s.target, s.sources[at] = s.sources[at], *s.target
	}
}

// retarget finds the table when the target of UPDATE or DELETE is an alias
// that FROM explains.
func (s *scope) retarget() {
	for i, it := range s.sources {
		if it.query == nil && it.alias == s.target.alias {
			s.target.table = it.table
			s.sources = append(s.sources[:i:i], s.sources[i+1:]...)
			return
		}
	}
}

func (r *reader) delete() ([]Expr, []string) {
	w := Write{Op: "DELETE"}
	s := &scope{r: r}
	r.eat("low_priority")
	r.eat("quick")
	r.eat("ignore")
	from := r.eat("from")
	s.targetTable()
	r.hints()
	var others []string // MySQL deletes from several tables at once
	for r.eatOp(",") {
		others = append(others, r.name())
	}
	var list []Expr
	var names []string
	switch {
	case !from && r.eat("from"):
		s.from()
		s.retarget()
	default:
		if alias, ok := r.alias(); ok {
			s.target.alias = alias
		}
	}
	list, names = r.output(s)
	if r.eat("using") || r.eat("from") {
		s.from()
		s.retarget()
	}
	var where Expr
	if r.eat("where") {
		where = r.condition()
	}
	where = r.only(where)
	w.Table = s.target.table
	w.Guards = s.inherited()
	w.Unknown = s.rows()
	w.settle(s, where)
	r.tail(&query{})
	if r.isWord("returning") {
		list, names = r.output(s)
	}
	r.option()
	for _, name := range others {
		also := w
		also.Table = s.owner(name)
		r.write(also)
	}
	r.write(w)
	return list, names
}

// only reads the IF of Cassandra, which asks more of the row that WHERE finds.
func (r *reader) only(where Expr) Expr {
	if !r.eat("if") || r.eat("exists") {
		return where
	}
	cond := r.condition()
	if where.Kind == "" {
		return cond
	}
	return Expr{Kind: "binary", Name: "and", Args: []Expr{where, cond}, Text: where.Text + " AND " + cond.Text}
}

func (r *reader) option() {
	if r.eat("option") {
		r.skip()
	}
}

// output reads RETURNING or OUTPUT.
func (r *reader) output(s *scope) (list []Expr, names []string) {
	if !r.eat("returning") && !r.eat("output") {
		return nil, nil
	}
	for {
		e := r.expr()
		name := ""
		if e.Kind == "column" {
			name = e.Name
		}
		if alias, ok := r.alias(); ok {
			name = alias
		}
		list, names = append(list, e), append(names, name)
		if !r.eatOp(",") {
			break
		}
	}
	if r.eat("into") {
		for r.cur().kind == param || r.name() != "" {
			if r.cur().kind == param {
				r.i++
			}
			r.columnNames()
			if !r.eatOp(",") {
				break
			}
		}
	}
	return list, names
}

// assigns reads column = value, ... of SET.
func (s *scope) assigns() []Assign {
	r := s.r
	var out []Assign
	for {
		switch {
		case r.cur().kind == verb && !r.isOpAt(1, "=") && !r.isOpAt(1, "."):
			r.fail("assignments are assembled")
			r.i++
		case r.isOp("("):
			out = append(out, s.assignRow()...)
		default:
			start := r.i
			if r.cur().kind == param && r.isOpAt(1, "=") && r.at(2).kind != param {
				r.i += 2 // @v = column = value
				if !r.isOpAt(1, "=") && !r.isOpAt(1, ".") {
					r.expr()
					break
				}
			}
			name := r.name()
			for r.isOp("[") || r.isOp("]") || r.cur().kind == number {
				r.i++
			}
			compound := ""
			switch t := r.cur(); {
			case r.eatOp("=") || r.eatOp(":="):
			case t.kind == op && len(t.low) == 2 && t.low[1] == '=' && t.low[0] != '<' && t.low[0] != '>':
				compound = t.low[:1]
				r.i++
			default:
				r.fail("unexpected " + r.near())
				return out
			}
			column := unqualified(name)
			v := r.expr()
			if compound != "" {
				own := Expr{Kind: "column", Name: column, Text: column}
				v = Expr{Kind: "binary", Name: compound, Args: []Expr{own, v}, Text: r.span(start)}
			}
			a := Assign{Column: column, Value: v}
			a.qualifier = strings.TrimSuffix(strings.TrimSuffix(name, column), ".")
			out = append(out, a)
		}
		if !r.eatOp(",") {
			return out
		}
	}
}

// assignRow reads (a, b) = (1, 2) and (a, b) = (SELECT ...).
func (s *scope) assignRow() []Assign {
	r := s.r
	columns := r.columnNames()
	if !r.eatOp("=") {
		r.fail("unexpected " + r.near())
	}
	v := r.expr()
	var values []Expr
	switch {
	case v.Name == "row" && v.Kind == "other":
		values = v.Args
	case v.query != nil:
		values = v.query.list
	case len(columns) == 1:
		values = []Expr{v}
	}
	out := make([]Assign, 0, len(columns))
	for i, c := range columns {
		a := Assign{Column: c, Value: Expr{Kind: "other", Text: v.Text}}
		if i < len(values) {
			a.Value = values[i]
		}
		out = append(out, a)
	}
	return out
}

func (r *reader) merge() ([]Expr, []string) {
	s := &scope{r: r}
	if r.eat("top") {
		r.skip()
	}
	s.targetTable()
	r.hints()
	if !r.isWord("using") {
		if alias, ok := r.alias(); ok {
			s.target.alias = alias
		}
	}
	r.hints()
	if r.eat("using") {
		s.item()
	}
	var on []Guard
	if r.eat("on") {
		on = s.guards(r.expr(), false)
	}
	main := Write{Op: "MERGE", Table: s.target.table}
	var others []Write
	seen := false
	for r.eat("when") {
		w := Write{Op: "MERGE", Table: s.target.table, Unknown: s.rows()}
		matched := !r.eat("not")
		r.eat("matched")
		if r.eat("by") {
			r.skip()
		} else if matched {
			w.Guards = append(append(w.Guards, s.inherited()...), on...)
		}
		var where Expr
		if r.eat("and") {
			where = r.expr()
		}
		if !r.eat("then") {
			r.fail("unexpected " + r.near())
			break
		}
		switch {
		case r.eat("do", "nothing"):
			continue
		case r.eat("delete"):
			w.settle(s, where)
		case r.eat("update"):
			r.eat("set")
			w.Set = s.assigns()
			if r.eat("where") && where.Kind == "" {
				where = r.expr()
			}
			w.settle(s, where)
			if r.eat("delete", "where") {
				r.expr()
			}
		case r.eat("insert"):
			columns := r.columnNames()
			var values []Expr
			if r.eat("values") {
				values = r.values().list
			} else {
				r.eat("default", "values")
			}
			for i := range values {
				values[i] = s.resolve(values[i])
			}
			main.Insert = pair(columns, values)
			if r.eat("where") {
				r.expr()
			}
			continue
		default:
			r.fail("unexpected " + r.near())
			r.skipTo("when")
			continue
		}
		if !seen {
			seen = true
			main.Set, main.Guards, main.Unknown = w.Set, w.Guards, w.Unknown
			continue
		}
		others = append(others, w)
	}
	main.Conflict = "nothing"
	if seen {
		main.Conflict = "update"
	}
	list, names := r.output(s)
	r.option()
	for _, w := range others {
		w.Conflict = "update"
		r.write(w)
	}
	r.write(main)
	return list, names
}
