package checktest

import (
	"cmp"
	"go/format"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
)

// Fixed applies all suggested fixes of checks and returns the files that they
// change, by name.
func (c *Corpus) Fixed(t *testing.T, checks []*check.Check) map[string]string {
	t.Helper()
	var analyzers []*analysis.Analyzer
	for _, ch := range checks {
		analyzers = append(analyzers, ch.Analyzer())
	}
	done, err := Checker(analyzers, c.Packages)
	if err != nil {
		t.Fatal(err)
	}
	type edit struct {
		from, to int
		text     []byte
	}
	edits := make(map[string][]edit)
	for _, act := range done {
		for _, d := range act.Diagnostics {
			for _, fix := range d.SuggestedFixes {
				for _, e := range fix.TextEdits {
					file := act.Package.Fset.File(e.Pos)
					edits[file.Name()] = append(edits[file.Name()], edit{file.Offset(e.Pos), file.Offset(e.End), e.NewText})
				}
			}
		}
	}
	fixed := make(map[string]string)
	for name, list := range edits {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
		for _, e := range list {
			source = slices.Concat(source[:e.from], e.text, source[e.to:])
		}
		formatted, err := format.Source(source)
		if err != nil {
			t.Fatalf("%s: a fix breaks the syntax: %v", name, err)
		}
		fixed[name] = string(formatted)
	}
	return fixed
}
