package term

import (
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
