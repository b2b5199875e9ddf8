package uses

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/types"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/records"
	"github.com/fencevet/fencevet/passes/testmodule"
)

const corpus = "../../testdata"

// load reads programs of the corpus.
func load(t testing.TB, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := testmodule.Load(t.Context(), corpus, t.TempDir(), patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return sound(t, pkgs)
}

// loadAny reads packages of any module, and has them built.
func loadAny(t testing.TB, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: corpus}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return sound(t, pkgs)
}

func sound(t testing.TB, pkgs []*packages.Package) []*packages.Package {
	t.Helper()
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
	}
	return pkgs
}

// facts analyses packages and returns the facts of their functions, by name.
func facts(t testing.TB, pkgs []*packages.Package) map[string]*engine.Fact {
	t.Helper()
	graph, err := checker.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]*engine.Fact)
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		for _, f := range act.AllObjectFacts() {
			all[f.Object.(*types.Func).FullName()] = f.Fact.(*engine.Fact)
		}
	}
	return all
}

// TestDeterminism analyses the same packages in many orders.
func TestDeterminism(t *testing.T) {
	pkgs := load(t, "./checks/unfenced/...", "./checks/across/...", "./shop/...")
	want := facts(t, pkgs)
	if len(want) == 0 {
		t.Fatal("no facts")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i := range 10 {
		runtime.GOMAXPROCS([]int{1, 2, 8}[i%3])
		rand.Shuffle(len(pkgs), func(i, j int) { pkgs[i], pkgs[j] = pkgs[j], pkgs[i] })
		got := facts(t, pkgs)
		if len(got) != len(want) {
			t.Fatalf("run %d: %d facts, not %d", i, len(got), len(want))
		}
		for name, f := range want {
			if g := got[name]; g == nil || !bytes.Equal(g.Code, f.Code) {
				t.Fatalf("run %d: %s: %v, not %v", i, name, g, f)
			}
		}
	}
}

// TestSize bounds facts, and looks for what would tell one checkout from another.
func TestSize(t *testing.T) {
	all := facts(t, load(t, "./..."))
	total, largest, empty := 0, "", 0
	for name, f := range all {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(f); err != nil {
			t.Fatal(err)
		}
		total += b.Len()
		if f.Empty() {
			empty++
		} else if largest == "" || len(f.Code) > len(all[largest].Code) {
			largest = name
		}
		if strings.Contains(string(f.Code), "testdata") {
			t.Errorf("%s knows where the module lies", name)
		}
	}
	t.Logf("%d facts, %d of them empty, %d bytes on average, at most %d (%s)", len(all), empty, total/len(all), len(all[largest].Code), largest)
	if total/len(all) > 1000 {
		t.Errorf("a fact has %d bytes on average", total/len(all))
	}
	if n := len(all[largest].Code); n > 6000 {
		t.Errorf("%s has %d bytes", largest, n)
	}
}

// TestEncoding makes each fact ten times of one analysis.
func TestEncoding(t *testing.T) {
	pkgs := load(t, "./checks/...", "./leaserows/...", "./sequence/...", "./shop/...")
	known := make(map[string]*engine.Fact)
	count := 0
	packages.Visit(pkgs, nil, func(p *packages.Package) { // what is imported comes first
		if len(p.Syntax) == 0 {
			return
		}
		e := engine.New(p.Fset, catalog.Builtin(), []engine.Unit{{Files: p.Syntax, Types: p.Types, Info: p.TypesInfo}})
		e.Import(func(fn *types.Func) *engine.Fact { return known[fn.FullName()] })
		records.Of(e)
		want := e.Facts()
		for _, f := range want {
			known[f.Func.FullName()] = f.Fact
			if n := len(f.Fact.Code); n > 6000 {
				t.Errorf("%s has %d bytes", f.Func.FullName(), n)
			}
			count++
		}
		for range 9 {
			got := e.Facts()
			if len(got) != len(want) {
				t.Fatalf("%s: %d facts, not %d", p.PkgPath, len(got), len(want))
			}
			for i, f := range got {
				if f.Func != want[i].Func || !bytes.Equal(f.Fact.Code, want[i].Fact.Code) {
					t.Fatalf("%s: %v, not %v", want[i].Func.FullName(), f.Fact, want[i].Fact)
				}
			}
		}
	})
	if count == 0 {
		t.Fatal("no facts")
	}
}

// TestFacts pins what a few functions tell their callers.
func TestFacts(t *testing.T) {
	all := facts(t, load(t, "./checks/across/...", "./checks/unfenced/across/..."))
	const across = "example.org/locks/checks/across/"
	for name, want := range map[string]string{
		across + "lease.Lock":                           "holds (*redislock.Client).Obtain",
		"(*" + across + "ledger.Repository).SetBalance": "(*sql.DB).ExecContext",
		across + "lease.Do":                             "runs under (*concurrency.Mutex).Lock(...); runs fn",
		across + "keys.Check":                           "nothing",
		across + "lease.NewMutex":                       "result 0 is",
		across + "lease.Each":                           "runs fn",
		across + "lease.ErrHeld":                        "",
		across + "ledger.stale":                         "", // nobody elsewhere can call it
		across + "ledger.ErrStale":                      "",
	} {
		got := all[name]
		switch {
		case want == "" && got != nil:
			t.Errorf("%s: %v", name, got)
		case want != "" && (got == nil || !strings.Contains(got.String(), want)):
			t.Errorf("%s: %v lacks %q", name, got, want)
		}
	}
}

// TestGate counts the packages that SSA is built for.
func TestGate(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	built = func(p *types.Package) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, p.Path())
	}
	defer func() { built = func(*types.Package) {} }()

	for _, test := range []struct {
		patterns string
		want     []string
	}{
		{"fmt net/http database/sql", nil},                  // the standard library
		{"example.org/locks/checks/across/keys", nil},       // neither locks nor writes
		{"github.com/bsm/redislock", nil},                   // its functions are in the catalogue
		{"github.com/google/uuid gorm.io/gorm/schema", nil}, // import database/sql, take no lock
		{"example.org/locks/checks/across/ledger", []string{"example.org/locks/checks/across/ledger"}},
		{"example.org/locks/checks/across/lease", []string{"example.org/locks/checks/across/lease"}},
	} {
		seen = nil
		facts(t, loadAny(t, strings.Fields(test.patterns)...))
		slices.Sort(seen)
		if fmt.Sprint(seen) != fmt.Sprint(test.want) {
			t.Errorf("%s: SSA is built for %v, not %v", test.patterns, seen, test.want)
		}
	}

	// What only calls a wrapper is told by the wrapper's fact.
	seen = nil
	facts(t, loadAny(t, "./checks/across/lease", "./checks/across/caller"))
	if !slices.Contains(seen, "example.org/locks/checks/across/caller") {
		t.Errorf("SSA is built for %v only", seen)
	}
}

// TestExternal tells the files of other repositories as Bazel shows them from
// those of the workspace.
func TestExternal(t *testing.T) {
	for name, want := range map[string]bool{
		"stock/stock.go": false,
		"external/gazelle++go_deps+com_github_acme_lock/lock.go":        true,
		"bazel-out/k8-fastbuild/bin/stock/stock.pb.go":                  false,
		"bazel-out/k8-fastbuild/bin/external/com_github_acme_lock/a.go": true,
		"/root/.cache/bazel/x/execroot/_main/external/com_acme/a.go":    true,
		"/root/.cache/bazel/x/execroot/_main/internal/external/gone.go": false,
		"internal/external/client.go":                                   false,
		"/home/me/src/external/client.go":                               false,
	} {
		if got := external().MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// BenchmarkFacts analyses packages one by one, and tells how large the facts are that
// they leave to others.
func BenchmarkFacts(b *testing.B) {
	pkgs := load(b, "./checks/unfenced/...", "./checks/across/...", "./shop/...")
	var all map[string]*engine.Fact
	b.ReportAllocs()
	for b.Loop() {
		all = facts(b, pkgs)
	}
	size, most := 0, 0
	for _, f := range all {
		size += len(f.Code)
		most = max(most, len(f.Code))
	}
	b.ReportMetric(float64(size)/float64(len(all)), "B/fact")
	b.ReportMetric(float64(most), "B/largest")
	b.ReportMetric(float64(len(all)), "facts")
}
