package sqlread

// Comparison is a guard that compares a stored column with a value asked for.
type Comparison struct {
	Guard       Guard // Column is "" if the comparison is of no plain column
	Stored      bool  // the same write stores such a value in that same column
	Alternative bool  // one of several ways in: the condition is as weak as the weakest of them
}

// Stores gives the expression that the write stores in col.
func (w Write) Stores(col string) (Expr, bool) {
	for _, list := range [][]Assign{w.Set, w.Insert} {
		for _, a := range list {
			if a.Column == col && col != "" {
				return a.Value, true
			}
		}
	}
	return Expr{}, false
}

// Compares lists the comparisons with a value that match accepts, among the
// guards that must hold. A disjunction counts if every way through it makes
// such a comparison, or finds the compared column empty.
func (w Write) Compares(match func(Expr) bool) []Comparison {
	var out []Comparison
	for _, g := range w.Guards {
		out = append(out, w.compares(g, match)...)
	}
	return out
}

func (w Write) compares(g Guard, match func(Expr) bool) []Comparison {
	switch g.Op {
	case "or":
		return w.alternatives(g, match)
	case "and", "exists", "in":
		if g.Not {
			return nil
		}
		var out []Comparison
		for _, c := range g.And {
			out = append(out, w.compares(c, match)...)
		}
		if g.Op != "in" {
			return out
		}
		if accepts(g.Value, match) || anyAccepts(g.Value.Args, match) {
			out = append(out, Comparison{Guard: g})
		}
		return out
	case "is null", "is not null":
		return nil
	}
	if g.Column == "" {
		if accepts(g.Value, match) || anyAccepts(g.Value.Args, match) {
			return []Comparison{{Guard: g}}
		}
		return nil
	}
	if !accepts(g.Value, match) {
		return nil
	}
	return []Comparison{{Guard: g, Stored: w.storesMatch(g, match)}}
}

// alternatives gives the comparisons of a disjunction, nothing if one way
// through it makes none.
func (w Write) alternatives(g Guard, match func(Expr) bool) []Comparison {
	var out []Comparison
	var empty []Guard
	for _, a := range g.Or {
		found := w.compares(a, match)
		if len(found) == 0 {
			if a.Op != "is null" || a.Column == "" {
				return nil
			}
			empty = append(empty, a)
		}
		for _, c := range found {
			c.Alternative = true
			out = append(out, c)
		}
	}
	for _, e := range empty {
		known := false
		for i := range out {
			if out[i].Guard.Column == e.Column && out[i].Guard.Table == e.Table {
				known = true
				out[i].Guard.NullOK = true
			}
		}
		if !known {
			return nil
		}
	}
	return out
}

// storesMatch tells whether the write that g belongs to stores a value that
// match accepts in g's column.
func (w Write) storesMatch(g Guard, match func(Expr) bool) bool {
	owner := w
	if g.From != nil {
		owner = *g.From
	}
	if g.Table != "" && g.Table != owner.Table {
		return false
	}
	v, ok := owner.Stores(g.Column)
	if !ok {
		return false
	}
	if v.Kind == "call" && (v.Name == "greatest" || v.Name == "max") && len(v.Args) > 1 {
		return anyAccepts(v.Args, match)
	}
	return accepts(v, match)
}

// accepts asks match about e, and about what an incoming column carries.
func accepts(e Expr, match func(Expr) bool) bool {
	for {
		if match(e) {
			return true
		}
		if !e.Incoming || len(e.Args) == 0 {
			return false
		}
		e = e.Args[0]
	}
}

// anyAccepts looks through operands at any depth.
func anyAccepts(args []Expr, match func(Expr) bool) bool {
	for _, a := range args {
		if accepts(a, match) || anyAccepts(a.Args, match) {
			return true
		}
	}
	return false
}
