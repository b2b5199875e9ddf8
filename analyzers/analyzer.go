package analyzers

import (
	"maps"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/uses"
)

// Analyzer is the suite as one analyzer, for drivers that take one by its package,
// such as nogo. Its flags say which of the checks run.
var Analyzer = New(nil)

// New returns another analyzer like Analyzer, with a configuration, and flags of
// its own that go before it.
func New(cfg *config.Config) *analysis.Analyzer {
	records, settings := uses.Analyzer, check.Chooser(func(*analysis.Pass) (*Settings, error) { return &Settings{}, nil })
	if cfg != nil {
		records, settings = choosing(func() (*config.Config, error) { return cfg, nil })
	}
	named := make(map[string]bool)
	a := check.Suite(Checks()).Analyzer("fencevet", doc, records, func(pass *analysis.Pass) (*Settings, error) {
		chosen, err := settings(pass)
		if err != nil || len(named) == 0 {
			return chosen, err
		}
		mine := *chosen
		mine.Checks = make(map[string]bool)
		maps.Copy(mine.Checks, chosen.Checks)
		maps.Copy(mine.Checks, named)
		return &mine, nil
	})
	a.Flags.Func("enable", "run these checks too, separated by commas", naming(named, true))
	a.Flags.Func("disable", "do not run these checks, separated by commas", naming(named, false))
	return a
}

const doc = `find distributed locks whose holders can overwrite each other

All checks of fencevet as one analyzer. A finding's message ends in the name of
its check, whose package below this one has the manual.`

// naming reads the names of checks that a flag switches on or off.
func naming(named map[string]bool, on bool) func(string) error {
	return func(list string) error {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.TrimSpace(name)
			if err := Known(name); err != nil {
				return err
			}
			named[name] = on
		}
		return nil
	}
}
