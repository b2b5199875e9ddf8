package sqlread

// settle resolves the assignments and adds to the guards what WHERE demands,
// and what the assignments demand themselves.
func (w *Write) settle(s *scope, where Expr) {
	if where.Kind != "" {
		w.Guards = append(w.Guards, s.guards(where, false)...)
	}
	set, guards, why := s.conditional(w.Set)
	if why != "" {
		s.r.fail(why)
	}
	for _, g := range guards {
		known := false
		for _, k := range w.Guards[max(0, len(w.Guards)-maxNames):] {
			known = known || alike([]Guard{k}, []Guard{g})
		}
		if !known {
			w.Guards = append(w.Guards, g)
		}
	}
	for i := range set {
		set[i].Value = s.resolve(set[i].Value)
	}
	w.Set = set
}

// choice is an assignment that may keep the stored value.
type choice struct {
	assign   Assign
	cond     Expr // when it takes the new value
	negated  bool
	monotone bool // GREATEST, or as much in other words: never goes back, whatever the others do
}

// conditional reads SET c = IF(cond, new, c), ...: if every assignment keeps
// the stored value unless cond holds, cond guards the write.
func (s *scope) conditional(set []Assign) ([]Assign, []Guard, string) {
	var choices []choice
	plain, conds := 0, 0
	for i, a := range set {
		c, kept, ok := s.choice(a)
		set[i].Greater = c.monotone
		switch {
		case kept:
			continue // c = c changes nothing
		case !ok:
			plain++
		case !c.monotone:
			conds++
		}
		choices = append(choices, c)
	}
	if plain > 0 || len(choices) == 0 {
		if conds > 0 {
			return set, nil, "only some assignments are conditional"
		}
		return set, nil, ""
	}
	var out []Assign
	var alts [][]Guard
	for _, c := range choices {
		out = append(out, c.assign)
		if conds > 0 && c.monotone {
			continue
		}
		gs := s.guards(c.cond, c.negated)
		known := false
		for _, k := range alts {
			known = known || alike(k, gs)
		}
		if !known {
			alts = append(alts, gs)
		}
		if len(alts) > 8 {
			return set, nil, "assignments have too many conditions"
		}
	}
	if len(alts) == 1 {
		return out, alts[0], ""
	}
	return out, disjunction(alts, ""), ""
}

// choice reads one assignment; kept tells that it changes nothing.
func (s *scope) choice(a Assign) (c choice, kept, ok bool) {
	v := a.Value
	c.assign = a
	if s.own(a.Column, v) {
		return c, true, false
	}
	if v.Kind != "call" {
		return c, false, false
	}
	take := func(cond Expr, neg bool, value Expr) (choice, bool, bool) {
		return choice{assign: Assign{Column: a.Column, Value: value}, cond: cond, negated: neg, monotone: s.ordered(a.Column, cond, neg, value)}, false, true
	}
	switch {
	case (v.Name == "if" || v.Name == "iif" || v.Name == "case") && len(v.Args) == 3:
		if s.own(a.Column, v.Args[2]) {
			return take(v.Args[0], false, v.Args[1])
		}
		if s.own(a.Column, v.Args[1]) {
			return take(v.Args[0], true, v.Args[2])
		}
	case (v.Name == "greatest" || v.Name == "max") && len(v.Args) == 2:
		for i, own := range v.Args {
			old := own
			if own.Kind == "call" && own.Name == "coalesce" && len(own.Args) == 2 {
				old = own.Args[0]
			}
			if !s.own(a.Column, old) {
				continue
			}
			cond := Expr{Kind: "binary", Name: "<", Args: []Expr{own, v.Args[1-i]}, Text: v.Text}
			c, _, _ := take(cond, false, v.Args[1-i])
			c.monotone = true
			return c, false, true
		}
	}
	return c, false, false
}

// ordered tells whether cond lets a column take a value that is greater than its own.
func (s *scope) ordered(column string, cond Expr, negated bool, value Expr) bool {
	if cond.Kind != "binary" || len(cond.Args) != 2 {
		return false
	}
	less, greater := cond.Args[0], cond.Args[1]
	switch cond.Name {
	case "<", "<=":
	case ">", ">=":
		less, greater = greater, less
	default:
		return false
	}
	if negated {
		less, greater = greater, less
	}
	return s.own(column, less) && same(greater, value)
}

// own tells whether e is the stored value of the target's column.
func (s *scope) own(column string, e Expr) bool {
	if e.Kind != "column" || e.Name != column {
		return false
	}
	c := s.column(e)
	return !c.Incoming && (s.target == nil || e.qualifier == "" || c.owner() == s.target.table)
}

// alike tells whether two conditions are written alike.
func alike(a, b []Guard) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Column != y.Column || x.Table != y.Table || x.Op != y.Op || x.NullOK != y.NullOK || x.Not != y.Not ||
			!same(x.Value, y.Value) || !alike(x.Or, y.Or) || !alike(x.And, y.And) {
			return false
		}
	}
	return true
}
