package analyzers_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
)

const corpus = "../testdata"

// TestCorpus holds the checks against what the programs in testdata say about
// themselves: for the whole module at once, and package by package with facts,
// whether these stay in memory or go through bytes.
func TestCorpus(t *testing.T) {
	c := checktest.Load(t, corpus, "./...")
	t.Run("module", func(t *testing.T) {
		c.Check(t, c.Module(analyzers.Checks()))
	})
	t.Run("package", func(t *testing.T) {
		c.Check(t, c.PerPackage(t, checktest.Checker, analyzers.Checks()))
	})
	t.Run("encoded", func(t *testing.T) {
		c.Check(t, c.PerPackage(t, checktest.Encoding, analyzers.Checks()))
	})
}

func TestSuite(t *testing.T) {
	if err := analysis.Validate(analyzers.All()); err != nil {
		t.Error(err)
	}
	var names []string
	for _, c := range analyzers.Checks() {
		names = append(names, c.Name)
		if c.Default != (c.Why == "") {
			t.Errorf("%s: a check that is off by default says why, and only such a one", c.Name)
		}
	}
	if !slices.Equal(names, check.Names) {
		t.Errorf("check.Names: got %q, want %q", check.Names, names)
	}
}
