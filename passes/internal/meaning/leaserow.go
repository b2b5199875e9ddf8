package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// leaseRow recognises a lease that is kept in a table by its structure: the
// statement sets an expiry column, and one of the ways in is that this very
// column has passed the database's or the caller's clock.
func leaseRow(w sqlread.Write, st sqlread.Statement) *Row {
	if len(w.Set) == 0 {
		return nil
	}
	expiry, mine := "", false
	var look func(gs []sqlread.Guard)
	look = func(gs []sqlread.Guard) {
		for _, g := range gs {
			if (g.Op == "<" || g.Op == "<=") && g.Column != "" && (isNow(g.Value) || g.Value.Kind == "param" && expiryColumn(g.Column)) && setsLater(w, g.Column) {
				expiry = g.Column
			}
			if g.Op == "=" && g.Column != "" && g.Value.Incoming && g.Value.Name == g.Column {
				mine = true
			}
			look(g.Or)
			look(g.And)
		}
	}
	look(w.Guards)
	if expiry == "" {
		return nil
	}
	row := &Row{Mine: mine, Expiry: expiry}
	for _, x := range st.Returning {
		if x.Kind != "column" {
			continue
		}
		if v, ok := w.Stores(x.Name); ok && grows(v, x.Name) {
			row.Token = x.Name
		}
	}
	return row
}

// takesOwn reports whether one of the ways in is that the row holds already
// what the write is about to store there: its owner.
func takesOwn(gs []Guard) bool {
	return slices.ContainsFunc(gs, func(g Guard) bool {
		return g.Op == "or" && slices.ContainsFunc(g.Alts, func(a Guard) bool { return a.Op == "=" && a.Stored }) || takesOwn(g.Alts)
	})
}

// expiryColumn reports whether a column is named like the end of a lease: only
// then can a parameter be taken for the caller's clock.
func expiryColumn(c string) bool {
	for _, w := range []string{"expir", "until", "deadline", "lease", "locked_at", "heartbeat", "last_seen", "valid_to"} {
		if strings.Contains(c, w) {
			return true
		}
	}
	return false
}

// isNow reports whether an expression is the database's current time.
func isNow(x sqlread.Expr) bool {
	switch x.Kind {
	case "call":
		return slices.Contains([]string{"now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "current_timestamp", "localtimestamp", "unix_timestamp", "utc_timestamp", "getdate", "getutcdate", "sysdate", "sysutcdatetime", "sysdatetime", "datetime", "strftime", "julianday", "unixepoch", "timezone"}, x.Name)
	case "column":
		return x.Name == "current_timestamp" || x.Name == "localtimestamp" || x.Name == "sysdate"
	case "binary":
		return len(x.Args) > 0 && slices.ContainsFunc(x.Args, func(a sqlread.Expr) bool { return a.Kind != "param" && isNow(a) })
	}
	return false
}

// setsLater reports whether the write moves the expiry forward.
func setsLater(w sqlread.Write, col string) bool {
	v, ok := storedBy(w, col)
	if !ok {
		return false
	}
	if v.Incoming && len(v.Args) > 0 {
		v = v.Args[0]
	}
	switch v.Kind {
	case "binary":
		return v.Name == "+"
	case "call", "param":
		return true
	case "other":
		return strings.Contains(strings.ToLower(v.Text), "interval")
	}
	return false
}

// grows reports whether a stored value is larger than every value before it.
func grows(v sqlread.Expr, col string) bool {
	switch v.Kind {
	case "call":
		return v.Name == "nextval"
	case "binary":
		return v.Name == "+" && len(v.Args) == 2 && v.Args[0].Kind == "column" && v.Args[0].Name == col && v.Args[1].Kind == "literal"
	}
	return false
}

// rowKey names the lease: the value that the row is found by.
func (r *Reader) rowKey(w sqlread.Write, params *term.T, table string) *term.T {
	for _, g := range w.Guards {
		if g.Op == "=" && g.Column != "" && !g.Value.Incoming {
			return r.sqlTerm(g.Value, params)
		}
	}
	if len(w.Insert) > 0 {
		return r.sqlTerm(w.Insert[0].Value, params)
	}
	return r.Pool.Const("string", table)
}

// ownerValue guesses which stored value names the owner.
func ownerValue(sets []Setting) *term.T {
	for _, s := range sets {
		for _, word := range []string{"owner", "holder", "worker", "instance", "node", "locked_by", "lockedby", "claimed_by", "host", "leader"} {
			if strings.Contains(s.Column, word) && s.Value != nil {
				return s.Value
			}
		}
	}
	return nil
}
