package term

import "testing"

func TestMerged(t *testing.T) {
	p := NewPool()
	m := func(kv ...string) *T {
		var names []string
		var args []*T
		for i := 0; i < len(kv); i += 2 {
			names, args = append(names, kv[i]), append(args, p.Const("string", kv[i+1]))
		}
		return p.Struct("map", "", names, args)
	}
	key := func(k string) *T { return p.Const("string", k) }
	rest := p.Param("f", 0, "rest")
	x := m("a", "1", "b", "2")
	for _, test := range []struct {
		name string
		y    *T
		want string // of b; empty: it is open
	}{
		{"known", m("b", "3"), "3"},
		{"nothing", p.Nil(), "2"},
		{"no others", p.Elem(p.Nil(), nil), "2"},
		{"several", p.Elem(p.List(m("b", "3"), m("b", "4"), m("c", "5")), nil), "4"},
		{"changed", p.With(m("b", "3"), "b", key("6")), "6"},
		{"out of sight", rest, ""},
		{"one of them out of sight", p.Elem(p.List(rest, m("b", "7")), nil), "7"},
	} {
		got := p.Elem(p.Merged(x, test.y), key("b"))
		if s, ok := got.Str(); s != test.want || ok != (test.want != "") {
			t.Errorf("%s: b is %s", test.name, got.Text())
		}
	}
	bound := p.Subst(p.Merged(x, rest), func(*T) *T { return m("b", "8") })
	if s, _ := p.Elem(bound, key("b")).Str(); s != "8" || bound.IsMerged() || !p.Merged(x, rest).IsMerged() {
		t.Errorf("with its part known it is %v", bound)
	}
}
