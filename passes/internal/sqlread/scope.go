package sqlread

import "strings"

// source is an item of a FROM clause.
type source struct {
	alias, table string
	query        *query
	names        []string // column names given with the alias
	optional     bool     // on the null-supplying side of an outer join
}

// scope is what names in a statement can refer to.
type scope struct {
	r       *reader
	target  *source // of a write
	sources []source
	joined  []Expr // conditions of inner joins
	insert  []Assign
	newRow  string // alias of the inserted row, as in MySQL
	newCols []string
}

// inherited gives the guards that a row of the sources depends on.
func (s *scope) inherited() []Guard {
	var out []Guard
	for _, it := range s.sources {
		if it.query != nil && !it.optional {
			if len(it.query.guards) > maxNames {
				s.r.fail("too many conditions")
			}
			more := it.query.guards[:min(len(it.query.guards), maxNames)]
			if s.rereads(it.query) {
				more = []Guard{{Op: "other", Value: Expr{Kind: "other", Text: it.alias}, Text: it.alias}}
			}
			out = append(out, more...)
			if w := it.query.write; w != nil && w.Conflict == "nothing" {
				out = append(out, Guard{Op: "other", From: w, Value: Expr{Kind: "other", Text: it.alias}, Text: it.alias})
			}
		}
	}
	for _, e := range s.joined {
		out = append(out, s.guards(e, false)...)
	}
	return out
}

// rereads tells whether a select asks the table that is written without a lock on what it
// finds: a database with snapshots (PostgreSQL) answers it from before a write that the
// statement then waits for, and does not ask again.
func (s *scope) rereads(q *query) bool {
	return s.target != nil && q != nil && q.table == s.target.table && q.write == nil && !q.keeps && len(q.guards) > 0
}

// rows gives why the sources' conditions are not all known.
func (s *scope) rows() string {
	for _, it := range s.sources {
		if it.query != nil && !it.optional && it.query.rows != "" {
			return it.query.rows
		}
	}
	return ""
}

// resolve gives e with its columns bound: qualifiers become tables, and
// columns of a row that the statement brings along become Incoming.
func (s *scope) resolve(e Expr) Expr {
	if e.Kind == "column" {
		return s.column(e)
	}
	if len(e.Args) > 0 {
		args := make([]Expr, len(e.Args))
		for i, a := range e.Args {
			args[i] = s.resolve(a)
		}
		e.Args = args
	}
	return e
}

func (s *scope) column(e Expr) Expr {
	if e.Incoming {
		return e
	}
	q := e.qualifier
	if q == "excluded" || q != "" && q == s.newRow {
		name := e.Name
		for i, c := range s.newCols {
			if c == name && i < len(s.insert) {
				name = s.insert[i].Column
			}
		}
		e.Incoming, e.Name = true, name
		for _, a := range s.insert[:min(len(s.insert), 16*maxNames)] {
			if a.Column == name && name != "" {
				e.Args = []Expr{a.Value}
			}
		}
		return e
	}
	if q == "" && len(s.newCols) > 0 {
		for i, c := range s.newCols {
			if c == e.Name && i < len(s.insert) {
				e.Incoming, e.Name, e.Args = true, s.insert[i].Column, []Expr{s.insert[i].Value}
				return e
			}
		}
	}
	for _, it := range s.sources {
		if it.query == nil || q != it.alias && q != "" {
			continue
		}
		names := it.names
		if names == nil {
			names = it.query.names
		}
		for i, n := range names {
			if n != e.Name || i >= len(it.query.list) {
				continue
			}
			if v := it.query.list[i]; v.Kind != "column" || v.Incoming {
				e.Incoming, e.Args = true, []Expr{v}
			} else {
				// The alias of a column that is stored elsewhere.
				e.qualifier = "\x00" + v.owner()
			}
			return e
		}
	}
	e.qualifier = "\x00" + s.owner(q)
	return e
}

// owner gives the table of a resolved column.
func (e Expr) owner() string {
	owner, _ := strings.CutPrefix(e.qualifier, "\x00")
	return owner
}

// owner gives the table that a qualifier names, or the only one there is.
func (s *scope) owner(qualifier string) string {
	if strings.HasPrefix(qualifier, "\x00") {
		return qualifier[1:]
	}
	tables := s.sources
	if s.target != nil {
		tables = append([]source{*s.target}, tables...)
	}
	if qualifier == "" {
		if len(tables) == 1 {
			return tables[0].table
		}
		return ""
	}
	for _, it := range tables {
		if it.alias == qualifier || it.table == qualifier || unqualified(it.table) == unqualified(qualifier) {
			if it.table == "" && it.query != nil {
				return it.query.table
			}
			return it.table
		}
	}
	return qualifier
}
