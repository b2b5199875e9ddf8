package checktest

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/gcexportdata"
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

// Nogo is a driver that works as rules_go's nogo does, which sees less than any
// other: a package is checked from source by itself, all that it imports comes as
// export data, facts arrive as bytes under the path of their object, and nobody
// says to which module a package belongs: files are named as from its folder. Where
// a package is only imported, just the analyzers that have facts run.
func Nogo(analyzers []*analysis.Analyzer, pkgs []*packages.Package) ([]Action, error) {
	n := &nogo{fset: token.NewFileSet(), imports: make(map[string]*types.Package), facts: make(map[string][]byte)}
	var sources []*packages.Package
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if pkg.Module != nil && pkg.Module.Main {
			sources = append(sources, pkg) // after what it imports
		}
	})
	if len(sources) > 0 {
		// Actions run in the folder that files are named from.
		back, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		if err := os.Chdir(sources[0].Module.Dir); err != nil {
			return nil, err
		}
		defer os.Chdir(back)
	}
	var done []Action
	for _, pkg := range sources {
		wanted, run := slices.Contains(pkgs, pkg), analyzers
		if !wanted {
			run = slices.DeleteFunc(ordered(analyzers), func(a *analysis.Analyzer) bool { return len(a.FactTypes) == 0 })
		}
		acts, err := n.analyze(run, pkg)
		if err != nil {
			return nil, err
		}
		if wanted {
			done = append(done, acts...)
		}
	}
	return done, nil
}

type nogo struct {
	fset    *token.FileSet
	imports map[string]*types.Package // from export data
	facts   map[string][]byte         // by path of package and object
}

// analyze runs the analyzers over a package.
func (n *nogo) analyze(analyzers []*analysis.Analyzer, pkg *packages.Package) ([]Action, error) {
	var files []*ast.File
	for _, name := range pkg.CompiledGoFiles {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(n.fset, relative(pkg.Module.Dir, name), source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Instances: make(map[*ast.Ident]types.Instance),
		Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes: make(map[ast.Node]*types.Scope), FileVersions: make(map[*ast.File]string),
	}
	config := types.Config{Importer: n.importer(pkg), Sizes: pkg.TypesSizes}
	checked, err := config.Check(pkg.PkgPath, n.fset, files, info)
	if err != nil {
		return nil, err
	}
	mine := *pkg
	mine.Fset = n.fset

	var done []Action
	results := make(map[*analysis.Analyzer]any)
	for _, a := range ordered(analyzers) {
		act := Action{Package: &mine, Analyzer: a}
		result, err := a.Run(&analysis.Pass{
			Analyzer: a, Fset: n.fset, Files: files, Pkg: checked, TypesInfo: info, TypesSizes: pkg.TypesSizes,
			ResultOf: results,
			Report:   func(d analysis.Diagnostic) { act.Diagnostics = append(act.Diagnostics, d) },
			ExportObjectFact: func(obj types.Object, fact analysis.Fact) {
				if key, ok := keyOf(obj); ok {
					var b bytes.Buffer
					if err := gob.NewEncoder(&b).Encode(fact); err != nil {
						panic(err)
					}
					n.facts[key] = b.Bytes()
				}
			},
			ImportObjectFact: func(obj types.Object, fact analysis.Fact) bool {
				key, _ := keyOf(obj)
				b, ok := n.facts[key]
				return ok && gob.NewDecoder(bytes.NewReader(b)).Decode(fact) == nil
			},
		})
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", a, pkg, err)
		}
		results[a], act.Result = result, result
		done = append(done, act)
	}
	return done, nil
}

// importer reads what pkg imports from export data.
func (n *nogo) importer(pkg *packages.Package) types.Importer {
	return importerFunc(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		dep := pkg.Imports[path]
		if dep == nil {
			return nil, fmt.Errorf("%s does not import %s", pkg, path)
		}
		if known := n.imports[dep.PkgPath]; known != nil && known.Complete() {
			return known, nil
		}
		f, err := os.Open(dep.ExportFile)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if dep.Module != nil && dep.Module.Main {
			return gcexportdata.Read(f, n.fset, n.imports, dep.PkgPath)
		}
		r, err := gcexportdata.NewReader(f)
		if err != nil {
			return nil, err
		}
		return gcexportdata.Read(r, n.fset, n.imports, dep.PkgPath)
	})
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

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
		if act.Analyzer != uses.Analyzer {
			continue
		}
		found := act.Result.(*uses.Result)
		for _, f := range found.Faults {
			t.Errorf("%s: %s", f.Package, f.Reason)
		}
		if r != nil {
			for _, u := range found.Uses {
				r.use(u)
			}
		}
	}
	return all
}
