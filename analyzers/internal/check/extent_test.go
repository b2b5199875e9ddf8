package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestExtent(t *testing.T) {
	for source, want := range map[string]string{
		"«db.ExecContext(ctx, \"x\")":      "db.ExecContext",
		"_, err := «s.DB.Exec(\n\"x\",\n)": "s.DB.Exec",
		"if «now.After(end) {\n}":          "now.After",
		"x := time.Duration(«ttl)":         "ttl",
		"defer «mutex.Unlock()":            "mutex.Unlock",
		"«f(a).g(b)":                       "f(a).g",
		"«return":                          "",
		"go func() { «work() }()":          "work",
		"for range «tick.C {\n}":           "tick.C",
		"x := y + «z":                      "z",
		"x := «y + z":                      "y + z",
		"_ = T{a: «b}":                     "b",
		"select {\ncase <-«ctx.Done():\n}": "ctx.Done",
	} {
		const head = "package p\nfunc _() {\n"
		text := head + strings.Replace(source, "«", "", 1) + "\n}\n"
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		at := len(head) + strings.Index(source, "«")
		end := extent([]*ast.File{f}, f.FileStart+token.Pos(at))
		got := ""
		if end.IsValid() {
			got = text[at:fset.Position(end).Offset]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
