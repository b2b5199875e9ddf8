package catalog

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestNames checks every name in the data files against the real libraries of
// the test module. Names of libraries that the module does not require must be
// in elsewhere.txt, which says against what they were checked by hand of the
// same test: FENCEVET_NAMES=DIR runs it in the module at DIR and, with -update,
// adds what it found there to the list.
func TestNames(t *testing.T) {
	dir := "../../../testdata"
	if d := os.Getenv("FENCEVET_NAMES"); d != "" {
		dir = d
	}
	libs := loadAll(t)
	lookup := imports(t, dir, libs)
	listed := readElsewhere(t)
	here := map[string]string{}
	used := map[string]bool{}
	for _, lib := range libs {
		unseen, err := lib.Verify(lookup)
		if err != nil {
			t.Errorf("%v", err)
		}
		gone := map[string]bool{}
		for _, name := range unseen {
			gone[name] = true
			key := lib.Library + "\t" + name
			used[key] = true
			if _, ok := listed[key]; !ok {
				t.Errorf("%s: %s is checked against nothing: require the library in testdata/go.mod, or list the name in elsewhere.txt", lib.Library, name)
			}
		}
		for _, c := range lib.Calls {
			for _, name := range slices.Concat(c.Func, c.Field, nonEmpty(c.Param)) {
				if !gone[name] {
					here[lib.Library+"\t"+name] = "checked"
				}
			}
		}
	}
	if *update && os.Getenv("FENCEVET_NAMES") != "" {
		for key, why := range here {
			listed[key] = why
		}
		writeElsewhere(t, listed)
		return
	}
	_ = used
}

const elsewhere = "testdata/elsewhere.txt"

func readElsewhere(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(elsewhere)
	if err != nil && !os.IsNotExist(err) {
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
			t.Fatalf("%s: want library, name, reason, tab-separated: %q", elsewhere, line)
		}
		m[f[0]+"\t"+f[1]] = f[2]
	}
	return m
}

func writeElsewhere(t *testing.T, m map[string]string) {
	t.Helper()
	var b bytes.Buffer
	for _, k := range sortedKeys(m) {
		fmt.Fprintf(&b, "%s\t%s\n", k, m[k])
	}
	if err := os.WriteFile(elsewhere, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// imports returns a lookup of the catalogued packages that build in dir.
func imports(t *testing.T, dir string, libs []*Library) func(string) *types.Package {
	t.Helper()
	args := []string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	cmd := exec.Command("go", append(args, sortedKeys(pathsOf(libs))...)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
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
