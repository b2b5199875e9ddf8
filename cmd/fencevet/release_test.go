package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/zip"
)

// TestReproducible builds the command in two folders: the same source makes the
// same bytes, wherever it lies.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command twice")
	}
	archive := filepath.Join(t.TempDir(), "source.zip")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(f, released, root); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := zip.Unzip(elsewhere, released, archive); err != nil {
		t.Fatal(err)
	}
	var built [][]byte
	for _, dir := range []string{root, elsewhere} {
		bin := filepath.Join(t.TempDir(), "fencevet")
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", bin, "./cmd/fencevet")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(bin)
		if err != nil {
			t.Fatal(err)
		}
		built = append(built, data)
	}
	if !bytes.Equal(built[0], built[1]) {
		t.Error("two builds of the same source differ")
	}
}

// TestInstall installs a release, which knows its version.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	p := newPlace(t, "", "own")
	for _, test := range []struct{ command, want string }{
		{"go install " + released.Path + "/cmd/fencevet@latest", ""},
		{"fencevet version", fmt.Sprintf("fencevet %s %s\n", released.Version, runtime.Version())},
	} {
		cmd := exec.Command("sh", "-c", test.command)
		cmd.Dir, cmd.Env = p.dir, p.env
		out, err := cmd.CombinedOutput()
		if err != nil || test.want != "" && string(out) != test.want {
			t.Errorf("%s: %v\n%s\nwant %s", test.command, err, out, test.want)
		}
	}
	// go vet asks for an identity that differs where the checks do.
	cmd := exec.Command("sh", "-c", "fencevet -V=full")
	cmd.Dir, cmd.Env = p.dir, p.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "buildID=") {
		t.Errorf("-V=full: %v, %s", err, out)
	}
}
