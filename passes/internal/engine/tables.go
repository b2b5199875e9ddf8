package engine

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// What the program says elsewhere of the tables and keys that are written: what the columns
// hold, which of them are keys, and what puts numbers back that are to grow.

// beside lists the other changes of a resource that a write has to reckon with: those of its
// own package, of what that imports, and of what imports it. Two programs of one module may
// call their tables the same.
func (e *Engine) beside(write *term.T, resource string) []*meaning.Change {
	f, in := e.Index.CallOf(write)
	if e.Evidence == nil || in == nil || f.Root.Pkg == nil {
		return nil
	}
	own, all := f.Root.Pkg.Pkg, e.Evidence.writings()
	var out []*meaning.Change
	for _, c := range all.of[resource] {
		if pkg := all.from[c]; pkg != nil && (pkg.Path() == own.Path() || all.imports(own, pkg) || all.imports(pkg, own)) && !(c.Call != nil && c.Call.SameCall(write)) {
			out = append(out, c)
		}
	}
	return out
}

// columns lists all that statements of the program say of the columns of a table that is
// written.
func (e *Engine) columns(write *term.T, resource string) []sqlread.Column {
	var out []sqlread.Column
	for _, c := range e.beside(write, resource) {
		out = append(out, c.Columns...)
	}
	return out
}

// HoldsText reports whether a column of a table is made for texts, by whatever statement of
// the program says what it is for.
func (e *Engine) HoldsText(write *term.T, resource, column string) bool {
	text := false
	for _, c := range e.columns(write, resource) {
		if c.Name != column || !c.Typed {
			continue
		}
		if !c.Text {
			return false
		}
		text = true
	}
	return text
}

// NeverThere reports whether a new row of a table cannot be one that is there already: the
// statement that makes the table is in view, and the database itself makes whatever is a key
// in it.
func (e *Engine) NeverThere(insert *meaning.Change) bool {
	columns, given := e.columns(insert.Call, insert.Resource), insert.Sets
	made := make(map[string]bool)
	for _, c := range columns {
		made[c.Name] = made[c.Name] || c.Made
	}
	typed := slices.ContainsFunc(columns, func(c sqlread.Column) bool { return c.Typed })
	return typed && len(given) > 0 && !slices.ContainsFunc(columns, func(c sqlread.Column) bool {
		return c.Key && (c.Name == "" || !made[c.Name])
	}) && !slices.ContainsFunc(given, func(s meaning.Setting) bool { return s.Column == "" || made[s.Column] })
}

// PutBack reports whether another write of the program stores a small number, or a smaller
// one than is there, in a column that is to grow.
func (e *Engine) PutBack(c *meaning.Change, column string) bool {
	return slices.ContainsFunc(e.beside(c.Call, c.Resource), func(other *meaning.Change) bool {
		if other.Deletes() || slices.Contains([]string{"DDL", "INSERT", "InsertOne", "InsertMany"}, other.Operation) {
			return false
		}
		return slices.ContainsFunc(other.Sets, func(s meaning.Setting) bool {
			if s.Column != column || s.Value == nil {
				return false
			}
			return small(s.Value) || IsOp(s.Value, "sql:-") && s.Counts()
		})
	})
}

// small reports whether a value is a constant number that is no greater than those that are drawn.
func small(t *term.T) bool {
	return t.Kind == term.Const && t.Name != "" && len(t.Name) < len("1000000000") && strings.Trim(t.Name, "0123456789") == ""
}

// Forgotten reports whether another statement of the program takes rows of a table away,
// whatever they have been marked with. Those that are old enough do not count: of them no
// holder is left.
func (e *Engine) Forgotten(write *term.T, resource string) bool {
	return slices.ContainsFunc(e.beside(write, resource), func(c *meaning.Change) bool {
		return (c.Deletes() || c.Operation == "TRUNCATE") && !slices.ContainsFunc(c.Guards, byAge)
	})
}

// byAge reports whether a condition asks how old a record is.
func byAge(g meaning.Guard) bool {
	return strings.ContainsAny(g.Op, "<>") && g.Op != "<>" && g.Value != nil && g.Value.Any(func(t *term.T) bool {
		return IsOp(t, "sql:now") || meaning.Named(g.Column, "at", "time", "date", "until", "expires", "expiry", "updated", "created")
	})
}

// ForgottenKey reports whether a call of the program deletes what Redis keeps under a key, or
// gives it an end, or sets the member of it that holds the last token back, as far as names
// tell. Two keys that callers give may always be the same.
func (e *Engine) ForgottenKey(write, key *term.T, member string) bool {
	f, in := e.Index.CallOf(write)
	if e.Evidence == nil || in == nil || f.Root.Pkg == nil {
		return false
	}
	place := key.Place()
	return slices.ContainsFunc(e.Evidence.writings().keyed[f.Root.Pkg.Pkg.Path()], func(c *meaning.Change) bool {
		if c.Call.SameCall(write) || !slices.ContainsFunc(KeysOf(c.Key), func(k *term.T) bool {
			return k.Kind == term.Param && key.Kind == term.Param || place != "" && k.Place() == place
		}) {
			return false
		}
		switch c.Operation {
		case "DEL", "UNLINK", "EXPIRE", "PEXPIRE", "EXPIREAT", "PEXPIREAT":
			return true
		case "HDEL", "HSET", "HMSET":
			return member != "" && c.Call.Any(func(t *term.T) bool { s, ok := t.Str(); return ok && s == member }) &&
				(c.Operation == "HDEL" || c.Call.Any(small))
		}
		return false
	})
}
