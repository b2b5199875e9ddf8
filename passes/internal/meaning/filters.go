package meaning

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// filtered reads a mutation that a filter of cells decides on: what has to hold for
// the first, otherwise the second is carried out. Only where one of them is nothing
// does the filter refuse anything. Values are compared as bytes, so a number keeps its
// order in one encoding only, which the catalogue sees through.
func (r *Reader) filtered(p *asked, filter, matched, otherwise *term.T) {
	negated := matched.IsZero()
	if negated == otherwise.IsZero() {
		p.unseen = true
		return
	}
	for _, g := range r.cells(filter) {
		if negated {
			switch g.Op {
			case ">=", ">":
				g.Op = map[string]string{">=": "<", ">": "<="}[g.Op]
				g.NullOK = true // no such cell
			default:
				g = Guard{Op: "other", Text: "a filter that must not match"}
			}
		}
		p.filters = append(p.filters, g)
	}
	done := matched
	if negated {
		done = otherwise
	}
	for t := done; t != nil; t = Receiver(t) {
		if e := r.Entry(t); e != nil && e.Part != nil && e.Part.Kind == "set" {
			if column, ok := r.Get(e.Part.Of, t, nil).Str(); ok {
				p.sets = append(p.sets, Setting{columnName(column), r.Get(e.Part.Args, t, nil)})
			}
		}
	}
	for i := range p.filters {
		for _, s := range p.sets {
			if s.Column == p.filters[i].Column {
				r.settle(&p.filters[i], s.Value)
			}
		}
	}
}

// cells reads a filter of one column's latest value. Without the latest alone, any
// value that the cell ever had may match.
func (r *Reader) cells(filter *term.T) []Guard {
	column, latest := "", false
	var out []Guard
	var look func(t *term.T) bool
	look = func(t *term.T) bool {
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			return e != nil && e.Pure
		}
		args := r.Get(e.Part.Args, t, nil)
		switch e.Part.Kind {
		case "where":
			return !slices.ContainsFunc(list(args), func(a *term.T) bool { return !look(a) })
		case "target":
			name, ok := r.Get(e.Part.Text, t, nil).Str()
			column = columnName(name)
			return ok
		case "op":
			latest = latest || constText(args) == "1"
			return true
		case "compare":
			ends := list(args)
			if e.Part.Word != "range" || len(ends) != 2 {
				return false
			}
			for i, op := range []string{">=", "<"} {
				if !ends[i].IsZero() {
					out = append(out, compared(column, op, ends[i]))
				}
			}
			return latest
		}
		return false
	}
	if filter == nil || !look(filter) || column == "" || len(out) != 1 {
		return []Guard{{Op: "other", Text: "a filter that is out of sight"}}
	}
	return out
}
