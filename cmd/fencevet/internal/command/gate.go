package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/gate"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/revision"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/self"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/lock"
)

// A gateRun is one run of fencevet gate.
type gateRun struct {
	env      *environment
	opts     *findOptions
	config   *config.Config
	write    string // file of the baseline to write
	baseline string // file of the baseline to compare with
	base     string // revision to compare with
	patterns []string
}

func runGate(ctx context.Context, env *environment, args []string) error {
	f := newFlags("fencevet gate", gateUsage)
	g := &gateRun{env: env, opts: findFlags(f)}
	f.StringVar(&g.write, "write-baseline", "", "")
	f.StringVar(&g.baseline, "baseline", "", "")
	f.StringVar(&g.base, "base", "", "")
	f.cached(env)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	g.patterns = f.Args()
	return g.run(ctx)
}

func (g *gateRun) run(ctx context.Context) error {
	given := slices.DeleteFunc([]string{g.write, g.baseline, g.base}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return usageError("gate compares with one thing: give -baseline=FILE, -base=REVISION, or -write-baseline=FILE first\nrun fencevet gate -h for usage")
	}
	outputs, err := parseOutputs(g.env, g.opts.format, report.Gate)
	if err != nil {
		return err
	}
	if g.config, err = g.opts.config(g.env); err != nil {
		return err
	}
	switch {
	case g.write != "":
		return g.writeBaseline(ctx)
	case g.baseline != "":
		return g.againstBaseline(ctx, outputs)
	}
	return g.againstRevision(ctx, outputs)
}

// look analyses what is to be compared. Findings of all levels are remembered, as
// the level that counts may be another one next time.
func (g *gateRun) look(ctx context.Context, env *environment, patterns []string, cfg config.Config) (*result, *gate.Snapshot, error) {
	cfg.Level, cfg.Levels = lock.Note, nil
	a, err := analyze(ctx, env, patterns, &cfg)
	if err != nil {
		return nil, nil, err
	}
	s := gate.Of(a.inventory)
	s.Tests = cfg.Tests
	s.Patterns, err = rebase(patterns, env.dir, load.Root(env.dir))
	return a, s, err
}

func (g *gateRun) writeBaseline(ctx context.Context) error {
	_, s, err := g.look(ctx, g.env, g.patterns, *g.config)
	if err != nil {
		return err
	}
	if err := gate.WriteBaseline(g.env.file(g.write), s); err != nil {
		return usageError("%s", err)
	}
	for _, p := range s.Unread {
		fmt.Fprintf(g.env.stderr, "fencevet: not analysed, and not in the baseline: %s\n", p)
	}
	fmt.Fprintf(g.env.stderr, "fencevet: wrote %s: %s\n", g.write, s.Sentence())
	return nil
}

func (g *gateRun) againstBaseline(ctx context.Context, outputs []report.Output) error {
	text, err := os.ReadFile(g.env.file(g.baseline))
	if errors.Is(err, fs.ErrNotExist) {
		return usageError("there is no baseline %s: write it first: fencevet gate -write-baseline=%[1]s", g.baseline)
	}
	if err != nil {
		return usageError("%s", err)
	}
	base, err := gate.ReadBaseline(g.baseline, text)
	if err != nil {
		return usageError("%s", err)
	}
	patterns := g.patterns
	covered, err := rebase(base.Patterns, load.Root(g.env.dir), g.env.dir)
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = covered
	}
	cfg := *g.config
	cfg.Tests = cfg.Tests || base.Tests
	now, head, err := g.look(ctx, g.env, patterns, cfg)
	if err != nil {
		return err
	}
	whole := subset(base.Patterns, head.Patterns)
	if whole {
		if err := missing(now.program, base, head); err != nil {
			return err
		}
	}
	if err := unread(base, head, "cannot compare: packages that the baseline covers do not build"); err != nil {
		return err
	}
	c := gate.Compare(base, head, gate.Options{
		Loud:    g.loud(now),
		Covered: func(path string) bool { return whole || now.program.Matches(path) },
	})
	c.Base = "the baseline " + g.baseline
	if base.Tool != head.Tool {
		c.Notes = append(c.Notes, fmt.Sprintf("the baseline was written by fencevet %s, and this is %s, which may see more: once that is reviewed, fencevet gate -write-baseline=%s", base.Tool, head.Tool, g.baseline))
	}
	if len(c.Improvements) > 0 {
		c.Notes = append(c.Notes, "the baseline still allows what has improved: fencevet gate -write-baseline="+g.baseline+" holds it")
	}
	if c.Outside > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d locks of the baseline are in packages that were not asked for", c.Outside))
	}
	return g.conclude(c, now, outputs)
}

// missing complains about packages that had locks, are still there, and of which
// nothing is built on this platform.
func missing(program *load.Program, base, head *gate.Snapshot) error {
	var names []string
	for _, l := range base.Locks {
		if !program.Matches(l.Package) && !slices.Contains(head.Unread, l.Package) && !slices.Contains(names, l.Package) && program.Exists(l.Package) {
			names = append(names, l.Package)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("cannot compare: packages that had locks have no files for this platform: %s; run the gate with the GOOS, GOARCH and -tags (in GOFLAGS) that they are built with", strings.Join(names, ", "))
}

// unread complains about packages that could be analysed before.
func unread(base, head *gate.Snapshot, where string) error {
	text := ""
	for _, p := range head.Unread {
		if !slices.Contains(base.Unread, p) {
			text += "\n\t" + p
			if why := head.Reasons[p]; why != "" {
				text += ": " + why
			}
		}
	}
	if text == "" {
		return nil
	}
	return fmt.Errorf("%s%s", where, text)
}

func (g *gateRun) againstRevision(ctx context.Context, outputs []report.Output) error {
	r, err := revision.Resolve(ctx, g.env.dir, g.base)
	if err != nil {
		return err
	}
	now, head, err := g.look(ctx, g.env, g.patterns, *g.config)
	if err != nil {
		return err
	}
	base, err := g.snapshot(ctx, r)
	if err != nil {
		return err
	}
	if err := unread(base, head, fmt.Sprintf("cannot compare: packages that build at %s no longer do", r.Short())); err != nil {
		return err
	}
	if err := unread(head, base, fmt.Sprintf("cannot compare: packages do not build at %s; compare with another revision or a baseline", r.Short())); err != nil {
		return err
	}
	if err := missing(now.program, base, head); err != nil {
		return err
	}
	c := gate.Compare(base, head, gate.Options{Loud: g.loud(now)})
	c.Base = r.Short()
	if r.Note != "" {
		c.Notes = append(c.Notes, r.Note)
	}
	return g.conclude(c, now, outputs)
}

// snapshot analyses a revision, or remembers what came of it the last time.
func (g *gateRun) snapshot(ctx context.Context, r *revision.Revision) (*gate.Snapshot, error) {
	key, err := g.key(r)
	if err != nil {
		return nil, err
	}
	if text := g.env.cache.Get(key); text != nil {
		if s, err := gate.ReadBaseline("cache", text); err == nil {
			return s, nil
		}
	}
	dir, remove, err := r.Checkout(ctx)
	if err != nil {
		return nil, err
	}
	s, err := g.lookAt(ctx, dir)
	if err := errors.Join(err, remove()); err != nil {
		return nil, fmt.Errorf("the base %s: %w", r.Short(), err)
	}
	var text bytes.Buffer
	if _, err := s.WriteTo(&text); err != nil {
		return nil, err
	}
	g.env.cache.Put(key, text.Bytes())
	return s, nil
}

// lookAt analyses the same packages in the directory of another revision, as far
// as it has them.
func (g *gateRun) lookAt(ctx context.Context, dir string) (*gate.Snapshot, error) {
	patterns := slices.Clone(g.patterns)
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	patterns = slices.DeleteFunc(patterns, func(p string) bool {
		if !local(p) {
			return false
		}
		folder, _, _ := strings.Cut(p, "...")
		_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(folder)))
		return err != nil
	})
	if _, err := os.Stat(dir); err != nil || len(patterns) == 0 {
		return new(gate.Snapshot), nil // all of it is new
	}
	env, cfg := *g.env, *g.config
	env.dir = dir
	env.cache = cache.Cache{} // nobody comes to this directory again
	if cfg.File != "" {
		// Both sides are judged by the present configuration; its paths mean files of
		// the base there.
		file, err := filepath.Rel(g.env.dir, cfg.File)
		if err != nil {
			return nil, err
		}
		cfg.File = filepath.Join(dir, file)
	}
	_, s, err := g.look(ctx, &env, patterns, cfg)
	if errors.Is(err, load.ErrNoPackages) {
		return new(gate.Snapshot), nil
	}
	return s, err
}

// key is all that the snapshot of a revision depends on: its files, what is asked
// of them, how Go reads them, and this program.
func (g *gateRun) key(r *revision.Revision) (cache.Key, error) {
	build, err := self.ID()
	if err != nil {
		return cache.Key{}, err
	}
	cfg := g.config
	text := fmt.Sprintf("base %s %s %s %q %s %v %q %q %t %s", build, r.Tree, r.Dir(), g.patterns,
		cfg.Hash(), cfg.Checks, cfg.Exclude, cfg.Also, cfg.Tests, tool().Go)
	for _, name := range []string{"GOOS", "GOARCH", "GOFLAGS", "GOEXPERIMENT", "GOTOOLCHAIN", "GOWORK", "CGO_ENABLED"} {
		text += fmt.Sprintf(" %q", os.Getenv(name))
	}
	return sha256.Sum256([]byte(text)), nil
}

// loud tells which findings the configuration and flags ask for.
func (g *gateRun) loud(now *result) func(check string, level lock.Level) bool {
	settings := *now.settings
	settings.Level, settings.Levels = g.config.Level, g.config.Levels
	return func(check string, level lock.Level) bool { return analyzers.Loud(check, level, &settings) }
}

// conclude reports a comparison.
func (g *gateRun) conclude(c *gate.Comparison, now *result, outputs []report.Output) error {
	style := styleOf(g.env.stdout, g.opts.color)
	style.Path = now.path
	if err := report.Write(outputs, g.env.stdout, &view.Report{Inventory: now.inventory, Gate: c}, style); err != nil {
		return err
	}
	for _, p := range now.inventory.Incomplete {
		fmt.Fprintf(g.env.stderr, "fencevet: not analysed, as before: %s\n", p.Package)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(g.env.stderr, "fencevet: %s\n", n)
	}
	if len(c.Regressions) > 0 {
		return errFindings
	}
	return nil
}

// local reports whether a pattern names packages by their directory.
func local(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../")
}

// rebase makes patterns that are meant relative to one directory relative to
// another.
func rebase(patterns []string, from, to string) ([]string, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	var out []string
	for _, p := range patterns {
		if local(p) {
			rel, err := filepath.Rel(to, filepath.Join(from, filepath.FromSlash(p)))
			if err != nil {
				return nil, err
			}
			p = filepath.ToSlash(rel)
			if !local(p) {
				p = "./" + p
			}
		}
		out = append(out, p)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func subset(these, those []string) bool {
	for _, s := range these {
		if !slices.Contains(those, s) {
			return false
		}
	}
	return true
}
