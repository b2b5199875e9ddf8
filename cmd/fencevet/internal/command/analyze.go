package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/analysis"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/repository"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

type findOptions struct {
	*choices
	format string
	color  color
}

func findFlags(f *flags) *findOptions {
	opts := &findOptions{choices: newChoices(f)}
	opts.levelFlag(f)
	f.StringVar(&opts.format, "format", "text", "")
	f.Var(&opts.color, "color", "")
	return opts
}

func runFindings(ctx context.Context, env *environment, opts *findOptions, patterns []string) error {
	outputs, err := parseOutputs(env, opts.format, report.Findings)
	if err != nil {
		return err
	}
	cfg, err := opts.config(env)
	if err != nil {
		return err
	}
	a, err := analyze(ctx, env, patterns, cfg)
	if err != nil {
		return err
	}
	style := styleOf(env.stdout, opts.color)
	style.Path = a.path
	if err := report.Write(outputs, env.stdout, &view.Report{Inventory: a.inventory}, style); err != nil {
		return err
	}
	// What is no finding goes to stderr, so that the findings can be piped.
	for _, p := range a.inventory.Incomplete {
		fmt.Fprintf(env.stderr, "fencevet: not analysed: %s: %s\n", p.Package, p.Reason)
	}
	fmt.Fprintf(env.stderr, "fencevet: %s (fencevet inventory lists them)\n", view.Sentence(a.inventory))
	if loud, notes := view.Loud(a.inventory); loud+notes > 0 {
		return errFindings
	}
	return nil
}

// A result is an inventory and where it comes from.
type result struct {
	program   *load.Program
	settings  *analyzers.Settings
	inventory *inventory.Inventory
	root      string                   // directory that its paths are relative to
	owners    []string                 // what is wrong with CODEOWNERS
	path      func(file string) string // makes one that can be opened from where the command runs
}

// quote adds the lines of source. A line directive cannot bring another file into a
// report, such as the secrets of the machine that checks a pull request.
func (a *result) quote() {
	a.inventory.Quote(func(file string) ([]byte, error) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(a.root, filepath.FromSlash(file))
		}
		if !a.program.Reads(file) {
			return nil, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
		}
		return os.ReadFile(file)
	})
}

// analyze loads the packages, runs the checks and makes the inventory with the
// findings of the levels that are asked for.
func analyze(ctx context.Context, env *environment, patterns []string, cfg *config.Config) (*result, error) {
	progress := startProgress(env.stderr)
	defer progress.stop()

	cat, err := cfg.Catalog()
	if err != nil {
		return nil, err
	}
	program, err := analysis.Run(ctx, analysis.Config{
		Config:  load.Config{Dir: env.dir, Patterns: patterns, Tests: cfg.Tests, Also: cfg.Also, Cache: env.cache},
		Catalog: cat, Settings: cfg.Hash(), Progress: progress.say,
	})
	if err != nil {
		return nil, err
	}
	opts := inventory.Options{Root: program.Root, Tool: tool(), Modules: program.Modules, Today: env.today}
	warnings := surround(&opts)
	for _, p := range program.Incomplete {
		opts.Incomplete = append(opts.Incomplete, inventory.Incomplete(p))
	}
	if program.Analysed == 0 && len(program.Incomplete) > 0 {
		text := "nothing could be analysed"
		for _, p := range program.Incomplete {
			text += fmt.Sprintf("\n\t%s: %s", p.Package, p.Reason)
		}
		return nil, errors.New(text)
	}
	found := requested(program)
	settings := analyzers.Configure(cfg, program.Root)
	settings.Today = env.today
	return &result{
		program:   program.Program,
		settings:  settings,
		inventory: inventory.Build(found.Uses, analyzers.Show(analyzers.Find(found, settings), settings), opts),
		root:      program.Root,
		owners:    warnings,
		path:      func(file string) string { return shorten(env.dir, program.Root, file) },
	}, nil
}

// surround adds what the repository says of the module: its place there, and
// the owners of its files. The warnings are about lines of CODEOWNERS.
func surround(opts *inventory.Options) (warnings []string) {
	root := repository.Root(opts.Root)
	if dir, err := filepath.Rel(root, opts.Root); err == nil && dir != "." {
		opts.Directory = filepath.ToSlash(dir)
	}
	owners, warnings := repository.FindOwners(root)
	opts.Owners = func(file string) []string { return owners.Of(path.Join(opts.Directory, file)) }
	return warnings
}

// requested drops the uses, remarks and directives of packages that were loaded
// only because others import them, and uses seen twice: with Tests a package is
// loaded once by itself and once together with its tests. A remark seen twice is
// one finding, and so is a directive.
func requested(all *analysis.Result) *uses.Result {
	type site struct {
		lock.Position
		role    lock.Role
		library string
	}
	seen := make(map[site]bool)
	kept := &uses.Result{Whole: all.Program.Whole && len(all.Incomplete) == 0}
	for _, u := range all.Uses {
		at := site{u.Acquire.Position, u.Role, u.Library}
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
