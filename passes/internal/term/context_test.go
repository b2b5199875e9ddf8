package term

import "testing"

// TestContexts: what is found in contexts, before and after it is known what they are.
func TestContexts(t *testing.T) {
	p := NewPool()
	zero, site := p.Const("zero", ""), 0
	with := func(ctx, key, value *T) *T {
		site++
		return p.Call("context.WithValue", string(rune('a'+site)), ctx, key, value)
	}
	ctx, bare := p.Param("f", 0, "ctx"), p.Call("context.Background", "a:1:1")
	one, two := p.Key("a.one", zero), p.Key("b.one", zero)
	x, y := p.Param("f", 1, "x"), p.Param("f", 2, "y")
	name := func(s, site string) *T {
		return p.Key("a.name", p.Struct("a.name", site, []string{"s"}, []*T{p.Const("string", s)}))
	}
	made := func(site string) *T { return p.Struct("a.ptr", site, nil, nil) }
	some := p.Join(with(ctx, one, x), ctx)
	for _, c := range []struct {
		what           string
		ctx, key, want *T
	}{
		{"found below another type's", with(with(ctx, one, x), two, y), one, x},
		{"the upper of two", with(with(ctx, one, x), one, y), one, y},
		{"below a cancelled one", p.Result(p.Call("context.WithCancel", "b:1:1", with(ctx, one, x)), 0), one, x},
		{"none in an empty one", with(bare, one, x), two, p.Nil()},
		{"not known below a parameter", with(ctx, one, x), two, nil},
		{"not known under a key of no type", with(with(ctx, one, x), zero, y), zero, nil},
		{"not known where some key may hide it", with(with(ctx, one, x), p.Unknown("key"), y), one, nil},
		{"structs by what is in them", with(with(ctx, name("s", "c:1:1"), x), name("t", "c:2:1"), y), name("s", "c:3:1"), x},
		{"pointers by where they lead", with(with(ctx, p.Global("a.K"), x), p.Global("a.L"), y), p.Global("a.K"), x},
		{"pointers to what is made twice", with(ctx, made("d:1:1"), x), made("d:1:1"), nil},
		{"pointers to two things", with(bare, made("d:1:1"), x), made("d:2:1"), p.Nil()},
	} {
		got := p.Elem(c.ctx, c.key)
		if c.want == nil {
			if got.Kind != Elem {
				t.Errorf("%s: %s", c.what, got.Text())
			}
		} else if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got.Text(), c.want.Text())
		}
	}
	if got := p.Elem(some, one); got.Kind != Join || !got.Uncertain() {
		t.Errorf("what only some have is %s", got.Text())
	}

	found := p.Elem(ctx, one)
	choice := p.Carried(found, p.Field(found, "conn"), y)
	if !choice.IsChoice() || len(choice.Alts()) != 2 || !choice.Uncertain() {
		t.Errorf("the choice is %s", choice.Text())
	}
	given := func(c *T) *T {
		return p.Subst(choice, func(q *T) *T {
			if q == ctx {
				return c
			}
			return nil
		})
	}
	if got := given(with(ctx, one, x)); got != p.Field(x, "conn") {
		t.Errorf("with the value it is %s", got.Text())
	}
	if got := given(with(bare, two, x)); got != y {
		t.Errorf("without, it is %s", got.Text())
	}
	if got := given(with(ctx, two, x)); got.Kind != Join {
		t.Errorf("where it is not known it is %s", got.Text())
	}
	if got := p.Field(choice, "id"); !got.IsChoice() {
		t.Errorf("a field of it is %s", got.Text())
	}

	request := p.Call("(*net/http.Request).WithContext", "e:1:1", x, with(ctx, one, y))
	if got := p.Elem(p.RequestContext(request), one); got != y {
		t.Errorf("in a request there is %s", got.Text())
	}
	conn := p.Call("Conn", "f:1:1", with(ctx, one, x), y)
	if conn.MadeOf(x) || !conn.MadeOf(y) {
		t.Errorf("what a context carries is no part of what is made with it")
	}
}
