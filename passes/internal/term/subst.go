package term

import "slices"

// rebuild makes t anew with other arguments. Where these are too large for a term
// they are cut, from the inside, until they fit: what t does is worth more than what
// is far inside of its arguments.
func (p *Pool) rebuild(t *T, args []*T) *T {
	for depth := cutDepth; depth > 0 && !fit(args); depth-- {
		args = slices.Clone(args)
		for i, a := range args {
			if t.Kind != Closure || i%2 == 1 { // the others are names
				args[i] = p.cut(a, depth)
			}
		}
	}
	return p.remake(t, args)
}

// fit reports whether a term can have args.
func fit(args []*T) bool {
	size := 1
	for _, a := range args {
		if size += a.size; a.depth >= maxDepth || size > maxSize {
			return false
		}
	}
	return true
}

// remake makes t anew through the constructors that simplify.
func (p *Pool) remake(t *T, args []*T) *T {
	switch t.Kind {
	case Field:
		return p.Field(args[0], t.Name)
	case Elem:
		if len(args) == 2 {
			return p.Elem(args[0], args[1])
		}
		return p.Elem(args[0], nil)
	case Out:
		return p.Out(args[0], t.Index)
	case Op:
		return p.Op(t.Name, args...)
	case Join:
		return p.Join(args...)
	}
	n := *t
	n.Args, n.like = args, nil
	return p.intern(n)
}

// Subst puts bind's terms in place of parameters; bind returns nil to leave a
// parameter alone.
func (p *Pool) Subst(t *T, bind func(*T) *T) *T { return p.SubstAt(t, bind, nil) }

// SubstAt is Subst where at says what else a field or element may hold in the
// place that the term is put into.
func (p *Pool) SubstAt(t *T, bind func(*T) *T, at func(place, x *T, name string, index *T) *T) *T {
	if t == nil || !t.open {
		return t
	}
	if t.Kind == Param {
		if b := bind(t); b != nil {
			return b
		}
		return t
	}
	args, changed := t.Args, false
	for i, a := range t.Args {
		// The parameters of a closure's bindings are names, not values.
		if t.Kind == Closure && i%2 == 0 {
			continue
		}
		b := p.SubstAt(a, bind, at)
		if b != a && !changed {
			args, changed = slices.Clone(t.Args), true
		}
		if changed {
			args[i] = b
		}
	}
	if !changed {
		return t
	}
	n := p.rebuild(t, args)
	switch {
	case at == nil:
	case t.Kind == Field:
		return at(n, args[0], t.Name, nil)
	case t.Kind == Elem && len(args) == 2:
		return at(n, args[0], "", args[1])
	}
	return n
}

// Limits of what is put in place of a parameter, beyond which terms are cut.
const (
	maxArgDepth = 9
	maxArgSize  = 100
	cutDepth    = 6
)

// Fit returns t, or if it is large a term that is cut: calls far inside lose
// their arguments. They are still told apart by their sites, so that two things
// made of one value remain so.
func (p *Pool) Fit(t *T) *T {
	if t == nil || t.depth <= maxArgDepth && t.size <= maxArgSize {
		return t
	}
	return p.cut(t, cutDepth)
}

func (p *Pool) cut(t *T, depth int) *T {
	switch {
	case len(t.Args) == 0:
		return t
	case depth > 0, len(t.Args) == 1 && t.Kind != Call:
		args := make([]*T, len(t.Args))
		for i, a := range t.Args {
			args[i] = a
			if t.Kind != Closure || i%2 == 1 { // the others are names
				args[i] = p.cut(a, depth-1)
			}
		}
		return p.remake(t, args)
	case t.Kind == Call:
		return p.Call(t.Name, t.Site)
	}
	return p.Unknown("limit")
}
