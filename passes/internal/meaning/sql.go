package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// sqlText returns a statement's text; parts that are not constant appear as
// format verbs. ok is false when nothing of it is known.
func sqlText(t *term.T) (string, bool) {
	if t == nil {
		return "", false
	}
	for _, a := range t.Alts() {
		if s, ok := a.Str(); ok {
			return s, true
		}
	}
	for _, a := range t.Alts() {
		if a.Kind == term.Op {
			if s := a.Pattern(); strings.ContainsAny(s, " ") {
				return s, true
			}
		}
	}
	return "", false
}

// sql reads a statement that is sent as text. exec tells calls that are made
// to change data from those that are made to read.
func (r *Reader) sql(lib *catalog.Library, text, args, on catalog.Ref, reject string, call *term.T, exec bool) []Meaning {
	t := r.Get(text, call, nil)
	conn := r.Get(on, call, nil)
	if conn == nil {
		conn = Receiver(call)
	}
	s, ok := sqlText(t)
	if !ok {
		if prepared := r.prepared(t, conn); prepared != "" {
			s, ok = prepared, true
		}
	}
	if !ok {
		if !exec {
			m := r.base(lib, Query)
			m.Store, m.On = "sql", conn
			return []Meaning{m}
		}
		m := r.base(lib, Write)
		m.Write = &Change{Store: "sql", Operation: "EXEC", Resource: "sql", On: conn, Unknown: lock.ReasonSQL, Call: call}
		return []Meaning{m}
	}
	params := r.params(args, call)
	var ms []Meaning
	for _, st := range sqlread.Read(s) {
		ms = append(ms, r.statement(lib, st, params, conn, reject, call)...)
	}
	return ms
}

// prepared returns the text of a prepared statement that the call runs.
func (r *Reader) prepared(t, conn *term.T) string {
	for _, x := range []*term.T{t, conn} {
		for _, a := range x.Alts() {
			if e := r.Entry(a); e != nil && e.Query != nil && !e.Query.SQL.IsZero() {
				if s, ok := sqlText(r.Get(e.Query.SQL, a, nil)); ok && strings.Contains(methodName(a.Name), "Prepare") {
					return s
				}
			}
		}
	}
	return ""
}

// params lists the driver's arguments.
func (r *Reader) params(ref catalog.Ref, call *term.T) *term.T {
	t := r.Get(ref, call, nil)
	if t != nil && ref.Spread && len(t.Args) == 1 && t.Args[0].Kind == term.List {
		return t.Args[0] // args... handed on
	}
	return t
}

// sqlTerm turns an expression of a statement into a term. A column is
// Op("column", name), a function of the database Op("sql:name", ...).
func (r *Reader) sqlTerm(x sqlread.Expr, params *term.T) *term.T {
	switch x.Kind {
	case "param":
		if x.Param >= 0 {
			if params != nil && params.Kind == term.List && x.Param < len(params.Args) {
				return params.Args[x.Param]
			}
			if params != nil && params.Kind != term.List && x.Param == 0 {
				return params
			}
			return r.Pool.Unknown("argument")
		}
		return r.named(x.Name, params)
	case "literal":
		return r.Pool.Const("string", strings.Trim(x.Text, "'"))
	case "column":
		if x.Incoming && len(x.Args) > 0 {
			return r.sqlTerm(x.Args[0], params)
		}
		return r.Pool.Op("column", r.Pool.Const("string", x.Name))
	case "call", "binary":
		args := make([]*term.T, len(x.Args))
		for i, a := range x.Args {
			args[i] = r.sqlTerm(a, params)
		}
		return r.Pool.Op("sql:"+x.Name, args...)
	}
	if x.Incoming && len(x.Args) > 0 {
		return r.sqlTerm(x.Args[0], params)
	}
	return r.Pool.Unknown("sql")
}

// named finds a named parameter among sql.Named values, map and struct arguments.
func (r *Reader) named(name string, params *term.T) *term.T {
	if params != nil {
		items := []*term.T{params}
		if params.Kind == term.List {
			items = params.Args
		}
		for _, a := range items {
			if a.Kind == term.Call && methodName(a.Name) == "Named" && len(a.Args) == 2 {
				if s, ok := a.Args[0].Str(); ok && strings.EqualFold(s, name) {
					return a.Args[1]
				}
			}
			if a.Kind == term.Struct {
				for i, n := range a.Names {
					if strings.EqualFold(strings.ReplaceAll(name, "_", ""), n) {
						return a.Args[i]
					}
				}
			}
		}
		if len(items) > 0 && items[0].Kind != term.List {
			return r.Pool.Field(items[0], name)
		}
	}
	return r.Pool.Unknown("argument")
}

func (r *Reader) statement(lib *catalog.Library, st sqlread.Statement, params, conn *term.T, reject string, call *term.T) []Meaning {
	var ms []Meaning
	for _, f := range st.Functions {
		fn := r.Catalog.SQLFunc(f.Name)
		if fn == nil {
			continue
		}
		at := func(ref catalog.Ref) *term.T {
			if ref.Base == catalog.Arg && ref.Index < len(f.Args) {
				if ref.Spread {
					var list []*term.T
					for _, a := range f.Args[ref.Index:] {
						list = append(list, r.sqlTerm(a, params))
					}
					if len(list) == 1 {
						return list[0]
					}
					return r.Pool.List(list...)
				}
				return r.sqlTerm(f.Args[ref.Index], params)
			}
			return nil
		}
		if a := fn.Acquire; a != nil {
			m := r.base(fn.Library, Acquire)
			m.Kind, m.Scope, m.Try, m.On, m.Key = lock.Kind(a.Kind), a.Scope, a.Try, conn, at(a.Key)
			m.TTL = lock.TTL{Source: "none"}
			ms = append(ms, m)
		}
		if a := fn.Release; a != nil {
			m := r.base(fn.Library, Release)
			m.Key, m.On, m.Checked, m.Session = at(a.Key), conn, a.Checked, a.Session
			ms = append(ms, m)
		}
	}
	for _, w := range st.Writes {
		c := r.sqlChange(w, params, conn, reject, call)
		row, table := leaseRow(w, st), w.Table
		if row != nil {
			m := r.base(lib, Acquire)
			m.Library = "sql lease row"
			m.Kind, m.On, m.Try = lock.Lease, conn, true
			m.Row = row
			row.Table, row.Sets = table, c.Sets
			m.Key = r.rowKey(w, params, table)
			m.TTL = lock.TTL{Source: "unknown"}
			m.Value = ownerValue(c.Sets)
			m.Evidence = append(m.Evidence, "row is taken when its expiry has passed")
			ms = append(ms, m)
		}
		m := r.base(lib, Write)
		m.Write = c
		ms = append(ms, m)
	}
	if len(st.Writes) == 0 && (st.Verb == "SELECT" || st.Verb == "OTHER") {
		m := r.base(lib, Query)
		m.On, m.Store = conn, "sql"
		if len(st.Tables) > 0 {
			m.Store = "sql:" + strings.Join(st.Tables, ",")
		}
		ms = append(ms, m)
	}
	switch st.Verb {
	case "CALL":
		m := r.base(lib, Write)
		m.Write = &Change{Store: "sql", Operation: "CALL", Resource: "sql", On: conn, Unknown: lock.ReasonProcedure, Call: call}
		ms = append(ms, m)
	}
	return ms
}

func (r *Reader) sqlChange(w sqlread.Write, params, conn *term.T, reject string, call *term.T) *Change {
	c := &Change{Store: "sql", Operation: w.Op, Resource: "sql", On: conn, Reject: reject, Call: call}
	if w.Table != "" {
		c.Resource = "sql:" + w.Table
	}
	sets := w.Set
	if len(sets) == 0 {
		sets = w.Insert
	}
	for _, a := range sets {
		c.Sets = append(c.Sets, Setting{a.Column, r.sqlTerm(a.Value, params)})
	}
	if w.Unknown != "" {
		c.Unknown = lock.ReasonSQL
	}
	if w.Conflict == "nothing" {
		c.Guards = append(c.Guards, Guard{Op: "absent", Text: "on conflict do nothing"})
	}
	for _, g := range w.Guards {
		c.Guards = append(c.Guards, r.sqlGuard(g, w, params))
	}
	return c
}

func (r *Reader) sqlGuard(g sqlread.Guard, w sqlread.Write, params *term.T) Guard {
	out := Guard{Column: g.Column, Op: g.Op, NullOK: g.NullOK, Text: g.Text}
	if g.Not {
		out.Op = "other"
		return out
	}
	from := w
	if g.From != nil {
		from = *g.From
	}
	switch g.Op {
	case "or", "and":
		list := g.Or
		if g.Op == "and" {
			list = g.And
		}
		for _, a := range list {
			out.Alts = append(out.Alts, r.sqlGuard(a, w, params))
		}
	case "exists", "in":
		for _, a := range g.And {
			out.Alts = append(out.Alts, r.sqlGuard(a, w, params))
		}
	}
	if g.Value.Kind != "" {
		out.Value = r.sqlTerm(g.Value, params)
	}
	if g.Column != "" && out.Value != nil {
		if v, ok := from.Stores(g.Column); ok {
			stored := r.sqlTerm(v, params)
			out.Stored = stored == out.Value
			// SET version = version + 1 WHERE version = $1, SET status = 'done' WHERE status = 'new'
			out.Moves = !out.Stored
		}
	}
	return out
}

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
	row := &Row{Mine: mine}
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
	v, ok := w.Stores(col)
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

// built reads a write at the end of a builder chain (gorm, squirrel, bun).
func (r *Reader) built(lib *catalog.Library, w *catalog.Write, call *term.T) []Meaning {
	c := &Change{Store: "sql", Operation: w.Op, Resource: "sql", On: r.Get(w.On, call, nil), Reject: w.Reject, Unknown: lock.Reason(w.Unknown), Call: call}
	if c.Operation == "" {
		c.Operation = strings.ToUpper(methodName(call.Name))
	}
	own := r.change(lib, w, call, nil).Write
	c.Guards, c.Resource, c.Cache = own.Guards, own.Resource, own.Cache
	where := ""
	var args []*term.T
	for t := Receiver(call); t != nil; t = Receiver(t) {
		if t.Kind == term.Join {
			// A chain that is extended on one branch only: what all ways share is not known.
			c.Unknown = lock.ReasonSQL
			break
		}
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			if e == nil && t.Kind == term.Call {
				continue
			}
			c.On = t
			break
		}
		text := r.Get(e.Part.Text, t, nil)
		switch e.Part.Kind {
		case "table":
			if s := tableOf(text); s != "" {
				c.Resource = "sql:" + s
			}
		case "conflict":
			c.Guards = append(c.Guards, Guard{Op: "absent", Text: "on conflict"})
		case "where":
			if s, ok := text.Str(); ok {
				if where != "" {
					where = " AND " + where
				}
				where = "(" + s + ")" + where
				if p := r.params(e.Part.Args, t); p != nil && p.Kind == term.List {
					args = append(append([]*term.T(nil), p.Args...), args...)
				}
			} else if text != nil && !text.IsZero() {
				c.Guards = append(c.Guards, Guard{Op: "in", Value: text, Text: "where"})
			}
		case "or", "not", "raw":
			c.Unknown = lock.ReasonSQL
		}
	}
	if where != "" {
		for _, st := range sqlread.Read("DELETE FROM t WHERE " + where) {
			for _, sw := range st.Writes {
				for _, g := range sw.Guards {
					ng := r.sqlGuard(g, sw, r.Pool.List(args...))
					// The assigned values are a struct or map: the fence
					// moves if the compared value is among them.
					ng.Stored = ng.Value != nil && ng.Value.Kind != term.Const && slices.ContainsFunc(Args(call), func(a *term.T) bool {
						return a.Any(func(x *term.T) bool { return x == ng.Value })
					})
					ng.Moves = !ng.Stored
					c.Guards = append(c.Guards, ng)
				}
			}
		}
	}
	m := r.base(lib, Write)
	m.Write = c
	return []Meaning{m}
}

// tableOf names a table by a string or by the model's type.
func tableOf(t *term.T) string {
	for _, a := range t.Alts() {
		if s, ok := a.Str(); ok {
			return strings.ToLower(s)
		}
		if a.Kind == term.Struct {
			return strings.ToLower(a.Type[strings.LastIndexByte(a.Type, '.')+1:])
		}
	}
	return ""
}
