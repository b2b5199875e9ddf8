package text

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func TestFit(t *testing.T) {
	for _, test := range []struct {
		widths []int
		total  int
		want   []int
	}{
		{[]int{10, 20}, 30, []int{10, 20}},
		{[]int{10, 20}, 25, []int{10, 15}},
		{[]int{10, 20, 20}, 36, []int{10, 13, 13}},
		{[]int{20, 10, 10}, 40, []int{20, 10, 10}},
		{[]int{20, 3}, 5, []int{minWidth, 3}}, // rather too wide than unreadable
	} {
		got := append([]int{}, test.widths...)
		fit(got, test.total)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("fit(%v, %d) = %v, want %v", test.widths, test.total, got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"short", 9, []string{"short"}},
		{"", 9, []string{""}},
		{"internal/stock/stock.go:31", 16, []string{"internal/stock/", "stock.go:31"}},
		{"not ordered at all", 12, []string{"not ordered", "at all"}},
		{"unverified (rpc)", 10, []string{"unverified", "(rpc)"}},
		{"abcdefghijkl", 5, []string{"abcde", "fghij", "kl"}},
	} {
		if got := wrap(test.text, test.width); !reflect.DeepEqual(got, test.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func sample() *inventory.Inventory {
	lock := func(file string, change func(*inventory.Lock)) inventory.Lock {
		l := inventory.Lock{
			ID: fmt.Sprintf("%08x", int(file[0])<<24+len(file)), Role: "use", Library: "redsync", Acquire: inventory.Acquire{File: file, Line: 31, Function: "Reserve"}, Key: "stock:%d",
			TTL: inventory.TTL{Text: "8s", Source: "default"}, Token: inventory.Token{Source: "none"},
			Verdict: "unfenced", Class: "undecided", Suggestion: inventory.Suggestion{Class: "correctness"},
		}
		change(&l)
		return l
	}
	no := false
	return &inventory.Inventory{
		Locks: []inventory.Lock{
			lock("stock/stock.go", func(l *inventory.Lock) {
				l.Writes = []inventory.Write{
					{Resource: "sql:stock", Condition: "none"},
					{Resource: "sql:stock", Condition: "none"},
					{Resource: "s3:a-very-long-bucket-name/with/a/long/key", Condition: "version"},
				}
			}),
			lock("cron/prices.go", func(l *inventory.Lock) {
				l.Suggestion.Class = "efficiency"
				l.Key = "evil\x1b[2J"
				l.Renewal = "library"
				l.Token = inventory.Token{Source: "(*redislock.Lock).Token()", Ordered: &no}
				l.Verdict = "unverified"
				l.Unseen = []string{"callback", "rpc"}
			}),
			lock("billing/billing.go", func(l *inventory.Lock) {
				l.Class, l.Verdict = "correctness", "fenced"
				l.TTL = inventory.TTL{Source: "parameter"}
			}),
			lock("lock/lock.go", func(l *inventory.Lock) { l.Role = "wrapper" }),
		},
		Findings:   []inventory.Finding{{Level: "error"}, {Level: "note"}},
		Incomplete: []inventory.Incomplete{{Package: "example.org/gen", Reason: "gen.go:1:1: no"}},
		Summary:    inventory.Summary{Locks: 3, Fenced: 1, Unfenced: 1, Unverified: 1, Correctness: 1, Undecided: 2},
	}
}

func TestTable(t *testing.T) {
	for _, width := range []int{80, 100, 200} {
		var out bytes.Buffer
		if err := Inventory(&out, &view.Report{Inventory: sample()}, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		table, closing, _ := strings.Cut(out.String(), "\n\n3 locks")
		for line := range strings.Lines(table) {
			line = strings.TrimSuffix(line, "\n")
			if n := utf8.RuneCountInString(line); n > width || line != strings.TrimRight(line, " ") {
				t.Errorf("width %d: line of %d: %q", width, n, line)
			}
		}
		order := []string{"looks like correctness", "stock.go:31  Reserve", "version", "looks like efficiency", `evil\u001b`, "\ncorrectness (1 lock)", "fenced", "taken for callers"}
		if width == 200 { // nothing is wrapped, nor on a line of its own
			order = []string{
				"stock.go:31      730000", "redsync", "sql:stock", "none", "unfenced", "s3:a-very-long-bucket-name/with/a/long/key", "version",
				"8s, renewed", "Token(), not ordered", "unverified (callback, rpc)", "billing.go:31", "?",
			}
			if n := strings.Count(table, "sql:stock"); n != 1 {
				t.Errorf("sql:stock is shown %d times", n)
			}
		}
		rest := table
		for _, text := range order {
			i := strings.Index(rest, text)
			if i < 0 {
				t.Errorf("width %d: %q is not where it should be:\n%s", width, text, table)
				break
			}
			rest = rest[i:]
		}
		want := ": 1 fenced, 1 unfenced, 1 unverified; by class 1 correctness, 0 efficiency, 2 undecided.\n" +
			"1 finding and 1 note: fencevet -level=note prints them, fencevet explain CHECK gives the reasons.\n" +
			"fencevet explain ID tells the story of one lock.\n\n" +
			"1 package not analysed:\n  example.org/gen: gen.go:1:1: no\n"
		if closing != want {
			t.Errorf("closing: got %q, want %q", closing, want)
		}
	}
}

func TestNarrow(t *testing.T) {
	var out bytes.Buffer
	if err := Inventory(&out, &view.Report{Inventory: sample()}, Style{Width: 40}); err != nil {
		t.Fatal(err)
	}
	locks, _, _ := strings.Cut(out.String(), "\n3 locks")
	for line := range strings.Lines(locks) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 40 && !strings.Contains(line, " (1 lock)") {
			t.Errorf("line of %d: %q", n, line)
		}
	}
	want := "undecided, looks like correctness (1 lock)\nstock/stock.go:31  730000\n  unfenced\n  redsync stock:%d, lease 8s default,\n    token none\n  sql:stock none\n" +
		"  s3:a-very-long-bucket-name/with/a/\n    long/key version\n\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got\n%s", out.String())
	}
}

func TestProse(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 9, []string{""}},
		{"UPDATE ... SET x = 1", 10, []string{"UPDATE ...", "SET x = 1"}},
		{"see a/long/path.go now", 8, []string{"see", "a/long/", "path.go", "now"}},
	} {
		if got := prose(test.text, test.width); !reflect.DeepEqual(got, test.want) {
			t.Errorf("prose(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestColor(t *testing.T) {
	var plain, colored bytes.Buffer
	if err := Inventory(&plain, &view.Report{Inventory: sample()}, Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if err := Inventory(&colored, &view.Report{Inventory: sample()}, Style{Width: 100, Color: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Error("escape sequences without colour")
	}
	if !strings.Contains(colored.String(), "\x1b[31munfenced\x1b[0m") {
		t.Error("unfenced is not red")
	}
	stripped := colored.String()
	for _, code := range []string{bold, dim, red, green, yellow, "0"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if stripped != plain.String() {
		t.Error("colour changes the layout")
	}
}

func TestFindings(t *testing.T) {
	inv := &inventory.Inventory{Findings: []inventory.Finding{
		{File: "a.go", Line: 3, Column: 7, Message: "two holders \x1b write [unfenced]", Related: []inventory.Related{{File: "b.go", Line: 1, Message: "acquired here"}}},
		{File: "c.go", Line: 1, Column: 1, Message: "quiet", Suppressed: &inventory.Suppression{By: "directive"}},
	}}
	var out bytes.Buffer
	if err := Findings(&out, inv, Style{Path: func(file string) string { return "../" + file }}); err != nil {
		t.Fatal(err)
	}
	want := "../a.go:3:7: two holders \\u001b write [unfenced]\n\t../b.go:1: acquired here\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
