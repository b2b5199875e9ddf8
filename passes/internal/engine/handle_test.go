package engine

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/term"
)

func TestNamedSession(t *testing.T) {
	p := term.NewPool()
	for _, test := range []struct {
		of   *term.T
		want bool
	}{
		{p.Param("f", 0, "db"), false},
		{p.Param("f", 1, "tx"), true},
		{p.Param("f", 2, "pinnedConn"), true},
		{p.Field(p.Param("f", 0, "tx"), "db"), false},
		{p.Field(p.Param("f", 0, "s"), "session"), true},
		{p.Global("example.org/tx.DB"), false},
		{nil, false},
	} {
		if got := namedSession(test.of); got != test.want {
			t.Errorf("%s: %t", test.of.Text(), got)
		}
	}
}
