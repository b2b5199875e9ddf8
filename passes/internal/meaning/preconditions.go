package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// preconditions reads a write whose conditions are options, or links of a chain,
// that the catalogue has by the word for what they ask: the version that was read,
// an external version that must be greater than the stored one.
func (r *Reader) preconditions(lib *catalog.Library, w *catalog.Write, call *term.T) Meaning {
	m := r.change(lib, w, call, nil)
	c := m.Write
	c.Guards = slices.DeleteFunc(c.Guards, func(g Guard) bool { return g.Op == "other" && g.Text == "options" })
	var p asked
	for _, k := range w.Conditions {
		switch {
		case k.Kind != "options":
		case k.At.Base == catalog.Receiver && len(k.At.Path) == 0:
			r.links(&p, Receiver(call))
		default:
			r.given(&p, r.Get(k.At, call, nil))
		}
	}
	c.Guards, c.Sets = append(c.Guards, p.guards()...), append(c.Sets, p.sets...)
	if p.place != nil {
		c.Key, c.Resource = p.place, place(w.Store, p.place)
	}
	return m
}

// asked is what options ask for, by word.
type asked struct {
	asks    []pair
	sets    []Setting
	place   *term.T // what is written, where the options tell
	filters []Guard
	unseen  bool
}

func (p *asked) guards() []Guard {
	var out []Guard
	typ := ""
	for _, a := range p.asks {
		if a.key == "version-type" {
			typ = constText(a.value)
			if typ == "" {
				typ = "?"
			}
		}
	}
	for _, a := range p.asks {
		switch g := (Guard{Op: "version", Value: a.value, Text: a.key}); a.key {
		case "version":
			out = append(out, g)
		case "absent":
			g.Op, g.Value = "absent", nil
			out = append(out, g)
		case "present":
			g.Op, g.Value = "other", nil
			out = append(out, g)
		case "op-type":
			switch constText(a.value) {
			case "create":
				out = append(out, Guard{Op: "absent", Text: "create"})
			case "":
				p.unseen = true
			}
		case "numbered":
			// Without a type it is the store's own number, which must be equal.
			switch typ {
			case "external", "external_gte":
				g.Op, g.Stored = "<", true
			case "", "internal":
			default:
				g.Op = "other"
			}
			out = append(out, g)
		}
	}
	out = append(out, p.filters...)
	if p.unseen {
		out = append(out, Guard{Op: "other", Text: "options out of sight"})
	}
	return out
}

// links gathers the links of a chain, from the last to the first.
func (r *Reader) links(p *asked, t *term.T) {
	for ; t != nil && t.Kind == term.Call; t = Receiver(t) {
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			if Receiver(t) == nil {
				return // made here
			}
			continue
		}
		if e.Part.Kind == "op" {
			return // the chain begins here
		}
		r.option(p, e, t)
	}
	p.unseen = p.unseen || t != nil // begun elsewhere, with conditions perhaps
}

// given gathers options that are arguments.
func (r *Reader) given(p *asked, t *term.T) {
	switch {
	case t == nil || t.IsZero():
	case t.Kind == term.List:
		for _, a := range t.Args {
			r.given(p, a)
		}
	default:
		if e := r.Entry(t); e != nil && e.Part != nil {
			r.option(p, e, t)
			return
		}
		if e := r.Entry(t); e == nil || !e.Pure {
			p.unseen = true
		}
	}
}

func (r *Reader) option(p *asked, e *catalog.Call, t *term.T) {
	switch e.Part.Kind {
	case "if":
		switch args := r.Get(e.Part.Args, t, nil); {
		case e.Part.Word == "filter":
			if l := list(args); len(l) == 3 {
				r.filtered(p, l[0], l[1], l[2])
				break
			}
			p.unseen = true
		case e.Part.Word == "body":
			if g, ok := r.body(args); ok && g.Op == "version" {
				p.asks = append(p.asks, pair{"version", g.Value})
			} else {
				p.unseen = p.unseen || ok
			}
		case e.Part.Word != "":
			p.asks = append(p.asks, pair{e.Part.Word, args})
		}
	case "then":
		// A mutation, as an option of the call that sends it.
		if e.Part.Word != "" {
			p.asks = append(p.asks, pair{key: e.Part.Word})
		}
		p.place = r.Get(e.Part.Text, t, nil)
		p.sets = append(p.sets, contents(r.Get(e.Part.Args, t, nil), 0)...)
	case "raw":
		p.unseen = true
	}
}

// bodyVersion is the field by which the body of a patch demands the version that is
// changed.
const bodyVersion = "resourceVersion"

// body reads what the body of a patch demands; ok is false where it is in view and
// demands nothing.
func (r *Reader) body(t *term.T) (g Guard, ok bool) {
	g = Guard{Op: "version", Value: t, Text: bodyVersion}
	unseen := false
	for _, a := range t.Alts() {
		switch {
		case a.Any(demandsVersion):
		case a.Kind == term.Op && a.Pattern() == "":
			unseen = true
		case a.Kind == term.Const || a.Kind == term.Op || a.Kind == term.Struct || a.Kind == term.List:
			return Guard{}, unseen
		default:
			unseen = true
		}
	}
	if unseen {
		g = Guard{Op: "other", Value: t, Text: "a body that is out of sight"}
	}
	return g, true
}

// demandsVersion reports whether a part of the body of a patch is the version that is
// changed: a field or a key of a merge, or the place that a JSON patch tests or replaces.
func demandsVersion(t *term.T) bool {
	switch t.Kind {
	case term.Const, term.Op:
		return strings.Contains(t.Pattern(), `"`+bodyVersion+`"`) || strings.Contains(t.Pattern(), "/"+bodyVersion)
	case term.Struct:
		return slices.ContainsFunc(t.Names, func(n string) bool { return strings.EqualFold(n, bodyVersion) })
	}
	return false
}

// contents are the values in what is stored, by the names that they have there.
func contents(t *term.T, depth int) []Setting {
	var out []Setting
	if t == nil || depth > 3 || t.Kind != term.List && t.Kind != term.Struct {
		return nil
	}
	for i, a := range t.Args {
		s := Setting{Value: a}
		if t.Kind == term.Struct {
			s.Column = columnName(t.Names[i])
		}
		out = append(append(out, s), contents(a, depth+1)...)
	}
	return out
}
