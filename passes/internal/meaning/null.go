package meaning

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// A parameter of a statement may be NULL where the program leaves it out: that is how a
// condition is made optional, WHERE $2::bigint IS NULL OR fence < $2.

// present is the value of a parameter that can be NULL, where it says that it is not:
// sql.NullInt64{Int64: n, Valid: true} is n. Other values are what they are.
func present(t *term.T) *term.T {
	if t.Kind != term.Struct || len(t.Names) != 2 {
		return t
	}
	i := slices.Index(t.Names, "Valid")
	if i < 0 || constText(t.Args[i]) != "true" {
		return t
	}
	return t.Args[1-i]
}

// null says whether a parameter is NULL; known is false where that is out of sight.
func (r *Reader) null(t *term.T) (null, known bool) {
	switch {
	case t.Kind == term.Nil, t.Kind == term.Const && t.Type == "zero":
		return true, true
	case t.Kind == term.Struct:
		return false, false // valid where something out of sight says so
	case t.Kind == term.Const:
		return false, true
	}
	_, token := r.Token(t)
	return false, token
}

// optional is the parameter that a guard asks whether it is NULL; nil for other guards.
func optional(g Guard) *term.T {
	if g.Column == "" && g.Op == "is null" && g.Value != nil && g.Value.Kind == term.Op && g.Value.Name == "sql:is null" && len(g.Value.Args) == 1 {
		return g.Value.Args[0]
	}
	return nil
}

// required leaves those ways through an OR that are open with the parameters that are given.
func (r *Reader) required(g Guard) Guard {
	var ways []Guard
	for _, a := range g.Alts {
		if p := optional(a); p != nil && p.Kind != term.Op {
			switch null, known := r.null(p); {
			case known && !null:
				continue
			case !known:
				a = Guard{Op: "other", Text: a.Text}
			}
		}
		ways = append(ways, a)
	}
	if len(ways) == 1 && len(g.Alts) > 1 {
		return ways[0]
	}
	g.Alts = ways
	return g
}

// coalesced is COALESCE of a parameter and something else, where it is known which it is.
func (r *Reader) coalesced(args []*term.T) *term.T {
	if len(args) != 2 || args[0].Kind == term.Op {
		return nil
	}
	switch null, known := r.null(args[0]); {
	case !known:
		return nil
	case null:
		return args[1]
	}
	return args[0]
}
