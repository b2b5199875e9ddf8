package engine

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// rowPart says what a statement does to the lease row that is the lock.
type rowPart uint8

const (
	rowData   rowPart = iota // writes data beside the lease
	RowFree                  // gives the lease back
	rowExtend                // moves its end
)

// TendsRow tells a lease row's release and renewal from a write of data that is
// kept in the same row.
func TendsRow(c *meaning.Change, row *meaning.Row) rowPart {
	if c.Deletes() {
		return RowFree
	}
	part := rowData
	for _, s := range c.Sets {
		switch {
		case s.Column == row.Expiry:
			part = rowExtend
			if Frees(s.Value) && !(sqlNow(s.Value) && livesBySigns(row)) {
				return rowOrData(c, row, RowFree)
			}
		case Frees(s.Value) && part == rowData && !IsConst(s.Value, "false", "0", ""):
			part = RowFree
		}
	}
	return rowOrData(c, row, part)
}

// livesBySigns reports whether a lease ends some time after its holder was last seen: taking
// it stores the present, and so does each sign of life.
func livesBySigns(row *meaning.Row) bool {
	return slices.ContainsFunc(row.Sets, func(a meaning.Setting) bool { return a.Column == row.Expiry && sqlNow(a.Value) })
}

// sqlNow reports whether a stored value is the present time.
func sqlNow(v *term.T) bool { return IsOp(v, "sql:now") }

// RenewsRow reads a write that moves the end of a record which is a known lock, as a
// renewal. It compares the owner if it asks for more than the record's name and end;
// a transaction may have compared before.
func (e *Engine) RenewsRow(call *term.T) (meaning.Meaning, bool) {
	ms := e.Reader.Of(call)
	if slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Acquire }) {
		return meaning.Meaning{}, false
	}
	for _, m := range ms {
		if m.Role != meaning.Write {
			continue
		}
		row := e.Evidence.rows[m.Write.Resource]
		if row == nil || row.By == "" && !row.Item() || row.Expiry == "" || TendsRow(m.Write, row) != rowExtend {
			continue
		}
		renewal := meaning.Meaning{Role: meaning.Renew, Library: m.Library, Family: m.Family, Raw: true, Row: row, On: m.Write.On}
		bare := row.Item() || len(m.Write.Guards) > 0
		for _, g := range m.Write.Guards {
			bare = bare && (g.Column == row.By && g.Op == "=" || g.Column == row.Expiry)
			if g.Column == row.By {
				renewal.Key = g.Value
			}
		}
		doubted := m.Write.Unknown != "" || e.HandleKind(call, m.Write.On) == "tx"
		renewal.Checked = !bare || doubted
		renewal.Counts = !bare && !doubted && !slices.Contains([]string{"", "none", "error"}, m.Write.Reject)
		return renewal, true
	}
	return meaning.Meaning{}, false
}

// rowOrData is part, or rowData where the statement stores a value of its own
// in a column that the acquire leaves alone.
func rowOrData(c *meaning.Change, row *meaning.Row, part rowPart) rowPart {
	for _, s := range c.Sets {
		taken := slices.ContainsFunc(row.Sets, func(a meaning.Setting) bool { return a.Column == s.Column })
		if !taken && s.Value != nil && s.Value.Kind != term.Const && s.Value.Kind != term.Nil && !Frees(s.Value) {
			return rowData
		}
	}
	return part
}

// Frees reports whether a stored value ends a lease: NULL, or the present time, or one
// before it.
func Frees(v *term.T) bool {
	return v != nil && (v.Kind == term.Nil || sqlNow(v) || IsOp(v, "sql:-") && len(v.Args) == 2 && sqlNow(v.Args[0]) || IsConst(v, "NULL", "null", "", "0", "false"))
}

// IsConst reports whether a term is a constant with one of these texts.
func IsConst(v *term.T, texts ...string) bool {
	return v.Kind == term.Const && slices.Contains(texts, v.Name)
}

// ownRecord reports whether a write only tends the lease row that is the lock.
func ownRecord(lock meaning.Meaning, ms []meaning.Meaning) bool {
	if lock.Row == nil {
		return false
	}
	for _, m := range ms {
		if m.Role == meaning.Write && m.Write.Resource == lock.Row.Resource {
			return TendsRow(m.Write, lock.Row) != rowData
		}
	}
	return false
}

// tends reports whether a call takes, renews or frees a record that is a known
// lock, or makes the table for it, and does no more.
func (e *Engine) tends(ms []meaning.Meaning) bool {
	known := false
	for _, m := range ms {
		if m.Role != meaning.Write {
			continue
		}
		row := e.Evidence.rows[m.Write.Resource]
		if row == nil || m.Write.Operation != "DDL" && TendsRow(m.Write, row) == rowData {
			return false
		}
		known = true
	}
	return known
}

// writesToo reports whether the release of a lease row is also a write: the
// statement that stores a job's result and frees the job.
func (e *Engine) writesToo(st *summary.Site, x summary.Effect) bool {
	m, ok := e.Acquire(st.Lock.Call)
	if !ok || m.Row == nil || x.Call == nil {
		return false
	}
	for _, w := range e.Reader.Of(x.Call) {
		if w.Role == meaning.Write && !ownRecord(m, []meaning.Meaning{w}) {
			return true
		}
	}
	return false
}

// until is what happens before the release, which is the i-th effect, and with
// it.
func (e *Engine) until(st *summary.Site, list []summary.Effect, i int) []summary.Effect {
	if e.writesToo(st, list[i]) {
		i++
	}
	return list[:i]
}

// IsOp reports whether a term is the result of an operation of that name.
func IsOp(t *term.T, name string) bool { return t != nil && t.Kind == term.Op && t.Name == name }
