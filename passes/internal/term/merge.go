package term

// Maps are put together of others: the arguments that a statement names, the values of an
// expression. A merged map is that of which the keys are known as soon as those of all its
// parts are; what is asked of it before stays open.

// Merged is the map x after all that is in the map y was copied into it. An element of a list
// stands for each of them, one after the other.
func (p *Pool) Merged(x, y *T) *T {
	switch {
	case y.IsZero() && y.Kind != Unknown:
		return x
	case x.Kind == Join:
		return p.joined(x.Args, func(x *T) *T { return p.Merged(x, y) })
	case y.IsMap():
		for i, name := range y.Names {
			x = p.With(x, name, y.Args[i])
		}
		return x
	case y.Kind == Join:
		return p.joined(y.Args, func(y *T) *T { return p.Merged(x, y) })
	case y.Kind == Elem && len(y.Args) == 1 && y.Args[0].IsZero():
		return x
	case y.Kind == Elem && len(y.Args) == 1 && y.Args[0].Kind == List:
		for _, each := range y.Args[0].Args {
			x = p.Merged(x, each)
		}
		return x
	}
	if of, name, value, ok := y.Changed(); ok {
		return p.With(p.Merged(x, of), name, value)
	}
	if cond, with, without, ok := y.Cases(); ok {
		return p.When(cond, p.Merged(x, with), p.Merged(x, without))
	}
	return p.intern(T{Kind: Op, Name: opMerged, Args: []*T{x, y}})
}

func (p *Pool) joined(list []*T, f func(*T) *T) *T {
	alts := make([]*T, len(list))
	for i, t := range list {
		alts[i] = f(t)
	}
	return p.Join(alts...)
}

// IsMerged reports whether t is a map with parts of which the keys are not known.
func (t *T) IsMerged() bool { return t.Kind == Op && t.Name == opMerged }
