package analyzers_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestFixes applies the suggested fixes. Of all programs in testdata only those are
// held against a golden file that have one; none of the others may be broken.
func TestFixes(t *testing.T) {
	c := checktest.Load(t, corpus, "./...")
	seen := false
	for name, got := range c.Fixed(t, analyzers.Checks()) {
		golden := name + ".golden"
		if filepath.Base(name) != "fixes.go" {
			continue
		}
		seen = true
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not what the fixes make of %s (-update accepts it):\n%s", golden, name, got)
		}
	}
	if !seen {
		t.Error("nothing was fixed")
	}
}
