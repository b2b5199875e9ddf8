package identity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/config"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestConfiguration(t *testing.T) {
	t.Setenv(Variable, "")
	t.Setenv("GOWORK", "")
	root := t.TempDir()
	write(t, root, "go.work", "go 1.26\nuse (\n\t./a\n\t./b\n)\n")
	write(t, root, "a/go.mod", "module a\n")
	write(t, root, "a/sub/a.go", "package a\n")
	write(t, root, "b/go.mod", "module b\n")

	last := ""
	changed := func(what string, want bool) {
		t.Helper()
		now, err := Configuration(filepath.Join(root, "a", "sub"))
		if err != nil {
			t.Fatal(err)
		}
		if (now != last) != want {
			t.Errorf("%s: changed: %v", what, now != last)
		}
		last = now
	}
	changed("first", true)
	changed("nothing", false)
	write(t, root, "a/"+config.Name, "level: note\n")
	changed("a file in the root of the module", true)
	write(t, root, "a/"+config.Name, "level: error\n")
	changed("its content", true)
	write(t, root, "a/sub/"+config.Name, "level: note\n")
	changed("a file that does not count under go vet", false)
	write(t, root, "b/"+config.Name, "level: error\n")
	changed("that of another module of the workspace", true)
	write(t, root, "a/"+config.Name, "models: [{file: m.yaml}]\n")
	changed("faults", true)
	write(t, root, "a/m.yaml", "library: x\npackages: {x: x}\ncalls: [{func: x.F, pure: true}]\n")
	changed("a model file", true)
	write(t, root, "a/m.yaml", "library: x\npackages: {x: x}\ncalls: [{func: x.G, pure: true}]\n")
	changed("its content", true)
	t.Setenv("GOWORK", "off")
	changed("no workspace", true)
	write(t, root, "other.yaml", "level: error\n")
	t.Setenv(Variable, filepath.Join(root, "other.yaml"))
	changed("another file", true)
	t.Setenv(Variable, "none")
	changed("none", true)
	t.Setenv(Variable, "other.yaml")
	if _, err := Configuration(root); err == nil || !strings.Contains(err.Error(), "is relative: want an absolute path") {
		t.Errorf("a relative name: %v", err)
	}
}
