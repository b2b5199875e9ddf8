package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// document reads a MongoDB write: its filter is the condition, its update what
// is stored. Both are maps (bson.M), lists of pairs (bson.D) or structs in Go.
func (r *Reader) document(lib *catalog.Library, w *catalog.Write, call *term.T) Meaning {
	m := r.change(lib, w, call, nil)
	r.changed(m.Write, r.Get(w.Conditions[0].At, call, nil), r.Get(w.Args, call, nil), upserts(call))
	return m
}

// models reads a list of models of writes, of which each has a filter of its own; ok is
// false where some are out of sight.
func (r *Reader) models(lib *catalog.Library, w *catalog.Write, call *term.T) (ms []Meaning, ok bool) {
	models := r.Get(w.Args, call, nil)
	if models == nil || models.Kind != term.List || len(models.Args) == 0 {
		return nil, false
	}
	for _, model := range models.Args {
		m := r.change(lib, w, call, nil)
		c := m.Write
		c.Operation, c.Reject = "BulkWrite", "rows"
		var filter, update *term.T
		upsert := false
		t := model
		for ; t != nil && t.Kind == term.Call && Receiver(t) != nil; t = Receiver(t) {
			args := Args(t)
			if len(args) == 0 {
				return nil, false
			}
			switch methodName(t.Name) {
			case "SetFilter":
				filter = args[0]
			case "SetUpdate", "SetReplacement", "SetDocument":
				update = args[0]
			case "SetUpsert":
				upsert = constText(args[0]) == "true"
			}
		}
		if t == nil || t.Kind != term.Call || !strings.HasPrefix(methodName(t.Name), "New") || !strings.HasSuffix(methodName(t.Name), "Model") {
			return nil, false
		}
		if filter != nil {
			c.Guards = []Guard{{Op: "other", Text: "filter"}}
			r.changed(c, filter, update, upsert)
		}
		ms = append(ms, m)
	}
	return ms, true
}

// changed notes what a filter asks for, and what an update stores.
func (r *Reader) changed(c *Change, by, update *term.T, upsert bool) {
	filter, ok := pairs(by)
	if !ok {
		return // the guard stays unknown
	}
	sets, fresh, seen := r.documentSets(update)
	c.Sets, c.Guards = sets, r.filter(filter)
	for i := range c.Sets {
		for _, g := range c.Guards {
			if sameField(c.Sets[i].Column, g.Column) {
				c.Sets[i].Column = g.Column
			}
		}
	}
	for i := range c.Guards {
		settleDocument(r, &c.Guards[i], sets, seen)
	}
	c.Sets = append(c.Sets, fresh...)
	switch {
	case !upsert:
	case slices.ContainsFunc(c.Guards, func(g Guard) bool { return g.Column == "_id" && g.Op == "=" }):
		c.Reject = "error" // of the key that is there already
	default:
		// Where the filter matches nothing, since the record is newer, another one is made.
		for i, g := range c.Guards {
			if strings.ContainsAny(g.Op, "<>") && g.Stored && !r.clocked(g.Value) {
				c.Guards[i] = Guard{Op: "upsert", Value: g.Value, Text: "an upsert makes another record of one that it does not match, if no unique index refuses that"}
			}
		}
	}
}

// upserts reports whether an update makes a record where it finds none.
func upserts(call *term.T) bool {
	return slices.ContainsFunc(Args(call), func(a *term.T) bool {
		return a.Any(func(t *term.T) bool {
			if t.Kind != term.Call || methodName(t.Name) != "SetUpsert" {
				return false
			}
			args := Args(t)
			return len(args) == 1 && constText(args[0]) == "true"
		})
	})
}

// inserted reads the insert of a document.
func (r *Reader) inserted(lib *catalog.Library, w *catalog.Write, call *term.T) Meaning {
	m := r.change(lib, w, call, nil)
	list, _ := pairs(r.Get(w.Args, call, nil))
	for _, p := range list {
		m.Write.Sets = append(m.Write.Sets, Setting{p.key, p.value})
	}
	return m
}

// A pair is a field of a document and its value.
type pair struct {
	key   string
	value *term.T
}

// pairs lists the fields of a document; ok is false when some are out of sight.
func pairs(t *term.T) (list []pair, ok bool) {
	switch {
	case t == nil:
		return nil, false
	case t.IsMap(), t.Kind == term.Struct:
		for i, n := range t.Names {
			list = append(list, pair{n, t.Args[i]})
		}
		return list, true
	case t.Kind == term.List:
		for _, e := range t.Args {
			if e.Kind != term.Struct || len(e.Names) != 2 || e.Names[0] != "Key" || e.Args[0].Kind != term.Const {
				return nil, false
			}
			list = append(list, pair{e.Args[0].Name, e.Args[1]})
		}
		return list, true
	}
	if x, name, value, ok := t.Changed(); ok { // what is set last is known, whatever else there is
		list, ok := pairs(x)
		return append(slices.DeleteFunc(slices.Clone(list), func(p pair) bool { return p.key == name }), pair{name, value}), ok
	}
	return nil, false
}

// sameField reports whether two names mean the same field of a document, one as
// its struct has it and one as it is stored. The tags of structs are out of sight,
// but by convention they differ from the field in case and underscores only.
func sameField(field, stored string) bool {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	return stored != "" && plain(field) == plain(stored)
}

var documentOps = map[string]string{"$lt": "<", "$lte": "<=", "$gt": ">", "$gte": ">=", "$ne": "<>", "$eq": "=", "$in": "in"}

func (r *Reader) filter(list []pair) []Guard {
	var out []Guard
	for _, p := range list {
		switch p.key {
		case "$or", "$and":
			g := Guard{Op: p.key[1:], Text: p.key}
			if p.value.Kind != term.List {
				g.Op = "other"
			}
			for _, a := range p.value.Args {
				alternative, ok := pairs(a)
				if !ok {
					g.Op = "other"
				}
				g.Alts = append(g.Alts, Guard{Op: "and", Alts: r.filter(alternative)})
			}
			out = append(out, g)
			continue
		}
		if p.key == "$nor" && p.value.Kind == term.List {
			for _, a := range p.value.Args {
				not := Guard{Op: "other", Text: p.key}
				if one, ok := pairs(a); ok {
					if gs := r.filter(one); len(gs) == 1 {
						not = contrary(gs[0])
					}
				}
				out = append(out, not)
			}
			continue
		}
		if p.key == "$expr" {
			out = append(out, r.aggregation(p.value))
			continue
		}
		if strings.HasPrefix(p.key, "$") {
			out = append(out, Guard{Op: "other", Text: p.key})
			continue
		}
		ops, ok := pairs(p.value)
		if !ok || len(ops) == 0 || !strings.HasPrefix(ops[0].key, "$") {
			out = append(out, Guard{Column: p.key, Op: "=", Value: p.value, Text: p.key})
			continue
		}
		for _, o := range ops {
			g := Guard{Column: p.key, Op: documentOps[o.key], Value: o.value, Text: p.key + " " + o.key}
			switch {
			case o.key == "$not":
				if inner, ok := pairs(o.value); ok && len(inner) == 1 && documentOps[inner[0].key] != "" {
					g.Op, g.Value = documentOps[inner[0].key], inner[0].value
					g = contrary(g)
				} else {
					g.Op, g.Value = "other", nil
				}
			case o.key == "$exists" && o.value.IsZero():
				g.Op, g.Value = "is null", nil
			case g.Op == "":
				g.Op = "other"
			}
			g.AsText = g.Value != nil && g.Value.IsText()
			out = append(out, g)
		}
	}
	return out
}

// contrary is what must hold where g must not. A field that is not there passes.
func contrary(g Guard) Guard {
	op := map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "<>", "<>": "="}[g.Op]
	if op == "" {
		return Guard{Op: "other", Text: g.Text}
	}
	g.Op, g.NullOK = op, true
	return g
}

// aggregation reads a condition in the language of aggregations: $lt: ["$until", "$$NOW"].
func (r *Reader) aggregation(t *term.T) Guard {
	other := Guard{Op: "other", Text: "$expr"}
	ops, ok := pairs(t)
	if !ok || len(ops) != 1 || documentOps[ops[0].key] == "" || ops[0].value.Kind != term.List || len(ops[0].value.Args) != 2 {
		return other
	}
	x, y, op := ops[0].value.Args[0], ops[0].value.Args[1], documentOps[ops[0].key]
	column, ok := fieldPath(x)
	if !ok {
		if column, ok = fieldPath(y); !ok {
			return other
		}
		y, op = x, mirrored[op]
	}
	if op == "" {
		return other
	}
	return Guard{Column: column, Op: op, Value: r.aggregated(y), Text: column + " " + ops[0].key}
}

// mirrored has the operators with the operands the other way round.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}

// fieldPath is the field that an operand of an aggregation names: "$until".
func fieldPath(t *term.T) (string, bool) {
	s, ok := t.Str()
	if !ok || !strings.HasPrefix(s, "$") || strings.HasPrefix(s, "$$") {
		return "", false
	}
	return s[1:], true
}

// aggregated is the value of an expression of an aggregation: $$NOW is the time of the
// server, and what is computed from it as well.
func (r *Reader) aggregated(t *term.T) *term.T {
	if s, ok := t.Str(); ok && (s == "$$NOW" || s == "$$CLUSTER_TIME") {
		return r.Pool.Op("sql:now")
	}
	ops, ok := pairs(t)
	if !ok || len(ops) != 1 || ops[0].key != "$add" && ops[0].key != "$subtract" && ops[0].key != "$dateAdd" && ops[0].key != "$dateSubtract" {
		return t
	}
	of := ops[0].value
	if fields, ok := pairs(of); ok {
		for _, f := range fields {
			if f.key == "startDate" {
				return r.Pool.Op("sql:+", r.aggregated(f.value))
			}
		}
		return t
	}
	args := make([]*term.T, len(of.Args))
	for i, a := range of.Args {
		args[i] = r.aggregated(a)
	}
	return r.Pool.Op("sql:+", args...)
}

// documentSets lists what an update stores, and what only in a record that it makes; seen
// is false where some of it is not known.
func (r *Reader) documentSets(t *term.T) (sets, fresh []Setting, seen bool) {
	update, seen := pairs(t)
	staged := false
	if !seen && t != nil && t.Kind == term.List && len(t.Args) > 0 { // an update that is a list of stages
		staged, seen = true, true
		for _, stage := range t.Args {
			more, ok := pairs(stage)
			if !ok {
				return nil, nil, false
			}
			update = append(update, more...)
		}
	}
	for _, p := range update {
		if !strings.HasPrefix(p.key, "$") { // a document that replaces the one that is there
			sets = append(sets, Setting{p.key, p.value})
			continue
		}
		fields, ok := pairs(p.value)
		seen = seen && ok
		for _, f := range fields {
			v := f.value
			switch p.key {
			case "$max":
				v = r.Pool.Op("sql:greatest", r.Pool.Op("column", r.Pool.Const("string", f.key)), v)
			case "$unset":
				v = r.Pool.Nil()
			case "$currentDate":
				v = r.Pool.Op("sql:now")
			case "$set", "$addFields":
				if staged {
					v = r.aggregated(v)
				}
			case "$setOnInsert":
				fresh = append(fresh, Setting{f.key, v})
				continue
			default: // $inc and the like: another value
				v = r.Pool.Op(p.key, v)
			}
			sets = append(sets, Setting{f.key, v})
		}
	}
	return sets, fresh, seen
}

func settleDocument(r *Reader, g *Guard, sets []Setting, seen bool) {
	for i := range g.Alts {
		settleDocument(r, &g.Alts[i], sets, seen)
	}
	for _, s := range sets {
		if s.Column == g.Column {
			r.settle(g, s.Value)
			return
		}
	}
	if !seen && g.Column != "" && strings.ContainsAny(g.Op, "<>") {
		*g = Guard{Op: "other", Text: "values out of sight"}
	}
}
