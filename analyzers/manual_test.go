package analyzers_test

import (
	"bytes"
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers"
)

// TestManual holds docs/checks.md against the manuals of the checks.
func TestManual(t *testing.T) {
	const file = "../docs/checks.md"
	want := manual(t)
	if *update {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the manuals say: go test ./analyzers -run TestManual -update writes it anew", file)
	}
}

// manual joins the manuals to one page.
func manual(t *testing.T) []byte {
	var b bytes.Buffer
	b.WriteString("# Checks\n\n" +
		"Each check has its manual beside its code, in `analyzers/CHECK/doc.go`; this page is made from those, and\n" +
		"`fencevet explain CHECK` prints them.\n\n" +
		"| check | |\n|---|---|\n")
	for _, c := range analyzers.Checks() {
		summary, _, _ := strings.Cut(c.Doc, "\n")
		if !c.Default {
			summary += "; off by default: " + c.Why
		}
		fmt.Fprintf(&b, "| [%s](#%[1]s) | %s |\n", c.Name, summary)
	}
	for _, c := range analyzers.Checks() {
		_, rest, _ := strings.Cut(c.Doc, "\n")
		fmt.Fprintf(&b, "\n## %s\n", c.Name)
		heading := ""
		printer := comment.Printer{HeadingLevel: 3, HeadingID: func(*comment.Heading) string { return "" }}
		for _, content := range new(comment.Parser).Parse(rest).Content {
			b.WriteByte('\n')
			switch content := content.(type) {
			case *comment.Code:
				language := "text"
				if heading == "Bad" || heading == "Good" {
					language = "go"
					if err := fragment(content.Text); err != nil {
						t.Errorf("%s: %s: %v in\n%s", c.Name, heading, err, content.Text)
					}
				}
				fmt.Fprintf(&b, "```%s\n%s```\n", language, content.Text)
				continue
			case *comment.Heading:
				heading = string(printer.Text(&comment.Doc{Content: []comment.Block{content}})[2:])
				heading = strings.TrimSpace(heading)
			}
			b.Write(printer.Markdown(&comment.Doc{Content: []comment.Block{content}}))
		}
	}
	return b.Bytes()
}

// fragment reports whether a text is no part of a Go file: statements or
// declarations.
func fragment(text string) error {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+text+"\n}", 0)
	if err != nil {
		if _, e := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0); e == nil {
			return nil
		}
	}
	return err
}
