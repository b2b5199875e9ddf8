package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/command"
)

// TestTrees puts one program into surroundings in which Go code really stands, and
// some in which only a hostile mind would put it. The lock is found in all of them,
// at its line, and nothing in the tree is touched.
func TestTrees(t *testing.T) {
	for _, test := range []struct {
		name string
		tree func(t *testing.T, dir string) (from string)
		file string // where the lock is reported, if not in orders.go
		env  []string
	}{
		{name: "plain"},
		{name: "vendored", tree: vendored},
		{name: "workspace", tree: workspace, file: "shop/orders.go"},
		{name: "outer workspace does not list it", tree: func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "go.work"), []byte("go 1.26\n"))
			return dir
		}, env: []string{"GOWORK=off"}},
		{name: "below a link", tree: func(t *testing.T, dir string) string {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(dir, link); err != nil {
				t.Skip(err)
			}
			return link
		}},
		{name: "a file is a link", tree: func(t *testing.T, dir string) string {
			elsewhere := filepath.Join(t.TempDir(), "orders.go")
			rename(t, filepath.Join(dir, "orders.go"), elsewhere)
			if err := os.Symlink(elsewhere, filepath.Join(dir, "orders.go")); err != nil {
				t.Skip(err)
			}
			return dir
		}},
		{name: "blanks and signs in the path", tree: func(t *testing.T, dir string) string {
			odd := filepath.Join(t.TempDir(), "a b;$(touch x)%41é")
			rename(t, dir, odd)
			return odd
		}},
		{name: "carriage returns and a byte order mark", tree: edit("orders.go", func(src string) string {
			return "\ufeff" + strings.ReplaceAll(src, "\n", "\r\n")
		})},
		{name: "bytes that are no text beside it", tree: add("other/other.go", "package other\n\nvar s = \"\xff\x00\"\n")},
		{name: "names that look like others", tree: edit("orders.go", func(src string) string {
			return strings.NewReplacer("lock,", "ｌock,", "lock.Release", "ｌock.Release").Replace(src) + "\ntype Ρay struct{ ㅤ, _ｘ int }\n"
		})},
		{name: "another file for another system", tree: add("orders_plan9.go", "package shop\n\nfunc Pay() {}\n")},
		{name: "another package for tools", tree: add("tool.go", "//go:build ignore\n\npackage main\n")},
		{name: "assembly", tree: func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "add.go"), []byte("package shop\n\nfunc add(a, b int) int\n"))
			put(t, filepath.Join(dir, "add.s"), []byte("TEXT ·add(SB), $0-24\n\tRET\n"))
			return dir
		}},
		{name: "cgo", tree: add("c.go", "package shop\n\n// int one() { return 1; }\nimport \"C\"\n\nvar One = int(C.one())\n"), env: []string{"CGO_ENABLED=1"}},
		{name: "line directives", file: "/etc/passwd", tree: edit("orders.go", func(src string) string {
			return strings.Replace(src, "func Pay", "//line /etc/passwd:1\nfunc Pay", 1)
		})},
		{name: "a missing import beside it", tree: add("other/other.go", "package other\n\nimport _ \"example.org/nowhere\"\n")},
		{name: "type errors beside it", tree: add("other/other.go", "package other\n\nfunc F() { undefined.Call(1)()[0].x = nil }\n")},
		{name: "generics that go deep beside it", tree: add("other/other.go", deep(60))},
		{name: "a file cut short beside it", tree: add("other/other.go", "package other\n\nfunc F() { if")},
		{name: "two packages in one folder beside it", tree: func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "other", "a.go"), []byte("package a\n"))
			put(t, filepath.Join(dir, "other", "b.go"), []byte("package b\n"))
			return dir
		}},
		{name: "imports in a circle beside it", tree: func(t *testing.T, dir string) string {
			put(t, filepath.Join(dir, "a", "a.go"), []byte("package a\n\nimport _ \"example.org/shop/b\"\n"))
			put(t, filepath.Join(dir, "b", "b.go"), []byte("package b\n\nimport _ \"example.org/shop/a\"\n"))
			return dir
		}},
		{name: "module mode that would change go.mod", env: []string{"GOFLAGS=-mod=mod"}},
		{name: "module cache that cannot be written", env: []string{"GOMODCACHE=/dev/null/none", "GOFLAGS=-mod=readonly"}},
		{name: "no network", env: []string{"GOPROXY=off", "GONOSUMDB=*"}},
		{name: "nothing may be written", tree: func(t *testing.T, dir string) string {
			chmod(t, dir, 0o555)
			t.Cleanup(func() { chmod(t, dir, 0o755) })
			return dir
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			archive, err := txtar.ParseFile("testdata/trees/shop.txtar")
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, archive)
			if test.tree != nil {
				dir = test.tree(t, dir)
			}
			for _, variable := range test.env {
				name, value, _ := strings.Cut(variable, "=")
				t.Setenv(name, value)
			}
			before := contents(t, dir)
			var stdout, stderr bytes.Buffer
			code := command.Run(context.Background(), []string{"inventory", "-format=json"}, nil, &stdout, &stderr, dir)
			var inv inventory.Inventory
			if err := json.Unmarshal(stdout.Bytes(), &inv); code != 0 || err != nil {
				t.Fatalf("exit %d, %v: %s%s", code, err, stdout.String(), stderr.String())
			}
			file := test.file
			if file == "" {
				file = "orders.go"
			}
			if len(inv.Locks) != 1 || inv.Locks[0].Acquire.File != file || inv.Locks[0].Verdict != "unfenced" {
				t.Errorf("locks: %+v\nincomplete: %+v", inv.Locks, inv.Incomplete)
			}
			stdout.Reset()
			if command.Run(context.Background(), []string{"inventory", "-format=html"}, nil, &stdout, &stderr, dir); strings.Contains(stdout.String(), "nologin") {
				t.Error("the report quotes what is no source")
			}
			if after := contents(t, dir); after != before {
				t.Errorf("the tree was changed: %s\nbefore: %s", after, before)
			}
		})
	}
}

// deep is a package whose types are instantiated so many levels deep.
func deep(levels int) string {
	typ := "int"
	for range levels {
		typ = "Box[" + typ + "]"
	}
	return "package other\n\ntype Box[T any] struct{ of T }\n\nfunc (b Box[T]) Get() T { return b.of }\n\nvar X " + typ + "\n\nfunc F[T any](x T) any { return x }\n\nvar Y = F(X.Get())\n"
}

func add(name, src string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), []byte(src))
		return dir
	}
}

func edit(name string, change func(string) string) func(*testing.T, string) string {
	return func(t *testing.T, dir string) string {
		file := filepath.Join(dir, name)
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		put(t, file, []byte(change(string(src))))
		return dir
	}
}

func vendored(t *testing.T, dir string) string {
	rename(t, filepath.Join(dir, "company", "redislock", "redislock.go"), filepath.Join(dir, "vendor", "github.com", "bsm", "redislock", "redislock.go"))
	if err := os.RemoveAll(filepath.Join(dir, "company")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "go.mod"), []byte("module example.org/shop\n\ngo 1.26\n\nrequire github.com/bsm/redislock v0.9.4\n"))
	put(t, filepath.Join(dir, "vendor", "modules.txt"), []byte("# github.com/bsm/redislock v0.9.4\n## explicit; go 1.26\ngithub.com/bsm/redislock\n"))
	return dir
}

// workspace makes two modules of one, with no replacement between them.
func workspace(t *testing.T, dir string) string {
	rename(t, filepath.Join(dir, "company", "redislock"), filepath.Join(dir, "redislock"))
	rename(t, filepath.Join(dir, "orders.go"), filepath.Join(dir, "shop", "orders.go"))
	put(t, filepath.Join(dir, "shop", "go.mod"), []byte("module example.org/shop\n\ngo 1.26\n\nrequire github.com/bsm/redislock v0.9.4\n"))
	put(t, filepath.Join(dir, "go.work"), []byte("go 1.26\n\nuse (\n\t./redislock\n\t./shop\n)\n\nreplace github.com/bsm/redislock v0.9.4 => ./redislock\n"))
	if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func rename(t *testing.T, from, to string) {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// chmod takes the right to write from a tree, or gives it back. For root it is no
// hindrance: there the comparison of the tree before and after shows a write.
func chmod(t *testing.T, dir string, mode fs.FileMode) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return os.Chmod(name, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// contents is all that a tree holds, as one text.
func contents(t *testing.T, dir string) string {
	var b strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(name + " " + d.Type().String())
		if d.Type().IsRegular() {
			b.WriteString(" " + string(read(t, filepath.Join(dir, name))))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
