package slips

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
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

func TestAsksOwner(t *testing.T) {
	p := term.NewPool()
	of := func(prefix string) *term.T {
		return p.Op("+", p.Const("string", prefix), p.Param("f", 1, "id"))
	}
	read, owner := p.Param("f", 2, "read"), p.Param("f", 3, "owner")
	for _, c := range []struct {
		name     string
		op       string
		incoming *term.T
		key      *term.T
		want     bool
	}{
		{"the owner of the key", "=", owner, of("lock:"), true},
		{"what another key holds", "=", owner, of("token:"), false},
		{"whether there is any", "=", p.Const("string", ""), of("lock:"), false},
		{"anybody else", "<>", owner, of("lock:"), false},
		{"a key out of sight", "=", owner, nil, true},
	} {
		queries := []meaning.Meaning{{Role: meaning.Query, Family: "redis", Key: c.key}}
		if got := asksOwner(summary.Asked{Read: read, Op: c.op, Incoming: c.incoming}, queries, "redis", []*term.T{of("lock:")}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
