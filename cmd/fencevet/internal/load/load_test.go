package load_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/passes/uses"
)

// module writes the files of an archive into a new directory.
func module(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const shop = `
-- go.mod --
module example.org/shop

go 1.26
-- shop.go --
package shop

import (
	"net/http"

	"example.org/shop/internal/lock"
)

var Client http.Client

func Sell() { lock.With() }
-- internal/lock/lock.go --
package lock

func With() {}
-- internal/lock/lock_test.go --
package lock
-- other/other.go --
package other
-- docs/read.me --
No Go here.
`

func paths(p *load.Program) []string {
	var all []string
	for _, pkg := range p.Packages {
		all = append(all, pkg.Types.Path())
	}
	return all
}

func TestOnlyOwnSource(t *testing.T) {
	dir := module(t, shop)
	var (
		mu     sync.Mutex
		parsed []string
	)
	p, err := load.Load(t.Context(), load.Config{Dir: dir, ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		parsed = append(parsed, filepath.ToSlash(rel))
		return parser.ParseFile(fset, name, src, 0)
	}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(parsed)
	if want := []string{"internal/lock/lock.go", "other/other.go", "shop.go"}; !reflect.DeepEqual(parsed, want) {
		t.Errorf("read from source: %q, want %q", parsed, want)
	}
	if want := []string{"example.org/shop", "example.org/shop/internal/lock", "example.org/shop/other"}; !reflect.DeepEqual(paths(p), want) {
		t.Errorf("packages: %q, want %q", paths(p), want)
	}
	if p.Root != dir || !reflect.DeepEqual(p.Modules, []string{"example.org/shop"}) || len(p.Incomplete) > 0 {
		t.Errorf("root %s, modules %q, incomplete %v", p.Root, p.Modules, p.Incomplete)
	}
}

// TestDependencies: of required modules those packages are read from source that
// wrap locks, what imports them, and what is asked for.
func TestDependencies(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.org/shop

go 1.26

require (
	example.org/company v0.0.0
	github.com/bsm/redislock v0.9.4
)

replace (
	example.org/company => ./company
	github.com/bsm/redislock => ./redislock
)
-- shop.go --
package shop

import (
	"example.org/company/jobs"
	"example.org/company/names"
)

func Sell() { jobs.Run(names.Of("x")) }
-- company/go.mod --
module example.org/company

go 1.26

require github.com/bsm/redislock v0.9.4
-- company/once/once.go --
package once

import "github.com/bsm/redislock"

func Do(c *redislock.Client) { c.Obtain() }
-- company/jobs/jobs.go --
package jobs

import "example.org/company/once"

func Run(string) { once.Do(nil) }
-- company/names/names.go --
package names

func Of(s string) string { return s }
-- redislock/go.mod --
module github.com/bsm/redislock

go 1.26
-- redislock/redislock.go --
package redislock

type Client struct{}

func (*Client) Obtain() {}
`)
	for _, test := range []struct {
		also []string
		want string
	}{
		{nil, "example.org/company/jobs example.org/company/once example.org/shop"},
		{[]string{"example.org/company/..."}, "example.org/company/jobs example.org/company/names example.org/company/once example.org/shop"},
		{[]string{"example.org/company/n...s"}, "example.org/company/jobs example.org/company/names example.org/company/once example.org/shop"},
	} {
		p, err := load.Load(t.Context(), load.Config{Dir: dir, Also: test.also})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(paths(p), " "); got != test.want {
			t.Errorf("also %q: %s, want %s", test.also, got, test.want)
		}
		if !p.Matches("example.org/shop") || p.Matches("example.org/company/once") || !reflect.DeepEqual(p.Modules, []string{"example.org/shop"}) {
			t.Errorf("modules %q: what is imported is not what was asked for", p.Modules)
		}
	}
	if _, err := load.Load(t.Context(), load.Config{Dir: dir, Also: []string{"example.org/other"}}); !errors.Is(err, load.ErrNoPackages) {
		t.Errorf("got %v, want that nothing matches", err)
	}
}

func TestNarrowPattern(t *testing.T) {
	p, err := load.Load(t.Context(), load.Config{Dir: module(t, shop), Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.org/shop", "example.org/shop/internal/lock"}; !reflect.DeepEqual(paths(p), want) {
		t.Errorf("packages: %q, want %q: what is imported from the module is seen through", paths(p), want)
	}
	if !p.Matches("example.org/shop") || p.Matches("example.org/shop/internal/lock") {
		t.Error("imported packages are not what was asked for")
	}
}

func TestTests(t *testing.T) {
	p, err := load.Load(t.Context(), load.Config{Dir: module(t, shop), Tests: true, Patterns: []string{"./internal/..."}})
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, pkg := range p.Packages {
		files = max(files, len(pkg.Files))
	}
	if files != 2 {
		t.Errorf("%d files in the largest package, want lock.go and lock_test.go", files)
	}
}

func TestBroken(t *testing.T) {
	dir := module(t, shop+`
-- bad/bad.go --
package bad

type T struct{ F Missing }

func F() T { return T{} }

func G() int { return 1 }
-- user/user.go --
package user

import "example.org/shop/bad"

var X = bad.F().F
-- bystander/bystander.go --
package bystander

import "example.org/shop/bad"

var Y = bad.G()
-- syntax/syntax.go --
package syntax

func (
-- missing/missing.go --
package missing

import _ "example.org/nowhere"
`)
	p, err := load.Load(t.Context(), load.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range p.Incomplete {
		got = append(got, i.Package+": "+i.Reason)
	}
	for i, want := range []string{
		"example.org/shop/bad: bad/bad.go:3:18: undefined: Missing",
		"example.org/shop/missing: missing/missing.go:3:10: no required module provides package example.org/nowhere",
		"example.org/shop/syntax: syntax/syntax.go:",
		"example.org/shop/user: uses a type of a package that does not type-check",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("incomplete: %q, want %q", got, want)
		}
	}
	if len(got) != 4 {
		t.Errorf("incomplete: %q", got)
	}
	if !slices.Contains(paths(p), "example.org/shop/bystander") {
		t.Errorf("packages %q: one that does not need what is broken is analysed", paths(p))
	}
}

func TestNoPackages(t *testing.T) {
	_, err := load.Load(t.Context(), load.Config{Dir: module(t, shop), Patterns: []string{"./docs/..."}})
	if !errors.Is(err, load.ErrNoPackages) {
		t.Errorf("got %v, want ErrNoPackages", err)
	}
	_, err = load.Load(t.Context(), load.Config{Dir: filepath.Join(t.TempDir(), "missing")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that the directory does not exist", err)
	}
}

func TestWorkspaceRoot(t *testing.T) {
	dir := module(t, `
-- go.work --
go 1.26

use ./a
use ./b
-- a/go.mod --
module example.org/a

go 1.26
-- a/a.go --
package a
-- b/go.mod --
module example.org/b

go 1.26
-- b/b.go --
package b

import _ "example.org/a"
`)
	p, err := load.Load(t.Context(), load.Config{Dir: filepath.Join(dir, "b")})
	if err != nil {
		t.Fatal(err)
	}
	if p.Root != dir {
		t.Errorf("root %s, want that of the workspace %s", p.Root, dir)
	}
	t.Setenv("GOWORK", "off")
	if _, err := load.Load(t.Context(), load.Config{Dir: filepath.Join(dir, "a")}); err != nil {
		t.Fatal(err)
	}
	p, err = load.Load(t.Context(), load.Config{Dir: filepath.Join(dir, "a")})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "a"); p.Root != want {
		t.Errorf("root %s without workspace, want %s", p.Root, want)
	}
}

func TestExists(t *testing.T) {
	dir := module(t, shop+"-- mac/mac.go --\n//go:build darwin && !cgo && ignore\n\npackage mac\n")
	program, err := load.Load(t.Context(), load.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"example.org/shop":               true,
		"example.org/shop/internal/lock": true,
		"example.org/shop/mac":           true, // for another platform
		"example.org/shop/internal":      false,
		"example.org/shop/gone":          false,
		"example.org/shopping":           false,
		"fmt":                            false,
	} {
		if got := program.Exists(path); got != want {
			t.Errorf("Exists(%q) = %v", path, got)
		}
	}
	if program.Matches("example.org/shop/mac") {
		t.Error("a package for another platform matches")
	}
}

// TestRoot holds the root that is known before loading against that of what is
// loaded.
func TestRoot(t *testing.T) {
	dir := module(t, shop)
	workspace := module(t, "-- go.work --\ngo 1.26\n\nuse ./a\n-- a/go.mod --\nmodule example.org/a\n\ngo 1.26\n-- a/a.go --\npackage a\n")
	for at, want := range map[string]string{
		dir:                                    dir,
		filepath.Join(dir, "internal", "lock"): dir,
		filepath.Join(workspace, "a"):          workspace,
	} {
		program, err := load.Load(t.Context(), load.Config{Dir: at})
		if err != nil {
			t.Fatal(err)
		}
		if got := load.Root(at); got != want || program.Root != want {
			t.Errorf("in %s: %s before, %s after loading, want %s", at, got, program.Root, want)
		}
	}
}

// TestExportsRemembered changes a file and loads again with an empty build cache:
// nothing is built where export data is known to be.
func TestExportsRemembered(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.org/m

go 1.26
-- m.go --
package m

import "errors"

var Err = errors.New("no")
`)
	kept, err := cache.Named(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := load.Config{Dir: dir, Cache: kept}
	if _, err := load.Load(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte("package m\n\nimport \"errors\"\n\nvar Other = errors.New(\"other\")\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	t.Setenv("GOCACHE", empty)
	p, err := load.Load(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Packages) != 1 || p.Packages[0].Types.Scope().Lookup("Other") == nil {
		t.Errorf("packages %q, incomplete %v", paths(p), p.Incomplete)
	}
	if n := archives(t, empty); n > 0 {
		t.Errorf("the go command builds %d packages", n)
	}
}

// archives counts the compiled packages in a build cache.
func archives(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	files, err := filepath.Glob(filepath.Join(dir, "*", "*-d"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && bytes.HasPrefix(data, []byte("!<arch>")) {
			n++
		}
	}
	return n
}

// TestKeyOfEmbedded: a script in a file of its own is part of the program, a large
// file that is served to others is not.
func TestKeyOfEmbedded(t *testing.T) {
	dir := module(t, `
-- go.mod --
module example.org/scripts

go 1.26
-- scripts.go --
package scripts

import _ "embed"

//go:embed take.lua
var take string

//go:embed film.txt
var film string
-- take.lua --
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 15000)
-- film.txt --
`)
	key := func() [32]byte {
		t.Helper()
		p, err := load.List(t.Context(), load.Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		k, err := p.Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("a", uses.MaxEmbedded+1)
	write("film.txt", long)
	before := key()
	if write("film.txt", "b"+long); key() != before {
		t.Error("the key goes by a file that is not read")
	}
	if write("take.lua", "return redis.call('SET', KEYS[1], ARGV[1])"); key() == before {
		t.Error("the key does not tell a changed script")
	}
}
