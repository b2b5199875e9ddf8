package meaning

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

func TestLifeOfSeveral(t *testing.T) {
	p := term.NewPool()
	set := p.Call("(config.View).GetDuration", "c.go:1:1")
	got := (&props{ttl: p.Join(p.Const("duration", "120000000000"), set), unit: "ns"}).lease(false)
	if want := (lock.TTL{Text: "2m0s or (config.View).GetDuration(...)", Source: "config"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
