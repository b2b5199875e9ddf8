package engine

import (
	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A builder may be handed to a function that adds to it: a scope, which several statements
// share, or a group of conditions. In the term of the builder stands what the function adds.

// scoped is the call t of a builder's link with the functions in it run. One whose
// function cannot be followed stays as it is: what that adds is out of sight.
func (f *Family) scoped(t *term.T) *term.T {
	e := f.Engine.Reader.Entry(t)
	if e == nil || e.Part == nil {
		return t
	}
	switch e.Part.Word {
	case "scope":
		x := meaning.Receiver(t)
		for _, fn := range functionsIn(f.Engine.Reader.Get(e.Part.Args, t, nil)) {
			if x = f.added(fn, x, e.InPlace()); x == nil {
				return t
			}
		}
		return x
	case "group":
		args := make([]*term.T, len(t.Args))
		for i, a := range t.Args {
			args[i] = f.grouped(a, e.InPlace())
		}
		return f.Engine.Pool.Call(t.Name, t.Site, args...)
	}
	return t
}

// joined is a list whose type says whether all of what is in it has to hold, or one:
// squirrel.Or{...}.
func (f *Family) joined(v ssa.Value, t *term.T) *term.T {
	n := code.NamedOf(v.Type())
	if t == nil || t.Kind != term.List || n == nil || isPointer(v.Type()) {
		return t
	}
	switch n.Obj().Name() {
	case "Or":
		return f.Engine.Pool.Op(meaning.OneOf, t.Args...)
	case "And":
		return f.Engine.Pool.Op(meaning.AllOf, t.Args...)
	}
	return t
}

func functionsIn(t *term.T) []*term.T {
	if t != nil && t.Kind == term.List {
		return t.Args
	}
	return []*term.T{t}
}

// grouped is an argument with the functions in it replaced by what they add to nothing.
func (f *Family) grouped(a *term.T, inPlace bool) *term.T {
	switch a.Kind {
	case term.Func, term.Closure:
		if x := f.added(a, f.Engine.Pool.Nil(), inPlace); x != nil {
			return x
		}
	case term.List:
		items := make([]*term.T, len(a.Args))
		for i, x := range a.Args {
			items[i] = f.grouped(x, inPlace)
		}
		return f.Engine.Pool.List(items...)
	}
	return a
}

// added is the builder x after a function has added to it: what that returns or, of one
// that is changed in place, all of its links. It is nil where that is not known.
func (f *Family) added(fn, x *term.T, inPlace bool) *term.T {
	if fn == nil || fn.Kind != term.Func && fn.Kind != term.Closure {
		return nil
	}
	g := f.Engine.Functions[fn.Name]
	if g == nil || len(g.Blocks) == 0 || len(g.Params) == 0 {
		return nil
	}
	family := f
	if home := f.Engine.Families[code.Root(g)]; home != f {
		if home == nil {
			return nil
		}
		family = home.Settled()
	}
	var out *term.T
	for _, b := range g.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		var t *term.T
		switch {
		case inPlace:
			t = family.linksOf(g.Params[0], ret)
		case len(ret.Results) > 0:
			t = family.Get(ret.Results[0])
		}
		if t == nil || t.Kind == term.Unknown || out != nil && out != t {
			return nil
		}
		out = t
	}
	if out == nil {
		return nil
	}
	out = f.binding(closureBinder(fn, []*term.T{x})).Put(out)
	if out.Kind == term.Unknown {
		return nil
	}
	return out
}

// linksOf is a builder that is changed in place as it is at the end of a function that is
// given it; nil where some of its conditions are added on some ways only.
func (f *Family) linksOf(param *ssa.Parameter, end *ssa.Return) *term.T {
	t := f.Get(param)
	for _, l := range f.inOrder(f.sameObject(param)) {
		switch {
		case code.Before(l, end):
			t = f.linked(l, t)
		case f.conditional(l) && mayPrecede(l, end):
			return nil
		}
	}
	return t
}
