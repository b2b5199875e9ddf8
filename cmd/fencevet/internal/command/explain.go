package command

import (
	"context"
	"fmt"
	"go/doc/comment"
	"strings"

	"github.com/fencevet/fencevet/analyzers"
)

func runExplain(_ context.Context, env *environment, args []string) error {
	f := newFlags("fencevet explain", explainUsage)
	if done, err := f.parse(env, args); done || err != nil {
		return err
	}
	switch f.NArg() {
	case 0:
		for _, c := range analyzers.Checks() {
			summary, _, _ := strings.Cut(c.Doc, "\n")
			fmt.Fprintf(env.stdout, "%-16s%s\n", c.Name, summary)
			if !c.Default {
				fmt.Fprintf(env.stdout, "%-16soff by default: %s\n", "", c.Why)
			}
		}
		return nil
	case 1:
	default:
		return usageError("explain takes one check")
	}
	for _, c := range analyzers.Checks() {
		if c.Name == f.Arg(0) {
			var parser comment.Parser
			printer := comment.Printer{TextWidth: 80}
			_, err := fmt.Fprintf(env.stdout, "%s: %s", c.Name, printer.Text(parser.Parse(c.Doc)))
			return err
		}
	}
	return usageError("no check %q: run fencevet explain for the list", f.Arg(0))
}
