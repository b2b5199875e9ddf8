package meaning

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// Conditions of a builder may hold together, or be another way in.

// group adds the conditions of a chain of its own, which hold together: Where(db.Where(...).Or(...)).
func (b *chain) group(t *term.T) {
	sub := chain{r: b.r, c: &Change{Operation: b.c.Operation}}
	sub.walk(t)
	guards := sub.all()
	if sub.c.Unknown != "" {
		b.c.Unknown = sub.c.Unknown
	}
	b.equal = append(b.equal, guards...)
}

// groups adds what functions add to the chain: conditions that hold together, or all that
// is said of the statement. A separator tells how the conditions join those before.
func (b *chain) groups(separator, args *term.T) {
	sep, known := separator.Str()
	if separator != nil && (!known || strings.TrimSpace(strings.ToUpper(sep)) != "AND") {
		b.hidden = true
		return
	}
	for _, x := range list(args) {
		switch e := b.r.Entry(x); {
		case x.Kind == term.Nil:
		case x.Kind != term.Call || e == nil || e.Part == nil:
			b.hidden = true
		case separator != nil:
			b.group(x)
		default:
			on := b.c.On
			b.walk(x)
			b.c.On = on
		}
	}
}

// way ends the conditions that belong together: those before are another way in.
func (b *chain) way(guards []Guard) {
	b.ways = append(b.ways, Guard{Op: "and", Alts: guards})
	b.where, b.args, b.equal = nil, nil, nil
}

// all reads the conditions of all ways in.
func (b *chain) all() []Guard {
	if b.hidden { // what is not seen may be another way in
		return []Guard{{Op: "other", Text: "a condition that is out of sight"}}
	}
	first := b.guards()
	if len(b.ways) == 0 {
		return first
	}
	return []Guard{either(append([]Guard{{Op: "and", Alts: first}}, b.ways...))}
}
