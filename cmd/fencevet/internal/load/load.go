// Package load brings the packages of a module into memory for analysis.
//
// Only the module's own packages are read from source. Everything they import
// comes as export data, which the go command keeps in its build cache: on a
// module with large client libraries that is a tenth of the time and a quarter
// of the memory of reading it all. The own packages themselves need not have
// been built for that.
//
// Loading is a stream. Files are parsed while the go command looks for export
// data, packages are type-checked as soon as what they import is, several at
// once, and given to the caller, who may drop what it does not need of them.
package load

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/cache"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Config says what to load.
type Config struct {
	Dir      string   // where patterns and relative paths start; absolute
	Patterns []string // package patterns; none means ./...
	Tests    bool     // test files too
	Also     []string // patterns of packages of required modules that are read from source too
	// Checked is called for every package that can be analysed once it is
	// type-checked, after those that it imports, and for several at once. It reports
	// whether nobody needs the package's Info any longer.
	Checked func(*uses.Package) (done bool)
	Cache   cache.Cache // remembers where export data is
	// ParseFile is called for every file that is read from source; nil means
	// the Go parser. It lets a test see which files these are.
	ParseFile func(fset *token.FileSet, filename string, src []byte) (*ast.File, error)
	// Shuffle is called before packages are read; nil leaves them in order. It lets a
	// test have them ready in another one.
	Shuffle func(n int, swap func(i, j int))
}

// A Program is what the go command says of packages and, once it is loaded, the
// packages themselves.
type Program struct {
	// Packages are those that the patterns match and, so that a wrapper in
	// another package is seen through, those of the same modules that they import.
	Packages []*uses.Package
	// Incomplete are packages that could not be loaded or type-checked.
	Incomplete []Incomplete
	Modules    []string // paths of the main modules
	Root       string   // directory of the main module or workspace
	Whole      bool     // the patterns ask for all packages below Root

	cfg     Config
	roots   []*packages.Package
	sources []*source // what is read from source, by ID
	byID    map[string]*source
	matched map[string]bool   // import paths that the patterns match
	dirs    map[string]string // of the main modules, by module path
	unbuilt bool              // export data of a dependency could not be made
}

// Incomplete is a package that is missing from a Program.
type Incomplete struct {
	Package string
	Reason  string // the first error
}

// Matches reports whether the patterns match the package of that import path,
// rather than one that imports it.
func (p *Program) Matches(path string) bool { return p.matched[path] }

// Exists reports whether the main modules have Go files where a package of that
// import path would be. One that exists and does not match all the same is not
// for this platform.
func (p *Program) Exists(path string) bool {
	for module, dir := range p.dirs {
		rest, ok := strings.CutPrefix(path, module)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(rest), "*.go"))
		if err == nil && len(files) > 0 {
			return true
		}
	}
	return false
}

// Reads reports whether a file, by its absolute name, is among those that are read
// from source. A line directive can name any other.
func (p *Program) Reads(file string) bool {
	return slices.ContainsFunc(p.sources, func(s *source) bool { return slices.Contains(s.pkg.GoFiles, file) })
}

// Sources is the number of packages that are read from source.
func (p *Program) Sources() int { return len(p.sources) }

// Complete reports whether another run over the same source would find the same: it
// would not if a dependency could not be built, for that has reasons out of sight.
func (p *Program) Complete() bool { return !p.unbuilt }

// ErrNoPackages says that the patterns match nothing.
var ErrNoPackages = errors.New("no packages match")

// Load lists the packages and reads them. Broken packages are no error as long as
// any package matched: they are Incomplete.
func Load(ctx context.Context, cfg Config) (*Program, error) {
	p, err := List(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx)
}

// Read reads and type-checks the packages that List found.
func (p *Program) Read(ctx context.Context) error {
	if err := newChecker(ctx, p).run(); err != nil {
		return err
	}
	for _, s := range p.sources {
		switch {
		case s.reason != "":
			p.Incomplete = append(p.Incomplete, Incomplete{Package: s.pkg.ID, Reason: s.reason})
		case s.checked != nil:
			p.Packages = append(p.Packages, s.checked)
		}
	}
	return nil
}

// A source is a package that is read from source.
type source struct {
	pkg     *packages.Package
	imports []*source // that are read from source too
	files   chan struct{}
	done    chan struct{}

	checked *uses.Package
	reason  string // why it is incomplete
}

const metadata = packages.NeedName | packages.NeedFiles | packages.NeedEmbedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule

// ask asks the go command. Of a run that is cancelled it says so, rather than how the go
// command came to its end.
func ask(cfg *packages.Config, patterns ...string) ([]*packages.Package, error) {
	found, err := packages.Load(cfg, patterns...)
	if stopped := cfg.Context.Err(); stopped != nil {
		return nil, stopped
	}
	return found, err
}

// List asks the go command for the packages and all that they import. No file of
// theirs is read for that.
func List(ctx context.Context, cfg Config) (*Program, error) {
	if len(cfg.Patterns) == 0 {
		cfg.Patterns = []string{"./..."}
	}
	if _, err := os.Stat(cfg.Dir); err != nil {
		return nil, err
	}
	roots, err := ask(&packages.Config{Context: ctx, Mode: metadata, Dir: cfg.Dir, Tests: cfg.Tests}, patterns(cfg)...)
	if err != nil {
		return nil, err
	}
	if len(roots) == 0 {
		return nil, fmt.Errorf("%w %s", ErrNoPackages, strings.Join(cfg.Patterns, " "))
	}
	p := &Program{Root: root(cfg.Dir, roots), cfg: cfg, roots: roots, byID: make(map[string]*source), matched: make(map[string]bool), dirs: make(map[string]string)}
	p.Whole = slices.Contains(cfg.Patterns, "./...") && filepath.Clean(cfg.Dir) == p.Root
	for _, pkg := range roots {
		p.matched[pkg.PkgPath] = true
		if m := pkg.Module; m != nil && m.Main && !slices.Contains(p.Modules, m.Path) {
			p.Modules = append(p.Modules, m.Path)
			p.dirs[m.Path] = m.Dir
		}
	}
	return p, p.divide()
}

// patterns are those for the go command, which says at the root of a workspace that
// there is no module and so nothing below it.
func patterns(cfg Config) []string {
	all := slices.Clone(cfg.Patterns)
	if i := slices.Index(all, "./..."); i >= 0 && filepath.Clean(cfg.Dir) == workspace(cfg.Dir) && above(cfg.Dir, "go.mod") == "" {
		all[i] = "work"
	}
	return all
}

// divide finds out what to read from source: what the patterns match, what that
// imports of the main modules or Also matches, wrappers of locks in other
// modules, and whatever imports something of this, since types of one package
// that was loaded twice do not mix.
func (p *Program) divide() error {
	also := make([]bool, len(p.cfg.Also))
	isRoot := make(map[*packages.Package]bool)
	for _, pkg := range p.roots {
		isRoot[pkg] = true
	}
	packages.Visit(p.roots, nil, func(pkg *packages.Package) {
		if generatedMain(pkg, p.cfg.Tests) || pkg.PkgPath == "unsafe" {
			return
		}
		own := isRoot[pkg] || pkg.Module != nil && pkg.Module.Main
		for i, pattern := range p.cfg.Also {
			if matches(pattern, pkg.PkgPath) {
				own, also[i] = true, true
			}
		}
		for _, imported := range pkg.Imports {
			own = own || p.byID[imported.ID] != nil
		}
		if own || wraps(pkg) {
			s := &source{pkg: pkg, files: make(chan struct{}), done: make(chan struct{})}
			p.byID[pkg.ID] = s
			p.sources = append(p.sources, s)
		}
	})
	// The order is that of the imports here: an import that comes later closes a
	// cycle, which only a broken program has.
	before := make(map[*source]bool)
	for _, s := range p.sources {
		for _, imported := range s.pkg.Imports {
			if i := p.byID[imported.ID]; i != nil && before[i] {
				s.imports = append(s.imports, i)
			}
		}
		before[s] = true
	}
	slices.SortFunc(p.sources, func(a, b *source) int { return strings.Compare(a.pkg.ID, b.pkg.ID) })
	if i := slices.Index(also, false); i >= 0 {
		return fmt.Errorf("%w -also=%s: nothing like that is imported", ErrNoPackages, p.cfg.Also[i])
	}
	return nil
}

// wraps reports whether a package of a required module may take locks for others.
func wraps(pkg *packages.Package) bool {
	return pkg.Module != nil && len(pkg.Errors) == 0 &&
		uses.CanWrap(pkg.Module.Path, pkg.PkgPath, sortedImports(pkg)) && uses.Wraps(pkg.GoFiles)
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

// generatedMain reports whether pkg is the main package that the go command makes
// for the tests of another one.
func generatedMain(pkg *packages.Package, tests bool) bool {
	return tests && strings.HasSuffix(pkg.ID, ".test") && pkg.Name == "main" && pkg.ID == pkg.PkgPath
}
