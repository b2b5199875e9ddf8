package sqlread

import "slices"

// What a statement that makes or changes a table says of its columns: read as far as it
// decides how values are compared, and what makes a row one that is there already.

// Column is what is said of a column of a table; one without a name stands for keys that
// could not be read.
type Column struct {
	Name  string
	Typed bool // it is told what it holds:
	Text  bool // a text
	Key   bool // part of what tells rows apart: of a primary key, or of one that is unique
	Made  bool // the database makes a value of its own where none is given
}

var unread = Column{Key: true}

// columns reads the parenthesis of a CREATE TABLE, and leaves the reader behind it.
func (r *reader) columns() []Column {
	end := r.cur().pair
	if end < r.i {
		return nil
	}
	r.i++
	var out []Column
	for r.i < end {
		if r.constraint() {
			out = append(out, r.keyed(end)...)
		} else {
			out = append(out, r.column(end))
		}
		r.pass(end)
		r.eatOp(",")
	}
	r.i = end + 1
	return out
}

// pass steps over what is left of one part of a list that ends at token end.
func (r *reader) pass(end int) {
	for r.i < end && !r.isOp(",") {
		r.step()
	}
}

// step steps over one token, or over a whole parenthesis.
func (r *reader) step() {
	if t := r.cur(); t.pair > r.i {
		r.i = t.pair
	}
	r.i++
}

// constraint reports whether a part of a table is no column.
func (r *reader) constraint() bool {
	if r.isWord("key", "index", "period", "like") {
		return true // or a column of that name, of which nothing is said then
	}
	return r.cur().kind == word && r.isWord("constraint", "primary", "unique", "foreign", "check", "exclude", "fulltext", "spatial")
}

// keyed reads which columns a constraint makes a key of.
func (r *reader) keyed(end int) []Column {
	if r.eat("constraint") {
		r.name()
	}
	if r.isWord("foreign", "check", "fulltext", "spatial") {
		return nil
	}
	if !r.isWord("primary", "unique") {
		return []Column{unread}
	}
	for r.i < end && !r.isOp("(") && !r.isOp(",") {
		r.i++
	}
	return r.names()
}

// names reads the names in a parenthesis as those of columns that are a key together.
func (r *reader) names() []Column {
	pair := r.cur().pair
	if !r.isOp("(") || pair < r.i {
		return []Column{unread}
	}
	r.i++
	var out []Column
	for r.i < pair {
		name := r.name()
		if name == "" || r.isOp("(") && r.at(1).kind != number {
			out = append(out, unread) // an expression
		} else {
			out = append(out, Column{Name: name, Key: true})
		}
		r.pass(pair)
		r.eatOp(",")
	}
	r.i = pair + 1
	return out
}

// column reads one column, up to the comma behind it.
func (r *reader) column(end int) Column {
	c := Column{Name: r.name()}
	if c.Name == "" || r.cur().kind != word && r.cur().kind != quoted {
		return unread
	}
	kind, why := unqualified(r.cur().low), r.why
	c.Typed, c.Text = true, r.typeName()
	r.why = why
	c.Text = c.Text || slices.Contains([]string{"tinytext", "mediumtext", "longtext", "citext", "clob"}, kind)
	c.Made = slices.Contains([]string{"serial", "bigserial", "smallserial", "serial4", "serial8"}, kind)
	for r.i < end && !r.isOp(",") {
		switch {
		case r.isWord("primary"):
			c.Key = true
			c.Made = c.Made || kind == "integer" // a row's number in SQLite
		case r.isWord("unique"):
			c.Key = true
		case r.isWord("auto_increment", "autoincrement", "identity", "generated"):
			c.Made = true
		case r.isWord("default") && (r.isOpAt(1, "(") || r.isOpAt(2, "(")):
			c.Made = true
		}
		r.step()
	}
	return c
}

// altered reads what an ALTER TABLE does to columns, to the end of the statement.
func (r *reader) altered() []Column {
	var out []Column
	for !r.end() {
		part := r.i
		for r.i = part; !r.end() && !r.isOp(","); {
			r.step()
		}
		end := r.i
		r.i = part
		switch {
		case r.eat("add"):
			r.eat("column")
			r.eat("if", "not", "exists")
			if r.constraint() {
				out = append(out, r.keyed(end)...)
			} else if r.cur().kind == word || r.cur().kind == quoted {
				out = append(out, r.column(end))
			}
		case r.eat("modify"), r.eat("alter"):
			r.eat("column")
			name := r.name()
			r.eat("set", "data")
			if r.eat("type") || r.i > part && !r.isWord("set", "drop", "add", "reset", "type") {
				why := r.why
				out = append(out, Column{Name: name, Typed: true, Text: r.typeName()})
				r.why = why
			}
		}
		r.i = end
		r.eatOp(",")
	}
	return out
}
