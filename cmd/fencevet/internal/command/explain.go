package command

import (
	"context"
	"fmt"
	"go/doc/comment"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/text"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

func runExplain(ctx context.Context, env *environment, args []string) error {
	f := newFlags("fencevet explain", explainUsage)
	choose := newChoices(f)
	from := f.String("from", "", "")
	var paint color
	f.Var(&paint, "color", "")
	f.cached(env)
	subject, args := cutArgument(args)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	patterns := f.Args()
	if subject == "" && len(patterns) > 0 {
		subject, patterns = patterns[0], patterns[1:]
	}
	if subject == "" {
		listChecks(env)
		return nil
	}
	for _, c := range analyzers.Checks() {
		if c.Name == subject {
			if len(patterns) > 0 {
				return usageError("explain takes one check")
			}
			var parser comment.Parser
			printer := comment.Printer{TextWidth: 80}
			_, err := fmt.Fprintf(env.stdout, "%s: %s", c.Name, printer.Text(parser.Parse(c.Doc)))
			return err
		}
	}
	if !lockID().MatchString(subject) && !lockPlace().MatchString(subject) {
		return usageError("no check %q: run fencevet explain for the list", subject)
	}
	if *from != "" && len(patterns) > 0 {
		return usageError("explain takes packages or -from, not both")
	}
	a, err := read(ctx, env, *from, patterns, choose)
	if err != nil {
		return err
	}
	style := styleOf(env.stdout, paint)
	style.Path = a.path
	switch found := a.find(subject); len(found) {
	case 0:
		return usageError("no lock %s: run fencevet inventory for the list", subject)
	case 1:
		return text.Story(env.stdout, a.inventory, found[0], style)
	default:
		return usageError("%s is not one lock but %d:\n%s", subject, len(found), a.list(found))
	}
}

func listChecks(env *environment) {
	for _, c := range analyzers.Checks() {
		summary, _, _ := strings.Cut(c.Doc, "\n")
		fmt.Fprintf(env.stdout, "%-16s%s\n", c.Name, summary)
		if !c.Default {
			fmt.Fprintf(env.stdout, "%-16soff by default: %s\n", "", c.Why)
		}
	}
}

// What names a lock: the beginning of its id, or a place.
var (
	lockID    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{1,64}$`) })
	lockPlace = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+):(\d+)$`) })
)

// read makes the inventory of packages, with its source, or reads a saved one.
func read(ctx context.Context, env *environment, from string, patterns []string, choose *choices) (*result, error) {
	if from != "" {
		inv, err := env.read(from)
		return &result{inventory: inv, path: func(file string) string { return file }}, err
	}
	cfg, err := choose.all(env)
	if err != nil {
		return nil, err
	}
	a, err := analyze(ctx, env, patterns, cfg)
	if err != nil {
		return nil, err
	}
	a.quote()
	return a, nil
}

// find returns the locks whose id begins with subject, or those that are taken
// or write at that place.
func (a *result) find(subject string) []inventory.Lock {
	place := lockPlace().FindStringSubmatch(subject)
	is := func(file string, line int) bool {
		if place == nil || fmt.Sprint(line) != place[2] {
			return false
		}
		name := filepath.ToSlash(filepath.Clean(place[1]))
		return name == file || filepath.ToSlash(a.path(file)) == name || strings.HasSuffix(file, "/"+name)
	}
	var taken, written []inventory.Lock
	for _, l := range a.inventory.Locks {
		switch {
		case place == nil && strings.HasPrefix(l.ID, subject), is(l.Acquire.File, l.Acquire.Line):
			taken = append(taken, l)
		default:
			for _, w := range l.Writes {
				if is(w.File, w.Line) {
					written = append(written, l)
					break
				}
			}
		}
	}
	if len(taken) > 0 {
		return taken
	}
	return written
}

// list names locks, one a line.
func (a *result) list(locks []inventory.Lock) string {
	short := view.ShortIDs(a.inventory.Locks)
	var lines []string
	for _, l := range locks {
		place := view.Place(a.path(l.Acquire.File), l.Acquire.Line)
		lines = append(lines, fmt.Sprintf("\t%s  %s  %s", short(l.ID), view.Printable(place), view.Printable(l.Key)))
	}
	return strings.Join(lines, "\n")
}
