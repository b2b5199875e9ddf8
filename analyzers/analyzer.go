package analyzers

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

// Analyzer is the suite as one analyzer, for drivers that take one by its package,
// such as nogo. Its flags say which of the checks run.
var Analyzer = New()

// New returns another analyzer like Analyzer, with flags of its own.
func New() *analysis.Analyzer {
	var enabled, disabled []string
	least := lock.Warning
	a := check.Combine("fencevet", doc, func() ([]*Check, lock.Level) {
		var run []*Check
		for _, c := range Checks() {
			on := c.Default || slices.Contains(enabled, c.Name)
			if on && !slices.Contains(disabled, c.Name) {
				run = append(run, c)
			}
		}
		return run, least
	})
	a.URL = "https://pkg.go.dev/github.com/fencevet/fencevet/analyzers"
	a.Flags.Init(a.Name, flag.ExitOnError)
	a.Flags.Func("enable", "run these checks too, separated by commas", names(&enabled))
	a.Flags.Func("disable", "do not run these checks, separated by commas", names(&disabled))
	check.LevelFlag(&a.Flags, &least)
	return a
}

const doc = `find distributed locks whose holders can overwrite each other

All checks of fencevet as one analyzer. A finding's message ends in the name of
its check, whose package below this one has the manual.`

// names reads the names of checks into list.
func names(list *[]string) func(string) error {
	return func(text string) error {
		*list = nil
		for name := range strings.SplitSeq(text, ",") {
			name = strings.TrimSpace(name)
			if !slices.ContainsFunc(Checks(), func(c *Check) bool { return c.Name == name }) {
				return fmt.Errorf("no check %q", name)
			}
			*list = append(*list, name)
		}
		return nil
	}
}
