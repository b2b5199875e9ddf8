// Package load brings the packages of a module into memory for analysis.
//
// Only the module's own packages are read from source. Everything they import
// comes as export data, which the go command keeps in its build cache: on a
// module with large client libraries that is a tenth of the time and a quarter
// of the memory of reading it all.
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
	// ParseFile is called for every file that is read from source; nil means
	// the Go parser. It lets a test see which files these are.
	ParseFile func(fset *token.FileSet, filename string, src []byte) (*ast.File, error)
}

// A Program is what was loaded.
type Program struct {
	// Packages are those that the patterns match and, so that a wrapper in
	// another package is seen through, those of the same modules that they import.
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
	pkgs, err := load(ctx, cfg, mode, patterns)
	if err != nil {
		return nil, err
	}
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("%w %s", ErrNoPackages, strings.Join(patterns, " "))
	}
	p := &Program{Root: root(cfg.Dir, pkgs), matched: make(map[string]bool)}
	p.Whole = slices.Contains(patterns, "./...") && filepath.Clean(cfg.Dir) == p.Root
	for _, pkg := range pkgs {
		p.matched[pkg.PkgPath] = true
		if m := pkg.Module; m != nil && m.Main && !slices.Contains(p.Modules, m.Path) {
			p.Modules = append(p.Modules, m.Path)
		}
	}
	if missing, err := p.imported(ctx, cfg, pkgs, patterns); err != nil {
		return nil, err
	} else if len(missing) > 0 {
		// Types of two loads do not mix, so all is loaded again. This happens for
		// narrow patterns only, where it is cheap.
		if pkgs, err = load(ctx, cfg, mode, append(slices.Clone(patterns), missing...)); err != nil {
			return nil, err
		}
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

// imported returns the packages of the main modules that pkgs import, directly
// or not, and that the patterns do not match.
func (p *Program) imported(ctx context.Context, cfg Config, pkgs []*packages.Package, patterns []string) ([]string, error) {
	own := func(path string) bool {
		return slices.ContainsFunc(p.Modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
	}
	narrow := slices.ContainsFunc(pkgs, func(pkg *packages.Package) bool {
		for path := range pkg.Imports {
			if own(path) && !p.matched[path] {
				return true
			}
		}
		return false
	})
	if !narrow {
		return nil, nil
	}
	const graph = packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	pkgs, err := load(ctx, cfg, graph, patterns)
	if err != nil {
		return nil, err
	}
	var missing []string
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if pkg.Module != nil && pkg.Module.Main && !p.matched[pkg.PkgPath] && len(pkg.Errors) == 0 {
			missing = append(missing, pkg.PkgPath)
		}
	})
	return missing, nil
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
