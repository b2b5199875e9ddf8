package engine

import (
	"fmt"
	"go/ast"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sourcetest"
)

// load makes an engine of one file of source.
func load(t *testing.T, source string) *Engine {
	t.Helper()
	fset, file, pkg, info := sourcetest.Check(t, source)
	return New(fset, catalog.Builtin(), []Unit{{Files: []*ast.File{file}, Types: pkg, Info: info}})
}

// member returns a function of a loaded package.
func member(t *testing.T, e *Engine, name string) (*Family, *ssa.Function) {
	t.Helper()
	for _, f := range e.Order {
		for _, fn := range f.Members {
			if fn.Name() == name {
				return f, fn
			}
		}
	}
	t.Fatalf("no function %s", name)
	return nil, nil
}

func TestTurns(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"number", "for range 3 { work() }", "counted 3"},
		{"up to", "for i := 0; i < 5; i++ { work() }", "counted 5"},
		{"up to and with", "for i := 1; i <= 5; i++ { work() }", "counted 5"},
		{"by twos", "for i := 0; i < 5; i += 2 { work() }", "counted 3"},
		{"down", "for i := 4; i > 0; i-- { work() }", "counted 4"},
		{"array", "for range [4]int{} { work() }", "counted 4"},
		{"literal", "for _, x := range []string{\"a\", \"b\"} { use(x) }", "counted 2"},
		{"shared with a closure", "for i := 0; i < 3; i++ { later(func() { use(i) }) }", "counted 1"},
		{"a limit of tries", "for i := 0; i < maxRetries; i++ { work() }", "counted 1"},
		{"break after tries", "for n := 0; ; n++ { if n > 7 { break }; work() }", "counted 8"},
		{"until a time", "for time.Now().Before(end) { work() }", "counted 1"},
		{"for a time", "for time.Since(end) < time.Minute { work() }", "counted 1"},
		{"slice", "for _, x := range list { use(x) }", "each 1"},
		{"slice by index", "for i := 0; i < len(list); i++ { use(list[i]) }", "each 1"},
		{"map", "for k := range set { use(k) }", "each 1"},
		{"some other number", "for i := 0; i < total; i += 100 { work() }", "each 1"},
		{"channel", "for x := range queue { use(x) }", "endless 1"},
		{"for ever", "for { work() }", "endless 1"},
		{"while there is more", "for more() { work() }", "endless 1"},
		{"until a page is not full", "for { if len(page()) < 100 { break } }", "endless 1"},
		{"until it works", "for { if err := work(); err == nil { break } }", "counted 1"},
		{"while it fails", "err := work(); for err != nil { err = work() }", "counted 1"},
		{"while it may work later", "for { err := work(); if !temporary(err) { break } }", "counted 1"},
		{"until it fails", "for { if err := work(); err != nil { break } }", "endless 1"},
	}
	source := `import "time"
var (
	list []string
	set map[string]bool
	queue chan string
	maxRetries, total int
	end time.Time
)
func use(any) {}
func later(func()) {}
func work() error { return nil }
func more() bool { return true }
func page() []string { return nil }
func temporary(error) bool { return true }
`
	for i, test := range tests {
		source += fmt.Sprintf("func f%d() { %s }\n", i, test.body)
	}
	e := load(t, source)
	for i, test := range tests {
		f, fn := member(t, e, fmt.Sprintf("f%d", i))
		f.reset()
		loops := f.loops(fn)
		if len(loops) != 1 {
			t.Errorf("%s: %d loops, want 1", test.name, len(loops))
			continue
		}
		turns := loops[0].Turns
		got := fmt.Sprintf("%s %d", [...]string{"once", "counted", "each", "endless"}[turns.Rounds], turns.Count())
		if got != test.want {
			t.Errorf("%s: %s, want %s: %s", test.name, got, test.want, test.body)
		}
	}
}
