package analysis

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/synth"
	"github.com/fencevet/fencevet/passes/uses"
)

// dimensions are the ways in which a module can grow to ten times its size.
var dimensions = []struct {
	name string
	grow func(*synth.Size)
}{
	{"packages", func(s *synth.Size) { s.Packages *= 10 }},
	{"locks", func(s *synth.Size) { s.Locks *= 10 }},
	{"leases", func(s *synth.Size) { s.Leases *= 10 }},
	{"writes", func(s *synth.Size) { s.Writes *= 10 }},
	{"depth", func(s *synth.Size) { s.Depth *= 10 }},
	{"types", func(s *synth.Size) { s.Types *= 10 }},
	{"filler", func(s *synth.Size) { s.Filler *= 10 }},
}

var small = synth.Size{Packages: 4, Locks: 4, Leases: 2, Writes: 2, Depth: 3, Types: 3, Filler: 5}

func read(tb testing.TB, size synth.Size) []*uses.Package {
	tb.Helper()
	dir := tb.TempDir()
	if err := synth.Write(dir, size); err != nil {
		tb.Fatal(err)
	}
	p, err := load.Load(tb.Context(), load.Config{Dir: dir})
	if err != nil {
		tb.Fatal(err)
	}
	if len(p.Incomplete) > 0 {
		tb.Fatal(p.Incomplete)
	}
	return p.Packages
}

// allocated is how many bytes the analysis of packages takes. Time would say more,
// but not the same twice.
func allocated(pkgs []*uses.Package) (bytes, found int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := uses.InModule(pkgs)
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc), len(r.Uses)
}

// TestGrowth holds the work for a module that is ten times as large in one way
// against eleven times the work.
func TestGrowth(t *testing.T) {
	pkgs := read(t, small)
	allocated(pkgs) // what is made once
	least, found := allocated(pkgs)
	if want := small.Packages*(small.Locks+small.Leases) + 1; found != want { // and the wrapper
		t.Fatalf("%d locks, want %d", found, want)
	}
	for _, d := range dimensions {
		size := small
		d.grow(&size)
		most, _ := allocated(read(t, size))
		factor := float64(most) / float64(least)
		t.Logf("%-9s x 10: %5.1f times %d KB, exponent %.2f", d.name, factor, least>>10, math.Log10(factor))
		if factor > 11 {
			t.Errorf("%s x 10 takes %.1f times the memory", d.name, factor)
		}
	}
}

func BenchmarkModule(b *testing.B) {
	run := func(name string, size synth.Size) {
		b.Run(name, func(b *testing.B) {
			pkgs := read(b, size)
			b.ReportAllocs()
			for b.Loop() {
				uses.InModule(pkgs)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*size.Packages*size.Locks), "µs/lock")
		})
	}
	run("small", small)
	for _, d := range dimensions {
		size := small
		d.grow(&size)
		run(fmt.Sprintf("%s-x10", d.name), size)
	}
}

// BenchmarkRun is all that the command does but for checks and reports: with nothing
// remembered, with everything, and after one file has changed.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	if err := synth.Write(dir, synth.Default); err != nil {
		b.Fatal(err)
	}
	kept, err := cache.Named(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	run := func(kept cache.Cache) {
		r, err := Run(b.Context(), Config{Config: load.Config{Dir: dir, Cache: kept}})
		if err != nil || len(r.Incomplete) > 0 {
			b.Fatal(err, r)
		}
	}
	file := filepath.Join(dir, "p0", "p0.go")
	original, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	changes := 0
	for _, mode := range []struct {
		name   string
		kept   cache.Cache
		change bool
	}{{"cold", cache.Cache{}, false}, {"again", kept, false}, {"changed", kept, true}} {
		b.Run(mode.name, func(b *testing.B) {
			run(mode.kept)
			b.ReportAllocs()
			for b.Loop() {
				if mode.change {
					changes++
					if err := os.WriteFile(file, fmt.Appendf(original[:len(original):len(original)], "\nvar changed = %d\n", changes), 0o666); err != nil {
						b.Fatal(err)
					}
				}
				run(mode.kept)
			}
		})
	}
}
