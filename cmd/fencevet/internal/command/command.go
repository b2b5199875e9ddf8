// Package command is the fencevet command without its process: what it prints
// goes to the given writers, and it returns its exit code.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
)

// Exit codes.
const (
	exitClean    = 0
	exitFailed   = 1 // could not analyse
	exitUsage    = 2
	exitFindings = 3
)

// An exitError ends the command with a code. Without a message it ends it
// silently: all has been said.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Sprintf(format, args...)}
}

// errFindings ends a run that has printed findings.
var errFindings = &exitError{code: exitFindings}

// A subcommand is one word after fencevet.
type subcommand struct {
	name  string
	usage string
	run   func(ctx context.Context, env *environment, args []string) error
}

// subcommands is filled in by init, as the usage texts of some refer to it.
var subcommands []subcommand

func init() {
	subcommands = []subcommand{
		{"inventory", inventoryUsage, runInventory},
		{"catalog", catalogUsage, runCatalog},
		{"convert", convertUsage, runConvert},
		{"audit", auditUsage, runAudit},
		{"gate", gateUsage, runGate},
		{"explain", explainUsage, runExplain},
		{"completion", completionUsage, runCompletion},
		{"version", versionUsage, runVersion},
		{"help", helpUsage, runHelp},
	}
}

// An environment is what a command runs in.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	dir            string // absolute
	today          string // as 2027-06-30
	cache          cache.Cache
	// describe is told the flags of a command instead of running it.
	describe func(*flag.FlagSet)
}

// Run runs fencevet with args, as if started in dir, and returns its exit code.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, dir string) int {
	err := run(ctx, &environment{
		stdin: stdin, stdout: stdout, stderr: stderr, dir: dir, cache: cache.Default(), today: time.Now().Format(time.DateOnly),
	}, args)
	if err == nil {
		return exitClean
	}
	exit, told := errors.AsType[*exitError](err)
	if !told && ctx.Err() != nil { // what the go command says of it is of no use
		err = errors.New("interrupted")
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "fencevet: %s\n", text)
	}
	if told {
		return exit.code
	}
	return exitFailed
}

func run(ctx context.Context, env *environment, args []string) error {
	if len(args) > 0 && args[0] == "__complete" {
		return runComplete(ctx, env, args[1:])
	}
	// fencevet itself has the flags of the findings; in front of a subcommand
	// only -C makes sense.
	f := newFlags("fencevet", findingsUsage)
	find := findFlags(f)
	f.cached(env)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	rest := f.Args()
	if len(rest) > 0 {
		for _, c := range subcommands {
			if c.name != rest[0] {
				continue
			}
			var stray string
			f.Visit(func(set *flag.Flag) {
				if set.Name != "C" && set.Name != forTests {
					stray = set.Name
				}
			})
			if stray != "" {
				return usageError("flag -%s does not belong before %s: run fencevet %[2]s -h", stray, c.name)
			}
			return c.run(ctx, env, rest[1:])
		}
	}
	return runFindings(ctx, env, find, rest)
}

// flags is a set of flags with a usage text of its own.
type flags struct {
	*flag.FlagSet
	usage string
	dir   string
	today string
}

func newFlags(name, usage string) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), usage: usage}
	f.SetOutput(io.Discard) // parse reports errors itself
	f.StringVar(&f.dir, "C", "", "")
	f.StringVar(&f.today, forTests, "", "")
	return f
}

// cached adds the flag that says where results are kept.
func (f *flags) cached(env *environment) {
	f.Func("cache", "", func(dir string) (err error) {
		env.cache, err = cache.Named(dir)
		return err
	})
}

// parse parses args and changes env.dir as -C says. It reports done if it has
// answered the command by printing the usage.
func (f *flags) parse(env *environment, args []string) (done bool, err error) {
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(env.stdout, f.usage)
		return true, nil
	case err != nil:
		return true, usageError("%s\nrun %s -h for usage", err, f.Name())
	case env.describe != nil && f.NArg() == 0:
		env.describe(f.FlagSet)
		return true, nil
	}
	if f.dir != "" {
		if filepath.IsAbs(f.dir) {
			env.dir = filepath.Clean(f.dir)
		} else {
			env.dir = filepath.Join(env.dir, f.dir)
		}
	}
	if f.today != "" {
		if _, err := time.Parse(time.DateOnly, f.today); err != nil {
			return true, usageError("bad day -today=%s: want one such as 2027-06-30", f.today)
		}
		env.today = f.today
	}
	// A flag after the first package would be taken for a package.
	if f.NArg() > 0 {
		for _, arg := range f.Args()[1:] {
			if strings.HasPrefix(arg, "-") && !isSubcommand(f.Arg(0)) {
				return true, usageError("flag %s comes after %s: put flags before packages", arg, f.Arg(0))
			}
		}
	}
	return false, nil
}

// cutArgument takes the one argument of a command from in front of its flags,
// where people write it as well as behind them.
func cutArgument(args []string) (argument string, rest []string) {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return args[0], args[1:]
	}
	return "", args
}

func isSubcommand(name string) bool {
	for _, c := range subcommands {
		if c.name == name {
			return true
		}
	}
	return false
}

func runHelp(_ context.Context, env *environment, args []string) error {
	f := newFlags("fencevet help", helpUsage)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	switch f.NArg() {
	case 0:
		fmt.Fprint(env.stdout, findingsUsage)
		return nil
	case 1:
		for _, c := range subcommands {
			if c.name == f.Arg(0) {
				fmt.Fprint(env.stdout, c.usage)
				return nil
			}
		}
	}
	return usageError("no help for %q: run fencevet help, or fencevet explain for the checks", strings.Join(f.Args(), " "))
}
