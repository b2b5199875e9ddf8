package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// reportOptions are what inventory and convert share: how the one inventory is
// reported.
type reportOptions struct {
	format  string
	color   color
	by      []view.Dimension
	compare string
}

func reportFlags(f *flags) *reportOptions {
	opts := new(reportOptions)
	f.StringVar(&opts.format, "format", "text", "")
	f.Var(&opts.color, "color", "")
	f.StringVar(&opts.compare, "compare", "", "")
	f.Func("by", "", func(list string) (err error) {
		opts.by, err = view.ParseDimensions(list)
		return err
	})
	return opts
}

// parseOutputs reads the value of -format. Files are relative to where the
// command runs.
func parseOutputs(env *environment, list string, formats []report.Format) ([]report.Output, error) {
	outputs, err := report.ParseOutputs(list, formats)
	if err != nil {
		return nil, usageError("%s", err)
	}
	for i, o := range outputs {
		if o.File != "" {
			outputs[i].File = env.file(o.File)
		}
	}
	return outputs, nil
}

// file is the name of a file as seen from where the command runs.
func (env *environment) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(env.dir, name)
}

// read reads a saved inventory.
func (env *environment) read(name string) (*inventory.Inventory, error) {
	data, err := os.ReadFile(env.file(name))
	if err != nil {
		return nil, err
	}
	return inventory.Read(data, name)
}

func runInventory(ctx context.Context, env *environment, args []string) error {
	f := newFlags("fencevet inventory", inventoryUsage)
	choose := newChoices(f)
	source := f.Bool("source", false, "")
	opts := reportFlags(f)
	f.cached(env)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	outputs, err := parseOutputs(env, opts.format, report.Inventory)
	if err != nil {
		return err
	}
	before, err := opts.before(env)
	if err != nil {
		return err
	}
	cfg, err := choose.all(env)
	if err != nil {
		return err
	}
	a, err := analyze(ctx, env, f.Args(), cfg)
	if err != nil {
		return err
	}
	if slices.Contains(opts.by, view.ByOwner) {
		for _, w := range a.owners {
			fmt.Fprintf(env.stderr, "fencevet: %s\n", w)
		}
	}
	if *source || slices.ContainsFunc(outputs, func(o report.Output) bool { return o.Format.Source }) {
		a.quote()
	}
	return opts.write(env, outputs, before, a.inventory, a.path)
}

func runConvert(_ context.Context, env *environment, args []string) error {
	f := newFlags("fencevet convert", convertUsage)
	opts := reportFlags(f)
	file, args := cutArgument(args)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	switch {
	case file == "" && f.NArg() == 1:
		file = f.Arg(0)
	case file == "" || f.NArg() > 0:
		return usageError("convert takes one file: fencevet inventory -format=json=FILE writes it")
	}
	outputs, err := parseOutputs(env, opts.format, report.Inventory)
	if err != nil {
		return err
	}
	before, err := opts.before(env)
	if err != nil {
		return err
	}
	inv, err := env.read(file)
	if err != nil {
		return err
	}
	return opts.write(env, outputs, before, inv, nil)
}

// before reads what the inventory is to be compared with; nil if nothing.
func (opts *reportOptions) before(env *environment) (*inventory.Inventory, error) {
	if opts.compare == "" {
		return nil, nil
	}
	return env.read(opts.compare)
}

func (opts *reportOptions) write(env *environment, outputs []report.Output, before, now *inventory.Inventory, path func(string) string) error {
	r := &view.Report{Inventory: now, By: opts.by}
	if before != nil {
		r.Trend = view.Compare(before, now, opts.compare)
	}
	style := styleOf(env.stdout, opts.color)
	style.Path = path
	return report.Write(outputs, env.stdout, r, style)
}
