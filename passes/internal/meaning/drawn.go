package meaning

import (
	"strconv"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// recordToken reads a number that a store counts up in a record and hands back with the
// record: an attribute of a DynamoDB item that an update adds to, a field of a document
// that $inc moves. What was there before the update grows no less than what is there
// after it.
func (r *Reader) recordToken(t *term.T) (Token, bool) {
	column := ""
	switch {
	case t.Kind == term.Field:
		column = t.Name
	case t.Kind == term.Elem && len(t.Args) == 2:
		column, _ = t.Args[1].Str()
	}
	if column == "" {
		return Token{}, false
	}
	answer := t.Args[0]
	for answer.Kind == term.Field && answer.Name == "Attributes" || answer.Kind == term.Result || answer.Kind == term.Out {
		answer = answer.Args[0]
	}
	return r.counterOf(answer, column)
}

// counterOf is the token that a column of the record is which call counts up.
func (r *Reader) counterOf(call *term.T, column string) (Token, bool) {
	if e := r.Entry(call); e == nil || e.Write == nil {
		return Token{}, false
	}
	for _, m := range r.Of(call) {
		if m.Role != Write || m.Write.Store != "dynamodb" && m.Write.Store != "mongo" {
			continue
		}
		for _, s := range m.Write.Sets {
			if sameField(column, s.Column) && r.counts(s) {
				return Token{Source: m.Write.Store + " " + s.Column, Ordered: true, Reason: "the update that it comes back from increases it", Call: call}, true
			}
		}
	}
	return Token{}, false
}

// maxColumns bounds the columns of a row among which a number is looked for.
const maxColumns = 8

// Numbers reports whether a call draws an ordered token that belongs to no lock: its result
// is one, or a column of the row that it returns.
func (r *Reader) Numbers(call *term.T) bool {
	if tok, ok := r.Token(call); ok {
		return tok.Ordered && tok.Handle == nil && tok.Origin == ""
	}
	for i := range maxColumns {
		if _, ok := r.rowToken(&term.T{Kind: term.Elem, Index: i, Args: []*term.T{call}}, ""); ok {
			return true
		}
	}
	return false
}

// Counted is the column of a record that a call counts up, and changes nothing else of.
func (r *Reader) Counted(call *term.T) (column string, ok bool) {
	if e := r.Entry(call); e == nil || e.Write == nil {
		return "", false
	}
	for _, m := range r.Of(call) {
		if m.Role != Write {
			continue
		}
		if column != "" || len(m.Write.Sets) != 1 || !r.counts(m.Write.Sets[0]) {
			return "", false
		}
		column = m.Write.Sets[0].Column
	}
	return column, column != ""
}

// counts reports whether a setting adds a number above zero to what is there.
func (r *Reader) counts(s Setting) bool {
	v := s.Value
	if v == nil || v.Kind != term.Op {
		return false
	}
	switch {
	case v.Name == "$inc" && len(v.Args) == 1:
		return r.positive(v.Args[0])
	case v.Name == "sql:+" && len(v.Args) == 2:
		was := v.Args[0]
		if was.Kind == term.Op && (was.Name == "sql:if_not_exists" || was.Name == "sql:coalesce") && len(was.Args) > 0 {
			was = was.Args[0]
		}
		return was.Kind == term.Op && was.Name == "column" && strings.EqualFold(constText(was.Args[0]), s.Column) && r.positive(v.Args[1])
	}
	return false
}

// positive reports whether a value is a constant number above zero, in whatever form.
func (r *Reader) positive(t *term.T) bool {
	for range 4 {
		e := r.Entry(t)
		if e == nil || e.Same.IsZero() {
			break
		}
		t = r.Get(e.Same, t, nil)
	}
	if t == nil || t.Kind != term.Const {
		return false
	}
	n, err := strconv.ParseInt(t.Name, 10, 64)
	return err == nil && n > 0
}
