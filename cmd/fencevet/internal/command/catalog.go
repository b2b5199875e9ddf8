package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/load"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/models"
)

func runCatalog(ctx context.Context, env *environment, args []string) error {
	f := newFlags("fencevet catalog", catalogUsage)
	opts := &choices{}
	f.StringVar(&opts.file, "config", "", "")
	f.Func("model", "", func(s string) error {
		opts.models = append(opts.models, s)
		return nonEmpty(s, "a model file")
	})
	library := f.String("library", "", "")
	format := f.String("format", "text", "")
	check := f.String("check", "", "")
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	if *check != "" {
		if *library != "" || *format != "text" || opts.file != "" || len(opts.models) > 0 {
			return usageError("-check goes with packages alone: run fencevet catalog -h")
		}
		return checkModels(ctx, env, *check, f.Args())
	}
	if f.NArg() > 0 {
		return usageError("catalog takes packages with -check only: run fencevet catalog -h")
	}
	print := map[string]func(*environment, []*models.Library, bool) error{"text": catalogText, "json": catalogJSON}[*format]
	if print == nil {
		return usageError("no format %q: want one of text, json", *format)
	}
	cfg, err := opts.config(env)
	if err != nil {
		return err
	}
	cat, err := cfg.Catalog()
	if err != nil {
		return faults(env, err)
	}
	if cat == nil {
		cat = models.Builtin()
	}
	libs := slices.DeleteFunc(cat.Libraries(), func(lib *models.Library) bool { return !matches(lib, *library) })
	if len(libs) == 0 {
		return usageError("no library has %q in its name or import paths: fencevet catalog lists them", *library)
	}
	return print(env, libs, *library != "")
}

// matches reports whether a library's name or one of its import paths has a text.
func matches(lib *models.Library, text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(strings.ToLower(lib.Library), text) || slices.ContainsFunc(paths(lib), func(path string) bool {
		return strings.Contains(strings.ToLower(path), text)
	})
}

// paths are the import paths of a library, sorted.
func paths(lib *models.Library) []string {
	var all []string
	for _, list := range lib.Packages {
		all = append(all, list...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// catalogText prints one line per library, or all that is known of each.
func catalogText(env *environment, libs []*models.Library, whole bool) error {
	out := bufio.NewWriter(env.stdout)
	if whole {
		for i, lib := range libs {
			if i > 0 {
				fmt.Fprintln(out)
			}
			libraryText(env, out, lib)
		}
		return out.Flush()
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LIBRARY\tACQUIRES\tRELEASES\tTOKENS\tWRITES\tFROM\tPACKAGES")
	for _, lib := range libs {
		n := counts(lib)
		first, more := "-", ""
		if aliases := slices.Sorted(maps.Keys(lib.Packages)); len(aliases) > 0 {
			first = lib.Packages[aliases[0]][0] // of several versions the latest
		}
		if n := len(paths(lib)); n > 1 {
			more = fmt.Sprintf(" and %d more", n-1)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s%s\n", lib.Library, number(n["acquire"]), number(n["release"]), number(n["token"]), number(n["write"]), origin(env, lib), first, more)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d libraries: fencevet catalog -library NAME prints what is known of one.\n", len(libs))
	return out.Flush()
}

func number(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// counts is the number of names by role.
func counts(lib *models.Library) map[string]int {
	n := make(map[string]int)
	for _, e := range entries(lib) {
		for _, r := range e.roles {
			n[r.Name] += len(e.names)
		}
	}
	return n
}

// origin is where a library is from.
func origin(env *environment, lib *models.Library) string {
	if lib.Builtin() {
		return "built in"
	}
	return relative(env, lib.From())
}

// An entry is one of a library, of whatever sort.
type entry struct {
	sort  string // call | command | sql
	names []string
	roles []models.Role
	pos   string
	plain any
}

func entries(lib *models.Library) []entry {
	var all []entry
	for _, c := range lib.Calls {
		all = append(all, entry{"call", c.Names(), c.Roles(), c.Pos, models.Plain(c)})
	}
	for _, c := range lib.Commands {
		all = append(all, entry{"command", []string{strings.Join(append([]string{c.Name}, c.With...), " ")}, c.Roles(), c.Pos, models.Plain(c)})
	}
	for _, f := range lib.SQL {
		all = append(all, entry{"sql", []string{f.Name + "()"}, f.Roles(), f.Pos, models.Plain(f)})
	}
	return all
}

// libraryText prints all that is known of a library, by role.
func libraryText(env *environment, out *bufio.Writer, lib *models.Library) {
	fmt.Fprintf(out, "%s (%s)\n", lib.Library, origin(env, lib))
	for _, alias := range slices.Sorted(maps.Keys(lib.Packages)) {
		for i, path := range lib.Packages[alias] {
			if i > 0 {
				alias = ""
			}
			fmt.Fprintf(out, "  %-14s%s\n", alias, path)
		}
	}
	byRole := make(map[string][]string)
	var order []string
	for _, e := range entries(lib) {
		for _, r := range e.roles {
			if byRole[r.Name] == nil {
				order = append(order, r.Name)
			}
			for _, name := range e.names {
				byRole[r.Name] = append(byRole[r.Name], strings.TrimRight(fmt.Sprintf("    %-40s  %s", name, r.Text), " "))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return slices.Index(telling, a) - slices.Index(telling, b) })
	for _, role := range order {
		fmt.Fprintf(out, "  %s\n", role)
		for _, line := range byRole[role] {
			fmt.Fprintln(out, line)
		}
	}
}

// telling are the roles in the order in which a reader asks. Those that are not
// among them come first, as they say how the lock is made.
var telling = []string{"acquire", "renew", "loss", "release", "token", "write", "query", "pure"}

// catalogJSON prints all that is known, as model files would say it.
func catalogJSON(env *environment, libs []*models.Library, _ bool) error {
	type library struct {
		Library  string              `json:"library"`
		Family   string              `json:"family"`
		From     string              `json:"from"`
		Locks    bool                `json:"locks"`
		Packages map[string][]string `json:"packages"`
		Calls    []any               `json:"calls"`
		Commands []any               `json:"commands"`
		SQL      []any               `json:"sql"`
	}
	doc := struct {
		Schema    string    `json:"schema"`
		Libraries []library `json:"libraries"`
	}{Schema: "fencevet.catalog/v1"}
	for _, lib := range libs {
		l := library{
			Library: lib.Library, Family: lib.Family, From: relative(env, lib.From()), Locks: lib.Locks, Packages: lib.Packages,
			Calls: []any{}, Commands: []any{}, SQL: []any{},
		}
		for _, e := range entries(lib) {
			list := map[string]*[]any{"call": &l.Calls, "command": &l.Commands, "sql": &l.SQL}[e.sort]
			*list = append(*list, e.plain)
		}
		doc.Libraries = append(doc.Libraries, l)
	}
	enc := json.NewEncoder(env.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// checkModels holds a model file, or the models of a configuration, against the
// packages that it is about.
func checkModels(ctx context.Context, env *environment, file string, patterns []string) error {
	if !filepath.IsAbs(file) {
		file = filepath.Join(env.dir, file)
	}
	cfg := &config.Config{}
	var err error
	if filepath.Base(file) == config.Name {
		cfg, err = config.Read(file, analyzers.Names())
	} else {
		err = cfg.AddModel(file)
	}
	if err != nil {
		return faults(env, err)
	}
	var libs []*models.Library
	named := make(map[string]bool)
	for _, m := range cfg.Models {
		libs = append(libs, m.Library)
		for _, path := range paths(m.Library) {
			named[path] = true
		}
	}
	lookup, err := load.Types(ctx, load.Config{Dir: env.dir, Patterns: patterns}, func(path string) bool { return named[path] })
	if err != nil {
		return err
	}
	var wrong models.Errors
	n := 0
	for _, lib := range libs {
		wrong = append(wrong, lib.Unknown(lookup)...)
		var more models.Errors
		_, err := lib.Verify(lookup)
		errors.As(err, &more)
		wrong = append(wrong, more...)
		n += len(entries(lib))
	}
	if len(wrong) > 0 {
		for _, e := range wrong {
			fmt.Fprintln(env.stdout, relative(env, e.Error()))
		}
		return errFindings
	}
	fmt.Fprintf(env.stdout, "%s: all names, arguments and fields of %d entries are there\n", relative(env, file), n)
	return nil
}
