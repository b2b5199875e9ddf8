package analyzers_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/checktest"
	"github.com/fencevet/fencevet/passes/lock"
)

const (
	matrix     = "../testdata/matrix"
	conditions = "../docs/conditions.md"
)

// columns are the ways to guard a write, by the name of the function that does
// so in each package of the matrix.
var columns = []struct{ name, head string }{
	{"TokenFenced", "token"},
	{"OwnerFenced", "owner"},
	{"Version", "version"},
	{"None", "none"},
	{"WrongWay", "wrong way"},
	{"RandomEqual", "random id"},
	{"NotStored", "not stored"},
	{"TwoSteps", "two steps"},
	{"Dropped", "result dropped"},
	{"Unknown", "out of sight"},
}

// TestMatrix reads every resource in every way: each package of the matrix is a
// resource, each function in it a cell, which says what is to be read there. A
// resource without a function for a column says why, and one may have cells beyond
// the columns. The table in docs is made of these; -update rewrites it.
func TestMatrix(t *testing.T) {
	c := checktest.Load(t, matrix, "./...")
	got := make(map[string]string)
	for _, u := range c.Run().Uses {
		if u.Role == lock.RoleUse {
			got[u.Package+"."+u.Acquire.Function] = cell(u)
		}
	}
	var table bytes.Buffer
	var reasons []string
	heads, line := "| resource |", "|---|"
	for _, col := range columns {
		heads, line = heads+" "+col.head+" |", line+"---|"
	}
	fmt.Fprintf(&table, "%s\n%s\n", heads, line)
	for _, pkg := range c.Packages {
		want, missing := labels(pkg.Syntax)
		row := "| " + title(pkg.Syntax) + " |"
		for name, w := range want {
			if g := got[pkg.PkgPath+"."+name]; g != w {
				t.Errorf("%s.%s: %q, want %q", pkg.Name, name, g, w)
			}
		}
		for _, col := range columns {
			switch w, ok := want[col.name]; {
			case ok:
				row += " " + w + " |"
			case missing[col.name] != "":
				reason := missing[col.name]
				i := slices.Index(reasons, reason)
				if i < 0 {
					i, reasons = len(reasons), append(reasons, reason)
				}
				row += fmt.Sprintf(" (%d) |", i+1)
			default:
				t.Errorf("%s: no function %s, and no reason why", pkg.Name, col.name)
			}
		}
		fmt.Fprintln(&table, row)
	}
	fmt.Fprintln(&table)
	for i, r := range reasons {
		fmt.Fprintf(&table, "%d. %s\n", i+1, r)
	}
	doc, err := os.ReadFile(conditions)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- the table is made by go test ./analyzers -run TestMatrix -update -->\n"
	text, old, ok := strings.Cut(string(doc), mark)
	switch {
	case !ok:
		t.Fatalf("%s has no line %s", conditions, mark)
	case old == "\n"+table.String():
	case *update:
		if err := os.WriteFile(conditions, []byte(text+mark+"\n"+table.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not up to date: run this test with -update", conditions)
	}
}

// title names a resource by the comment of its package.
func title(files []*ast.File) string {
	for _, f := range files {
		if f.Doc != nil {
			return strings.TrimSuffix(strings.TrimSpace(f.Doc.Text()), ".")
		}
	}
	return ""
}

// cell says what a use's weakest write is guarded by.
func cell(u *lock.Use) string {
	text := ""
	for _, w := range u.Writes {
		if w.Own || w.After {
			continue
		}
		s := string(w.Condition)
		switch {
		case w.Checked != nil && !*w.Checked && w.Condition.Holds():
			s += ", result dropped"
		case w.Fault != "":
			s += ", weakcondition"
		case w.Compared != "":
			s += ", unorderedtoken"
		}
		if text == "" || w.Condition == lock.None {
			text = s
		}
	}
	if text == "" && len(u.Unseen) > 0 {
		return string(lock.Unknown)
	}
	return text
}

// labels reads the expectations of a package: "cell: token" above a function, "no
// TokenFenced: reason" for one that is missing.
func labels(files []*ast.File) (want, missing map[string]string) {
	want, missing = make(map[string]string), make(map[string]string)
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Doc != nil {
				if w, ok := strings.CutPrefix(strings.TrimSpace(fn.Doc.Text()), "cell: "); ok {
					want[fn.Name.Name] = w
				}
			}
		}
		for _, c := range f.Comments {
			if rest, ok := strings.CutPrefix(strings.TrimSpace(c.Text()), "no "); ok {
				if name, reason, ok := strings.Cut(rest, ": "); ok {
					missing[name] = reason
				}
			}
		}
	}
	return want, missing
}
