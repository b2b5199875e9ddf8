package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// conditioned reads a write through a handle that conditions were put on: the last
// If of its chain counts, for it replaces those before it. A handle that comes
// from elsewhere may have one already.
func (r *Reader) conditioned(lib *catalog.Library, w *catalog.Write, call *term.T) Meaning {
	m := r.change(lib, w, call, nil)
	c := m.Write
	known := false
	for t := Receiver(call); t != nil; t = Receiver(t) {
		e := r.Entry(t)
		if e == nil || e.Part == nil {
			if t.Kind != term.Unknown { // the object, wherever it was named
				c.Key, c.Resource = t, place(w.Store, t)
			}
			return m
		}
		switch e.Part.Kind {
		case "if":
			if cond := r.Get(e.Part.Args, t, nil); !known && cond != nil && cond.Kind == term.Struct {
				c.Guards = conditions(cond, w.Op != "Update")
			}
			known = true
		case "table":
			if !known {
				c.Guards = nil
			}
			c.Key = r.Get(e.Part.Text, t, nil)
			c.Resource = place(w.Store, c.Key)
			return m
		}
	}
	return m
}

// keyed gives a general acquire or release of an object the key that the chain of
// its handle has. Only a creation takes a lock, and a release that asks for a version
// asks whose it is.
func keyed(ms []Meaning, w Meaning) []Meaning {
	asks := func(op string) bool {
		return slices.ContainsFunc(w.Write.Guards, func(g Guard) bool { return g.Op == op })
	}
	ms = slices.DeleteFunc(ms, func(m Meaning) bool { return m.Role == Acquire && m.Raw && !asks("absent") })
	for i := range ms {
		ms[i].Key = w.Write.Key
		ms[i].Checked = ms[i].Checked || ms[i].Role == Release && asks("version")
	}
	return append(ms, w)
}

// conditions reads a struct whose fields say what must hold: GenerationMatch,
// DoesNotExist. A zero value asks for nothing.
// The metageneration counts changes of the metadata, and is 1 again with each new
// content.
func conditions(t *term.T, content bool) []Guard {
	var out []Guard
	for i, n := range t.Names {
		switch v := t.Args[i]; {
		case v.IsZero() || strings.HasSuffix(n, "NotMatch") || content && n == "MetagenerationMatch":
		case n == "DoesNotExist":
			out = append(out, Guard{Op: "absent", Text: n})
		case strings.HasSuffix(n, "Match"):
			out = append(out, Guard{Op: "version", Value: v, Text: n})
		}
	}
	return out
}
