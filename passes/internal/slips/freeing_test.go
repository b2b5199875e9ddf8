package slips

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

func TestSameOwner(t *testing.T) {
	p := term.NewPool()
	for _, c := range []struct {
		name  string
		owner *term.T
		want  bool
	}{
		{"a constant", p.Const("string", "locked"), true},
		{"one that is drawn", p.Call("rand.Text", "x.go:1:1"), false},
		{"a field that the constructor leaves alone", p.Field(p.Struct("t", "x.go:1:1", nil, nil), "owner"), false},
	} {
		if got := same(meaning.Meaning{Checked: true, Value: c.owner}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
