package records

import (
	"go/ast"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/sourcetest"
)

// How long a lock object lives may be told after it was made, there or elsewhere; where it
// is told twice, nobody knows which was last, and where it is told of another object, the
// default holds.
func TestLasts(t *testing.T) {
	lib, err := catalog.Load("latch.yaml", []byte(`library: latch
family: redis
packages:
  p: [p]
locks: true
calls:
  - {func: p.New, new: {key: arg 0, ttl-default: 500ms}}
  - {func: (*p.Latch).SetLife, option: {ttl: arg 0, ttl-unit: s}}
  - {func: (*p.Latch).Take, acquire: {kind: lease, handle: receiver, ttl-default: 500ms, try: true}}
  - {func: (*p.Latch).Give, release: {handle: receiver, checked: true, result: result 0}}
`))
	if err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.Builtin().With(lib)
	if err != nil {
		t.Fatal(err)
	}
	fset, file, pkg, info := sourcetest.Check(t, `
type Latch struct{}

func New(key string) *Latch
func (*Latch) SetLife(seconds int)
func (*Latch) Take() error
func (*Latch) Give() error

func made(key string) *Latch {
	l := New(key)
	l.SetLife(10)
	return l
}

func either(key string, long bool) *Latch {
	l := New(key)
	l.SetLife(10)
	if long {
		l.SetLife(60)
	}
	return l
}

func plain() {
	l := New("a")
	if l.Take() == nil { l.Give() }
}

func here() {
	l := New("b")
	l.SetLife(20)
	if l.Take() == nil { l.Give() }
}

func elsewhere() {
	l := made("c")
	if l.Take() == nil { l.Give() }
}

func unsure(long bool) {
	l := either("d", long)
	if l.Take() == nil { l.Give() }
}
`)
	uses, _ := Of(engine.New(fset, cat, []engine.Unit{{Files: []*ast.File{file}, Types: pkg, Info: info}}))
	want := map[string]string{"plain": "500ms default", "here": "20s constant", "elsewhere": "10s constant", "unsure": " unknown"}
	for _, u := range uses {
		w, ok := want[u.Acquire.Function]
		if got := u.TTL.Text + " " + u.TTL.Source; ok && got != w {
			t.Errorf("%s: %s, want %s", u.Acquire.Function, got, w)
		}
		delete(want, u.Acquire.Function)
	}
	for name := range want {
		t.Errorf("%s: no lock", name)
	}
}
