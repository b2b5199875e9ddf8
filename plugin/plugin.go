// Package plugin is fencevet as a linter of golangci-lint, by its module plugin
// system. The linter is called fencevet; docs/golangci-lint.md shows how to build
// and configure it.
package plugin

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers"
)

func init() {
	register.Plugin("fencevet", New)
}

// Settings are what may stand under linters.settings.custom.fencevet.settings.
type Settings struct {
	Level   string   `json:"level"`   // the least level to report: note, warning or error
	Enable  []string `json:"enable"`  // checks that are off by default
	Disable []string `json:"disable"` // checks that are on by default
}

// New returns the linter. Settings that it does not know are an error.
func New(raw any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, err
	}
	a := analyzers.New()
	for flag, value := range map[string]string{
		"level":   settings.Level,
		"enable":  strings.Join(settings.Enable, ","),
		"disable": strings.Join(settings.Disable, ","),
	} {
		if value == "" {
			continue
		}
		if err := a.Flags.Set(flag, value); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		mine := *pass
		mine.Report = func(d analysis.Diagnostic) { pass.Report(folded(pass, d)) }
		return run(&mine)
	}
	return linter{a}, nil
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
