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

// TestPutOnce puts a value into terms that have a part in common: that part is made once,
// and what is known already is not made again.
func TestPutOnce(t *testing.T) {
	p := NewPool()
	field := p.Field(p.Param("a.F", 0, "s"), "name")
	asked := 0
	b := p.Binding(func(*T) *T { return p.Global("a.V") }, func(place, _ *T, _ string, _ *T) *T {
		asked++
		return place
	})
	for i := range 10 {
		b.Put(p.Call("Put", strconv.Itoa(i), p.List(field, field)))
	}
	if asked != 1 {
		t.Errorf("the field was looked at %d times", asked)
	}
	args := []*T{field, p.Nil()}
	if n := testing.AllocsPerRun(10, func() { p.Call("Put", "1", args...) }); n > 0 {
		t.Errorf("a term that is known takes %v allocations", n)
	}
}

// TestCutOnce cuts a value that is too large for the many terms it is put into.
func TestCutOnce(t *testing.T) {
	p := NewPool()
	value := p.Global("a.V")
	for i := range maxArgDepth + 2 {
		value = p.Call("encode", strconv.Itoa(i), value, p.Const("int", strconv.Itoa(i)))
	}
	short := p.Fit(value)
	if short == value {
		t.Fatal("the value fits")
	}
	if n := testing.AllocsPerRun(10, func() { p.Fit(value) }); n > 0 {
		t.Errorf("a value that was cut takes %v allocations", n)
	}
	if again := p.Fit(short); again != short {
		t.Errorf("what was cut is cut again: %s", again.Text())
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
