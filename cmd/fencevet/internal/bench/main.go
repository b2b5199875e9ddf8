// Command bench measures fencevet as whole processes, each time in turn with what
// it is compared to, and prints how many times as long it takes:
//
//	go run ./cmd/fencevet/internal/bench                      # a module made for this
//	go run ./cmd/fencevet/internal/bench -C /path/to/module   # somebody's module
//
// The other side of the vet tool is a tool that does nothing; that of the command is
// staticcheck, where it is installed. Dependencies are built before anything is
// measured. With -edit FILE, a file of the module that may be changed for a moment,
// a run after that change is measured too; a module made for this has one.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/synth"
)

const (
	fencevet = "github.com/fencevet/fencevet/cmd/fencevet"
	noop     = fencevet + "/internal/bench/noop"
)

type bench struct {
	runs        int
	dir         string // module
	edit        string // file that may be changed
	work        string
	fencevet    string
	noop        string
	staticcheck string
	patterns    []string
	serial      int
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("bench: ")
	b := new(bench)
	size := synth.Default
	flag.IntVar(&b.runs, "n", 5, "counted runs of each command, after one that is not")
	flag.StringVar(&b.dir, "C", "", "directory of a module; none: one is made")
	flag.StringVar(&b.edit, "edit", "", "Go file of that module to change and restore")
	flag.StringVar(&b.staticcheck, "staticcheck", "staticcheck", "program to compare the command with")
	flag.IntVar(&size.Packages, "packages", size.Packages, "packages of a module that is made")
	flag.IntVar(&size.Locks, "locks", size.Locks, "locks of each")
	flag.IntVar(&size.Filler, "filler", size.Filler, "functions of each that have nothing to do with locks")
	keep := flag.String("write", "", "only write the module that would be made, to this directory")
	flag.Parse()
	if *keep != "" {
		check(synth.Write(*keep, size))
		return
	}
	if b.patterns = flag.Args(); len(b.patterns) == 0 {
		b.patterns = []string{"./..."}
	}
	var err error
	b.work, err = os.MkdirTemp("", "fencevet-bench-")
	check(err)
	defer os.RemoveAll(b.work)
	b.prepare(size)
	b.measure()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// prepare builds the programs, the module, and what it depends on.
func (b *bench) prepare(size synth.Size) {
	b.fencevet, b.noop = filepath.Join(b.work, "fencevet"), filepath.Join(b.work, "noop")
	must("", "go", "build", "-o", b.fencevet, fencevet)
	must("", "go", "build", "-o", b.noop, noop)
	if b.dir == "" {
		b.dir = filepath.Join(b.work, "module")
		check(synth.Write(b.dir, size))
		b.edit = filepath.Join(b.dir, "p0", "p0.go")
	} else if b.edit != "" && !filepath.IsAbs(b.edit) {
		b.edit = filepath.Join(b.dir, b.edit)
	}
	if _, err := exec.LookPath(b.staticcheck); err != nil {
		log.Printf("no %s: nothing to compare the command with", b.staticcheck)
		b.staticcheck = ""
	}
	must(b.dir, "go", append([]string{"list", "-export", "-deps", "-e"}, b.patterns...)...)
}

func must(dir, name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	check(cmd.Run())
}

func (b *bench) measure() {
	fmt.Printf("%-34s%10s%10s%8s%10s\n", "", "fencevet", "other", "ratio", "budget")
	start := b.compare(20*b.runs, b.tool(b.fencevet, "-V=full"), b.tool(b.noop, "-V=full"), nil)
	start.time("process start", 1.5)

	vet := b.compare(b.runs, b.vet(fencevet), b.vet(noop), nil)
	vet.time("vet tool, cold", 1.1)

	kept := filepath.Join(b.work, "cache")
	off := b.command("off")
	on := b.command(kept)
	checked := filepath.Join(b.work, "staticcheck")
	fresh := func() *exec.Cmd {
		check(os.RemoveAll(checked))
		return b.static(checked)()
	}
	if b.staticcheck == "" {
		alone := b.compare(b.runs, off, nil, nil)
		alone.time("command, cold", 0)
		alone.memory("command, cold: memory", 0)
		b.compare(b.runs, on, nil, nil).time("command again", 0)
		if b.edit != "" {
			b.compare(b.runs, on, nil, b.change).time("command after a change", 0)
			b.restore()
		}
		return
	}
	cold := b.compare(b.runs, off, fresh, nil)
	cold.time("command, cold", 0.25)
	cold.memory("command, cold: memory", 1)
	b.compare(b.runs, on, b.static(checked), nil).time("command again", 1)
	if b.edit != "" {
		b.compare(b.runs, on, b.static(checked), b.change).time("command after a change", 1)
		b.restore()
	}
}

func (b *bench) tool(name string, args ...string) func() *exec.Cmd {
	return func() *exec.Cmd { return exec.Command(name, args...) }
}

// vet is go vet with a tool. The go command remembers what a tool found, and knows
// tools by their build: so this is another build for each run.
func (b *bench) vet(pkg string) func() *exec.Cmd {
	return func() *exec.Cmd {
		b.serial++
		tool := filepath.Join(b.work, fmt.Sprintf("tool%d", b.serial))
		must("", "go", "build", fmt.Sprintf("-ldflags=-X main.serial=%d.%d", os.Getpid(), b.serial), "-o", tool, pkg)
		return b.in(exec.Command("go", append([]string{"vet", "-vettool=" + tool}, b.patterns...)...))
	}
}

func (b *bench) command(kept string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := b.in(exec.Command(b.fencevet, b.patterns...))
		cmd.Env = append(os.Environ(), cache.Env+"="+kept)
		return cmd
	}
}

func (b *bench) static(kept string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := b.in(exec.Command(b.staticcheck, b.patterns...))
		cmd.Env = append(os.Environ(), "STATICCHECK_CACHE="+kept)
		return cmd
	}
}

func (b *bench) in(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = b.dir
	return cmd
}

var original []byte

// change adds a declaration to the file that may be changed, another one each time.
func (b *bench) change() {
	if original == nil {
		var err error
		original, err = os.ReadFile(b.edit)
		check(err)
	}
	b.serial++
	check(os.WriteFile(b.edit, fmt.Appendf(slices.Clip(original), "\nvar changed%d = %[1]d\n", b.serial), 0o666))
}

func (b *bench) restore() { check(os.WriteFile(b.edit, original, 0o666)) }

// A run is what one process took.
type run struct {
	wall   time.Duration
	busy   time.Duration // of processors, in it and its children
	memory int64         // bytes, at the peak
}

// A comparison is what the runs of two commands took, in turn.
type comparison struct{ ours, theirs []run }

// compare runs two commands in turn, the first time uncounted, with something done
// before each.
func (b *bench) compare(runs int, ours, theirs func() *exec.Cmd, before func()) *comparison {
	c := new(comparison)
	for i := range runs + 1 {
		for _, side := range []struct {
			make func() *exec.Cmd
			into *[]run
		}{{ours, &c.ours}, {theirs, &c.theirs}} {
			if side.make == nil {
				continue
			}
			cmd := side.make()
			if before != nil {
				before()
			}
			if r := timed(cmd); i > 0 {
				*side.into = append(*side.into, r)
			}
		}
	}
	return c
}

// timed runs a command. Findings make it fail, which is no failure here.
func timed(cmd *exec.Cmd) run {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	r := run{wall: time.Since(start)}
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		log.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	r.busy = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.memory = peak(cmd.ProcessState)
	return r
}

// time prints the time by the clock, which the budgets are about, and that of the
// processors, which says more on a machine that others use at the same time.
func (c *comparison) time(what string, budget float64) {
	seconds := func(v float64) string { return fmt.Sprintf("%.3f s", v) }
	c.print(what, budget, func(r run) float64 { return r.wall.Seconds() }, seconds)
	c.print("  processor time", budget, func(r run) float64 { return r.busy.Seconds() }, seconds)
}

func (c *comparison) memory(what string, budget float64) {
	c.print(what, budget, func(r run) float64 { return float64(r.memory) }, func(v float64) string { return fmt.Sprintf("%.0f MB", v/1e6) })
}

// print prints the medians and the median of the ratios, pair by pair.
func (c *comparison) print(what string, budget float64, value func(run) float64, text func(float64) string) {
	var ours, theirs, ratios []float64
	for i, r := range c.ours {
		ours = append(ours, value(r))
		if i < len(c.theirs) {
			theirs = append(theirs, value(c.theirs[i]))
			ratios = append(ratios, value(r)/value(c.theirs[i]))
		}
	}
	if len(ratios) == 0 {
		fmt.Printf("%-34s%10s\n", what, text(median(ours)))
		return
	}
	verdict := ""
	if median(ratios) > budget {
		verdict = "  over"
	}
	fmt.Printf("%-34s%10s%10s%8.2f%10.2f%s\n", what, text(median(ours)), text(median(theirs)), median(ratios), budget, verdict)
}

func median(values []float64) float64 {
	values = slices.Clone(values)
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}
