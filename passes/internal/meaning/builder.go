package meaning

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// built reads a write at the end of a builder chain (gorm, squirrel, bun): the
// links before it add conditions and values.
func (r *Reader) built(lib *catalog.Library, w *catalog.Write, call *term.T) Meaning {
	c := r.change(lib, w, call, nil).Write
	c.Sets = nil // the links tell
	c.Store, c.Resource = "sql", "sql"
	if w.Op == "" {
		c.Operation = strings.ToUpper(c.Operation)
	}
	b := chain{r: r, c: c, lib: lib.Library}
	keeps := false // the call keeps to the conditions of its chain
	selected := false
	for _, k := range w.Conditions {
		keeps = keeps || k.Kind == "builder"
		selected = selected || k.Kind == "selected"
	}
	c.Guards = slices.DeleteFunc(c.Guards, func(g Guard) bool { return g.Op == "other" && (g.Text == "builder" || g.Text == "selected") })
	if v := r.Get(w.Args, call, nil); v != nil {
		b.demand(&v)
		b.assign(v)
		if s := tableOf(v); v.Kind == term.Struct && !v.IsMap() && s != "" {
			c.Resource = "sql:" + s
		}
	}
	b.read(Receiver(call))
	c.Ignored = !keeps && !(selected && b.selects) && len(c.Guards) > 0
	m := r.base(lib, Write)
	m.Write = c
	return m
}

// builtText reads the write of a statement whose text a builder made before it was
// sent: text, args, err := squirrel.Update(...).ToSql().
func (r *Reader) builtText(lib *catalog.Library, text, conn *term.T, reject string, call *term.T) (Meaning, bool) {
	verb := ""
	for t := text; t != nil; t = Receiver(t) {
		if e := r.Entry(t); e != nil && e.Part != nil && e.Part.Kind == "table" && e.Part.Word != "" {
			verb = strings.ToUpper(e.Part.Word)
		}
	}
	if verb == "" {
		return Meaning{}, false
	}
	b := chain{r: r, c: &Change{Store: "sql", Operation: verb, Resource: "sql", Reject: reject, Call: call}}
	b.read(text)
	b.c.On = conn
	m := r.base(lib, Write)
	m.Write = b.c
	return m, true
}

// rowLock notes whether a read at the end of a builder chain keeps what it reads until
// its transaction ends, and of which table that is.
func (r *Reader) rowLock(m *Meaning, call *term.T) {
	t, table, keeps := Receiver(call), "", false
	for ; t != nil; t = Receiver(t) {
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			break
		}
		keeps = keeps || e.Part.Word == "for update" || r.locks(e.Part, t)
		if e.Part.Kind == "table" {
			table = tableOf(r.Get(e.Part.Text, t, nil))
		}
	}
	if !keeps {
		return
	}
	m.Keeps, m.On = true, t
	if table != "" {
		m.Store += ":" + table
	}
}

// locks reports whether a link asks for the rows that are read to be locked, by a clause
// or by the text of one.
func (r *Reader) locks(p *catalog.Part, t *term.T) bool {
	args := r.Get(p.Args, t, nil)
	switch {
	case p.Word == "option":
		s, _ := r.Get(p.Text, t, nil).Str()
		return s == "gorm:query_option" && locking(constText(args))
	case p.Kind != "conflict":
		return false
	}
	return slices.ContainsFunc(list(args), func(x *term.T) bool {
		return x.Kind == term.Struct && strings.HasSuffix(x.Type, ".Locking") && locking("FOR "+constText(r.Pool.Field(x, "Strength")))
	})
}

// locking reports whether a clause keeps other writers away.
func locking(clause string) bool {
	return slices.Contains([]string{"FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "LOCK IN SHARE MODE"}, strings.ToUpper(strings.TrimSpace(clause)))
}

// A chain gathers what the links of a builder chain say.
type chain struct {
	r       *Reader
	lib     string
	c       *Change
	where   []string // conditions as text, last link first
	args    [][]*term.T
	equal   []Guard  // conditions as values
	ways    []Guard  // what is asked from where another way in begins: Or
	unknown bool     // what is assigned is out of sight
	only    []string // columns that are written, where a link limits them
	selects bool     // a link names the columns that are written, be it all
	omitted []string
	hidden  bool // a link adds what is out of sight
	// Of an upsert by calls: which of the columns that are inserted are updated as well.
	upserts, renewed bool
	updated          []string
	row              *term.T   // the model that is written, unless links name columns
	columns, values  []*term.T // of the row that is inserted, as links list them
	rows             int
	conflicts, every bool // links tell what becomes of a row that is there: of all its columns
	changed          []Setting
	unversioned      bool // a link takes back the demand for the version of a model
	tagged           bool // some columns are known by Go fields, whose tags may name others
}

// read reads a whole chain, given its last link.
func (b *chain) read(t *term.T) {
	b.walk(t)
	if asked := b.all(); b.lib != "gorm" || b.c.Operation != "INSERT" { // which sends no WHERE
		b.c.Guards = append(b.c.Guards, asked...)
	}
	b.inserted()
	b.limit()
	if b.unversioned {
		b.c.Guards = slices.DeleteFunc(b.c.Guards, func(g Guard) bool { return g.Text == ofModel })
	}
	for i := range b.c.Guards {
		b.settle(&b.c.Guards[i])
	}
}

// walk reads the links from the last to the first.
func (b *chain) walk(t *term.T) {
	r, c := b.r, b.c
	for ; t != nil; t = Receiver(t) {
		if t.Kind == term.Join {
			// A chain that is extended on one branch only: what all ways share is not known.
			c.Unknown = lock.ReasonSQL
			return
		}
		if x, with, without, ok := t.Cases(); ok {
			switch zero, known := r.zero(x); {
			case !known:
				c.Unknown = lock.ReasonSQL
			case zero:
				b.walk(without)
			default:
				b.walk(with)
			}
			return
		}
		e := r.Entry(t)
		if e == nil && t.Kind == term.Call && Receiver(t) != nil {
			continue
		}
		if e == nil || e.Part == nil {
			c.On = t
			return
		}
		text, args := r.Get(e.Part.Text, t, nil), r.params(e.Part.Args, t)
		switch e.Part.Kind {
		case "table":
			if e.Part.Word == "row" {
				b.row = args
			}
			for _, x := range []*term.T{text, args} {
				b.demand(&x)
				if s := tableOf(x); s != "" {
					c.Resource = "sql:" + s
				}
			}
		case "set":
			if e.Part.Word == "columns" {
				b.columns = append(list(args), b.columns...)
			} else if e.Part.Word == "values" {
				b.values, b.rows = list(args), b.rows+1
			} else if column, ok := r.Get(e.Part.Of, t, nil).Str(); ok {
				b.assignTo(column, e.Part.Word, args)
			} else if text == nil {
				b.assign(args)
			} else if s, ok := text.Str(); ok {
				b.setText(s, args)
			} else {
				b.unknown = true
			}
		case "conflict":
			if text != nil || args != nil && !b.options(args) {
				b.conflict(text, args)
				break
			}
			b.resolve(e.Part, t)
			b.upserts = b.upserts || e.Part.Word == ""
		case "where":
			switch {
			case text != nil || !e.Part.Args.Spread:
				b.condition(text, args)
			case args == nil:
				c.Unknown = lock.ReasonSQL // a call that is known by its name alone
			case args.Kind == term.List && len(args.Args) == 1 && isPredicate(args.Args[0]):
				b.equal = append(b.equal, r.predicate(args)...)
			default:
				b.condition(text, args)
			}
		case "op":
			switch {
			case e.Part.Word == "unversioned":
				b.unversioned = true
			case e.Part.Word == "anew": // without what the links before it have said
				for t = Receiver(t); t != nil; t = Receiver(t) {
					if e := r.Entry(t); e == nil || e.Part == nil {
						break
					}
				}
				c.On = t
				return
			case text == nil && args == nil:
			case e.Part.Word == "option":
				// Of a version of gorm without clauses.
				if s, ok := text.Str(); ok && s == "gorm:insert_option" {
					b.conflict(args, nil)
				}
			case e.Part.Word == "only":
				b.only, b.selects = append(b.only, b.names(text, args)...), true
			case e.Part.Word == "omit":
				b.omitted = append(b.omitted, b.names(text, args)...)
			}
		case "or":
			b.condition(text, args)
			b.way(b.guards())
		case "raw":
			if e.Part.Word == "group" {
				b.groups(text, args)
			} else {
				b.hidden = true
			}
		case "not":
			if s, ok := text.Str(); ok {
				b.condition(r.Pool.Const("string", "NOT ("+s+")"), args)
			} else {
				c.Unknown = lock.ReasonSQL
			}
		}
	}
}

// condition adds one Where: text with arguments, or a struct or map of columns
// that must be equal (squirrel's Lt and the like tell the operator by type).
func (b *chain) condition(text, args *term.T) {
	several := text == nil // conditions, all of which must hold
	if several {
		text = args
	}
	if text == nil {
		return
	}
	if text.Kind == term.List && len(text.Args) == 1 {
		text = text.Args[0]
	}
	if isClause(text) {
		b.equal = append(b.equal, b.r.clauses(text)...)
		for _, a := range list(args) {
			if a != text {
				b.equal = append(b.equal, b.r.predicate(a)...)
			}
		}
		return
	}
	if s, ok := text.Str(); ok {
		var list []*term.T
		if args != nil && args.Kind == term.List {
			list = args.Args
		}
		b.where, b.args = append(b.where, s), append(b.args, list)
		return
	}
	if text.Kind == term.Op && (text.Name == AllOf || text.Name == OneOf) {
		b.equal = append(b.equal, b.r.predicate(text)...)
		return
	}
	if e := b.r.Entry(text); e != nil && e.Part != nil && !e.Part.Text.IsZero() && Receiver(text) != nil {
		b.group(text)
		return
	}
	if e := b.r.Entry(text); several && text.Kind == term.List || text.Kind == term.Call && e != nil && e.Part != nil {
		b.equal = append(b.equal, b.r.predicate(text)...)
		return
	}
	if text.Kind != term.Struct {
		if !several || text.Kind != term.Const && text.Kind != term.Param && text.Kind != term.Field {
			b.c.Unknown = lock.ReasonSQL
		}
		return // a primary key
	}
	asked := b.r.columns(text)
	if b.lib == "gorm" && !text.IsMap() { // fields that are zero are left out
		for i, g := range asked {
			if g.Op == "=" && g.Value != nil && g.Value.Kind != term.Const && !b.r.Draws(g.Value) && b.r.Reads(g.Value) {
				asked[i] = Guard{Op: "other", Text: "a field that is left out where it is zero"}
			}
		}
	}
	b.equal = append(b.equal, asked...)
}

// guards reads the conditions that belong together; the arguments of the first
// link come first.
func (b *chain) guards() []Guard {
	slices.Reverse(b.where)
	slices.Reverse(b.args)
	out := b.equal
	for i, s := range b.where {
		guards, ok := b.r.condition(s, b.r.Pool.List(b.args[i]...))
		if !ok {
			b.c.Unknown = lock.ReasonSQL
		}
		out = append(out, guards...)
	}
	return out
}

// unnamed takes the name of a stand-in table from a guard.
func unnamed(g Guard, table string) Guard {
	if g.Table == table {
		g.Table = ""
	}
	for i := range g.Alts {
		g.Alts[i] = unnamed(g.Alts[i], table)
	}
	return g
}

// isPredicate reports whether a value may be a condition, and not a key that a row has
// or columns and what they must be.
func isPredicate(t *term.T) bool {
	return t.Kind != term.Const && t.Kind != term.Struct && t.Kind != term.List
}

// Versioned is the operation that puts the name of a field beside a model of which the
// library demands that field's value, and gives the row another one.
const Versioned = "versioned"

// ofModel is the text of a guard that a mapper adds.
const ofModel = "the version of the model"

// demand takes such a model for what it is, and notes what is demanded of a row that is
// changed: a model that was made without a version demands none.
func (b *chain) demand(v **term.T) {
	t := *v
	if t != nil && t.Kind == term.List && len(t.Args) == 1 {
		t = t.Args[0]
	}
	if t == nil || t.Kind != term.Op || t.Name != Versioned {
		return
	}
	*v = t.Args[0]
	field, _ := t.Args[1].Str()
	value := b.r.Pool.Field(t.Args[0], field)
	if b.c.Operation == "UPDATE" && !value.IsZero() {
		b.c.Guards = append(b.c.Guards, Guard{Op: "version", Value: value, Text: ofModel})
	}
}

// options reads what happens when the row is there already from calls of options; ok
// is false where they are none.
func (b *chain) options(args *term.T) (ok bool) {
	if args.Kind != term.List || slices.ContainsFunc(args.Args, func(t *term.T) bool { return t.Kind == term.Struct || b.r.Entry(t) == nil }) {
		return false
	}
	for _, o := range args.Args {
		switch p := b.r.Entry(o).Part; {
		case p == nil:
			b.hidden = true
		case p.Kind == "where":
			b.equal = append(b.equal, b.r.predicate(o)...)
		case p.Kind == "set":
			b.unknown = true // by a function
		case p.Kind == "conflict":
			b.resolve(p, o)
		}
	}
	return true
}

// resolve reads a link or option by which the row stays, or becomes what would have
// been inserted: all of it, or one column.
func (b *chain) resolve(p *catalog.Part, call *term.T) {
	switch column, one := b.r.Get(p.Of, call, nil).Str(); {
	case p.Word == "nothing":
		b.c.Guards = append(b.c.Guards, Guard{Op: "absent", Text: "on conflict do nothing"})
	case p.Word == "new" && one:
		b.updated = append(b.updated, column)
	case p.Word == "new":
		b.renewed = true
	}
}

// assignTo notes the value of one column: what it is given, or what that adds to it.
// Without a value, what it becomes is not known. Of a row that is there already, an
// upsert changes only what it says.
func (b *chain) assignTo(column, word string, v *term.T) {
	column = columnName(column)
	if b.upserts && !b.renewed && !slices.Contains(b.updated, column) {
		return
	}
	switch {
	case v == nil:
		v = b.r.Pool.Unknown("value")
	case word == "add":
		v = b.r.Pool.Op("sql:+", b.r.Pool.Op("column", b.r.Pool.Const("string", column)), v)
	}
	b.c.Sets = append(b.c.Sets, Setting{column, v})
}

// names are the columns that a link lists; what is not constant may be any.
func (b *chain) names(args ...*term.T) []string {
	var out []string
	for _, t := range args {
		for _, a := range list(t) {
			if a.IsZero() {
				continue
			}
			s, ok := a.Str()
			if !ok {
				b.unknown = true
			}
			for name := range strings.SplitSeq(s, ",") {
				out = append(out, columnName(strings.TrimSpace(name)))
			}
		}
	}
	return out
}

// limit takes away what is assigned but not written.
func (b *chain) limit() {
	if slices.Contains(b.only, "*") {
		b.only = nil
	}
	b.c.Sets = slices.DeleteFunc(b.c.Sets, func(s Setting) bool {
		return len(b.only) > 0 && !slices.Contains(b.only, s.Column) || slices.Contains(b.omitted, s.Column)
	})
}

// assign notes assigned values: column and value, a struct, a map. What a generated method
// assigns by its name alone, or to a column whose name is out of sight, is not known.
func (b *chain) assign(v *term.T) {
	if v == nil {
		b.unknown = true
		return
	}
	if v.Kind == term.List && len(v.Args) == 1 {
		v = v.Args[0]
	}
	switch {
	case v.Kind == term.List:
		for i := 0; i+1 < len(v.Args); i += 2 {
			if s, ok := v.Args[i].Str(); ok {
				b.c.Sets = append(b.c.Sets, Setting{columnName(s), v.Args[i+1]})
			}
		}
	case v.Kind == term.Struct && v.Type != "":
		b.tagged = b.tagged || !v.IsMap()
		for i, name := range v.Names {
			b.c.Sets = append(b.c.Sets, Setting{columnName(name), v.Args[i]})
		}
	case !v.IsZero():
		x, name, value, ok := v.Changed()
		if !ok {
			b.unknown = true
			break
		}
		b.tagged = true
		b.c.Sets = append(b.c.Sets, Setting{columnName(name), value}) // the last assignment comes first
		b.assign(x)
	}
}

// setText notes an assignment as text: "version = version + 1".
func (b *chain) setText(s string, args *term.T) {
	for _, st := range sqlread.Read("UPDATE t SET " + s) {
		for _, w := range st.Writes {
			for _, a := range w.Set {
				set := Setting{a.Column, b.r.sqlTerm(a.Value, args)}
				if b.c.Operation == "INSERT" { // of a row that is there
					b.conflicts, b.changed = true, append(b.changed, set)
				} else {
					b.c.Sets = append(b.c.Sets, set)
				}
			}
		}
	}
}

// settle notes whether the write stores what a guard compares. A struct's
// column may be named by a tag: the value itself, wherever it is assigned, will
// do. Where the values are out of sight, so is what an ordered comparison is worth.
func (b *chain) settle(g *Guard) {
	for i := range g.Alts {
		b.settle(&g.Alts[i])
	}
	for _, s := range b.c.Sets {
		if s.Column == g.Column {
			b.r.settle(g, s.Value)
			g.AsText = g.AsText || b.tagged && s.Value.IsText() && g.Value.IsText() // a model's field is of the column's type
			return
		}
	}
	if g.Value == nil {
		return
	}
	for _, s := range b.c.Sets {
		if b.tagged && s.Value.Kind != term.Const && b.r.Pool.Alike(s.Value, g.Value) && !slices.ContainsFunc(b.c.Guards, func(o Guard) bool { return o.Column == s.Column }) {
			g.Stored = true
		}
	}
	if b.unknown && !g.Stored && strings.ContainsAny(g.Op, "<>") {
		*g = Guard{Op: "other", Text: "values out of sight"}
	}
}

// columnName is the column of a Go field by the usual convention: LastToken is
// last_token, ID is id.
func columnName(s string) string {
	s = s[strings.LastIndexByte(s, '.')+1:]
	if strings.Contains(s, "_") || strings.ToLower(s) == s {
		return strings.ToLower(s)
	}
	var b strings.Builder
	runes := []rune(s)
	for i, c := range runes {
		upper := unicode.IsUpper(c)
		if i > 0 && upper && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// TableOf names the table that a model of a type stands for.
func TableOf(typ string) string { return columnName(typ) }

// tableOf names a table by a string or by the model's type.
func tableOf(t *term.T) string {
	for _, a := range t.Alts() {
		if s, ok := a.Str(); ok {
			return strings.ToLower(s)
		}
		if a.Kind == term.Struct {
			return columnName(a.Type)
		}
	}
	return ""
}
