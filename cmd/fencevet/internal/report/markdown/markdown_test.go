package markdown

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func written(t *testing.T, inv *inventory.Inventory) []byte {
	t.Helper()
	var b bytes.Buffer
	r := &view.Report{Inventory: inv, By: view.Dimensions, Trend: view.Compare(reporttest.Sample(), inv, "before.json")}
	if err := Inventory(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// check reads what was written as forges do and demands that nothing of the
// source has become markup.
func check(t *testing.T, source []byte) {
	t.Helper()
	ours := map[string]bool{"<br>": true, "<!-- -->": true, "</details>": true}
	width := 0
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link, *ast.AutoLink, *ast.Image, *extast.Strikethrough:
			t.Errorf("a %s at %d", n.Kind(), n.Pos())
		case *ast.RawHTML:
			if html := string(n.Segments.Value(source)); !ours[html] {
				t.Errorf("raw HTML: %s", html)
			}
		case *ast.HTMLBlock:
			lines := string(n.Lines().Value(source))
			if !strings.HasPrefix(lines, "<details") && lines != "</details>\n" {
				t.Errorf("a block of HTML: %s", lines)
			}
		case *ast.Emphasis:
			if n.Level != 2 { // verdicts are strong
				t.Errorf("emphasis at %d", n.Pos())
			}
		case *extast.TableHeader:
			width = n.ChildCount()
		case *extast.TableRow:
			if n.ChildCount() != width {
				t.Errorf("%d cells in a table of %d", n.ChildCount(), width)
			}
		}
		return ast.WalkContinue, nil
	})
	if t.Failed() {
		t.Logf("%s", source)
	}
}

func TestHostile(t *testing.T) {
	source := written(t, reporttest.Hostile())
	check(t, source)
	for _, bad := range []string{"\x1b", "\u202e", "@everyone", "<script", "<img"} {
		// Within code spans even HTML and mentions stand for themselves.
		outside := strings.Join(outsideCode(string(source)), "")
		if strings.Contains(outside, bad) {
			t.Errorf("%q outside of code", bad)
		}
	}
}

// FuzzText puts any text into a cell and a list, as text and as code.
func FuzzText(f *testing.F) {
	f.Add(reporttest.HostileText)
	f.Add("a`b``c```")
	f.Add("\\| \\` <b>")
	f.Fuzz(func(t *testing.T, s string) {
		check(t, []byte("| a | b |\n|---|---|\n| x "+Text(s)+" | "+Code(s)+" |\n"))
		check(t, []byte("- "+Code(s)+" x: "+Text(s)+"\n"))
	})
}

// outsideCode are the parts of text that are not in spans of code.
func outsideCode(s string) (parts []string) {
	for {
		i := strings.IndexByte(strings.ReplaceAll(s, "\\`", "\\'"), '`')
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i:]
		fence := s[:len(s)-len(strings.TrimLeft(s, "`"))]
		end := strings.Index(s[len(fence):], fence)
		if end < 0 {
			return parts
		}
		s = s[end+2*len(fence):]
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"two holders":       "two holders",
		"(*sql.DB).Exec":    `(\*sql.DB).Exec`,
		"a|b":               `a\|b`,
		"<b>&amp;":          "&lt;b&gt;&amp;amp;",
		"@team":             "@<!-- -->team",
		"see #12":           `see \#<!-- -->12`,
		"https://x.example": "https:/<!-- -->/x.example",
		"[a](b)":            `\[a\](b)`,
		"price_change":      `price\_change`,
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"stock:%d": "`stock:%d`",
		"a`b":      "``a`b``",
		"`x`":      "`` `x` ``",
		"a``b`c":   "```a``b`c```",
		"a|b":      "`a\\|b`",
		"":         "",
		" ":        "",
	} {
		if got := Code(in); got != want {
			t.Errorf("Code(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestInventory(t *testing.T) {
	got := string(written(t, reporttest.Sample()))
	rest := got
	for _, text := range []string{
		"5 locks: 1 fenced, 2 unfenced", "Since before.json no lock was added",
		"<details open><summary>undecided, looks like correctness (1)", "`stock/stock.go:31`", "`sql:stock` none<br>`s3:bucket/stock.csv` version", "**unfenced**",
		"<details><summary>undecided, purpose unclear", "**unverified (callback, rpc)**",
		"efficiency, by pricing, until 2027-06-30: prices are computed again",
		"### What zero rejections would mean", "so far every lease was long enough", "| @<!-- -->shop/stock | 5 |",
		"### 2 findings", "`stock/repo.go:5` `unfenced` (error)", "`lock/clock.go:8` `wallclock`",
	} {
		i := strings.Index(rest, text)
		if i < 0 {
			t.Fatalf("%q is not where it should be:\n%s", text, got)
		}
		rest = rest[i:]
	}
	if strings.Contains(got, "quiet") {
		t.Error("a suppressed finding is shown")
	}
}
