package self

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestID builds a program in several ways and looks for the name that the go
// command itself finds in it.
func TestID(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	build := func(text string, env string, flags ...string) []byte {
		t.Helper()
		if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "program")
		cmd := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), source)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", env)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		want, err := exec.Command("go", "tool", "buildid", out).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got := linked(data[:min(head, len(data))]); got != strings.TrimSpace(string(want)) && len(flags) == 0 {
			t.Errorf("%s: found %q, the go command %q", env, got, want)
		}
		return data
	}
	const one, other = "package main\nfunc main() { println(1) }\n", "package main\nfunc main() { println(2) }\n"
	seen := make(map[string]string)
	for _, p := range []struct {
		what string
		data []byte
	}{
		{"a program", build(one, "GOOS=linux")},
		{"another one", build(other, "GOOS=linux")},
		{"for Windows", build(one, "GOOS=windows")},
		{"without a name", build(one, "GOOS=linux", "-ldflags=-buildid=")},
		{"another without a name", build(other, "GOOS=linux", "-ldflags=-buildid=")},
		{"with a name of somebody's own", build(one, "GOOS=linux", "-ldflags=-buildid=mine")},
		{"another with that name", build(other, "GOOS=linux", "-ldflags=-buildid=mine")},
	} {
		id, err := identify(bytes.NewReader(p.data))
		if err != nil || id == "" {
			t.Errorf("%s: %q, %v", p.what, id, err)
		}
		if before := seen[id]; before != "" {
			t.Errorf("%s is taken for %s", p.what, before)
		}
		seen[id] = p.what
	}
}

func FuzzLinked(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00Go\x00\x00abcd"))
	f.Add([]byte("Go\x00\x00"))
	f.Add([]byte("\x04\x00\x00\x00\xff\xff\xff\xff\x04\x00\x00\x00Go\x00\x00"))
	f.Add([]byte("\xff Go build ID: \"aaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbb\""))
	f.Fuzz(func(t *testing.T, start []byte) { linked(start) })
}
