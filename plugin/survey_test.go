package plugin

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// TestSurvey runs the linter, as golangci-lint builds it, over far more packages than any
// test should: whatever the patterns in FENCEVET_SURVEY match in FENCEVET_SURVEY_DIR, where
// deps stands for all that the module there is made of. It fails where the linter does.
// See .ci/survey.
func TestSurvey(t *testing.T) {
	patterns := strings.Fields(os.Getenv("FENCEVET_SURVEY"))
	if len(patterns) == 0 {
		t.Skip("FENCEVET_SURVEY is not set")
	}
	dir := os.Getenv("FENCEVET_SURVEY_DIR")
	if slices.Equal(patterns, []string{"deps"}) {
		listed, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps, Dir: dir}, "./...")
		if err != nil {
			t.Fatal(err)
		}
		patterns = nil
		packages.Visit(listed, nil, func(p *packages.Package) { patterns = append(patterns, p.PkgPath) })
		slices.Sort(patterns)
	}
	l, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	analyzers, err := l.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for chunk := range slices.Chunk(patterns, 60) {
		pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir}, chunk...)
		if err != nil {
			t.Fatal(err)
		}
		pkgs = slices.DeleteFunc(pkgs, func(p *packages.Package) bool { return p.IllTyped || len(p.Syntax) == 0 })
		packages.Visit(pkgs, nil, func(p *packages.Package) {
			if !slices.Contains(pkgs, p) {
				p.Syntax = nil // between two that are asked for: its bodies were not looked at
			}
		})
		graph, err := checker.Analyze(analyzers, pkgs, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, act := range graph.Roots {
			if act.Err != nil {
				t.Errorf("%s: %v", act.Package.PkgPath, act.Err)
			}
		}
		count += len(pkgs)
		t.Logf("%d packages", count)
	}
}
