package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

const corpus = "../../testdata"

var diagnostic = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: .*\]$`)

// TestVettool holds what go vet prints with this binary against what the command
// prints. It is the same but for lines which say that only the command sees it.
func TestVettool(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command and vets all dependencies of the corpus")
	}
	bin := build(t)
	packages := []string{"./..."}

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
	code := command.Run(t.Context(), packages, strings.NewReader(""), &printed, &stderr, dir)
	if code != 3 {
		t.Fatalf("fencevet exits with %d: %s", code, stderr.String())
	}

	want, got := lines(printed.String()), lines(string(vetted))
	for _, line := range want {
		if slices.Contains(got, line) == linked(t, line) {
			t.Errorf("go vet misses, or is said to miss, %s", line)
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

// linked reports whether the line of a diagnostic says that it takes the whole
// module to see it.
func linked(t *testing.T, diagnostic string) bool {
	t.Helper()
	at := strings.SplitN(diagnostic, ":", 3)
	source, err := os.ReadFile(filepath.Join(corpus, at[0]))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(at[1])
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasSuffix(strings.Split(string(source), "\n")[n-1], "// linked")
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
