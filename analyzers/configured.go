package analyzers

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/models"
	"github.com/fencevet/fencevet/passes/spell"
	"github.com/fencevet/fencevet/passes/uses"
)

// Names returns the names of all checks.
func Names() []string { return slices.Clone(check.Names) }

// Configure makes settings of a configuration. root is where the paths of
// exclusions start if no file says them.
func Configure(cfg *config.Config, root string) *Settings {
	s := &Settings{Checks: cfg.Checks, Level: cfg.Level, Levels: cfg.Levels}
	if len(cfg.Exclude) > 0 {
		s.Exclude = func(f lock.Finding) *lock.Suppression { return cfg.Excluded(f, root) }
	}
	return s
}

// With returns the analyzers of all checks for a driver that looks at packages one
// by one, with the configuration that choose returns for a package; nil means none.
// It is asked once, and for packages of the main modules alone: what others decide
// for themselves does not hold here. If it fails, one analyzer says so.
func With(choose func() (*config.Config, error)) []*analysis.Analyzer {
	records, settings := choosing(choose)
	var all []*analysis.Analyzer
	for _, s := range suite {
		all = append(all, s.AnalyzerWith(records, settings))
	}
	return all
}

// choosing returns what analyzers need that follow a configuration.
func choosing(choose func() (*config.Config, error)) (records *analysis.Analyzer, settings check.Chooser) {
	type chosen struct {
		settings *Settings
		catalog  *models.Catalog
	}
	once := sync.OnceValues(func() (chosen, error) {
		cfg, err := choose()
		if err != nil {
			return chosen{}, err
		}
		if cfg == nil {
			return chosen{settings: &Settings{}}, nil
		}
		cat, err := cfg.Catalog()
		if err != nil {
			return chosen{}, err
		}
		root, err := os.Getwd()
		return chosen{Configure(cfg, root), cat}, err
	})
	records = uses.New(func(*analysis.Pass) *models.Catalog {
		c, _ := once()
		return c.catalog
	})
	var told atomic.Bool
	settings = func(pass *analysis.Pass) (*Settings, error) {
		if m := pass.Module; m != nil && (m.Version != "" || m.Path == "") {
			return &Settings{}, nil
		}
		c, err := once()
		if err != nil && told.Swap(true) {
			return &Settings{}, nil
		}
		return c.settings, err
	}
	return records, settings
}

// Known returns an error if there is no check of that name.
func Known(name string) error {
	if !slices.Contains(check.Names, name) {
		return fmt.Errorf("no check %q%s", name, spell.Meant(name, check.Names))
	}
	return nil
}
