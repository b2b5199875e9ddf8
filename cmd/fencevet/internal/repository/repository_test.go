package repository

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestRoot(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "services", "shop")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := Root(dir); got != dir {
		t.Errorf("without a repository: %s", got)
	}
	for _, kind := range []string{"directory", "file"} { // a clone, a worktree
		git := filepath.Join(root, ".git")
		os.Remove(git)
		var err error
		if kind == "directory" {
			err = os.Mkdir(git, 0o777)
		} else {
			err = os.WriteFile(git, nil, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := Root(dir); got != root {
			t.Errorf(".git is a %s: %s", kind, got)
		}
		if got := Root(root); got != root {
			t.Errorf(".git is a %s, from the root: %s", kind, got)
		}
	}
}

const file = `# comment
*           @all
/stock/     @shop/stock stock@example.org
*.sql       @dba  # trailing
docs/**/x.go
bad owner !?
/lib        @group/sub/team

^[Payments][2] @money
billing/
[Open]
/open/
`

func TestOwners(t *testing.T) {
	root := t.TempDir()
	if o, warnings := FindOwners(root); o.Of("a.go") != nil || warnings != nil {
		t.Errorf("without a file: %v, %v", o.Of("a.go"), warnings)
	}
	if err := os.MkdirAll(filepath.Join(root, ".github"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "CODEOWNERS"), []byte("* @second"), 0o666); err != nil {
		t.Fatal(err)
	}
	if o, _ := FindOwners(root); !reflect.DeepEqual(o.Of("a.go"), []string{"@second"}) {
		t.Errorf("in the root: %v", o.Of("a.go"))
	}
	if err := os.WriteFile(filepath.Join(root, ".github", "CODEOWNERS"), []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	o, warnings := FindOwners(root)
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], ".github/CODEOWNERS:6: ") {
		t.Errorf("warnings: %q", warnings)
	}
	for name, want := range map[string][]string{
		"main.go":            {"@all"},
		"stock/a/b.go":       {"@shop/stock", "stock@example.org"},
		"x/stock/b.go":       {"@all"},
		"stock/a.sql":        {"@dba"},
		"docs/a/b/x.go":      nil,
		"lib/x.go":           {"@group/sub/team"},
		"a/billing/store.go": {"@money"},
		"open/x.go":          nil,
	} {
		if got := o.Of(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func FuzzOwners(f *testing.F) {
	f.Add([]byte(file), "stock/a.go")
	f.Add([]byte("[a"), "a")
	f.Add([]byte("[a][b] x\n/[a-z]?\\ **/ @x"), "")
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		o, warnings := parse(text)
		for _, owner := range o.Of(name) {
			if owner == "" || strings.ContainsAny(owner, " \n") {
				t.Errorf("owner %q", owner)
			}
		}
		if len(warnings) > strings.Count(string(text), "\n")+1 {
			t.Errorf("%d warnings", len(warnings))
		}
	})
}
