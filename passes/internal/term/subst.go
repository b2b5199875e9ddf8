package term

import "slices"

// rebuild makes t anew with other arguments. Where these are too large for a term
// they are cut, from the inside, until they fit: what t does is worth more than what
// is far inside of its arguments.
func (p *Pool) rebuild(t *T, args []*T) *T {
	p.rebuilt.Add(1)
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
		if t.IsChoice() {
			return p.Choice(t, args[0], args[1], args[2])
		}
		return p.Join(args...)
	}
	n := *t
	n.Args, n.like = args, nil
	return p.intern(n)
}

// Subst puts bind's terms in place of parameters; bind returns nil to leave a
// parameter alone.
func (p *Pool) Subst(t *T, bind func(*T) *T) *T { return p.Binding(bind, nil).Put(t) }

// A Binding puts terms in place of parameters.
type Binding struct {
	p    *Pool
	bind func(*T) *T
	at   func(place, x *T, name string, index *T) *T
	done map[*T]*T
}

// Binding puts bind's terms in place of parameters, where at, if there is one, says what
// else a field or element may hold in the place that they are put into. What several
// terms have in common is looked at once.
func (p *Pool) Binding(bind func(*T) *T, at func(place, x *T, name string, index *T) *T) *Binding {
	return &Binding{p: p, bind: bind, at: at}
}

// Put puts terms in place of the parameters in t.
func (b *Binding) Put(t *T) *T {
	if t == nil || !t.open {
		return t
	}
	if t.Kind == Param {
		if x := b.bind(t); x != nil {
			return x
		}
		return t
	}
	if n := b.done[t]; n != nil {
		return n
	}
	n := b.put(t)
	if b.done == nil {
		b.done = make(map[*T]*T)
	}
	b.done[t] = n
	return n
}

func (b *Binding) put(t *T) *T {
	args, changed := t.Args, false
	for i, a := range t.Args {
		// The parameters of a closure's bindings are names, not values.
		if t.Kind == Closure && i%2 == 0 {
			continue
		}
		x := b.Put(a)
		if x != a && !changed {
			args, changed = slices.Clone(t.Args), true
		}
		if changed {
			args[i] = x
		}
	}
	if !changed {
		return t
	}
	n := b.p.rebuild(t, args)
	switch {
	case b.at == nil:
	case t.Kind == Field:
		return b.at(n, args[0], t.Name, nil)
	case t.Kind == Elem && len(args) == 2:
		return b.at(n, args[0], "", args[1])
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

// A cutting is a term that is cut, and how far inside.
type cutting struct {
	t     *T
	depth int
}

// cut is asked again and again for the same: what is too large is put into many terms.
func (p *Pool) cut(t *T, depth int) *T {
	if t.depth <= depth+1 {
		return t // nothing in it is that far inside
	}
	key := cutting{t, depth}
	p.mu.Lock()
	short := p.short[key]
	p.mu.Unlock()
	if short == nil {
		short = p.cutAnew(t, depth)
		p.mu.Lock()
		p.short[key] = short
		p.mu.Unlock()
	}
	return short
}

func (p *Pool) cutAnew(t *T, depth int) *T {
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

// SameButCut reports whether two calls are one, of whose arguments some may have been cut
// in one of them and not in the other.
func (t *T) SameButCut(u *T) bool {
	if t == nil || u == nil || t.Kind != Call || len(t.Args) == 0 || len(u.Args) == 0 {
		return t == u
	}
	return t.sameButCut(u)
}

func (t *T) sameButCut(u *T) bool {
	limit := func(x *T) bool { return x.Kind == Unknown && x.Name == "limit" }
	switch {
	case t == u, limit(t), limit(u):
		return true
	case t.Kind != u.Kind || t.Name != u.Name || t.Type != u.Type || t.Site != u.Site || t.Index != u.Index || !slices.Equal(t.Names, u.Names):
		return false
	case t.Kind == Call && t.Site != "" && (len(t.Args) == 0 || len(u.Args) == 0):
		return true
	}
	return slices.EqualFunc(t.Args, u.Args, (*T).sameButCut)
}
