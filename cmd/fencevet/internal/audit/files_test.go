package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

const twoLocks = "package p\n\nfunc f() {\n\tlock()\n}\n\nfunc g() {\n\tlock()\n}\n"

func locks(lines ...int) []inventory.Lock {
	var all []inventory.Lock
	for _, n := range lines {
		all = append(all, inventory.Lock{ID: string(rune('a' + len(all))), Acquire: inventory.Acquire{File: "p/p.go", Line: n, Column: 2}})
	}
	return all
}

func module(t *testing.T, src string) (root, file string) {
	t.Helper()
	root = t.TempDir()
	file = filepath.Join(root, "p", "p.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(src), 0o640); err != nil {
		t.Fatal(err)
	}
	return root, file
}

func contents(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTwoInOneFile writes to a file whose lines have moved by the first edit.
func TestTwoInOneFile(t *testing.T) {
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		root, file := module(t, twoLocks)
		all := locks(4, 8)
		files := OpenFiles(root, all)
		for _, i := range order {
			e, err := files.Propose(&all[i], accepted)
			if err != nil {
				t.Fatal(err)
			}
			if diff := e.Diff("p.go"); strings.Count(diff, "\n+\t//fencevet") != 1 || strings.Contains(diff, "\n-\t") {
				t.Errorf("diff %s", diff)
			}
			if err := files.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if first, second := files.Line("p/p.go", 4), files.Line("p/p.go", 8); first != 5 || second != 10 {
			t.Errorf("order %v: the locks are said to be at lines %d and %d", order, first, second)
		}
		want := strings.ReplaceAll(twoLocks, "\tlock()", "\t"+accepted.String()+"\n\tlock()")
		if got := contents(t, file); got != want {
			t.Errorf("order %v: got\n%s", order, got)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

func TestChangedMeanwhile(t *testing.T) {
	root, file := module(t, twoLocks)
	all := locks(4, 8)
	files := OpenFiles(root, all)
	early, err := files.Propose(&all[0], accepted)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(twoLocks, "package p\n", "package p\n\n// An edit of somebody else.\n", 1)
	if err := os.WriteFile(file, []byte(edited), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(early); err == nil || !strings.Contains(err.Error(), "p/p.go has changed since it was analysed: nothing is written") {
		t.Errorf("got %v", err)
	}
	if got := contents(t, file); got != edited {
		t.Errorf("got\n%s", got)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := files.Write(early); err == nil {
		t.Error("wrote a file that is gone")
	}
}

func TestForeignFiles(t *testing.T) {
	root, _ := module(t, twoLocks)
	_, elsewhere := module(t, twoLocks)
	if err := os.Symlink(elsewhere, filepath.Join(root, "link.go")); err != nil {
		t.Skip(err)
	}
	all := locks(4, 4, 4, 4)
	all[3].Acquire.File = "link.go"
	all[0].Acquire.File = "/etc/passwd"
	all[1].Acquire.File = "../p.go"
	all[2].Acquire.File = "p/missing.go"
	files := OpenFiles(root, all)
	for i := range all {
		if _, err := files.Propose(&all[i], accepted); err == nil {
			t.Errorf("%s can be changed", all[i].Acquire.File)
		}
	}
}
