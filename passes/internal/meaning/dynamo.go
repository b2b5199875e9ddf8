package meaning

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
)

var (
	notExists = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)attribute_not_exists\s*\(\s*([#\w.]+)\s*\)`) })
	exists    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)attribute_exists\s*\(\s*([#\w.]+)\s*\)`) })
	nameAlias = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#\w+`) })
	clause    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(SET|REMOVE|ADD|DELETE)\b`) })
)

// item reads a write of a DynamoDB item, and its condition if it has one. Its expressions are close
// enough to SQL to be read as such. Without the option struct in view, or with
// an expression from a builder, the guard stays unknown.
func (r *Reader) item(lib *catalog.Library, w *catalog.Write, call *term.T) Meaning {
	m := r.change(lib, w, call, nil)
	c := m.Write
	at := w.Conditions[0].At
	given := r.Get(at, call, nil)
	condition, ok := given.Str()
	if !ok && !given.IsZero() {
		if guards, sets, ok := r.expression(given); ok {
			c.Guards, c.Sets = guards, append(c.Sets, sets...)
			put := !r.Pool.Field(r.inputOf(at, call), "Item").IsZero()
			for i := range c.Guards {
				c.Guards[i] = r.itemGuard(c.Guards[i], c.Sets, nil, put)
			}
		}
		return m
	}
	in := r.inputOf(at, call)
	if in.Kind != term.Struct {
		return m
	}
	guards, sets := r.itemParts(in)
	c.Sets = sets
	if condition == "" {
		return m // it stores what it stores, whatever is there
	}
	c.Guards = guards
	return m
}

// givenUp reads an update that takes the holder out of an item, and does nothing else, if it
// is a certain one: it gives the item back by the owner, and takes none.
func givenUp(ms []Meaning, c *Change) []Meaning {
	if len(c.Sets) == 0 || slices.ContainsFunc(c.Sets, func(s Setting) bool { return s.Value == nil || s.Value.Kind != term.Nil }) {
		return ms
	}
	i := slices.IndexFunc(c.Guards, func(g Guard) bool {
		return g.Op == "=" && g.Value != nil && holds(g.Column) && slices.ContainsFunc(c.Sets, func(s Setting) bool { return sameField(s.Column, g.Column) })
	})
	at := slices.IndexFunc(ms, func(m Meaning) bool { return m.Role == Acquire && m.Raw })
	if i < 0 || at < 0 {
		return ms
	}
	ms = slices.Clone(ms)
	taken := ms[at]
	ms[at] = Meaning{Role: Release, Library: taken.Library, Family: taken.Family, Key: taken.Key, Value: c.Guards[i].Value, Raw: true, Checked: true}
	return ms
}

// holds is NamesHolder for the name of an attribute in lower case.
func holds(column string) bool {
	return slices.ContainsFunc([]string{"owner", "holder", "leader", "assigned", "lockedby", "heldby", "leasedby"}, func(word string) bool {
		return strings.Contains(strings.ReplaceAll(column, "_", ""), word)
	})
}

// inputOf is the input of a call that has its condition at a place in it.
func (r *Reader) inputOf(at catalog.Ref, call *term.T) *term.T {
	at.Path = at.Path[:len(at.Path)-1]
	return r.Get(at, call, nil)
}

// itemParts reads the input of an operation on an item: its condition, if that is
// text, and what it stores.
func (r *Reader) itemParts(in *term.T) (guards []Guard, sets []Setting) {
	params, text := r.attributes(r.Pool.Field(in, "ExpressionAttributeValues"))
	names := r.Pool.Field(in, "ExpressionAttributeNames")
	plain := func(s string) string {
		s = exists().ReplaceAllString(notExists().ReplaceAllString(s, "($1 IS NULL)"), "($1 IS NOT NULL)")
		return nameAlias().ReplaceAllStringFunc(s, func(alias string) string {
			if n, ok := r.Pool.Elem(names, r.Pool.Const("string", alias)).Str(); ok {
				return n
			}
			return "alias_" + alias[1:]
		})
	}
	sets = r.itemSets(in, plain, params)
	condition, ok := r.Pool.Field(in, "ConditionExpression").Str()
	if !ok || condition == "" {
		return nil, sets
	}
	put := !r.Pool.Field(in, "Item").IsZero()
	for _, st := range sqlread.Read("DELETE FROM t WHERE " + plain(condition)) {
		for _, sw := range st.Writes {
			if sw.Unknown != "" {
				guards = append(guards, Guard{Op: "other", Text: condition})
			}
			for _, g := range sw.Guards {
				guards = append(guards, r.itemGuard(r.sqlGuard(g, sw, params), sets, text, put))
			}
		}
	}
	return guards, sets
}

// expression reads a condition and an update that are built by calls. Imprecision:
// whether a value is sent as a number or as text is not seen.
func (r *Reader) expression(t *term.T) (guards []Guard, sets []Setting, ok bool) {
	for ; t != nil; t = Receiver(t) {
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			return nil, nil, false
		}
		switch e.Part.Kind {
		case "if":
			guards = append(guards, r.predicate(r.Get(e.Part.Args, t, nil))...)
		case "then":
			sets = append(sets, r.updates(r.Get(e.Part.Args, t, nil))...)
		case "op":
			return guards, sets, true
		}
	}
	return nil, nil, false
}

// updates lists what the links of an update store.
func (r *Reader) updates(t *term.T) []Setting {
	var sets []Setting
	for ; t != nil; t = Receiver(t) {
		e := r.Entry(t)
		if e == nil || e.Part == nil || e.Part.Kind != "set" {
			break
		}
		name, ok := r.column(r.Get(e.Part.Text, t, nil))
		if !ok {
			sets = append(sets, Setting{}) // of what is out of sight
			continue
		}
		v := r.Get(e.Part.Args, t, nil)
		if v == nil {
			v = r.Pool.Op("changed")
		}
		sets = append(sets, Setting{name, v})
	}
	return sets
}

// itemGuard adds to a guard what the operation stores. One that puts an item drops what it
// does not store.
func (r *Reader) itemGuard(g Guard, sets []Setting, text map[*term.T]bool, put bool) Guard {
	for i := range g.Alts {
		g.Alts[i] = r.itemGuard(g.Alts[i], sets, text, put)
	}
	for _, s := range sets {
		if sameField(s.Column, g.Column) {
			r.settle(&g, s.Value)
		}
	}
	if !g.Stored && !g.Moves && g.Value != nil && strings.ContainsAny(g.Op, "<>") && slices.ContainsFunc(sets, func(s Setting) bool { return s.Column == "" }) {
		return Guard{Op: "other", Text: "values out of sight"}
	}
	if g.Op == "is null" {
		g.Op = "absent"
	}
	g.Stays = g.Op == "=" && (g.Stored || !put && !g.Moves && len(sets) > 0 && !slices.ContainsFunc(sets, func(s Setting) bool {
		return s.Column == "" || strings.HasPrefix(s.Column, "alias_")
	}))
	g.Table = "" // a condition is on the item itself
	g.AsText = text[g.Value] && strings.ContainsAny(g.Op, "<>") && g.Op != "<>"
	return g
}

// itemSets lists what the write stores: the item, or the assignments of the
// update expression.
func (r *Reader) itemSets(in *term.T, plain func(string) string, params *term.T) []Setting {
	var sets []Setting
	item := r.Pool.Field(in, "Item")
	if e := r.Entry(item); e != nil && !e.Same.IsZero() { // made of a struct
		item = r.Get(e.Same, item, nil)
	}
	for {
		x, name, value, ok := item.Changed()
		if !ok {
			break
		}
		v, _ := r.attribute(value)
		sets, item = append(sets, Setting{strings.ToLower(name), v}), x
	}
	if e := r.Entry(item); e != nil && !e.Same.IsZero() {
		item = r.Get(e.Same, item, nil)
	}
	if item.Kind != term.Struct && !item.IsZero() {
		sets = append(sets, Setting{}) // and more, that is out of sight
	}
	if item.Kind == term.Struct {
		for i, n := range item.Names {
			v, _ := r.attribute(item.Args[i])
			sets = append(sets, Setting{strings.ToLower(n), v})
		}
	}
	update, ok := r.Pool.Field(in, "UpdateExpression").Str()
	if !ok {
		return sets
	}
	update = plain(update)
	parts := clause().FindAllStringIndex(update, -1)
	for i, p := range parts {
		end := len(update)
		if i+1 < len(parts) {
			end = parts[i+1][0]
		}
		if strings.EqualFold(update[p[0]:p[1]], "REMOVE") {
			for path := range strings.SplitSeq(update[p[1]:end], ",") {
				sets = append(sets, Setting{strings.ToLower(strings.TrimSpace(path)), r.Pool.Nil()})
			}
		}
		if strings.EqualFold(update[p[0]:p[1]], "ADD") {
			for pair := range strings.SplitSeq(update[p[1]:end], ",") {
				if words := strings.Fields(pair); len(words) == 2 {
					column := r.Pool.Op("column", r.Pool.Const("string", strings.ToLower(words[0])))
					sets = append(sets, Setting{strings.ToLower(words[0]), r.Pool.Op("sql:+", column, r.named(strings.ReplaceAll(strings.TrimPrefix(words[1], ":"), "_", ""), params))})
				}
			}
		}
		if !strings.EqualFold(update[p[0]:p[1]], "SET") {
			continue
		}
		for _, st := range sqlread.Read("UPDATE t SET " + update[p[1]:end]) {
			for _, w := range st.Writes {
				for _, a := range w.Set {
					sets = append(sets, Setting{a.Column, r.sqlTerm(a.Value, params)})
				}
			}
		}
	}
	return sets
}

// LockOwner is the attribute by which records of dynamolock name their owner.
const LockOwner = "ownername"

// attributes gives the values of an expression by name, and those that are
// sent as strings.
func (r *Reader) attributes(values *term.T) (*term.T, map[*term.T]bool) {
	text := make(map[*term.T]bool)
	if values.Kind != term.Struct {
		return nil, text
	}
	names, args := make([]string, len(values.Names)), make([]*term.T, len(values.Names))
	for i, n := range values.Names {
		v, isText := r.attribute(values.Args[i])
		names[i], args[i] = strings.ReplaceAll(strings.TrimPrefix(n, ":"), "_", ""), v
		if isText {
			text[v] = true
		}
	}
	return r.Pool.Struct("map", "", names, args), text
}

// attribute unwraps an attribute value: the member types of the present
// library, or the struct with one field for each type of the old one.
func (r *Reader) attribute(v *term.T) (value *term.T, text bool) {
	if v.Kind != term.Struct || len(v.Names) != 1 {
		return v, false
	}
	if v.Names[0] == "S" || strings.HasSuffix(v.Type, "MemberS") {
		return v.Args[0], true
	}
	return v.Args[0].Number(), false
}

// itemBatch reads the items that BatchWriteItem stores, which no condition guards, or
// the operations of a transaction, all of which are refused where one condition fails.
//
// Imprecision: the items of a batch that are out of sight are not told from those that
// are in view.
func (r *Reader) itemBatch(lib *catalog.Library, w *catalog.Write, call *term.T) []Meaning {
	given := r.Get(w.Value, call, nil)
	whole := r.change(lib, w, call, nil)
	whole.Write.Guards = nil
	var parts []Meaning
	var guards []Guard
	seen := given != nil
	var item func(t *term.T)
	item = func(t *term.T) {
		switch {
		case t.Kind == term.Nil, t.Kind == term.Unknown && t.Name == "loop", t.Kind == term.Const && t.Type == "zero", t.Kind == term.Call && t.Name == "make":
			return // the list itself, before the last append
		case t.Kind == term.List, t.Kind == term.Op && t.Name == "append", t.Kind == term.Join, t.IsMap():
			for _, a := range t.Args {
				item(a)
			}
			return
		case t.Kind == term.Struct && t.Type == "" && len(t.Names) == 1 && t.Names[0] == "?":
			item(t.Args[0]) // the lists of several tables
			return
		case t.Kind != term.Struct || len(t.Names) != 1 || t.Args[0].Kind != term.Struct:
			seen = false
			return
		}
		in := t.Args[0]
		c := *whole.Write
		g, sets := r.itemParts(in)
		if condition := r.Pool.Field(in, "ConditionExpression"); len(g) == 0 && !condition.IsZero() {
			g = []Guard{{Op: "other", Value: condition, Text: "expression"}}
		}
		if t.Names[0] == "ConditionCheck" {
			for i := range g {
				g[i].Item = r.Pool.Field(in, "Key")
			}
		}
		guards = append(guards, g...)
		switch t.Names[0] {
		case "ConditionCheck":
			return
		case "Put", "Update":
			c.Operation = t.Names[0] + "Item"
		case "PutRequest":
			c.Operation = w.Op
		case "Delete", "DeleteRequest":
			c.Operation = "DeleteItem"
		default:
			seen = false
			return
		}
		c.Sets = sets
		if table := r.Pool.Field(in, "TableName"); !table.IsZero() {
			c.Resource, c.Key = place(w.Store, table), table
		}
		m := whole
		m.Write = &c
		parts = append(parts, m)
	}
	if given != nil {
		item(given)
	}
	if len(parts) == 0 && seen && len(guards) > 0 {
		whole.Role, whole.Write.Guards = Check, guards
		return []Meaning{whole}
	}
	if len(parts) == 0 || !seen {
		parts = append(parts, whole)
	}
	if len(w.Conditions) == 0 {
		return parts
	}
	if !seen {
		guards = append(guards, Guard{Op: "other", Text: "operations out of sight"})
	}
	for _, m := range parts {
		m.Write.Guards = guards
	}
	return parts
}
