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
	given := r.Get(text, call, nil)
	t, sure := r.decided(given, true)
	conn := r.Get(on, call, nil)
	if conn == nil {
		conn = Receiver(call)
	}
	s, ok := sqlText(t)
	params := r.params(args, call)
	if !ok {
		if prepared, with := r.prepared(t, conn); prepared != "" {
			s, ok = prepared, true
			if with != nil {
				params = with
			}
		}
	}
	if !ok {
		if m, ok := r.builtText(lib, t, conn, reject, call); ok {
			return r.kept(nil, m)
		}
		if !exec {
			m := r.base(lib, Query)
			m.Store, m.On = "sql", conn
			return []Meaning{m}
		}
		m := r.base(lib, Write)
		m.Write = &Change{Store: "sql", Operation: "EXEC", Resource: "sql", On: conn, Reject: reject, Unknown: lock.ReasonSQL, Call: call}
		return []Meaning{m}
	}
	otherwise := otherwise(t)
	var ms []Meaning
	for _, st := range sqlread.Read(s) {
		nameTable(st, s, t)
		for _, m := range r.statement(lib, st, params, conn, reject, call) {
			m.InRow = m.Judged || m.Role == Acquire && m.Kind == lock.Advisory && answersInRow(st, r.Catalog)
			m.Deaf = exec && m.InRow && !countsTaken(st)
			if m.Role == Write {
				m.Write.Otherwise = otherwise || !sure && !r.asksAnyway(given, m.Write)
			}
			ms = append(ms, m)
		}
	}
	return ms
}

// decided is a text or a list as it is with the numbers that it grows by; sure is false
// where it is not known whether one of them is zero, as a token never is. What it grows
// by is then in it where full says so.
func (r *Reader) decided(t *term.T, full bool) (_ *term.T, sure bool) {
	if t == nil || t.Kind != term.Op && t.Kind != term.List {
		return t, true
	}
	if x, with, without, ok := t.Cases(); ok {
		zero, known := r.zero(x)
		if known && zero || !known && !full {
			with = without
		}
		t, sure := r.decided(with, full)
		return t, sure && known
	}
	if t.Name != "+" && t.Name != "append" && t.Name != "join" && t.Kind != term.List {
		return t, true
	}
	sure = true
	args := make([]*term.T, len(t.Args))
	for i, a := range t.Args {
		x, ok := r.decided(a, full)
		args[i], sure = x, sure && ok
	}
	if slices.Equal(args, t.Args) {
		return t, sure
	}
	if t.Kind == term.List {
		return r.Pool.List(args...), sure
	}
	return r.Pool.Op(t.Name, args...), sure
}

// otherwise reports whether a statement is, on some way, a text of which nothing is known, or
// one that does not ask for the same.
func otherwise(t *term.T) bool {
	if t.Kind != term.Join {
		return false
	}
	var first []sqlread.Statement
	for _, a := range t.Args {
		s, ok := sqlText(a)
		switch {
		case !ok && (a.IsZero() || a.Kind == term.Unknown && a.Name == "loop"):
		case !ok:
			return true
		case first == nil:
			first = sqlread.Read(s)
		case !asksAlike(first, sqlread.Read(s)):
			return true
		}
	}
	return false
}

// asksAlike reports whether the writes of two texts ask for the same columns in the same way.
func asksAlike(x, y []sqlread.Statement) bool {
	same := func(a, b sqlread.Guard) bool { return a.Column == b.Column && a.Op == b.Op }
	return slices.EqualFunc(x, y, func(a, b sqlread.Statement) bool {
		return slices.EqualFunc(a.Writes, b.Writes, func(v, w sqlread.Write) bool { return slices.EqualFunc(v.Guards, w.Guards, same) })
	})
}

// asksAnyway reports whether a statement asks for the same, whatever its text grows by.
func (r *Reader) asksAnyway(text *term.T, c *Change) bool {
	least, _ := r.decided(text, false)
	s, ok := sqlText(least)
	if !ok {
		return false
	}
	for _, st := range sqlread.Read(s) {
		for _, w := range st.Writes {
			if more := r.sqlChange(w, nil, nil, "", nil); more.Resource == c.Resource {
				return slices.EqualFunc(more.Guards, c.Guards, func(a, b Guard) bool { return a.Column == b.Column && a.Op == b.Op })
			}
		}
	}
	return false
}

// IsStatement reports whether a text begins like a statement that changes something.
func IsStatement(t *term.T) bool {
	words := strings.Fields(t.Pattern())
	return len(words) > 2 && slices.Contains([]string{"UPDATE", "INSERT", "DELETE", "MERGE", "REPLACE", "UPSERT"}, strings.ToUpper(words[0]))
}

// zero says whether a value that chooses between two is zero, or is not there.
func (r *Reader) zero(x *term.T) (zero, known bool) {
	if v, ok := x.Asked(); ok {
		x = v
	}
	if alts := x.Alts(); len(alts) > 1 && slices.ContainsFunc(alts, (*term.T).IsZero) {
		return true, true // on some way it is
	}
	return x.IsZero(), x.IsZero() || r.Draws(x)
}

// nameTable gives a table whose name is no constant the name of what it comes
// from (config.LockTable), so that two such tables are told apart. Only a name at
// the first hole of the text is known to be it.
func nameTable(st sqlread.Statement, text string, t *term.T) {
	for i, w := range st.Writes {
		at := strings.IndexByte(w.Table, '%')
		if at < 0 || strings.Count(w.Table, "%") > 1 || strings.IndexByte(text, '%') != strings.Index(strings.ToLower(text), w.Table[at:]) {
			continue
		}
		for _, a := range t.Alts() {
			if holes := a.Holes(); len(holes) > 0 && a.Pattern() == text {
				name := holes[0].Place()
				name = name[strings.LastIndexByte(name, '.')+1:]
				if name != "" && !strings.Contains(name, "(") {
					st.Writes[i].Table = w.Table[:at] + name + w.Table[at+2:]
					renameTable(st.Writes[i].Guards, w.Table, st.Writes[i].Table)
				}
			}
		}
	}
}

// renameTable gives the table of conditions on a write the name that the write's has got.
func renameTable(gs []sqlread.Guard, from, to string) {
	for i := range gs {
		if gs[i].Table == from {
			gs[i].Table = to
		}
		renameTable(gs[i].Or, from, to)
		renameTable(gs[i].And, from, to)
	}
}

// answersInRow reports whether a statement takes a lock by a function that says
// in the row it returns whether the lock was taken. A negative return code may be
// raised as an error by the statement itself.
func answersInRow(st sqlread.Statement, cat *catalog.Catalog) bool {
	return st.Verb == "SELECT" && slices.ContainsFunc(st.Functions, func(f sqlread.Call) bool {
		fn := cat.SQLFunc(f.Name)
		return fn != nil && fn.Acquire != nil && slices.ContainsFunc(fn.Acquire.Success, func(t *catalog.Told) bool { return t.Is != "any" && t.Is != "not negative" })
	})
}

// countsTaken reports whether a statement returns a row only where what it selects is true: the
// number of its rows tells what the function in it has answered.
func countsTaken(st sqlread.Statement) bool {
	return slices.ContainsFunc(st.Where, func(g sqlread.Guard) bool {
		return g.Op == "=" && g.Value.Kind == "literal" && strings.EqualFold(g.Value.Text, "true")
	})
}

// prepared returns the text of a prepared statement or raw query that the call
// runs, and the arguments that came with it.
func (r *Reader) prepared(t, conn *term.T) (string, *term.T) {
	for _, x := range []*term.T{t, conn} {
		for _, a := range x.Alts() {
			if e := r.Entry(a); e != nil && e.Part != nil && e.Part.Kind == "raw" {
				text := r.Get(e.Part.Text, a, nil)
				if s, ok := sqlText(text); ok {
					return s, r.params(e.Part.Args, a)
				}
				if s, with := r.prepared(text, nil); s != "" { // a prepared statement of another handle's
					return s, with
				}
			}
		}
	}
	return "", nil
}

// params lists the driver's arguments.
func (r *Reader) params(ref catalog.Ref, call *term.T) *term.T {
	t, _ := r.decided(r.Get(ref, call, nil), true)
	if t != nil && ref.Spread && len(t.Args) == 1 {
		if t.Args[0].Kind == term.List {
			return t.Args[0] // args... handed on
		}
		if x := r.bound(t.Args[0]); x != nil {
			return x
		}
	}
	return t
}

// bound is what a statement's arguments were made of, where the call that names
// them (sqlx.Named) gave them along with the text; nil: they are not of that kind.
func (r *Reader) bound(t *term.T) *term.T {
	if t.Kind != term.Result || t.Index != 1 || t.Args[0].Kind != term.Call {
		return nil
	}
	call := t.Args[0]
	e := r.Entry(call)
	if e == nil || e.Same.Base != catalog.Arg || len(e.Same.Path) > 0 {
		return nil
	}
	args := Args(call)
	if i := e.Same.Index + 1; i < len(args) {
		if args[i].Kind == term.List {
			return args[i]
		}
		return r.Pool.List(args[i])
	}
	return nil
}

// sqlTerm turns an expression of a statement into a term. A column is
// Op("column", name), a function of the database Op("sql:name", ...).
func (r *Reader) sqlTerm(x sqlread.Expr, params *term.T) *term.T {
	switch x.Kind {
	case "param":
		if x.Param >= 0 {
			if params != nil && params.Kind == term.List && x.Param < len(params.Args) {
				return present(params.Args[x.Param])
			}
			if params != nil && params.Kind != term.List && x.Param == 0 {
				return present(params)
			}
			return r.Pool.Unknown("argument")
		}
		return present(r.named(x.Name, params))
	case "literal":
		return r.Pool.Const("string", strings.Trim(x.Text, "'"))
	case "column":
		if x.Incoming && len(x.Args) > 0 {
			return r.sqlTerm(x.Args[0], params)
		}
		if x.Incoming {
			return r.Pool.Op(incoming, r.Pool.Const("string", x.Name))
		}
		return r.Pool.Op("column", r.Pool.Const("string", x.Name))
	case "call", "binary":
		args := make([]*term.T, len(x.Args))
		for i, a := range x.Args {
			args[i] = r.sqlTerm(a, params)
		}
		if x.Name == "coalesce" && x.Args[0].Kind == "param" {
			if v := r.coalesced(args); v != nil {
				return v
			}
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
			if v := member(name, a); v != nil {
				return v
			}
		}
		if len(items) > 0 && !items[0].IsMerged() && items[0].Kind != term.List && items[0].Kind != term.Struct { // a tag may name the field otherwise
			return r.Pool.Field(items[0], name)
		}
		if len(items) > 0 && !slices.ContainsFunc(items, func(t *term.T) bool { return t.Kind != term.Struct || t.Type == "" }) {
			return r.Pool.Unknown("unset") // nobody sets it
		}
	}
	return r.Pool.Unknown("argument")
}

// member is the field of a struct that a parameter is named by, as far as it is seen to be
// set; nil otherwise.
func member(name string, t *term.T) *term.T {
	if x, field, value, ok := t.Changed(); ok {
		if sameField(field, name) {
			return value
		}
		return member(name, x)
	}
	if t.Kind == term.Struct {
		for i, n := range t.Names {
			if sameField(n, name) {
				return t.Args[i]
			}
		}
	}
	return nil
}

func (r *Reader) statement(lib *catalog.Library, st sqlread.Statement, params, conn *term.T, reject string, call *term.T) []Meaning {
	var ms, stored []Meaning
	for _, f := range st.Functions {
		fn := r.Catalog.SQLFunc(f.Name)
		if fn == nil {
			if m, ok := r.storedLease(lib, f, params, conn); ok {
				stored = append(stored, m)
			}
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
			m.Kind, m.Scope, m.Try, m.Shared, m.On, m.Key = lock.Kind(a.Kind), a.Scope, a.Try, a.Shared, conn, at(a.Key)
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
		m := r.base(lib, Write)
		m.Write = c
		list := []Meaning{m}
		if !st.SkipLocked {
			key, by := r.rowKey(w, params)
			list = r.takes(m, key, by, counted(st, w))
		}
		ms = append(ms, list...)
	}
	if len(stored) == 0 && len(st.Writes) == 0 && (st.Verb == "SELECT" || st.Verb == "OTHER") {
		m := r.base(lib, Query)
		m.On, m.Store = conn, "sql"
		if len(st.Tables) > 0 {
			m.Store = "sql:" + strings.Join(st.Tables, ",")
		}
		m.Keeps, m.Locked = st.ForUpdate, st.Locked
		for _, x := range st.Select {
			m.Columns = append(m.Columns, x.Name)
		}
		m.Found = foundIn(st.Where)
		ms = append(ms, m)
	}
	if st.Verb == "CALL" || len(stored) > 0 && len(st.Writes) == 0 || len(ms) == 1 && ms[0].Role == Query && r.callsProcedure(st) {
		m := r.base(lib, Write)
		m.Write = &Change{Store: "sql", Operation: "CALL", Resource: "sql", On: conn, Unknown: lock.ReasonProcedure, Call: call}
		ms = append(ms, m)
	}
	return append(stored, ms...)
}

// foundIn lists the columns that a WHERE clause asks for.
func foundIn(gs []sqlread.Guard) []string {
	var out []string
	for _, g := range gs {
		if g.Column != "" {
			out = append(out, g.Column)
		}
		out = append(append(out, foundIn(g.Or)...), foundIn(g.And)...)
	}
	return out
}

// callsProcedure reports whether a SELECT reads no table but calls a function
// of the database's owner with arguments: SELECT save_text($1, $2).
func (r *Reader) callsProcedure(st sqlread.Statement) bool {
	if st.Verb != "SELECT" || len(st.Tables) > 0 || st.Params == 0 {
		return false
	}
	return slices.ContainsFunc(st.Functions, func(f sqlread.Call) bool {
		return len(f.Args) > 0 && r.Catalog.SQLFunc(f.Name) == nil && !pureFunction(f.Name)
	})
}

// pureFunction knows what databases bring along: none of it writes.
func pureFunction(name string) bool {
	for _, p := range []string{"pg_", "json", "to_", "date", "time", "current_", "array", "string_", "regexp", "st_", "md5", "sha", "has_", "inet", "char", "make_", "is_", "now"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return slices.Contains([]string{
		"abs", "age", "any", "avg", "cast", "ceil", "coalesce", "concat", "concat_ws", "convert", "count", "decode", "digest", "encode", "exists", "extract",
		"floor", "format", "gen_random_uuid", "generate_series", "greatest", "hashtext", "hashtextextended", "if", "ifnull", "isnull", "least", "left",
		"length", "lower", "ltrim", "max", "min", "mod", "nullif", "position", "pow", "power", "replace", "right", "round", "row_to_json", "rtrim",
		"similarity", "split_part", "substr", "substring", "sum", "translate", "trim", "unnest", "upper", "uuid_generate_v4", "version",
	}, name)
}
