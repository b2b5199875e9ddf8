package term

import (
	"slices"
	"strings"
)

// What contexts carry. A key is compared with another one as interface values are: by type
// and by value, or by which variable a pointer leads to.

const (
	opKey     = "key"     // a key of a context: the type Args[0] and the value Args[1]
	opContext = "context" // the context of the HTTP request Args[0]
)

// Key is a value of a type as key of a context. Pointers are keys as they are.
func (p *Pool) Key(typ string, x *T) *T {
	return p.Op(opKey, p.Const("type", typ), x)
}

// RequestContext is the context of an HTTP request.
func (p *Pool) RequestContext(r *T) *T { return p.Op(opContext, r) }

// given is the context that an HTTP request was made with, or nil.
func (t *T) given() *T {
	switch {
	case t.Kind == Result && t.Index == 0:
		return t.Args[0].given()
	case t.Kind != Call || len(t.Args) == 0:
	case t.Name == "(*net/http.Request).WithContext" || t.Name == "(*net/http.Request).Clone":
		return t.Args[len(t.Args)-1]
	case t.Name == "net/http.NewRequestWithContext":
		return t.Args[0]
	}
	return nil
}

// Whether two keys are one.
type likeness uint8

const (
	unlike likeness = iota
	perhaps
	alike
)

func (p *Pool) sameKey(x, y *T) likeness {
	switch {
	case x.Kind == Unknown, y.Kind == Unknown, x.IsZero() && y.IsZero():
		return perhaps
	case x.Kind == Op && y.Kind == Op && x.Name == opKey && y.Name == opKey:
		if x.Args[0] != y.Args[0] {
			return unlike
		}
		return p.sameValue(x.Args[1], y.Args[1])
	case x.Kind == Struct, x.Kind == Call, x.Kind == Join, y.Kind == Join:
		if x.Kind == Struct && y.Kind == Struct && x.Site != y.Site {
			return unlike // pointers to what was made at two places
		}
		return perhaps // or twice at one
	case x == y:
		return alike
	case x.Open(), y.Open():
		return perhaps
	}
	return unlike
}

// sameValue compares two keys of one type.
func (p *Pool) sameValue(x, y *T) likeness {
	switch {
	case p.Alike(x, y):
		return alike
	case x.Kind == Const && y.Kind == Const:
		return unlike
	case x.Kind == Struct && y.Kind == Struct:
		for _, name := range slices.Concat(x.Names, y.Names) {
			if p.sameValue(p.Field(x, name), p.Field(y, name)) == unlike {
				return unlike
			}
		}
	}
	return perhaps
}

// carried is the value that a context has under key: nil is returned where that is not
// known, Nil where it surely has none. A value that another one may hide is not known.
func (p *Pool) carried(ctx, key *T) *T {
	switch ctx.Kind {
	case Join:
		found, known := make([]*T, len(ctx.Args)), false
		for i, a := range ctx.Args {
			if found[i] = p.carried(a, key); found[i] == nil {
				found[i] = p.intern(T{Kind: Elem, Args: []*T{a, key}})
			} else {
				known = true
			}
		}
		if known {
			return p.Join(found...)
		}
	case Result:
		return p.carried(ctx.Args[0], key)
	case Call:
		inner, stored, value := ctx.within()
		switch {
		case ctx.Name == "context.Background", ctx.Name == "context.TODO":
			return p.Nil()
		case inner == nil:
			return nil
		case stored == nil:
			return p.carried(inner, key)
		}
		switch p.sameKey(stored, key) {
		case alike:
			return value
		case unlike:
			return p.carried(inner, key)
		}
	}
	return nil
}

// within is the context that another one is made of, and the value with its key that it is
// given, if any; nil for others.
func (t *T) within() (ctx, key, value *T) {
	switch {
	case t.Kind != Call || len(t.Args) == 0:
	case t.Name == "context.WithValue":
		if len(t.Args) == 3 {
			return t.Args[0], t.Args[1], t.Args[2]
		}
	case strings.HasPrefix(t.Name, "context.With") || strings.HasSuffix(t.Name, "/errgroup.WithContext"):
		return t.Args[0], nil, nil
	}
	return nil, nil, nil
}

// IsCarried reports whether t is what a context has under a key, of which it is not known
// whether there is any.
func (t *T) IsCarried() bool { return t.CarriedKey() != nil }

// CarriedKey is the key under which a context may have t; nil for other terms.
func (t *T) CarriedKey() *T {
	if t == nil || t.Kind != Elem || len(t.Args) != 2 {
		return nil
	}
	key := t.Args[1]
	if key.Kind == Global || key.Kind == Struct || key.Kind == Call || key.Kind == Op && key.Name == opKey {
		return key
	}
	return nil
}

// carriedJoin names a Join of which it shows once the context is known which it is: Args[1]
// where that has the value Args[0], else Args[2]. The value is an alternative as well.
const carriedJoin = "carried"

// Carried is with where a context has the value x, else without. It is one where with is x,
// or a field of it.
func (p *Pool) Carried(x, with, without *T) *T {
	of := with
	for of.Kind == Field && of != x {
		of = of.Args[0]
	}
	there, known := x.Present()
	switch {
	case with == without, known && there:
		return with
	case known:
		return without
	case of != x:
		return p.Join(with, without)
	}
	return p.intern(T{Kind: Join, Name: carriedJoin, Args: []*T{x, with, without}})
}

// Present tells whether there is a value that a context may have; known is false where
// that does not show.
func (t *T) Present() (there, known bool) {
	if t.Kind == Nil {
		return false, true
	}
	return true, !slices.ContainsFunc(t.Alts(), func(a *T) bool { return a.Kind == Elem || a.Kind == Nil || a.Kind == Unknown })
}

// givenJoin names a Join of which it shows once an argument is known which it is: Args[1] where
// a caller gives something for Args[0], else Args[2].
const givenJoin = "given"

// Given is with where the argument x is something, else without.
func (p *Pool) Given(x, with, without *T) *T {
	switch {
	case with == without, x.Kind == Struct, x.Kind == Out, p.Yields != nil && p.Yields(x):
		return with
	case x.IsZero():
		return without
	case x.IsChoice() && x.Name == givenJoin: // handed on
		return p.Given(x.Args[0], p.Given(x.Args[1], with, without), p.Given(x.Args[2], with, without))
	}
	return p.intern(T{Kind: Join, Name: givenJoin, Args: []*T{x, with, without}})
}

// IsChoice reports whether t is a Join that Carried or Given has made.
func (t *T) IsChoice() bool { return t.Kind == Join && (t.Name == carriedJoin || t.Name == givenJoin) }

// Choice is t, which is a choice, of other terms.
func (p *Pool) Choice(t, x, with, without *T) *T {
	if t.Name == givenJoin {
		return p.Given(x, with, without)
	}
	return p.Carried(x, with, without)
}

// Uncertain reports whether t may be what a context has, where it is not known whether that
// has any. What calls are made of is not looked at.
func (t *T) Uncertain() bool {
	switch t.Kind {
	case Join, Op, Field, List, Struct:
		return slices.ContainsFunc(t.Args, (*T).Uncertain)
	}
	return t.IsCarried()
}

// MadeOf reports whether t is x, or is made of it: begun on it, prepared with it. That a
// context which t was made with carries x is neither.
func (t *T) MadeOf(x *T) bool {
	if t == nil || x == nil {
		return false
	}
	if t == x {
		return true
	}
	ctx, _, value := t.within()
	return (ctx == nil || value == nil) && slices.ContainsFunc(t.Args, func(a *T) bool { return a.MadeOf(x) })
}

// Carries lists what a context was given, the last first.
func (t *T) Carries() []*T {
	var list []*T
	for t.Kind == Result || t.Kind == Call {
		if t.Kind == Result {
			t = t.Args[0]
			continue
		}
		ctx, _, value := t.within()
		if ctx == nil {
			break
		}
		if value != nil && !slices.Contains(list, value) {
			list = append(list, value)
		}
		t = ctx
	}
	return list
}
