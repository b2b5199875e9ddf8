package engine

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// rowPart says what a statement does to the lease row that is the lock.
type rowPart uint8

const (
	rowData   rowPart = iota // writes data beside the lease
	rowFree                  // gives the lease back
	rowExtend                // moves its end
)

// tendsRow tells a lease row's release and renewal from a write of data that is
// kept in the same row.
func tendsRow(c *meaning.Change, row *meaning.Row) rowPart {
	if c.Deletes() {
		return rowFree
	}
	part := rowData
	for _, s := range c.Sets {
		switch {
		case s.Column == row.Expiry:
			part = rowExtend
			if frees(s.Value) {
				return rowOrData(c, row, rowFree)
			}
		case frees(s.Value) && part == rowData && !isConst(s.Value, "false", "0", ""):
			part = rowFree
		}
	}
	return rowOrData(c, row, part)
}

// renewsRow reads a write that moves the end of a record which is a known lock, as a
// renewal. It compares the owner if it asks for more than the record's name and end;
// a transaction may have compared before.
func (e *Engine) renewsRow(call *term.T) (meaning.Meaning, bool) {
	ms := e.reader.Of(call)
	if slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Acquire }) {
		return meaning.Meaning{}, false
	}
	for _, m := range ms {
		if m.Role != meaning.Write {
			continue
		}
		row, item := e.evidence.rows[m.Write.Resource], m.Write.Store == "dynamodb" // which is told by its key, not by a condition
		if row == nil || row.By == "" && !item || row.Expiry == "" || tendsRow(m.Write, row) != rowExtend {
			continue
		}
		renewal := meaning.Meaning{Role: meaning.Renew, Library: m.Library, Family: m.Family, Raw: true, Row: row, On: m.Write.On}
		bare := item || len(m.Write.Guards) > 0
		for _, g := range m.Write.Guards {
			bare = bare && (g.Column == row.By && g.Op == "=" || g.Column == row.Expiry)
			if g.Column == row.By {
				renewal.Key = g.Value
			}
		}
		doubted := m.Write.Unknown != "" || e.handleKind(call, m.Write.On) == "tx"
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
		if !taken && s.Value != nil && s.Value.Kind != term.Const && s.Value.Kind != term.Nil && !frees(s.Value) {
			return rowData
		}
	}
	return part
}

// frees reports whether a stored value ends a lease: NULL, or the present time, or one
// before it.
func frees(v *term.T) bool {
	return v != nil && (v.Kind == term.Nil || isOp(v, "sql:now") || isOp(v, "sql:-") && len(v.Args) == 2 && isOp(v.Args[0], "sql:now") || isConst(v, "NULL", "null", "", "0", "false"))
}

func isConst(v *term.T, texts ...string) bool {
	return v.Kind == term.Const && slices.Contains(texts, v.Name)
}

// ownRecord reports whether a write only tends the lease row that is the lock.
func ownRecord(lock meaning.Meaning, ms []meaning.Meaning) bool {
	if lock.Row == nil {
		return false
	}
	for _, m := range ms {
		if m.Role == meaning.Write && m.Write.Resource == lock.Row.Resource {
			return tendsRow(m.Write, lock.Row) != rowData
		}
	}
	return false
}

// tends reports whether a call takes, renews or frees a record that is a known
// lock, and does no more.
func (e *Engine) tends(ms []meaning.Meaning) bool {
	known := false
	for _, m := range ms {
		if m.Role != meaning.Write {
			continue
		}
		row := e.evidence.rows[m.Write.Resource]
		if row == nil || tendsRow(m.Write, row) == rowData {
			return false
		}
		known = true
	}
	return known
}

// writesToo reports whether the release of a lease row is also a write: the
// statement that stores a job's result and frees the job.
func (e *Engine) writesToo(st *site, x Effect) bool {
	m, ok := e.acquire(st.lock.Call)
	if !ok || m.Row == nil || x.Call == nil {
		return false
	}
	for _, w := range e.reader.Of(x.Call) {
		if w.Role == meaning.Write && !ownRecord(m, []meaning.Meaning{w}) {
			return true
		}
	}
	return false
}

// until is what happens before the release, which is the i-th effect, and with
// it.
func (e *Engine) until(st *site, list []Effect, i int) []Effect {
	if e.writesToo(st, list[i]) {
		i++
	}
	return list[:i]
}
