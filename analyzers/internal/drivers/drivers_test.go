// Package drivers holds what different drivers of the checks report on the same
// programs against each other.
package drivers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/internal/checktest"
)

const corpus = "../../../testdata"

// TestDrivers runs five drivers over all programs in testdata. Four of them see
// one package at a time, and report the same to the letter; the fifth, the
// command, sees all, and differs where the programs say that it takes that.
//
// golangci-lint is built with the plugin, from the modules that it consists of.
func TestDrivers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds golangci-lint and vets all that the programs import")
	}
	root, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	fencevet := build(t, "../../../cmd/fencevet", "fencevet")
	golangci := build(t, "../../../plugin/golangci-lint", "golangci-lint")
	c := checktest.Load(t, corpus, "./...")

	want := findings(run(t, root, 1, "go", "vet", "-vettool="+fencevet, "./..."))
	if len(want) == 0 {
		t.Fatal("go vet finds nothing")
	}
	drivers := []struct {
		name  string
		found []finding
	}{
		{"go vet", want},
		{"x/tools checker", inProcess(t, c, checktest.Checker)},
		{"as nogo", inProcess(t, c, checktest.Nogo)},
		{"golangci-lint", findings(run(t, root, 1, golangci, "run", "-c", configuration(t), "./..."))},
		{"fencevet", slices.DeleteFunc(findings(run(t, root, 3, fencevet, "./...")), line(t, root, func(l checktest.Line) bool { return l.Linked }))},
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "driver\tfindings\tmissed\tadded\t\n")
	for _, d := range drivers {
		want := want
		if d.name == "fencevet" {
			want = slices.DeleteFunc(slices.Clone(want), line(t, root, func(l checktest.Line) bool { return len(l.Alone) > 0 }))
		}
		missed, added := without(want, d.found), without(d.found, want)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", d.name, len(d.found), len(missed), len(added))
		for _, f := range missed {
			t.Errorf("%s misses %s", d.name, f)
		}
		for _, f := range added {
			t.Errorf("%s alone reports %s", d.name, f)
		}
	}
	w.Flush()
	t.Logf("\n%s", table.String())
}

// A finding is what all drivers show of one.
type finding struct {
	at, message, check string
}

func (f finding) String() string { return fmt.Sprintf("%s: %s [%s]", f.at, f.message, f.check) }

// The plugin puts related places into the message, as "(stock.go:12: why)".
var shown = regexp.MustCompile(`(?m)^(\S+\.go:\d+:\d+): (.*?)(?: \(\S+\.go:\d+: [^\n]*\))? \[([a-z]+)\](?: \(fencevet\))?$`)

// findings reads the output of a driver.
func findings(out string) []finding {
	var found []finding
	for _, m := range shown.FindAllStringSubmatch(out, -1) {
		found = append(found, finding{m[1], m[2], m[3]})
	}
	return sorted(found)
}

func sorted(found []finding) []finding {
	slices.SortFunc(found, func(a, b finding) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(found)
}

func without(all, some []finding) []finding {
	return slices.DeleteFunc(slices.Clone(all), func(f finding) bool { return slices.Contains(some, f) })
}

// inProcess runs the checks that are on by default with a driver of this process.
func inProcess(t *testing.T, c *checktest.Corpus, drive checktest.Driver) []finding {
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
	return findings(out.String())
}

// line tells the findings by what the lines that they are on say.
func line(t *testing.T, root string, is func(checktest.Line) bool) func(finding) bool {
	return func(f finding) bool {
		at := strings.Split(f.at, ":")
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

func build(t *testing.T, dir, name string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	// Without symbols linking takes half the time.
	run(t, dir, 0, "go", "build", "-ldflags=-s -w", "-o", bin, ".")
	return bin
}

// run runs a program in dir, which has to end with an exit code, and returns what
// it prints on both streams.
func run(t *testing.T, dir string, code int, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOLANGCI_LINT_CACHE="+t.TempDir(), "FENCEVETCACHE=off")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("%s: %v, want exit code %d\n%s", cmd, err, code, out)
	}
	return string(out)
}

// configuration has golangci-lint run fencevet alone and show all that it finds.
func configuration(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), ".golangci.yml")
	if err := os.WriteFile(file, []byte(`version: "2"
linters:
  default: none
  enable: [fencevet]
  settings:
    custom:
      fencevet:
        type: module
        settings:
          level: warning
issues:
  max-issues-per-linter: 0
  max-same-issues: 0
  uniq-by-line: false
output:
  formats:
    text:
      print-issued-lines: false
run:
  relative-path-mode: wd
  timeout: 10m
`), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
