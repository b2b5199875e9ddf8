package checktest

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/objectpath"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Driver runs analyzers over packages one at a time.
type Driver func(analyzers []*analysis.Analyzer, pkgs []*packages.Package) ([]Action, error)

// An Action is one analyzer run on one package.
type Action struct {
	Package     *packages.Package
	Analyzer    *analysis.Analyzer
	Diagnostics []analysis.Diagnostic
	Result      any
}

// Checker is the driver of x/tools: facts stay with the objects they are about.
func Checker(analyzers []*analysis.Analyzer, pkgs []*packages.Package) ([]Action, error) {
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var done []Action
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("%v: %w", act, act.Err)
		}
		done = append(done, Action{act.Package, act.Analyzer, act.Diagnostics, act.Result})
	}
	return done, nil
}

// Encoding is a driver that keeps facts as bytes between packages, under the
// path of their object, as golangci-lint and nogo do.
func Encoding(analyzers []*analysis.Analyzer, pkgs []*packages.Package) ([]Action, error) {
	facts := make(map[string][]byte)
	seen := make(map[*packages.Package]bool)
	wanted := make(map[*packages.Package]bool)
	for _, pkg := range pkgs {
		wanted[pkg] = true
	}
	var done []Action
	var visit func(pkg *packages.Package) error
	visit = func(pkg *packages.Package) error {
		if seen[pkg] {
			return nil
		}
		seen[pkg] = true
		for _, p := range pkg.Imports {
			if err := visit(p); err != nil {
				return err
			}
		}
		if !wanted[pkg] {
			return nil
		}
		results := make(map[*analysis.Analyzer]any)
		for _, a := range ordered(analyzers) {
			act := Action{Package: pkg, Analyzer: a}
			result, err := a.Run(&analysis.Pass{
				Analyzer: a, Fset: pkg.Fset, Files: pkg.Syntax, Pkg: pkg.Types, TypesInfo: pkg.TypesInfo, TypesSizes: pkg.TypesSizes,
				Module:   &analysis.Module{Path: pkg.Module.Path, Version: pkg.Module.Version},
				ResultOf: results,
				Report:   func(d analysis.Diagnostic) { act.Diagnostics = append(act.Diagnostics, d) },
				ExportObjectFact: func(obj types.Object, fact analysis.Fact) {
					if key, ok := keyOf(obj); ok {
						var b bytes.Buffer
						if err := gob.NewEncoder(&b).Encode(fact); err != nil {
							panic(err)
						}
						facts[key] = b.Bytes()
					}
				},
				ImportObjectFact: func(obj types.Object, fact analysis.Fact) bool {
					key, _ := keyOf(obj)
					b, ok := facts[key]
					return ok && gob.NewDecoder(bytes.NewReader(b)).Decode(fact) == nil
				},
			})
			if err != nil {
				return err
			}
			results[a], act.Result = result, result
			done = append(done, act)
		}
		return nil
	}
	for _, pkg := range pkgs {
		if err := visit(pkg); err != nil {
			return nil, err
		}
	}
	return done, nil
}

func keyOf(obj types.Object) (string, bool) {
	path, err := objectpath.For(obj)
	return obj.Pkg().Path() + " " + string(path), err == nil
}

// ordered puts analyzers after what they require.
func ordered(analyzers []*analysis.Analyzer) []*analysis.Analyzer {
	var list []*analysis.Analyzer
	seen := make(map[*analysis.Analyzer]bool)
	var add func(a *analysis.Analyzer)
	add = func(a *analysis.Analyzer) {
		if seen[a] {
			return
		}
		seen[a] = true
		for _, r := range a.Requires {
			add(r)
		}
		list = append(list, a)
	}
	for _, a := range analyzers {
		add(a)
	}
	return list
}

// PerPackage runs the analyzers of checks package by package.
func (c *Corpus) PerPackage(t *testing.T, drive Driver, checks []*check.Check) *Report {
	t.Helper()
	r := newReport(c.Root)
	r.modular = true
	loud := c.diagnose(t, drive, r, checks, lock.Warning)
	for at, message := range c.diagnose(t, drive, nil, checks, lock.Note) {
		_, isLoud := loud[at]
		r.add(at.file, at.line, Item{Name: at.check, Quiet: !isLoud, Text: message})
	}
	return r
}

type diagnosed struct {
	file  string
	line  int
	check string
}

// diagnose returns the diagnostics of one run of the analyzers. Uses go into r
// unless it is nil.
func (c *Corpus) diagnose(t *testing.T, drive Driver, r *Report, checks []*check.Check, level lock.Level) map[diagnosed]string {
	t.Helper()
	analyzers := []*analysis.Analyzer{uses.Analyzer}
	for _, ch := range checks {
		a := ch.Analyzer() // a fresh one: its level is its own
		if err := a.Flags.Set("level", string(level)); err != nil {
			t.Fatal(err)
		}
		analyzers = append(analyzers, a)
	}
	done, err := drive(analyzers, c.Packages)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[diagnosed]string)
	for _, act := range done {
		for _, d := range act.Diagnostics {
			p := act.Package.Fset.Position(d.Pos)
			all[diagnosed{p.Filename, p.Line, d.Category}] = d.Message
		}
		if act.Analyzer == uses.Analyzer && r != nil {
			for _, u := range act.Result.(*uses.Result).Uses {
				r.use(u)
			}
		}
	}
	return all
}
