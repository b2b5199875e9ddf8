package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Of an upsert, builders are told the row that is inserted, and apart from that what
// becomes of one that is there already, and when. The latter names values of the former:
// EXCLUDED.token.

// incoming is the operation that names a column of the row that would be inserted.
const incoming = "incoming"

// conflict reads what happens when the row is there already, as text or as clauses.
func (b *chain) conflict(text, args *term.T) {
	r, c := b.r, b.c
	if s, ok := text.Str(); ok {
		u := strings.ToUpper(strings.TrimSpace(s))
		switch {
		case strings.HasPrefix(u, "CONFLICT"):
			s = "ON " + s
		case !strings.HasPrefix(u, "ON "):
			return // RETURNING and the like
		}
		if strings.HasSuffix(u, "DO UPDATE") {
			b.conflicts = true // other links tell how
			return
		}
		for _, st := range sqlread.Read("INSERT INTO t (c) VALUES (0) " + s) {
			for _, w := range st.Writes {
				more := r.sqlChange(w, args, nil, "", c.Call)
				c.Guards = append(c.Guards, more.Guards...)
				if len(w.Set) > 0 {
					b.conflicts, b.changed = true, append(b.changed, more.Sets...)
				}
				if more.Unknown != "" {
					c.Unknown = more.Unknown
				}
			}
		}
		return
	}
	if text != nil || args == nil {
		c.Unknown = lock.ReasonSQL
		return
	}
	if args.Kind == term.Call {
		b.given(args)
		return
	}
	for _, x := range args.Args {
		switch {
		case x.IsZero():
			// An empty one, as clause.Returning{} is.
		case strings.HasSuffix(x.Type, ".OnConflict"):
			b.onConflict(x)
		case isClause(x):
			b.equal = append(b.equal, r.clauses(x)...)
		case x.Kind != term.Struct:
			c.Unknown = lock.ReasonSQL
		}
		// Clauses of the project's own are no condition.
	}
}

// given reads a chain of its own that says what happens when the row is there already.
func (b *chain) given(t *term.T) {
	for ; t != nil; t = Receiver(t) {
		e := b.r.Entry(t)
		if e == nil || e.Part == nil {
			b.c.Unknown = lock.ReasonSQL
			return
		}
		args := b.r.Get(e.Part.Args, t, nil)
		switch {
		case e.Part.Kind == "where":
			b.c.Guards = append(b.c.Guards, b.r.predicate(args)...)
		case e.Part.Word == "nothing":
			b.c.Guards = append(b.c.Guards, Guard{Op: "absent", Text: "on conflict do nothing"})
		case e.Part.Word == "given" && args != nil && args.Kind == term.Struct:
			b.conflicts = true
			for i, n := range args.Names {
				b.changed = append(b.changed, Setting{columnName(n), args.Args[i]})
			}
		default:
			b.c.Unknown = lock.ReasonSQL
		}
	}
}

// onConflict reads a clause that says in fields what happens when the row is there already.
func (b *chain) onConflict(x *term.T) {
	r, c := b.r, b.c
	set := func(name string) *term.T {
		if !slices.Contains(x.Names, name) {
			return nil
		}
		return r.Pool.Field(x, name)
	}
	if constText(set("DoNothing")) == "true" {
		c.Guards = append(c.Guards, Guard{Op: "absent", Text: "on conflict do nothing"})
		return
	}
	if where := set("Where"); where != nil && !where.IsZero() {
		exprs := r.Pool.Field(where, "Exprs")
		if where.Kind != term.Struct || exprs.Kind != term.List {
			c.Unknown = lock.ReasonSQL
			return
		}
		c.Guards = append(c.Guards, r.predicate(exprs)...)
	}
	b.conflicts = true
	b.every = b.every || constText(set("UpdateAll")) == "true"
	updates := set("DoUpdates")
	switch e := r.Entry(updates); {
	case updates == nil || updates.IsZero():
	case updates.IsMap():
		for i, n := range updates.Names {
			b.changed = append(b.changed, Setting{columnName(n), updates.Args[i]})
		}
	case e != nil && e.Part != nil && e.Part.Word == "new":
		for _, n := range list(r.Get(e.Part.Args, updates, nil)) {
			name, ok := n.Str()
			b.changed = append(b.changed, Setting{columnName(name), r.Pool.Op(incoming, n)})
			b.unknown = b.unknown || !ok
		}
	default:
		b.unknown = true
	}
}

// inserted puts together what links say of the row that is inserted: columns, and the
// values of one row of them.
func (b *chain) inserted() {
	if x := b.row; x != nil && (b.c.Operation == "INSERT" || len(b.c.Sets) == 0) {
		b.demand(&x)
		if x.Kind == term.List && len(x.Args) == 1 {
			x = x.Args[0]
		}
		if !x.IsZero() {
			b.assign(x)
		}
	}
	switch {
	case b.rows == 0:
	case b.rows > 1 || len(b.columns) != len(b.values):
		b.unknown = true
	default:
		for i, n := range b.columns {
			if s, ok := n.Str(); ok {
				b.c.Sets = append(b.c.Sets, Setting{columnName(s), b.values[i]})
			}
		}
	}
	if !b.conflicts {
		return
	}
	row := b.c.Sets
	if !b.every {
		b.c.Sets = nil
	}
	for _, s := range b.changed {
		s.Value = b.coming(s.Value, row)
		b.c.Sets = append(b.c.Sets, s)
	}
	for i := range b.c.Guards {
		b.bring(&b.c.Guards[i], row)
	}
}

// bring gives a guard the values that would be inserted; what it compares with some that
// are out of sight cannot be read.
func (b *chain) bring(g *Guard, row []Setting) {
	for i := range g.Alts {
		b.bring(&g.Alts[i], row)
	}
	if g.Value == nil {
		return
	}
	if g.Value = b.coming(g.Value, row); g.Value.Kind == term.Unknown {
		*g = Guard{Op: "other", Text: "values out of sight"}
	}
}

// coming is a value with those of the row that would be inserted in it.
func (b *chain) coming(t *term.T, row []Setting) *term.T {
	if t == nil || t.Kind != term.Op {
		return t
	}
	if t.Name == incoming {
		name, _ := t.Args[0].Str()
		for _, s := range row {
			if s.Column == columnName(name) {
				return s.Value
			}
		}
		return b.r.Pool.Unknown("argument")
	}
	args := make([]*term.T, len(t.Args))
	for i, a := range t.Args {
		args[i] = b.coming(a, row)
	}
	return b.r.Pool.Op(t.Name, args...)
}
