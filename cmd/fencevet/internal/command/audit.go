package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/atomicfile"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/audit"
)

// notesFile is in the directory of the module, where people see it.
const notesFile = "fencevet.audit"

func runAudit(ctx context.Context, env *environment, args []string) error {
	f := newFlags("fencevet audit", auditUsage)
	choose := newChoices(f)
	dry := f.Bool("dry-run", false, "")
	again := f.Bool("again", false, "")
	notesName := f.String("notes", "", "")
	summary := f.String("summary", "", "")
	var when color
	f.Var(&when, "color", "")
	f.cached(env)
	if done, err := f.parse(env, args); done || err != nil {
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
	a.quote()
	file := filepath.Join(a.root, notesFile)
	if *notesName != "" {
		file = env.file(*notesName)
	}
	notes, err := audit.OpenNotes(file)
	if err != nil {
		return usageError("%s", err)
	}
	s := &audit.Session{
		Inventory: a.inventory, Files: audit.OpenFiles(a.root, a.inventory.Locks), Notes: notes,
		Style: styleOf(env.stdout, when), In: env.stdin, Out: env.stdout, Echo: !isTerminal(env.stdin),
		DryRun: *dry, Again: *again, Today: env.today,
	}
	s.Style.Path = a.path
	for _, p := range a.inventory.Incomplete {
		fmt.Fprintf(env.stderr, "fencevet: not analysed: %s: %s\n", p.Package, p.Reason)
	}
	if err := s.Run(ctx); err != nil {
		return err
	}
	text := s.Summary()
	fmt.Fprintf(env.stdout, "\n%s", text)
	if *summary != "" && !*dry {
		return atomicfile.Write(env.file(*summary), text)
	}
	return nil
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
