package meaning

import (
	"strings"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// Instant reports whether a name has the time in it as a number: hardly anybody else comes
// to the same, unless it was cut to some unit before. As a text it may be that of a day.
func (r *Reader) Instant(name *term.T) bool {
	now := func(t *term.T) bool {
		if t.Kind != term.Call {
			return false
		}
		tok, ok := r.Token(t)
		return ok && tok.Origin == "clock"
	}
	return now(name) || name.Any(func(t *term.T) bool {
		if t.Kind != term.Op || len(t.Args) == 0 {
			return false
		}
		if x := t.Number(); x != t {
			return now(x)
		}
		format, ok := t.Args[0].Str()
		if t.Name != "format" || !ok {
			return false
		}
		for i, verb := range term.Verbs(format) {
			if i+1 < len(t.Args) && (verb == 'd' || verb == 'x') && now(t.Args[i+1]) {
				return true
			}
		}
		return false
	})
}

// coarsened reports whether a time is cut to some unit.
func coarsened(t *term.T) bool {
	return t.Kind == term.Call && (t.Name == "(time.Time).Truncate" || t.Name == "(time.Time).Round")
}

// Coarse reports whether a value is a time that is the same for all who write within some
// unit, a day say.
func (s Setting) Coarse() bool {
	return s.Value != nil && s.Value.Any(func(t *term.T) bool {
		switch {
		case t.Kind == term.Op && t.Name == "sql:date_trunc" && len(t.Args) > 0:
			unit := strings.ToLower(constText(t.Args[0]))
			return unit != "" && unit != "microseconds" && unit != "milliseconds"
		case t.Kind == term.Op && (t.Name == "sql:current_date" || t.Name == "sql:curdate"),
			t.Kind == term.Op && t.Name == "column" && strings.EqualFold(constText(t.Args[0]), "current_date"):
			return true
		}
		return coarsened(t)
	})
}
