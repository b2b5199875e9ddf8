package meaning

import (
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// TestMissingConditions reads all writes that end a chain, behind all links which take
// conditions, where the link is given none: of a generated method only the name may be
// known.
func TestMissingConditions(t *testing.T) {
	w := newWorld(t)
	var links, writes []string
	for _, lib := range catalog.Builtin().Libraries() {
		for _, c := range lib.Calls {
			for _, fn := range c.Func {
				switch {
				case c.Part != nil && c.Part.Args.Spread && c.Part.Text.IsZero():
					links = append(links, fn)
				case c.Write != nil && len(c.Write.Conditions) > 0 && c.Write.Conditions[0].Kind == "builder" && c.Write.Conditions[0].At.Base == catalog.Receiver:
					writes = append(writes, fn)
				default:
					continue
				}
				w.Register(fn, []*catalog.Call{c})
			}
		}
	}
	if len(links) == 0 || len(writes) == 0 {
		t.Fatal("no chains in the catalogue")
	}
	read := func(call *term.T) {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s: %v", call.Text(), r)
			}
		}()
		w.Of(call)
	}
	for _, write := range writes {
		for _, link := range links {
			read(w.call(write, w.call(link, w.v("object")), w.v("value")))
		}
	}
	t.Logf("%d writes, %d links", len(writes), len(links))
}
