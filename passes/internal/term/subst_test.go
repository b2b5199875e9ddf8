package term

import (
	"fmt"
	"strconv"
	"testing"
)

// TestSubstFits puts a deep value into a deep call: what is called, and on what, is
// kept, and what is far inside of the value goes.
func TestSubstFits(t *testing.T) {
	p := NewPool()
	param := p.Param("a.F", 0, "value")
	call := p.Call("Put", "1", p.Const("string", "key"), param)
	names := []string{"Put"}
	for _, name := range []string{"Then", "If", "With", "Commit"} {
		call = p.Call(name, "1", p.List(call))
		names = append(names, name)
	}
	value := p.Global("a.V")
	for value.depth < maxArgDepth {
		value = p.Call("encode", strconv.Itoa(value.depth), value)
	}
	got := p.Subst(call, func(*T) *T { return value })
	for i := len(names) - 1; i >= 0; i-- {
		if got.Kind != Call || got.Name != names[i] {
			t.Fatalf("%s in place of %s", got.Text(), names[i])
		}
		if i > 0 {
			got = got.Args[0].Args[0]
		}
	}
	if key, ok := got.Args[0].Str(); !ok || key != "key" {
		t.Errorf("the key is %s", got.Args[0].Text())
	}
	if v := got.Args[1]; v.Kind != Call || v.Name != "encode" {
		t.Errorf("the value is %s", v.Text())
	}
}

// BenchmarkSubst puts arguments in place of parameters, which is most of what the
// engine does: again and again with the same ones, and with others each time.
func BenchmarkSubst(b *testing.B) {
	p := NewPool()
	list := make([]*T, 8)
	for i := range list {
		list[i] = p.Call("a.F", fmt.Sprintf("example.org/a/a.go:%d:2", i), p.Param("a.G", i, "x"), p.Const("string", "key"), p.Field(p.Param("a.G", i, "x"), "name"))
	}
	t := p.Op("+", list...)
	for _, mode := range []struct {
		name   string
		others int
	}{{"same", 1}, {"other", 1 << 16}} {
		b.Run(mode.name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n++
				with := p.Const("int", fmt.Sprint(n%mode.others))
				p.Subst(t, func(x *T) *T {
					if x.Kind == Param {
						return with
					}
					return nil
				})
			}
		})
	}
}
