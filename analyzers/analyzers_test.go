package analyzers_test

import (
	goflag "flag"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
	"github.com/fencevet/fencevet/analyzers/unmetered"
)

const corpus = "../testdata"

// TestCorpus holds the checks against what the programs in testdata say about
// themselves: for the whole module at once, and package by package with facts,
// whether the driver is that of x/tools or works as nogo.
func TestCorpus(t *testing.T) {
	c := checktest.Load(t, corpus, "./...")
	t.Run("module", func(t *testing.T) {
		c.Check(t, c.Module(analyzers.Checks()))
	})
	t.Run("package", func(t *testing.T) {
		c.Check(t, c.PerPackage(t, checktest.Checker, analyzers.Checks()))
	})
	t.Run("nogo", func(t *testing.T) {
		c.Check(t, c.PerPackage(t, checktest.Nogo, analyzers.Checks()))
	})
}

// TestFactsOnly has nogo look at a package whose imports it was told to leave
// alone: for these it makes the facts, and drops what else it could say.
func TestFactsOnly(t *testing.T) {
	c := checktest.Load(t, corpus, "./checks/across/caller")
	c.Check(t, c.PerPackage(t, checktest.Nogo, analyzers.Checks()))
}

// TestAnalyzer holds the suite as one analyzer against the checks one by one, and
// tries its flags.
func TestAnalyzer(t *testing.T) {
	c := checktest.Load(t, corpus, "./shop/...", "./checks/lockdelay/bad", "./checks/unmetered/bad")
	found := func(flags ...string) map[string]int {
		t.Helper()
		a := analyzers.New(nil)
		if err := a.Flags.Parse(flags); err != nil {
			t.Fatal(err)
		}
		return count(t, c, a)
	}
	want := count(t, c, analyzers.All()...)
	if got := found(); len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("together %v, one by one %v", got, want)
	}
	for _, a := range analyzers.All() {
		if err := a.Flags.Set("level", "note"); err != nil {
			t.Fatal(err)
		}
	}
	noted := count(t, c, analyzers.All()...)
	if got := found("-level=note"); noted["lockdelay"] == 0 || !maps.Equal(got, noted) {
		t.Errorf("together %v, one by one %v", got, noted)
	}
	delete(want, "unfenced")
	if got := found("-disable=unfenced, units"); !maps.Equal(got, want) {
		t.Errorf("without unfenced %v, want %v", got, want)
	}
	alone := unmetered.Check.Analyzer()
	if err := alone.Flags.Set("level", "note"); err != nil {
		t.Fatal(err)
	}
	if unmetered.Check.Default || count(t, c, alone)["unmetered"] == 0 {
		t.Error("a check that is off by default is silent where it is asked for by itself")
	}
	if got := found("-level=note", "-enable=unmetered"); got["unmetered"] == 0 {
		t.Error("-enable does not switch a check on")
	}
	for _, flag := range []string{"-level=loud", "-disable=fenced", "-enable=,"} {
		a := analyzers.New(nil)
		a.Flags.Init(a.Name, goflag.ContinueOnError)
		a.Flags.SetOutput(io.Discard)
		if err := a.Flags.Parse([]string{flag}); err == nil {
			t.Errorf("%s is accepted", flag)
		}
	}
}

// count counts what analyzers report, by check.
func count(t *testing.T, c *checktest.Corpus, analyzers ...*analysis.Analyzer) map[string]int {
	t.Helper()
	done, err := checktest.Checker(analyzers, c.Packages)
	if err != nil {
		t.Fatal(err)
	}
	n := make(map[string]int)
	for _, act := range done {
		for _, d := range act.Diagnostics {
			n[d.Category]++
		}
	}
	return n
}

func TestSuite(t *testing.T) {
	if err := analysis.Validate(append(analyzers.All(), analyzers.Analyzer)); err != nil {
		t.Error(err)
	}
	folders, err := filepath.Glob("*/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	listed := make(map[string]bool)
	for _, c := range analyzers.Checks() {
		listed[filepath.Join(c.Name, "doc.go")] = true
		names = append(names, c.Name)
		if c.Default != (c.Why == "") {
			t.Errorf("%s: a check that is off by default says why, and only such a one", c.Name)
		}
	}
	if !slices.Equal(names, check.Names) {
		t.Errorf("check.Names: got %q, want %q", check.Names, names)
	}
	for _, folder := range folders {
		if !listed[folder] {
			t.Errorf("%s is the manual of a check that is not in the suite", folder)
		}
	}
	if len(folders) != len(listed) {
		t.Errorf("%d checks, but %d folders with a manual", len(listed), len(folders))
	}
}

// TestImports keeps what drivers link into themselves free of what only the
// command may do: load packages, start processes, reach the network.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for path := range strings.FieldsSeq(string(out)) {
		switch path {
		case "golang.org/x/tools/go/packages", "os/exec", "net", "net/http":
			t.Errorf("the analyzers need %s", path)
		}
	}
}
