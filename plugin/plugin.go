// Package plugin is fencevet as a linter of golangci-lint, by its module plugin
// system. The linter is called fencevet; docs/golangci-lint.md shows how to build
// and configure it.
package plugin

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/passes/config"
	"github.com/fencevet/fencevet/passes/models"
)

func init() {
	register.Plugin("fencevet", New)
}

// New returns the linter. Its settings have the form of .fencevet.yaml, and are read
// as strictly. The file itself is not looked for: golangci-lint keeps results by
// what its own configuration says, and would not notice a change.
func New(raw any) (register.LinterPlugin, error) {
	cfg, err := read(raw)
	if err != nil {
		return nil, err
	}
	if _, err := cfg.Catalog(); err != nil {
		return nil, err
	}
	a := analyzers.New(cfg)
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		mine := *pass
		mine.Report = func(d analysis.Diagnostic) { pass.Report(folded(pass, d)) }
		return run(&mine)
	}
	return linter{a}, nil
}

// read reads settings as golangci-lint has decoded them.
func read(raw any) (*config.Config, error) {
	text, err := yaml.Marshal(raw)
	if err != nil {
		return nil, err
	}
	if none := strings.TrimSpace(string(text)); none == "null" || none == "{}" {
		return &config.Config{}, nil
	}
	cfg, err := config.Parse("settings", text, analyzers.Names())
	if faults, ok := errors.AsType[models.Errors](err); ok {
		// Their places are not those of golangci-lint's file.
		var all []string
		for _, f := range faults {
			all = append(all, f.Msg)
		}
		return nil, errors.New(strings.Join(all, "; "))
	}
	if err != nil {
		return nil, err
	}
	switch {
	case slices.ContainsFunc(cfg.Models, func(m config.Model) bool { return m.File != "" }):
		return nil, errors.New("models: a model in a file of its own: write it in place, golangci-lint would not notice that the file changes")
	case len(cfg.Also) > 0:
		return nil, errors.New("also: only the command reads other modules from source")
	case cfg.Tests:
		return nil, errors.New("tests: golangci-lint says itself whether tests are read, with run.tests")
	}
	return cfg, nil
}

type linter struct {
	analyzer *analysis.Analyzer
}

func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{l.analyzer}, nil
}

func (l linter) GetLoadMode() string { return register.LoadModeTypesInfo }

// named finds the places that a message names.
var named = regexp.MustCompile(`[^\s(]+\.go:\d+`)

// folded puts related places into the message, unless it names them already.
// golangci-lint would make an issue of each, and a reader of many issues cannot
// see which belong together.
func folded(pass *analysis.Pass, d analysis.Diagnostic) analysis.Diagnostic {
	tag := " [" + d.Category + "]"
	message := strings.TrimSuffix(d.Message, tag)
	told := named.FindAllString(message, -1)
	var places []string
	for _, r := range d.Related {
		at := pass.Fset.Position(r.Pos)
		place := fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
		if !slices.Contains(told, place) {
			places = append(places, place+": "+r.Message)
		}
	}
	if len(places) > 0 {
		message += " (" + strings.Join(places, "; ") + ")"
	}
	d.Message, d.Related = message+tag, nil
	return d
}
