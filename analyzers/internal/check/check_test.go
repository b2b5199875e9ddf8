package check_test

import (
	"go/token"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

func at(file string, line int) lock.Position {
	return lock.Position{File: file, Line: line, Column: 2, Pos: token.Pos(line)}
}

func TestFind(t *testing.T) {
	c := &check.Check{Name: "shared", Run: func(u *lock.Use, report func(lock.Finding)) {
		report(lock.Finding{At: at("/m/repo.go", 9), Level: lock.Error, Message: "lost"})
		report(lock.Finding{At: u.Acquire.Position, Level: lock.Note, Message: "mine"})
	}}
	first := &lock.Use{Acquire: lock.Frame{Position: at("/m/b.go", 1)}}
	second := &lock.Use{Acquire: lock.Frame{Position: at("/m/a.go", 1)}}
	found := c.Find([]*lock.Use{first, second})

	var got []string
	for _, f := range found {
		got = append(got, f.At.File+": "+f.Message)
	}
	want := "/m/a.go: mine [shared]|/m/b.go: mine [shared]|/m/repo.go: lost [shared]"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q: sorted by place, and what two uses share once", got, want)
	}
	for _, f := range found {
		if f.Check != "shared" || f.Use == nil {
			t.Errorf("%+v: no check or use", f)
		}
	}
}

func TestSamePackage(t *testing.T) {
	use := &lock.Use{Acquire: lock.Frame{Position: at("/m/stock/stock.go", 3)}}
	elsewhere := at("/m/stock/repo.go", 5)
	elsewhere.Pos = token.NoPos
	for _, test := range []struct {
		at   lock.Position
		want bool
	}{
		{at("/m/stock/repo.go", 5), true},
		{at("/m/repo/repo.go", 5), false},
		{elsewhere, false}, // known from facts only
	} {
		w := &lock.Write{Frame: lock.Frame{Position: test.at}}
		if got := check.SamePackage(use, w); got != test.want {
			t.Errorf("SamePackage(%+v) = %v", test.at, got)
		}
	}
}

func TestManual(t *testing.T) {
	const source = "// Package p has two.\n//\n// # Analyzer one\n//\n// one: the first\n//\n// Text.\n//\n//\tcode\n//\n// # Why\n//\n" +
		"// More.\n//\n// # Analyzer two\n//\n// two: the second\npackage p\n\n// one: not this\n"
	if got, want := check.Manual(source, "one"), "the first\n\nText.\n\n\tcode\n\n# Why\n\nMore."; got != want {
		t.Errorf("one: got %q, want %q", got, want)
	}
	if got, want := check.Manual(source, "two"), "the second"; got != want {
		t.Errorf("two: got %q, want %q", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for a manual that is not there")
		}
	}()
	check.Manual(source, "three")
}

func TestRank(t *testing.T) {
	if !(check.Rank("") == 0 && check.Rank(lock.Note) < check.Rank(lock.Warning) && check.Rank(lock.Warning) < check.Rank(lock.Error)) {
		t.Error("levels are not ranked")
	}
}

func TestResource(t *testing.T) {
	for resource, want := range map[string]string{
		"sql:stock":              "table stock",
		"sql:":                   "the database",
		"sql":                    "the database",
		"memory:Disk":            "Disk",
		"redis:" + long("k", 99): "Redis key " + long("k", 59) + "…",
		"s3:b/report":            "object b/report",
		"queue:jobs":             "queue:jobs",
		"*Storage":               "*Storage",
		"":                       "the resource",
	} {
		if got := check.Resource(&lock.Write{Resource: resource}); got != want {
			t.Errorf("%q: got %q, want %q", resource, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"stock:%d":      `"stock:%d"`,
		`"lock:" + id`:  `"lock:" + id`,
		"a\n\tb":        `"a b"`,
		long("x", 2000): `"` + long("x", 59) + `…"`,
	} {
		if got := check.Quote(text); got != want {
			t.Errorf("%.20q: got %q, want %q", text, got, want)
		}
	}
}

func long(s string, n int) string { return strings.Repeat(s, n) }
