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
// the columns. The package tokens has a function for each source of tokens. The
// tables in docs are made of these; -update rewrites them.
func TestMatrix(t *testing.T) {
	c := checktest.Load(t, matrix, "./...")
	uses := make(map[string]*lock.Use)
	for _, u := range c.Run().Uses {
		if u.Role == lock.RoleUse {
			uses[u.Package+"."+u.Acquire.Function] = u
		}
	}
	var table, tokens bytes.Buffer
	var reasons []string
	heads, line := "| resource |", "|---|"
	for _, col := range columns {
		heads, line = heads+" "+col.head+" |", line+"---|"
	}
	fmt.Fprintf(&table, "%s\n%s\n", heads, line)
	for _, pkg := range c.Packages {
		if strings.Count(pkg.PkgPath, "/") > 2 {
			continue // generated, for the programs of a resource
		}
		want, missing := labels(pkg.Syntax)
		for name, w := range want {
			got := ""
			if u := uses[pkg.PkgPath+"."+name]; u != nil {
				got = cell(u)
			}
			if got != w {
				t.Errorf("%s.%s: %q, want %q", pkg.Name, name, got, w)
			}
		}
		if pkg.Name == "tokens" {
			sources(t, &tokens, pkg.Syntax, func(name string) *lock.Use { return uses[pkg.PkgPath+"."+name] })
			continue
		}
		row := "| " + title(pkg.Syntax) + " |"
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
	inDocs(t, "<!-- the table is made by go test ./analyzers -run TestMatrix -update -->\n", table.String())
	inDocs(t, "<!-- so is this one -->\n", tokens.String())
}

// sources writes the table of where tokens come from: each function of a package
// takes a value from another source, and says above it what may be thought of it.
func sources(t *testing.T, table *bytes.Buffer, files []*ast.File, use func(string) *lock.Use) {
	fmt.Fprint(table, "| source | order | reason | may go back where |\n|---|---|---|---|\n")
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil {
				continue
			}
			want := strings.TrimPrefix(strings.TrimSpace(fn.Doc.Text()), "token: ")
			u := use(fn.Name.Name)
			if u == nil {
				t.Errorf("tokens.%s: not found", fn.Name.Name)
				continue
			}
			order, source, reason := "no token of the lock", fn.Name.Name, cell(u)
			if u.Token.Ordered != nil && *u.Token.Ordered {
				order, source, reason = "ordered", u.Token.Source, u.Token.Reason
				if u.Token.Resets != "" {
					order += ", may go back"
				}
			}
			for _, w := range u.Writes {
				if w.Compared != "" {
					order = "none"
					source, reason, _ = strings.Cut(w.Compared, ": ")
				}
			}
			if order != want {
				t.Errorf("tokens.%s: %q, want %q", fn.Name.Name, order, want)
			}
			if row := fmt.Sprintf("| %s | %s | %s | %s |\n", source, order, reason, u.Token.Resets); !strings.Contains(table.String(), row) {
				table.WriteString(row) // the same source through another client is told once
			}
		}
	}
}

// inDocs holds what stands below a mark, up to the next heading, against a table.
func inDocs(t *testing.T, mark, table string) {
	doc, err := os.ReadFile(conditions)
	if err != nil {
		t.Fatal(err)
	}
	text, rest, ok := strings.Cut(string(doc), mark)
	if !ok {
		t.Fatalf("%s has no line %s", conditions, mark)
	}
	old, after, more := strings.Cut(rest, "\n## ")
	if more {
		after = "\n## " + after
	}
	switch {
	case old == "\n"+table:
	case *update:
		if err := os.WriteFile(conditions, []byte(text+mark+"\n"+table+after), 0o666); err != nil {
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
