package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestVet has go vet run the binary over a module of more than fifty packages, whose
// lines say what is reported on them. That go vet and the other drivers report the
// same on real programs is tested beside the checks.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and vets a module")
	}
	archive, err := txtar.ParseFile("testdata/vet/module.txtar")
	if err != nil {
		t.Fatal(err)
	}
	m := &vetted{dir: unpack(t, archive), tool: build(t)}
	fifty(t, m.dir)
	wanted, noted, production := m.lines(t, "want"), m.lines(t, "note"), m.lines(t, "production")
	if len(wanted) < 30 || len(noted) != 1 || len(production) != 1 {
		t.Fatalf("%d lines with findings, %d with notes, %d in production", len(wanted), len(noted), len(production))
	}

	t.Run("all", func(t *testing.T) {
		expect(t, m.vet(t, 1, "./..."), wanted)
	})
	t.Run("tags", func(t *testing.T) {
		expect(t, m.vet(t, 1, "-tags=production", "./tagged"), production)
	})
	t.Run("flags", func(t *testing.T) {
		out := m.vet(t, 1, "-unfenced=false", "./pool", "./service07", "./rates")
		expect(t, out, only(wanted, "pool"))
		out = m.vet(t, 1, "-unfenced", "./pool", "./service07", "./rates")
		expect(t, out, only(wanted, "service07"))
		out = m.vet(t, 1, "-level=note", "./rates")
		expect(t, out, noted)
		m.vet(t, 0, "-level=error", "-unfenced.level=error", "./rates")
		if out := m.vet(t, 1, "-level=loud", "./rates"); !strings.Contains(out, "want note, warning or error") {
			t.Errorf("an unknown level is answered by %q", out)
		}
	})
	t.Run("json", func(t *testing.T) {
		expect(t, decoded(t, m.dir, m.vet(t, 0, "-json", "./tested", "./native", "./service08")),
			slices.Concat(only(wanted, "native"), only(wanted, "tested")))
	})
	t.Run("fix", func(t *testing.T) {
		before := m.source(t)
		if out := m.vet(t, 1, "-fix", "-diff", "./fixed"); !strings.Contains(out, "+\tdefer mutex.UnlockContext(context.WithoutCancel(ctx))") {
			t.Errorf("-fix -diff shows\n%s", out)
		}
		if m.source(t) != before {
			t.Error("-fix -diff changes files")
		}
		m.vet(t, 0, "-fix", "./fixed", "./service07")
		if m.source(t) == before {
			t.Error("-fix changes nothing")
		}
		expect(t, m.vet(t, 1, "./fixed", "./service07"), only(wanted, "service07"))
	})
}

// fifty adds packages to the module in dir. Every other one has a finding, which
// only the facts of other packages give away.
func fifty(t *testing.T, dir string) {
	for i := range 50 {
		name, method, want := fmt.Sprintf("service%02d", i), "Add", ""
		if i%2 == 1 {
			method, want = "Set", " // want: unfenced"
		}
		source := fmt.Sprintf(`package %s

import (
	"context"

	"github.com/go-redsync/redsync/v4"

	"example.org/fifty/lease"
	"example.org/fifty/table"
)

func Serve(ctx context.Context, locks *redsync.Redsync, rows table.Rows, id string) error {
	return lease.Do(ctx, locks, "%[1]s:"+id, func(ctx context.Context) error {%[3]s
		return rows.%[2]s(ctx, id, %[4]d)
	})
}
`, name, method, want, i)
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "service.go"), []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// A vetted module.
type vetted struct {
	dir, tool string
}

// vet runs go vet, which has to end with the exit code.
func (m *vetted) vet(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + m.tool}, args...)...)
	cmd.Dir = m.dir
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("go vet %s exits with %d, not %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	return string(out)
}

// lines returns, as file:line: check, what comments of a kind tell of the module.
func (m *vetted) lines(t *testing.T, kind string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split(string(source), "\n") {
			if _, check, ok := strings.Cut(text, "// "+kind+": "); ok {
				lines = append(lines, fmt.Sprintf("%s:%d: %s", m.name(t, file), i+1, check))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func (m *vetted) name(t *testing.T, file string) string {
	t.Helper()
	name, err := filepath.Rel(m.dir, file)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

// source returns all files, one after the other.
func (m *vetted) source(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.dir, "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	return all.String()
}

func only(lines []string, folder string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, folder+"/") })
}

var diagnostic = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go:\d+):\d+: .*\[([a-z]+)\]$`)

// expect fails t where go vet prints other findings than are wanted, or one of
// them twice.
func expect(t *testing.T, printed string, want []string) {
	t.Helper()
	var got []string
	for _, m := range diagnostic.FindAllStringSubmatch(printed, -1) {
		got = append(got, m[1]+": "+m[2])
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s\nfrom\n%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"), printed)
	}
}

// decoded reads what go vet -json prints, a JSON object for each package, and
// returns it as go vet would have it without.
func decoded(t *testing.T, dir, printed string) string {
	t.Helper()
	type place struct{ Posn, End, Message string }
	var out strings.Builder
	var text strings.Builder
	for line := range strings.Lines(printed) {
		if !strings.HasPrefix(line, "#") {
			text.WriteString(line)
		}
	}
	d := json.NewDecoder(strings.NewReader(text.String()))
	d.DisallowUnknownFields()
	for d.More() {
		var packages map[string]map[string][]struct {
			place
			Category string
			Related  []place
		}
		if err := d.Decode(&packages); err != nil {
			t.Fatalf("%v in\n%s", err, printed)
		}
		for _, checks := range packages {
			for check, found := range checks {
				for _, f := range found {
					if f.Category != check || len(f.Related) == 0 || f.End == "" || f.End == f.Posn {
						t.Errorf("%s: category %q, from %s to %s, %d related places", check, f.Category, f.Posn, f.End, len(f.Related))
					}
					fmt.Fprintf(&out, "%s: %s\n", strings.TrimPrefix(f.Posn, dir+string(filepath.Separator)), f.Message)
				}
			}
		}
	}
	return out.String()
}

// TestIdentity asks what go vet asks before it uses a tool: its flags, and an
// answer that differs from one build to the next.
func TestIdentity(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	bin := build(t)
	version, err := exec.Command(bin, "-V=full").CombinedOutput()
	if err != nil || !regexp.MustCompile(`^\S*fencevet version devel .* buildID=[0-9a-f]+\n$`).Match(version) {
		t.Errorf("-V=full: %v, %q", err, version)
	}
	flags, err := exec.Command(bin, "-flags").CombinedOutput()
	for _, name := range []string{`"level"`, `"unfenced"`, `"unfenced.level"`, `"longsection"`} {
		if err != nil || !bytes.Contains(flags, []byte(name)) {
			t.Errorf("-flags: %v, no %s", err, name)
		}
	}
}

func build(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "fencevet")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func TestIsVettool(t *testing.T) {
	for args, want := range map[string]bool{
		"":                          false,
		"./...":                     false,
		"inventory ./...":           false,
		"-V=full":                   true,
		"--V=full":                  true,
		"-flags":                    true,
		"flags":                     false,
		"-json /tmp/b001/vet.cfg":   true,
		"-level=note ./flags":       false,
		"-unfenced=false x/vet.cfg": true,
	} {
		if got := isVettool(strings.Fields(args)); got != want {
			t.Errorf("isVettool(%q) = %v", args, got)
		}
	}
}

// BenchmarkStart is what a process costs that has nothing to do: go vet starts one for
// every package of the import graph.
func BenchmarkStart(b *testing.B) {
	bin := build(b)
	for b.Loop() {
		if err := exec.Command(bin, "-V=full").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
