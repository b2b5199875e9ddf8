package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/synth"
)

const module = `
-- go.mod --
module example.org/m

go 1.26
-- stock/stock.go --
package stock

import (
	"context"
	"database/sql"

	"example.org/m/table"
)

func Sell(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(7)"); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock(7)")
	_, err = db.ExecContext(ctx, "UPDATE "+table.Name+" SET sold = sold + 1")
	return err
}
-- table/table.go --
package table

const Name = "stock"
-- aside/aside.go --
package aside
`

type runner struct {
	t     *testing.T
	dir   string
	cache cache.Cache
	asked bool // whether the packages were read
}

func newRunner(t *testing.T) *runner {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, dir: filepath.Join(dir, "m")}
	for _, f := range txtar.Parse([]byte(module)).Files {
		r.write(f.Name, string(f.Data))
	}
	if r.cache, err = cache.Named(filepath.Join(dir, "cache")); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *runner) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// run returns all that is found, as text.
func (r *runner) run(cfg Config) string {
	r.t.Helper()
	r.asked = false
	cfg.Dir, cfg.Cache = r.dir, r.cache
	cfg.Progress = func(phase string) { r.asked = r.asked || phase != "listing packages" }
	got, err := Run(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "\t")
	if err := errors.Join(enc.Encode(got.Uses), enc.Encode(got.Incomplete), enc.Encode(got.Analysed)); err != nil {
		r.t.Fatal(err)
	}
	return pos.ReplaceAllString(b.String(), "")
}

var pos = regexp.MustCompile(`"Pos": \d+,`) // differs from one reading to the next

func TestWarm(t *testing.T) {
	r := newRunner(t)
	cold := r.run(Config{})
	if !r.asked || !bytes.Contains([]byte(cold), []byte(`"sql:stock"`)) {
		t.Fatalf("no write in a fresh run: %s", cold)
	}
	if warm := r.run(Config{}); r.asked || warm != cold {
		t.Errorf("read again: %v; from the cache:\n%s\nbefore:\n%s", r.asked, warm, cold)
	}
	r.cache = cache.Cache{}
	if off := r.run(Config{}); !r.asked || off != cold {
		t.Errorf("without a cache:\n%s\nbefore:\n%s", off, cold)
	}
}

// TestChange changes one thing after the other that the result depends on.
func TestChange(t *testing.T) {
	r := newRunner(t)
	cold := r.run(Config{})
	write := func(name, text string) func(*Config) {
		return func(*Config) { r.write(name, text) }
	}
	for _, test := range []struct {
		what   string
		change func(*Config)
		same   bool // what is found
		kept   bool // it is not found out again
	}{
		{"nothing", func(*Config) {}, true, true},
		{"a file's time", write("aside/aside.go", "package aside\n"), true, true},
		{"an imported package", write("table/table.go", "package table\n\nconst Name = \"sold\"\n"), false, false},
		{"back", write("table/table.go", "package table\n\nconst Name = \"stock\"\n"), true, true},
		{"a new file", write("aside/more.go", "package aside\n"), true, false},
		{"a broken file", write("aside/more.go", "package aside\nvar x int = 1.5"), false, false},
		{"mended", write("aside/more.go", "package aside\n"), true, true},
		{"settings", func(c *Config) { c.Settings = "other" }, true, false},
		{"the go directive", write("go.mod", "module example.org/m\n\ngo 1.25\n"), true, false},
		{"patterns", func(c *Config) { c.Patterns = []string{"./stock"} }, false, false},
	} {
		var cfg Config
		test.change(&cfg)
		got := r.run(cfg)
		if (got == cold) != test.same {
			t.Errorf("%s: is the same: %v, want %v\n%s", test.what, got == cold, test.same, got)
		}
		if r.asked == test.kept {
			t.Errorf("%s: packages are read: %v", test.what, r.asked)
		}
		if again := r.run(cfg); again != got || r.asked {
			t.Errorf("%s: another result, or read again", test.what)
		}
	}
}

// counted has a counter that is near to one section and too far from the other: how
// far must not depend on which is looked at first.
const counted = `package counted

import (
	"context"
	"database/sql"
	"expvar"
)

var refused = expvar.NewInt("refused")

func one()   { two() }
func two()   { three() }
func three() { four() }
func four()  { refused.Add(1) }

func Near(ctx context.Context, conn *sql.Conn, again bool) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(8)"); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock(8)")
	if again {
		three()
	}
	return nil
}

func Far(ctx context.Context, conn *sql.Conn, again bool) error {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock(9)"); err != nil {
		return err
	}
	defer conn.ExecContext(ctx, "SELECT pg_advisory_unlock(9)")
	if again {
		one()
	}
	return nil
}
`

// TestDeterminism runs often, on one processor and on many, with packages that are ready
// in another order each time, from the cache and without.
func TestDeterminism(t *testing.T) {
	r := newRunner(t)
	if err := synth.Write(r.dir, synth.Size{Packages: 8, Locks: 3, Writes: 2, Depth: 2, Types: 3, Filler: 2}); err != nil {
		t.Fatal(err)
	}
	r.write("counted/counted.go", counted)
	kept := r.cache
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	want := ""
	for i := range 20 {
		runtime.GOMAXPROCS([]int{1, 2, 8}[i%3])
		if r.cache = kept; i%4 != 3 {
			r.cache = cache.Cache{}
		}
		got := r.run(Config{Config: load.Config{Shuffle: rand.Shuffle}})
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("run %d:\n%s\nbefore:\n%s", i, got, want)
		}
	}
	if n := strings.Count(want, `"Rejections": true`); n != 1 {
		t.Errorf("%d locks whose refusals are counted, want the near one", n)
	}
}

func TestCanceled(t *testing.T) {
	r := newRunner(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, Config{Config: load.Config{Dir: r.dir, Cache: r.cache}, Progress: func(phase string) {
		if phase != "listing packages" {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
	if r.run(Config{}); !r.asked {
		t.Error("a run that was cancelled left a result")
	}
}

// TestCanceledAnytime cancels runs at moments all over the time that one takes. Whatever
// they leave in the cache, the next run finds what is there to be found.
func TestCanceledAnytime(t *testing.T) {
	r := newRunner(t)
	start := time.Now()
	want := r.run(Config{})
	whole := time.Since(start)
	dir := filepath.Dir(r.dir)
	const moments = 12
	for i := range moments {
		var err error
		if r.cache, err = cache.Named(filepath.Join(dir, fmt.Sprint("cache", i))); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(i)/moments)
		_, err = Run(ctx, Config{Config: load.Config{Dir: r.dir, Cache: r.cache}})
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("cancelled after %d/%d of the time: %v", i, moments, err)
		}
		if got := r.run(Config{}); got != want {
			t.Errorf("after a run that was cancelled after %d/%d of the time:\n%s\nbefore:\n%s", i, moments, got, want)
		}
	}
}

// TestTogether has many runs at once over one module, with one cache.
func TestTogether(t *testing.T) {
	r := newRunner(t)
	kept := r.cache
	r.cache = cache.Cache{}
	want := r.run(Config{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			one := &runner{t: t, dir: r.dir, cache: kept}
			if got := one.run(Config{}); got != want {
				t.Errorf("one of many:\n%s\nalone:\n%s", got, want)
			}
		})
	}
	group.Wait()
}
