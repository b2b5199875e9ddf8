package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/analysis"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

func runFindings(ctx context.Context, env *environment, opts *choices, patterns []string) error {
	cfg, err := opts.config(env)
	if err != nil {
		return err
	}
	inv, style, err := analyze(ctx, env, patterns, cfg)
	if err != nil {
		return err
	}
	if err := report.Findings(env.stdout, inv, style); err != nil {
		return err
	}
	// What is no finding goes to stderr, so that the findings can be piped.
	for _, p := range inv.Incomplete {
		fmt.Fprintf(env.stderr, "fencevet: not analysed: %s: %s\n", p.Package, p.Reason)
	}
	fmt.Fprintf(env.stderr, "fencevet: %s (fencevet inventory lists them)\n", report.Sentence(inv))
	if slices.ContainsFunc(inv.Findings, func(f inventory.Finding) bool { return f.Suppressed == nil }) {
		return errFindings
	}
	return nil
}

func runInventory(ctx context.Context, env *environment, args []string) error {
	f := newFlags("fencevet inventory", inventoryUsage)
	opts := newChoices(f)
	format := f.String("format", "text", "")
	f.cached(env)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	write := report.Formats[*format]
	if write == nil {
		return usageError("no format %q: want one of %s", *format, report.Names())
	}
	cfg, err := opts.config(env)
	if err != nil {
		return err
	}
	cfg.Level, cfg.Levels = lock.Note, nil // it lists everything
	inv, style, err := analyze(ctx, env, f.Args(), cfg)
	if err != nil {
		return err
	}
	return write(env.stdout, inv, style)
}

// analyze loads the packages, runs the checks and makes the inventory with the
// findings of the levels that are asked for.
func analyze(ctx context.Context, env *environment, patterns []string, cfg *config.Config) (*inventory.Inventory, report.Style, error) {
	style := styleOf(env.stdout)
	progress := startProgress(env.stderr)
	defer progress.stop()

	cat, err := cfg.Catalog()
	if err != nil {
		return nil, style, err
	}
	program, err := analysis.Run(ctx, analysis.Config{
		Config:  load.Config{Dir: env.dir, Patterns: patterns, Tests: cfg.Tests, Also: cfg.Also},
		Catalog: cat, Settings: cfg.Hash(), Cache: env.cache, Progress: progress.say,
	})
	if err != nil {
		return nil, style, err
	}
	opts := inventory.Options{Root: program.Root, Tool: tool(), Modules: program.Modules, Today: env.today}
	for _, p := range program.Incomplete {
		opts.Incomplete = append(opts.Incomplete, inventory.Incomplete(p))
	}
	if program.Analysed == 0 && len(program.Incomplete) > 0 {
		text := "nothing could be analysed"
		for _, p := range program.Incomplete {
			text += fmt.Sprintf("\n\t%s: %s", p.Package, p.Reason)
		}
		return nil, style, errors.New(text)
	}
	result := requested(program)
	settings := analyzers.Configure(cfg, program.Root)
	settings.Today = env.today
	inv := inventory.Build(result.Uses, analyzers.Show(analyzers.Find(result, settings), settings), opts)
	style.Path = func(file string) string { return shorten(env.dir, program.Root, file) }
	return inv, style, nil
}

// requested drops the uses, remarks and directives of packages that were loaded
// only because others import them, and uses seen twice: with Tests a package is
// loaded once by itself and once together with its tests. A remark seen twice is
// one finding, and so is a directive.
func requested(all *analysis.Result) *uses.Result {
	type site struct {
		lock.Position
		role lock.Role
	}
	seen := make(map[site]bool)
	kept := &uses.Result{Whole: all.Program.Whole && len(all.Incomplete) == 0}
	for _, u := range all.Uses {
		at := site{u.Acquire.Position, u.Role}
		at.Pos = 0
		if all.Matches(u.Package) && !seen[at] {
			seen[at] = true
			kept.Uses = append(kept.Uses, u)
		}
	}
	kept.Remarks = slices.DeleteFunc(slices.Clone(all.Remarks), func(r lock.Remark) bool { return !all.Matches(r.Package) })
	kept.Directives = slices.DeleteFunc(slices.Clone(all.Directives), func(d lock.Directive) bool { return !all.Matches(d.Package) })
	return kept
}

// shorten turns a path of the inventory into one relative to dir, where that is
// the shorter.
func shorten(dir, root, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	abs := filepath.Join(root, filepath.FromSlash(file))
	rel, err := filepath.Rel(dir, abs)
	if err != nil || strings.Count(rel, "..") > 3 {
		return abs
	}
	return rel
}

// styleOf finds out how text may be shown on w.
func styleOf(w io.Writer) report.Style {
	style := report.Style{Width: 100}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		style.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			style.Width = width
		}
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		style.Width = width
	}
	return style
}

// progress tells somebody who waits at a terminal what takes so long. It says
// nothing about work that is done before one begins to wonder.
type progress struct {
	phase chan string
	done  chan struct{}
}

func startProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	p := &progress{phase: make(chan string), done: make(chan struct{})}
	go p.show(f, 2*time.Second)
	return p
}

func (p *progress) show(w io.Writer, patience time.Duration) {
	defer close(p.done)
	late := time.After(patience)
	patient := true
	current := ""
	for {
		select {
		case phase, ok := <-p.phase:
			if !ok {
				return
			}
			current = phase
		case <-late:
			patient = false
		}
		if !patient {
			fmt.Fprintf(w, "fencevet: %s\n", current)
		}
	}
}

func (p *progress) say(phase string) {
	if p != nil {
		p.phase <- phase
	}
}

func (p *progress) stop() {
	if p != nil {
		close(p.phase)
		<-p.done
	}
}
