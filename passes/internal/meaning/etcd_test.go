package meaning

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/term"
)

// TestSurely: what guards a transaction is what is compared on every way to it.
func TestSurely(t *testing.T) {
	p := term.NewPool()
	own, mod, absent := p.Call("IsOwner", "a:1"), p.Call("ModRevision", "a:2"), p.Call("CreateRevision", "a:3")
	grown := p.Op("append", p.List(own), p.List(mod))
	tests := []struct {
		name string
		list *term.T
		want []*term.T
	}{
		{"one", p.List(own), []*term.T{own}},
		{"one or none", p.Join(p.Nil(), p.Op("append", p.Nil(), p.List(own))), nil},
		{"one, and perhaps another", p.Join(p.List(own), grown), []*term.T{own}},
		{"both", grown, []*term.T{own, mod}},
		{"one or the other", p.List(p.Join(mod, absent)), []*term.T{mod, absent}},
		{"none", p.Nil(), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := surely(tt.list)
			if len(got) != len(tt.want) {
				t.Fatalf("%d compares, want %d", len(got), len(tt.want))
			}
			for i := range got {
				if got[i] != tt.want[i] && len(tt.want) == 1 {
					t.Errorf("compare %s, want %s", got[i].Text(), tt.want[i].Text())
				}
			}
		})
	}
}
