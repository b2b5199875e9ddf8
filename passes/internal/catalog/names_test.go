package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNames checks every name in the data files against the real libraries of
// the test modules. Names that are not to be found there must be in
// elsewhere.txt, each with what it was checked against: a misspelt name is in
// neither. With -update, lines that are no longer needed are dropped, and with
// FENCEVET_NAMES=DIR those are added which the module at DIR confirms.
func TestNames(t *testing.T) {
	libs := loadAll(t)
	confirmed := map[string]bool{}
	var errs Errors
	for _, dir := range []string{"../../../testdata", "../../../testdata/matrix"} {
		ok, refuted := confirm(t, dir, libs)
		maps.Copy(confirmed, ok)
		errs = append(errs, refuted...)
	}
	// The modules have different versions of some libraries: one will do.
	errs = slices.DeleteFunc(errs, func(e *Error) bool {
		return slices.ContainsFunc(libs, func(lib *Library) bool { return confirmed[lib.Library+"\t"+e.Name] })
	})
	listed := readElsewhere(t)
	if dir := os.Getenv("FENCEVET_NAMES"); *update && dir != "" {
		there, _ := confirm(t, dir, libs)
		for name := range there {
			if listed[name] == "" {
				listed[name] = "the library itself"
			}
		}
	}
	wanted := map[string]bool{}
	for _, lib := range libs {
		for _, c := range lib.Calls {
			for _, name := range c.names() {
				id := lib.Library + "\t" + name
				wanted[id] = true
				if !confirmed[id] && listed[id] == "" && !slices.ContainsFunc(errs, func(e *Error) bool { return e.Name == name }) {
					t.Errorf("%s: %s: %s is checked against nothing: require the library in testdata/go.mod or testdata/matrix/go.mod, or list the name in %s", c.Pos, lib.Library, name, elsewhere)
				}
			}
		}
	}
	for _, e := range errs {
		if !slices.ContainsFunc(libs, func(lib *Library) bool { return listed[lib.Library+"\t"+e.Name] != "" }) {
			t.Errorf("%v", e)
		}
	}
	for id := range listed {
		if !wanted[id] || confirmed[id] {
			if *update {
				delete(listed, id)
			} else {
				t.Errorf("%s: the line %q is not needed (any more): run this test with -update", elsewhere, id)
			}
		}
	}
	if *update {
		writeElsewhere(t, listed)
	}
}

// confirm returns the names, as "library<tab>name", that the module at dir
// confirms, and what it refutes.
func confirm(t *testing.T, dir string, libs []*Library) (map[string]bool, Errors) {
	t.Helper()
	lookup := imports(t, dir, libs)
	ok := map[string]bool{}
	var errs Errors
	for _, lib := range libs {
		unseen, err := lib.Verify(lookup)
		var refuted Errors
		errors.As(err, &refuted)
		errs = append(errs, refuted...)
		for _, c := range lib.Calls {
			for _, name := range c.names() {
				if !slices.Contains(unseen, name) && !slices.ContainsFunc(refuted, func(e *Error) bool { return e.Name == name }) {
					ok[lib.Library+"\t"+name] = true
				}
			}
		}
	}
	return ok, errs
}

// generatedIn tells where the test modules have packages that are generated, by the
// type by which the catalogue knows them.
var generatedIn = map[string]string{"type entgo.io/ent.Mutation": "example.org/matrix/ent/store"}

const elsewhere = "testdata/elsewhere.txt"

const elsewhereHead = "# Names that the go.mod files of the test modules cannot confirm: library, name, what it was checked against.\n"

func readElsewhere(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			t.Fatalf("%s: want library, name and reason, separated by tabs: %q", elsewhere, line)
		}
		m[f[0]+"\t"+f[1]] = f[2]
	}
	return m
}

func writeElsewhere(t *testing.T, m map[string]string) {
	t.Helper()
	b := bytes.NewBufferString(elsewhereHead)
	for _, k := range sortedKeys(m) {
		fmt.Fprintf(b, "%s\t%s\n", k, m[k])
	}
	if err := os.WriteFile(elsewhere, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// imports returns a lookup of the catalogued packages that build in dir.
func imports(t *testing.T, dir string, libs []*Library) func(string) *types.Package {
	t.Helper()
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, path := range generatedIn {
		if name, ok := strings.CutPrefix(path, "example.org/"+filepath.Base(dir)); ok {
			args = append(args, "."+name)
		}
	}
	out := goCommand(t, dir, append(args, required(t, dir, sortedKeys(pathsOf(libs)))...)...)
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if file != "" {
			files[path] = file
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(files[path])
	})
	return func(path string) *types.Package {
		if Generated(path) {
			path = generatedIn[path]
		}
		if files[path] == "" {
			return nil
		}
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return pkg
	}
}

// required returns the paths of the standard library and of modules that the
// module at dir requires. About others the go command would have to ask around.
func required(t *testing.T, dir string, paths []string) []string {
	t.Helper()
	var mod struct{ Require []struct{ Path string } }
	if err := json.Unmarshal(goCommand(t, dir, "mod", "edit", "-json"), &mod); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") {
			return false
		}
		for _, m := range mod.Require {
			if p == m.Path || strings.HasPrefix(p, m.Path+"/") {
				return false
			}
		}
		return true
	})
}

func goCommand(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", args[0], err, stderr.Bytes())
	}
	return out
}
