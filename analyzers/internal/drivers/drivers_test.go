package drivers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
)

const corpus = "../../../testdata"

// TestDrivers runs four drivers over all programs in testdata. Three of them see
// one package at a time, and report the same to the letter; the fourth, the
// command, sees all, and differs where the programs say that it takes that.
func TestDrivers(t *testing.T) {
	if testing.Short() {
		t.Skip("vets all that the programs import")
	}
	root, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	c := checktest.Load(t, corpus, "./...")
	fencevet := Build(t, "../../../cmd/fencevet", "fencevet")

	want := Findings(Run(t, root, 1, "go", "vet", "-vettool="+fencevet, "./..."))
	if len(want) == 0 {
		t.Fatal("go vet finds nothing")
	}
	drivers := []struct {
		name  string
		found []Finding
	}{
		{"go vet", want},
		{"x/tools checker", inProcess(t, c, checktest.Checker)},
		{"as nogo", inProcess(t, c, checktest.Nogo)},
		{"fencevet", slices.DeleteFunc(Findings(Run(t, root, 3, fencevet, "./...")), line(t, root, func(l checktest.Line) bool { return l.Linked }))},
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "driver\tfindings\tmissed\tadded\t\n")
	for _, d := range drivers {
		want := want
		if d.name == "fencevet" {
			want = slices.DeleteFunc(slices.Clone(want), line(t, root, func(l checktest.Line) bool { return len(l.Alone) > 0 }))
		}
		missed, added := Compare(t, d.name, want, d.found)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", d.name, len(d.found), missed, added)
	}
	w.Flush()
	t.Logf("\n%s", table.String())
}

// inProcess runs the checks that are on by default with a driver of this process.
func inProcess(t *testing.T, c *checktest.Corpus, drive checktest.Driver) []Finding {
	t.Helper()
	done, err := drive(analyzers.All(), c.Packages)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, act := range done {
		for _, d := range act.Diagnostics {
			p := act.Package.Fset.Position(d.Pos)
			name := strings.TrimPrefix(p.Filename, c.Root+string(filepath.Separator))
			fmt.Fprintf(&out, "%s:%d:%d: %s\n", filepath.ToSlash(name), p.Line, p.Column, d.Message)
		}
	}
	return Findings(out.String())
}

// line tells the findings by what the lines that they are on say.
func line(t *testing.T, root string, is func(checktest.Line) bool) func(Finding) bool {
	return func(f Finding) bool {
		at := strings.Split(f.At, ":")
		source, err := os.ReadFile(filepath.Join(root, at[0]))
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(at[1])
		if err != nil {
			t.Fatal(err)
		}
		text, err := checktest.Parse(strings.Split(string(source), "\n")[n-1])
		if err != nil {
			t.Fatal(err)
		}
		return is(text)
	}
}
