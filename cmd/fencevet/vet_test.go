package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

const corpus = "../../testdata"

var diagnostic = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*\]$`)

// TestVettool holds what go vet prints with this binary against what the command
// prints, over packages of which either sees as much as the other: those that
// import none of their own module.
func TestVettool(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and vets all dependencies of the corpus")
	}
	bin := build(t)
	packages := alone(t)

	vet := exec.Command("go", append([]string{"vet", "-vettool=" + bin}, packages...)...)
	vet.Dir = corpus
	vetted, err := vet.CombinedOutput()
	if _, found := err.(*exec.ExitError); err != nil && !found {
		t.Fatal(err)
	}

	var printed, stderr bytes.Buffer
	dir, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	code := command.Run(t.Context(), packages, &printed, &stderr, dir)
	if code != 3 {
		t.Fatalf("fencevet exits with %d: %s", code, stderr.String())
	}

	want, got := lines(printed.String()), lines(string(vetted))
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("go vet misses %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("go vet alone prints %s", line)
		}
	}
	if t.Failed() && len(got) == 0 {
		t.Logf("go vet: %v\n%s", err, vetted)
	}
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

func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "fencevet")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// alone lists the packages of the corpus that import no other of it.
func alone(t *testing.T) []string {
	t.Helper()
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./sequence/...", "./checks/...")
	list.Dir = corpus
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for line := range strings.Lines(string(out)) {
		path, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		module, _, _ := strings.Cut(path, "/sequence/")
		module, _, _ = strings.Cut(module, "/checks/")
		if !strings.Contains(imports, module+"/") {
			packages = append(packages, path)
		}
	}
	if len(packages) == 0 {
		t.Fatal("no package stands alone")
	}
	return packages
}

func lines(text string) []string {
	all := diagnostic.FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
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
