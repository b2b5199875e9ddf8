package catalog

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

const library = `library: locks
packages:
  p: [example.org/p, example.org/old]
  opt: [example.org/opt]
locks: true
calls:
  - {func: p.F, when: {at: arg 0, is: a}, pure: true}
  - {func: (*p.T).M, same: arg 0}
  - {func: (p.I).M, same: arg 0}
  - {func: (p.*).W, same: arg 0}
  - {func: (*p.T).W, pure: true}
  - {func: p.F, same: arg 0}
  - {func: p.F, when: {at: arg 0, is: b}, ends: true}
  - {func: (p.G).M, same: arg 0}
  - {field: p.T.Rev, token: {of: receiver, ordered: true, reason: r}}
  - {param: opt.Option, write: {store: rpc, resource: arg 1}}
commands:
  - {name: SET, write: {store: redis}}
  - {name: SET, with: [NX], acquire: {kind: lease, key: word 1}}
  - {name: SET, with: [NX, PX], acquire: {kind: lease, key: word 1, ttl: word PX}}
sql:
  - {name: get_lock, acquire: {kind: advisory, key: arg 0}}
`

const program = `package p

type T struct{ Rev int }
func (*T) M(string) {}
func (T) W(string) {}
type I interface { M(string) }
type J interface { I }
type g[X any] struct{}
type G[X any] struct{ g[X] }
func (*G[X]) M(X) {}
type u struct{}
func (u) W(string) {}
type U struct{ u }
type V struct{}
func (V) W() {} // unrelated: no argument
func F(string) string { return "" }
func Unknown() {}
`

func load(t *testing.T, name, text string) *Library {
	t.Helper()
	lib, err := Load(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func compileGo(t *testing.T, path, src string, imp types.Importer) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: imp}).Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// method finds pkg.Type.Name or pkg.Name as a call would name it.
func method(t *testing.T, pkg *types.Package, name string) *types.Func {
	t.Helper()
	typ, m, ok := strings.Cut(name, ".")
	if !ok {
		return pkg.Scope().Lookup(name).(*types.Func)
	}
	obj, _, _ := types.LookupFieldOrMethod(pkg.Scope().Lookup(typ).Type(), true, pkg, m)
	fn, ok := obj.(*types.Func)
	if !ok {
		t.Fatalf("no %s", name)
	}
	return fn
}

func TestCalls(t *testing.T) {
	c, err := new(Catalog).With(load(t, "f.yaml", library))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"example.org/p", "example.org/old", "example.org/me/vendor/example.org/p"} {
		pkg := compileGo(t, path, program, nil)
		for name, want := range map[string]string{
			"F":       "f.yaml:7:5 f.yaml:13:5 f.yaml:12:5", // conditions first
			"T.M":     "f.yaml:8:5",
			"T.W":     "f.yaml:11:5", // the exact receiver wins over the wildcard
			"J.M":     "f.yaml:9:5",  // embedded interface
			"G.M":     "f.yaml:14:5", // generic
			"U.W":     "f.yaml:10:5", // promoted
			"V.W":     "",            // does not fit
			"Unknown": "",
		} {
			var got []string
			for _, call := range c.Calls(method(t, pkg, name)) {
				got = append(got, call.Pos)
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s in %s: got %v, want %s", name, path, got, want)
			}
		}
		owner := pkg.Scope().Lookup("T").(*types.TypeName)
		if got := c.Fields(owner, "Rev"); len(got) != 1 || c.Fields(owner, "Other") != nil {
			t.Errorf("fields in %s: %v", path, got)
		}
	}
	other := compileGo(t, "example.org/other", program, nil)
	if got := c.Calls(method(t, other, "T.M")); got != nil {
		t.Errorf("a package that is not catalogued has %v", got)
	}
	if got := c.Calls(types.Universe.Lookup("error").Type().Underlying().(*types.Interface).Method(0)); got != nil {
		t.Errorf("error.Error has %v", got)
	}
}

type packages map[string]*types.Package

func (p packages) Import(path string) (*types.Package, error) { return p[path], nil }

func TestCallsByParameter(t *testing.T) {
	c, err := new(Catalog).With(load(t, "f.yaml", library))
	if err != nil {
		t.Fatal(err)
	}
	opt := compileGo(t, "example.org/opt", "package opt\ntype Option interface{ f() }", nil)
	pkg := compileGo(t, "example.org/generated", `package generated
import "example.org/opt"
type Client interface { Send(ctx, request any, opts ...opt.Option) error }
func One(ctx, request any, o *opt.Option) {}
func None(ctx, request any) {}
func Short(o opt.Option) {}
`, packages{"example.org/opt": opt})
	for name, want := range map[string]int{"Client.Send": 1, "One": 1, "None": 0, "Short": 0} {
		if got := c.Calls(method(t, pkg, name)); len(got) != want {
			t.Errorf("%s has %d entries, want %d", name, len(got), want)
		}
	}
}

// TestCallsOfHandles: a program's interface has the methods of a database handle.
func TestCallsOfHandles(t *testing.T) {
	c, err := new(Catalog).With(load(t, "f.yaml", `library: handles
packages:
  db: [example.org/db]
  res: [example.org/res]
handles: {pool: db.Pool}
calls:
  - {func: (*db.Pool).Exec, write: {store: sql, sql: arg 0}}
  - {func: (*db.Rows).Exec, pure: true}
`))
	if err != nil {
		t.Fatal(err)
	}
	res := compileGo(t, "example.org/res", "package res\ntype Tag struct{}", nil)
	pkg := compileGo(t, "example.org/app", `package app
import "example.org/res"
type DBTX interface {
	Exec(text string) (res.Tag, error)
	Other(text string) (res.Tag, error)
}
type Shell interface { Exec(text string) (string, error) }
type T struct{}
func (T) Exec(text string) (res.Tag, error) { return res.Tag{}, nil }
type None interface { Exec() res.Tag }
`, packages{"example.org/res": res})
	for name, want := range map[string]int{"DBTX.Exec": 1, "DBTX.Other": 0, "Shell.Exec": 0, "T.Exec": 0, "None.Exec": 0} {
		if got := c.Calls(method(t, pkg, name)); len(got) != want {
			t.Errorf("%s has %d entries, want %d", name, len(got), want)
		}
	}
}

// TestCallsByResult: a program's own interface of a client's methods.
func TestCallsByResult(t *testing.T) {
	c, err := new(Catalog).With(load(t, "f.yaml", `library: x
family: x
packages:
  p: [example.org/p]
calls:
  - {func: (*p.Client).Get, same: arg 0}
  - {func: (*p.Other).Put, same: arg 0}
`))
	if err != nil {
		t.Fatal(err)
	}
	lib := compileGo(t, "example.org/p", `package p
type Answer struct{}
type Client struct{}
func (*Client) Get(key string) *Answer { return nil }
type Other struct{}
func (*Other) Put(key string) *Answer { return nil }
`, nil)
	pkg := compileGo(t, "example.org/mine", `package mine
import "example.org/p"
type Getter interface {
	Get(key string) *p.Answer
	Put(key string) *p.Answer
	Set(key string) *p.Answer
}
type Store interface { Get(key string) string }
type Wrapped struct{}
func (Wrapped) Get(key string) *p.Answer { return nil }
`, packages{"example.org/p": lib})
	for name, want := range map[string]int{
		"Getter.Get":  1,
		"Getter.Put":  0, // not of what is named like a client
		"Getter.Set":  0,
		"Store.Get":   0, // answers something else
		"Wrapped.Get": 0, // has a body
	} {
		if got := c.Calls(method(t, pkg, name)); len(got) != want {
			t.Errorf("%s has %d entries, want %d", name, len(got), want)
		}
	}
}

func TestWith(t *testing.T) {
	base, err := new(Catalog).With(load(t, "f.yaml", library))
	if err != nil {
		t.Fatal(err)
	}
	mine := load(t, "mine.yaml", "library: mine\npackages: {q: example.org/p}\ncalls:\n  - {func: q.F, pure: true}\n")
	c, err := base.With(mine)
	if err != nil {
		t.Fatal(err)
	}
	pkg := compileGo(t, "example.org/p", program, nil)
	if got := c.Calls(method(t, pkg, "F")); len(got) != 1 || got[0].Library.Library != "mine" {
		t.Errorf("the user's entry does not replace the others: %v", got)
	}
	if got := c.Calls(method(t, pkg, "T.M")); len(got) != 1 {
		t.Errorf("entries of other functions are gone: %v", got)
	}
	if got := base.Calls(method(t, pkg, "F")); len(got) != 3 {
		t.Errorf("the base catalogue has changed: %v", got)
	}
	if lock, known := c.Relevant("example.org/p"); !lock || !known {
		t.Error("the package is no longer relevant")
	}
	var names []string
	for _, lib := range c.Libraries() {
		names = append(names, lib.Library)
	}
	if !slices.Equal(names, []string{"locks", "mine"}) {
		t.Errorf("libraries: %v", names)
	}
	again := load(t, "again.yaml", "library: again\npackages: {q: example.org/p}\ncalls:\n  - {func: q.F, ends: true}\n")
	if _, err := base.With(mine, again); err == nil || err.Error() != "again.yaml:4:5: q.F has an entry at mine.yaml:4:5 already: remove one" {
		t.Errorf("two files for one function: %v", err)
	}
}

func TestCommandAndSQL(t *testing.T) {
	c, err := new(Catalog).With(load(t, "f.yaml", library))
	if err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"set k v":         "SET ",
		"SET k v nx":      "SET NX",
		"Set k v PX 5 nx": "SET NX PX",
		"GET k":           "none",
		"":                "none",
	} {
		got := "none"
		if cmd := c.Command(strings.Fields(words)); cmd != nil {
			got = cmd.Name + " " + strings.Join(cmd.With, " ")
		}
		if got != want {
			t.Errorf("%q is %s, want %s", words, got, want)
		}
	}
	for name, want := range map[string]bool{"GET_LOCK": true, "mysql.get_lock": true, "lower": false} {
		if got := c.SQLFunc(name) != nil; got != want {
			t.Errorf("SQL function %s: %t, want %t", name, got, want)
		}
	}
}

func TestHandle(t *testing.T) {
	over := load(t, "own.yaml", "library: own\npackages: {p: example.org/p, sql: database/sql}\nhandles: {conn: p.Single, any: sql.Tx}\ncalls:\n  - {func: p.F, pure: true}")
	c, err := Builtin().With(over)
	if err != nil {
		t.Fatal(err)
	}
	for typ, want := range map[string]string{
		"database/sql.DB":                             "pool",
		"database/sql.Conn":                           "conn",
		"database/sql.Rows":                           "",
		"example.org/a/vendor/database/sql.DB":        "pool",
		"github.com/jackc/pgx/v4/pgxpool.Pool":        "pool",
		"github.com/jackc/pgx/v5.Tx":                  "tx",
		"gorm.io/gorm.DB":                             "any",
		"example.org/p.Single":                        "conn",
		"example.org/p.Single[example.org/q.Element]": "conn",
		"database/sql.Tx":                             "any",
		"error":                                       "",
		"":                                            "",
	} {
		if got := c.Handle(typ); got != want {
			t.Errorf("%s: %q, want %q", typ, got, want)
		}
	}
}

func TestBuiltin(t *testing.T) {
	c := Builtin()
	if err := c.layers[0].check(); err != nil {
		t.Errorf("two files describe the same:\n%v", err)
	}
	for path, want := range map[string][2]bool{
		"github.com/redis/go-redis/v9":                  {true, true},
		"example.org/x/vendor/github.com/bsm/redislock": {true, true},
		"database/sql":  {true, true},
		"time":          {false, true},
		"sync":          {false, true},
		"example.org/x": {false, false},
	} {
		lock, known := c.Relevant(path)
		if lock != want[0] || known != want[1] {
			t.Errorf("%s: %t %t, want %v", path, lock, known, want)
		}
		if l, k := Relevant(path); l != lock || k != known {
			t.Errorf("%s: the gate says %t %t, the catalogue %t %t", path, l, k, lock, known)
		}
	}
	for lib, prev := 0, ""; lib < len(c.libs); lib++ {
		if name := c.libs[lib].Library; name <= prev {
			t.Errorf("library names are not unique and sorted: %q after %q", name, prev)
		} else {
			prev = name
		}
	}
}

// BenchmarkLookup is what the lookups of a process cost that meets ten import
// paths; starting it costs nothing.
func BenchmarkLookup(b *testing.B) {
	libs := Builtin().libs
	for b.Loop() {
		l := newLayer(libs)
		for _, path := range []string{"context", "errors", "fmt", "strconv", "strings", "sync", "time", "database/sql", "github.com/redis/go-redis/v9", "github.com/google/uuid"} {
			if l.shelf(path) == nil {
				b.Fatal(path)
			}
		}
	}
}

// BenchmarkParse is what parsing the data files would cost instead.
func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		loadAll(b)
	}
}

func TestActs(t *testing.T) {
	for path, want := range map[string]bool{"os": true, "net/http": true, "github.com/bsm/redislock": true, "fmt": false, "context": false, "example.org/p": false} {
		if got := Acts(path); got != want {
			t.Errorf("Acts(%q) = %v", path, got)
		}
	}
	for module, want := range map[string]bool{"github.com/bsm/redislock": true, "go.etcd.io/etcd/client": true, "github.com/bsm": true, "example.org/p": false, "zzz.org": false} {
		if got := Covers(module); got != want {
			t.Errorf("Covers(%q) = %v", module, got)
		}
	}
	c := Builtin()
	for _, lib := range c.Libraries() {
		for _, x := range lib.Calls {
			if c.At(x.Pos, "") != x {
				t.Fatalf("%s: another entry stands there", x.Pos)
			}
		}
	}
}

func TestLocks(t *testing.T) {
	c := Builtin()
	for path, want := range map[string]bool{
		"github.com/bsm/redislock":                    true,
		"github.com/go-redsync/redsync/v4":            true,
		"go.etcd.io/etcd/client/v3/concurrency":       true,
		"example.org/vendor/github.com/bsm/redislock": true,
		"github.com/redis/go-redis/v9":                false,
		"database/sql":                                false,
		"sync":                                        false,
	} {
		if got := c.Locks(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// Generated packages are told by what they declare, and their methods by the names
// that a generator gives them.
func TestGeneratedPackages(t *testing.T) {
	lib := load(t, "gen.yaml", `library: orm
packages:
  gen: [type example.org/orm.Mutation]
calls:
  - {func: (*gen.*Update).Set*, part: {kind: set, of: name Set, args: arg 0}}
  - {func: (*gen.*Update).SetAll*, pure: true}
  - {func: (*gen.*Client).Update, part: {kind: table, text: type Client}}
  - {func: gen.Open, pool: pool}
`)
	c, err := Builtin().With(lib)
	if err != nil {
		t.Fatal(err)
	}
	orm := compileGo(t, "example.org/orm", "package orm\ntype Mutation interface { Op() int }\n", nil)
	imp := importerOf(map[string]*types.Package{"example.org/orm": orm})
	const text = `package p
import "example.org/orm"
type Mutation = orm.Mutation
type ShopUpdate struct{}
func (*ShopUpdate) SetName(string) *ShopUpdate { return nil }
func (*ShopUpdate) SetAllNames(string) *ShopUpdate { return nil }
func (*ShopUpdate) Set(string) *ShopUpdate { return nil }
func (*ShopUpdate) Reset(string) *ShopUpdate { return nil }
type ShopClient struct{}
func (*ShopClient) Update() *ShopUpdate { return nil }
func Open() {}
`
	pkg := compileGo(t, "example.org/shop/store", text, imp)
	if path := c.Path(pkg); path != "type example.org/orm.Mutation" || !Generated(path) {
		t.Errorf("Path = %q", path)
	}
	for name, want := range map[string]string{
		"ShopUpdate.SetName":     "(*gen.*Update).Set*",
		"ShopUpdate.SetAllNames": "(*gen.*Update).SetAll*",
		"ShopUpdate.Set":         "",
		"ShopUpdate.Reset":       "",
		"ShopClient.Update":      "(*gen.*Client).Update",
		"Open":                   "gen.Open",
	} {
		got := ""
		if list := c.Calls(method(t, pkg, name)); len(list) == 1 {
			got = list[0].Func[0]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, other := range []string{
		"package p\nimport \"example.org/orm\"\ntype Mutation orm.Mutation\n",         // a type of its own
		"package p\nimport \"example.org/orm\"\ntype Change = orm.Mutation\n",         // another name
		"package p\ntype Mutation = interface { Op() int }\n",                         // of nobody
		"package p\nimport \"example.org/orm\"\nvar Mutation orm.Mutation\n",          // a value
		"package p\nimport \"example.org/orm\"\nfunc f(Mutation orm.Mutation) {}\n\n", // a parameter
	} {
		pkg := compileGo(t, "example.org/other", other, imp)
		if path := c.Path(pkg); path != "example.org/other" {
			t.Errorf("Path = %q of\n%s", path, other)
		}
	}
}

type importerOf map[string]*types.Package

func (m importerOf) Import(path string) (*types.Package, error) { return m[path], nil }

// A copy of a lock library under another path is that library; a package of the same name
// that declares something else is not, nor one that cannot give the lock back.
func TestForks(t *testing.T) {
	const copied = `package redislock
import ("context"; "time")
type Options struct{ Token string }
type Client struct{}
type Lock struct{}
func New(client any) *Client { return nil }
func Obtain(ctx context.Context, client any, key string, ttl time.Duration, opt *Options) (*Lock, error) { return nil, nil }
func (*Client) Obtain(ctx context.Context, key string, ttl time.Duration, opt *Options) (*Lock, error) { return nil, nil }
func ObtainMulti(ctx context.Context, client any, keys []string, ttl time.Duration, opt *Options) (*Lock, error) { return nil, nil }
func (*Client) ObtainMulti(ctx context.Context, keys []string, ttl time.Duration, opt *Options) (*Lock, error) { return nil, nil }
func (*Lock) Refresh(ctx context.Context, ttl time.Duration, opt *Options) error { return nil }
func (*Lock) Release(ctx context.Context) error { return nil }
func (*Lock) TTL(ctx context.Context) (time.Duration, error) { return 0, nil }
func (*Lock) Token() string { return "" }
func (*Lock) Metadata() string { return "" }
func (*Lock) Key() string { return "" }
func NoRetry() any { return nil }
func LinearBackoff(time.Duration) any { return nil }
func LimitRetry(any, int) any { return nil }
func ExponentialBackoff(time.Duration, time.Duration) any { return nil }
`
	const other = `package redislock
import "context"
type Client struct{}
type Lock struct{}
func New() *Client { return nil }
func (*Client) Obtain(ctx context.Context, key string) (*Lock, error) { return nil, nil }
func (*Lock) Release(ctx context.Context) error { return nil }
`
	for _, x := range []struct{ path, text, want string }{
		{"example.org/patched/redislock", copied, "github.com/bsm/redislock"},
		{"example.org/patched/redislock/v2", copied, "github.com/bsm/redislock"},
		{"example.org/patched/go-redislock", copied, "github.com/bsm/redislock"},
		{"example.org/patched/locks", strings.Replace(copied, "package redislock", "package locks", 1), "example.org/patched/locks"},
		{"example.org/waits/redislock", strings.ReplaceAll(copied, "ttl time.Duration", "wait, leaseTime time.Duration"), "github.com/bsm/redislock"},
		{"example.org/doubt/redislock", strings.ReplaceAll(copied, "ttl time.Duration", "first, second time.Duration"), "example.org/doubt/redislock"},
		{"example.org/our/redislock", other, "example.org/our/redislock"},
		{"example.org/read/redislock", strings.Replace(copied, ") Release(", ") Forget(", 1), "example.org/read/redislock"},
	} {
		pkg := compileGo(t, x.path, x.text, importer.Default())
		if got := Builtin().Path(pkg); got != x.want {
			t.Errorf("%s is %s, want %s", x.path, got, x.want)
		}
		if got := Path(pkg); got != x.want {
			t.Errorf("%s is %s without the catalogue", x.path, got)
		}
	}
	pkg := compileGo(t, "example.org/patched/redislock", copied, importer.Default())
	if list := Builtin().Calls(method(t, pkg, "Client.Obtain")); len(list) != 1 || list[0].Acquire == nil {
		t.Errorf("Obtain of a copy takes no lock: %v", list)
	}
	pkg = compileGo(t, "example.org/waits/redislock", strings.ReplaceAll(copied, "ttl time.Duration", "wait, leaseTime time.Duration"), importer.Default())
	list := Builtin().Calls(method(t, pkg, "Client.Obtain"))
	if len(list) != 1 || list[0].Acquire == nil {
		t.Fatalf("Obtain of a copy that waits takes no lock: %v", list)
	}
	if a := list[0].Acquire; a.Key.String() != "arg 1" || a.TTL.String() != "arg 3" || a.Value.String() != "arg 4.Token" || a.Options.String() != "arg 4" {
		t.Errorf("Obtain of a copy that waits: key %s, time to live %s, value %s, options %s", a.Key, a.TTL, a.Value, a.Options)
	}
}
