// Package load brings the packages of a module into memory for analysis.
//
// The module's own packages are read from source, and those of required modules
// that wrap locks. Everything else comes as export data, which the go command
// keeps in its build cache: on a module with large client libraries that is a
// tenth of the time and a quarter of the memory of reading it all.
package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/passes/uses"
)

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo |
	packages.NeedModule | packages.NeedExportFile

// A Config says what to load.
type Config struct {
	Dir      string   // where patterns and relative paths start; absolute
	Patterns []string // package patterns; none means ./...
	Tests    bool     // test files too
	Also     []string // patterns of packages of required modules that are read from source too
	// ParseFile is called for every file that is read from source; nil means
	// the Go parser. It lets a test see which files these are.
	ParseFile func(fset *token.FileSet, filename string, src []byte) (*ast.File, error)
}

// A Program is what was loaded.
type Program struct {
	// Packages are those that the patterns match and, so that a wrapper in
	// another package is seen through, those of the same modules that they import
	// and those of required modules that wrap locks.
	Packages []*uses.Package
	// Incomplete are packages that could not be loaded or type-checked.
	Incomplete []Incomplete
	Modules    []string // paths of the main modules
	Root       string   // directory of the main module or workspace
	Whole      bool     // the patterns ask for all packages below Root

	matched map[string]bool // import paths that the patterns match
}

// Incomplete is a package that is missing from a Program.
type Incomplete struct {
	Package string
	Reason  string // the first error
}

// Matches reports whether the patterns match the package of that import path,
// rather than one that imports it.
func (p *Program) Matches(path string) bool { return p.matched[path] }

// ErrNoPackages says that the patterns match nothing.
var ErrNoPackages = errors.New("no packages match")

// Load loads the packages. Broken packages are no error as long as any package
// matched: they are Incomplete.
func Load(ctx context.Context, cfg Config) (*Program, error) {
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	if _, err := os.Stat(cfg.Dir); err != nil {
		return nil, err
	}
	// Which packages else are needed shows in the import graph. It is asked for
	// while what was named is loaded: mostly that is all.
	type result struct {
		pkgs []*packages.Package
		err  error
	}
	first, stop := context.WithCancel(ctx)
	defer stop()
	named := make(chan result, 1)
	go func() {
		pkgs, err := load(first, cfg, mode, patterns)
		named <- result{pkgs, err}
	}()
	const graph = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	roots, err := load(ctx, cfg, graph, patterns)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("%w %s", ErrNoPackages, strings.Join(patterns, " "))
	}
	p := &Program{Root: root(cfg.Dir, roots), matched: make(map[string]bool)}
	p.Whole = slices.Contains(patterns, "./...") && filepath.Clean(cfg.Dir) == p.Root
	for _, pkg := range roots {
		p.matched[pkg.PkgPath] = true
		if m := pkg.Module; m != nil && m.Main && !slices.Contains(p.Modules, m.Path) {
			p.Modules = append(p.Modules, m.Path)
		}
	}
	more, err := p.imported(roots, cfg.Also)
	if err != nil {
		return nil, err
	}
	var pkgs []*packages.Package
	if len(more) == 0 {
		r := <-named
		pkgs, err = r.pkgs, r.err
	} else {
		// Types of two loads do not mix, so all is loaded again.
		stop()
		<-named
		pkgs, err = load(ctx, cfg, mode, append(slices.Clone(patterns), more...))
	}
	if err != nil {
		return nil, err
	}
	p.sort(cfg.Dir, pkgs)
	return p, nil
}

func load(ctx context.Context, cfg Config, mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	parse := cfg.ParseFile
	if parse == nil {
		parse = func(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
			return parser.ParseFile(fset, filename, src, parser.ParseComments|parser.SkipObjectResolution)
		}
	}
	return packages.Load(&packages.Config{
		Context:   ctx,
		Mode:      mode,
		Dir:       cfg.Dir,
		Tests:     cfg.Tests,
		ParseFile: parse,
	}, patterns...)
}

// imported returns the packages that the roots import, directly or not, and that
// are read from source besides: those of the main modules, those of required
// modules that wrap locks or that also matches, and what imports those.
func (p *Program) imported(roots []*packages.Package, also []string) ([]string, error) {
	var more []string
	found := make([]bool, len(also))
	wraps := make(map[*packages.Package]bool)
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if pkg.Module == nil || p.matched[pkg.PkgPath] || len(pkg.Errors) > 0 {
			return
		}
		wanted := pkg.Module.Main
		for i, pattern := range also {
			if matches(pattern, pkg.PkgPath) {
				wanted, found[i] = true, true
			}
		}
		if !pkg.Module.Main {
			imports := make([]string, 0, len(pkg.Imports))
			for path, imported := range pkg.Imports {
				imports = append(imports, path)
				wraps[pkg] = wraps[pkg] || wraps[imported]
			}
			wraps[pkg] = wraps[pkg] || uses.CanWrap(pkg.Module.Path, pkg.PkgPath, imports) && uses.Wraps(pkg.GoFiles)
		}
		if wanted || wraps[pkg] {
			more = append(more, pkg.PkgPath)
		}
	})
	for i, pattern := range also {
		if !found[i] {
			return nil, fmt.Errorf("%w -also=%s: nothing like that is imported", ErrNoPackages, pattern)
		}
	}
	slices.Sort(more)
	return more, nil
}

// matches reports whether an import path is meant by a pattern, in which "..."
// stands for anything; "x/..." means x too.
func matches(pattern, path string) bool {
	text := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if prefix, ok := strings.CutSuffix(text, `/.*`); ok {
		text = prefix + `(/.*)?`
	}
	ok, err := regexp.MatchString("^"+text+"$", path)
	return err == nil && ok
}

// sort divides what was loaded into what can be analysed and what cannot.
func (p *Program) sort(dir string, pkgs []*packages.Package) {
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	for _, pkg := range pkgs {
		if strings.HasSuffix(pkg.ID, ".test") {
			continue // the generated main package of a test
		}
		if reason := broken(pkg, dir); reason != "" {
			p.Incomplete = append(p.Incomplete, Incomplete{Package: pkg.ID, Reason: reason})
			continue
		}
		if len(pkg.Syntax) == 0 {
			continue // nothing but tests, or files for another platform
		}
		p.Packages = append(p.Packages, &uses.Package{
			Fset: pkg.Fset, Files: pkg.Syntax, Types: pkg.Types, Info: pkg.TypesInfo,
		})
	}
}

// broken returns why pkg cannot be analysed, or the empty string.
func broken(pkg *packages.Package, dir string) string {
	// What the go command says of a failed build comes first and has no position;
	// what the parser or type checker says of the same fault has one.
	for _, e := range pkg.Errors {
		if pos := position(e.Pos, dir); pos != "" {
			return pos + ": " + firstLine(because(pkg, e.Msg))
		}
	}
	if len(pkg.Errors) > 0 {
		return strings.TrimPrefix(firstLine(pkg.Errors[0].Msg), "pattern "+pkg.ID+": ")
	}
	if pkg.IllTyped && !sound(pkg.TypesInfo) {
		return "uses a type of a package that does not type-check"
	}
	return ""
}

// because replaces the type checker's word on a failed import, which does not
// tell what is wrong with the package, by what the go command says about it.
func because(pkg *packages.Package, message string) string {
	rest, ok := strings.CutPrefix(message, "could not import ")
	if !ok {
		return message
	}
	path, _, _ := strings.Cut(rest, " ")
	if imported := pkg.Imports[path]; imported != nil && len(imported.Errors) > 0 {
		return imported.Errors[0].Msg
	}
	return message
}

// sound reports whether every type is known. A package that imports a broken one
// has no error of its own and mostly does not need what is missing there; only
// where it does would an analysis go astray.
func sound(info *types.Info) bool {
	if info == nil {
		return false
	}
	for _, tv := range info.Types {
		if tv.Type != nil && strings.Contains(tv.Type.String(), "invalid type") {
			return false
		}
	}
	return true
}

// position makes the file:line:column of an error relative to dir.
func position(pos, dir string) string {
	if pos == "" || pos == "-" {
		return ""
	}
	if rel, err := filepath.Rel(dir, pos); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return pos
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// root returns the directory that paths in reports are relative to: that of the
// workspace if there is one, otherwise that of the module.
func root(dir string, pkgs []*packages.Package) string {
	if work := workspace(dir); work != "" {
		return work
	}
	for _, pkg := range pkgs {
		if m := pkg.Module; m != nil && m.Main && m.Dir != "" {
			return m.Dir
		}
	}
	return dir
}

// workspace finds the directory of the go.work file in force as the go command
// does, without asking it, which would take longer than all the rest here.
func workspace(dir string) string {
	switch file := os.Getenv("GOWORK"); file {
	case "":
	case "off":
		return ""
	default:
		return filepath.Dir(file)
	}
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.work")); err == nil && !info.IsDir() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
