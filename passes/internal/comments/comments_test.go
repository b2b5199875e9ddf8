package comments

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/lock"
)

// read type-checks a file of package p and finds its directives.
func read(t testing.TB, source string) *Source {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object)}
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := conf.Check("example.org/p", fset, []*ast.File{file}, info)
	return Read(fset, pkg, info, []*ast.File{file}, func(p lock.Position) lock.Position { p.Pos = 0; return p })
}

const places = `package p

//fencevet:efficiency the whole function
func run(f func() error) {
	//fencevet:correctness above
	a := f()

	b := f() //fencevet:efficiency beside

	// Prose, then
	//fencevet:ignore unfenced,units a group
	// and more prose.
	if err := f(); err != nil {
		return
	}
	with(
		f, //fencevet:efficiency within
		f,
	)
	//fencevet:efficiency a call with a body
	with(func() error {
		_ = f()
		return nil
	}, nil)
	_, _ = a, b
	//fencevet:efficiency nothing below
}

//fencevet:efficiency dangling

func with(f, g func() error) {}

//fencevet:efficiency a variable
var v = with

type locker interface {
	//fencevet:efficiency a method
	Lock() error
	Other() error //fencevet:efficiency beside a method
}
`

func TestTargets(t *testing.T) {
	s := read(t, places)
	var got []string
	for _, d := range s.Directives {
		got = append(got, fmt.Sprintf("%s: %s %d-%d", d.Reason, d.Target, d.From, d.To))
		if d.Fault != "" {
			t.Errorf("%d: %s", d.Line, d.Fault)
		}
	}
	want := []string{
		"the whole function: function 4-27",
		"above: line 6-6",
		"beside: line 8-8",
		"a group: line 13-13",
		"within: line 16-19",
		"a call with a body: line 21-21",
		"nothing below:  0-0",
		"dangling:  0-0",
		"a variable: line 34-34",
		"a method: method 38-38",
		"beside a method: method 39-39",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for line, want := range map[int]string{6: "above", 8: "beside", 13: "the whole function", 22: "the whole function", 30: ""} {
		reason := ""
		if d := s.At(lock.Position{File: "p.go", Line: line}); d != nil {
			reason = d.Reason
		}
		if reason != want {
			t.Errorf("line %d: decided by %q, want %q", line, reason, want)
		}
	}
	if i := slices.IndexFunc(s.Funcs, func(f Func) bool { return f.Func.FullName() == "(example.org/p.locker).Lock" }); i < 0 || s.Funcs[i].Said.Decision.Reason != "a method" {
		t.Errorf("of locker.Lock: %+v", s.Funcs)
	}
}

func TestModels(t *testing.T) {
	for _, test := range []struct {
		directive, declaration string
		want                   string // the model, or a part of the fault
	}{
		{"acquire key=name", "func (c *client) Lock(ctx context.Context, name string) error", "acquire library=p key=arg1 handle=receiver"},
		{"acquire key=name", "func (c *client) Lock(ctx context.Context, name string) (*lease, error)", "acquire library=p key=arg1 handle=result0"},
		{"acquire key=name token=result", "func (c *client) Lock(name string) (int64, error)", "acquire library=p key=arg0 token=result0 handle=receiver"},
		{"acquire key=name token=fence", "func (c *client) Lock(name string) (l *lease, fence int64, err error)", "acquire library=p key=arg0 token=result1 handle=result0"},
		{"acquire key=name token=result.Fence ttl=30s", "func Lock(name string) (*lease, error)", "acquire library=p key=arg0 token=result0.Fence ttl=30s"},
		{"acquire key=o.Name ttl=o.TTL try=true", "func Lock(o options) (*lease, error)", "acquire library=p key=arg0.Name ttl=arg0.TTL try=true handle=result0"},
		{"acquire key=name runs=f", "func With(name string, f func() error) error", "acquire library=p key=arg0 runs=arg1"},
		{"acquire", "func (l *lease) Acquire() bool", "acquire library=p handle=receiver"},
		{"acquire", "func Acquire() bool", "nothing stands for the lock that F takes: say key= or handle="},
		{"acquire key=nam", "func Lock(name string) (*lease, error)", "key=nam: F has no parameter or result of that name (did you mean name?): it has name, result0, result1"},
		{"acquire key=o.Nme", "func Lock(o options) (*lease, error)", "key=o.Nme: example.org/p.options has no field Nme"},
		{"acquire key=receiver", "func Lock(name string) (*lease, error)", "key=receiver: F is no method"},
		{"acquire key=name ttl=3", "func Lock(name string) (*lease, error)", "bad duration ttl=3"},
		{"acquire key=e.Name", "func Lock(e error) (*lease, error)", "e.Name: error is an interface"},
		{"release", "func (l *lease) Release() error", "release library=p handle=receiver told=result0"},
		{"release checked=false", "func (l *lease) Release() error", "release library=p checked=false handle=receiver"},
		{"release", "func Release(ctx context.Context, l *lease)", "release library=p handle=arg1"},
		{"release key=name", "func Release(name string)", "release library=p key=arg0"},
		{"release", "func Release()", "nothing stands for the lock that F gives back"},
		{"token", "func (l *lease) Fence() int64", "token library=p of=receiver"},
		{"token", "func (l *lease) Fence()", "has no result that could be a token"},
		{"conditional token=fence", "func (c *client) Save(fence int64) error", "conditional library=p token=arg0 reject=error store=client"},
		{"conditional version=v resource=name store=sql", "func Save(name string, v int) (bool, error)", "conditional library=p version=arg1 resource=arg0 store=sql reject=bool"},
		{"conditional unique=true", "func Save(name string)", "conditional library=p unique=true reject=none store=F"},
		{"conditional", "func Save(name string)", "which condition?"},
	} {
		declaration := test.declaration
		for _, name := range []string{"Lock", "With", "Acquire", "Release", "Fence", "Save"} {
			declaration = strings.Replace(declaration, name+"(", "F(", 1)
		}
		s := read(t, "package p\n\nimport (\n\"context\"\n\"time\"\n)\n\ntype client struct{}\ntype lease struct{ Fence int64 }\ntype options struct{ Name string; TTL time.Duration }\nvar _ context.Context\n\n//fencevet:"+
			test.directive+"\n"+declaration+" { panic(0) }\n")
		got := s.Directives[0].Fault
		if got == "" {
			got = strings.TrimPrefix(s.Funcs[0].Said.Model, "//fencevet:")
			if Entry(s.Funcs[0].Said.Model, s.Funcs[0].Said.At) == nil {
				t.Errorf("%s: no entry", got)
			}
		}
		if got != test.want && (s.Directives[0].Fault == "" || !strings.Contains(got, test.want)) {
			t.Errorf("%s on %s: got %q, want %q", test.directive, test.declaration, got, test.want)
		}
	}
}

func TestFaults(t *testing.T) {
	s := read(t, `package p

//fencevet:release key=name
//fencevet:acquire key=name
func lock(name string) {}

//fencevet:efficiency one
//fencevet:correctness two
func run() {
	lock("a") //fencevet:acquire key=name
}
`)
	var got []string
	for _, d := range s.Directives {
		got = append(got, d.Fault)
	}
	for i, want := range []string{"", "what the function means is said already", "", "the function has a decision already", "put it into the comment that documents the function"} {
		if (got[i] == "") != (want == "") || !strings.Contains(got[i], want) {
			t.Errorf("directive %d: got %q, want %q", i, got[i], want)
		}
	}
}

func TestEntry(t *testing.T) {
	e := Entry("//fencevet:acquire library=p kind=session key=arg1.Name token=result1 handle=receiver", "p.go:1:1")
	a := e.Acquire
	if a.Kind != "session" || !a.TTLNone || a.Key.String() != "arg 1.Name" || a.Handle.Base != catalog.Receiver || e.Token.At.String() != "result 1" || !e.Token.Ordered {
		t.Errorf("got %+v, %+v", a, e.Token)
	}
	for _, model := range []string{"", "//fencevet:", "//fencevet:ignore x y", "nonsense"} {
		if e := Entry(model, "p.go:1:1"); e != nil {
			t.Errorf("%q: %+v", model, e)
		}
	}
}

// FuzzRead puts any text into comments at all places.
func FuzzRead(f *testing.F) {
	f.Add("fencevet:acquire key=name token=result0.x.y.z")
	f.Add("fencevet:conditional token=receiver.a unique=true")
	f.Add("fencevet:efficiency until=2027-06-30 x")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.NewReplacer("\n", " ", "\r", " ", "\x00", " ", "\ufeff", " ").Replace(text)
		source := "package p\n//" + text + "\nfunc (c *client) Lock(name string) (fence int64, err error) {\n//" + text + "\n\tc.n++ //" + text + "\n\treturn 0, nil\n}\ntype client struct{ n int }\ntype i interface {\n\t//" + text + "\n\tUnlock(name string)\n}\n"
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.ParseComments); err != nil {
			return
		}
		for _, fn := range read(t, source).Funcs {
			if fn.Said.Model != "" && Entry(fn.Said.Model, fn.Said.At) == nil {
				t.Errorf("%q cannot be read again", fn.Said.Model)
			}
		}
	})
}
