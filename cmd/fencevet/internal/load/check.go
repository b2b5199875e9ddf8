package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/passes/uses"
)

// A checker parses and type-checks the sources of a program.
type checker struct {
	ctx   context.Context
	p     *Program
	fset  *token.FileSet
	sizes types.Sizes
	slots chan struct{} // bounds what runs at once

	spare   chan *types.Info // for the next packages
	buffers sync.Pool        // for the text of files

	exports chan struct{} // closed when export files are known
	mu      sync.Mutex    // guards what follows
	files   map[string]string
	failed  map[string]string         // import path -> why there is no export file
	types   map[string]*types.Package // from export data
}

func newChecker(ctx context.Context, p *Program) *checker {
	return &checker{
		ctx: ctx, p: p, fset: token.NewFileSet(), slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		exports: make(chan struct{}), types: make(map[string]*types.Package), spare: make(chan *types.Info, runtime.GOMAXPROCS(0)),
		buffers: sync.Pool{New: func() any { return new(bytes.Buffer) }},
		sizes:   types.SizesFor("gc", build.Default.GOARCH), // unless the go command says otherwise
	}
}

// run checks all packages. Those that are broken say so themselves.
func (c *checker) run() error {
	var group errgroup.Group
	group.Go(func() error {
		defer close(c.exports)
		return c.findExports()
	})
	syntax := make(map[*source][]*ast.File)
	order := slices.Clone(c.p.sources)
	if c.p.cfg.Shuffle != nil {
		c.p.cfg.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	for _, s := range order {
		group.Go(func() error {
			defer close(s.files)
			release := c.acquire()
			defer release()
			files, err := c.parse(s)
			c.mu.Lock()
			defer c.mu.Unlock()
			syntax[s] = files
			return err
		})
		group.Go(func() error {
			defer close(s.done)
			<-s.files
			<-c.exports
			for _, i := range s.imports {
				<-i.done
			}
			if c.ctx.Err() != nil {
				return c.ctx.Err()
			}
			release := c.acquire()
			defer release()
			c.mu.Lock()
			files := syntax[s]
			delete(syntax, s)
			c.mu.Unlock()
			return c.check(s, files)
		})
	}
	return group.Wait()
}

func (c *checker) acquire() (release func()) {
	c.slots <- struct{}{}
	return func() { <-c.slots }
}

// parse reads the files of a package. What is wrong with them is noted there.
func (c *checker) parse(s *source) ([]*ast.File, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	parse := c.p.cfg.ParseFile
	if parse == nil {
		parse = func(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
			return parser.ParseFile(fset, filename, src, parser.ParseComments|parser.SkipObjectResolution)
		}
	}
	names, err := c.compiled(s.pkg)
	if err != nil {
		return nil, err
	}
	text := c.buffers.Get().(*bytes.Buffer) // of which the parser keeps nothing
	defer c.buffers.Put(text)
	var files []*ast.File
	for _, name := range names {
		text.Reset()
		if err := readFile(text, name); err != nil {
			note(s.pkg, err)
			continue
		}
		f, err := parse(c.fset, name, text.Bytes())
		if err != nil {
			note(s.pkg, err)
		}
		if f != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

func readFile(into *bytes.Buffer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = into.ReadFrom(f)
	return err
}

// compiled lists the files that are compiled: for a package with cgo these are
// made from those that the programmer wrote.
func (c *checker) compiled(pkg *packages.Package) ([]string, error) {
	if pkg.CompiledGoFiles != nil {
		return pkg.CompiledGoFiles, nil // the driver says so
	}
	if !slices.ContainsFunc(pkg.GoFiles, usesCgo) {
		return pkg.GoFiles, nil
	}
	again, err := ask(&packages.Config{
		Context: c.ctx, Dir: c.p.cfg.Dir, Tests: c.p.cfg.Tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles,
	}, pkg.PkgPath)
	if err != nil {
		return nil, err
	}
	for _, p := range again {
		if p.ID == pkg.ID {
			pkg.Errors = p.Errors
			return p.CompiledGoFiles, nil
		}
	}
	return pkg.GoFiles, nil
}

// usesCgo reports whether a file imports "C".
func usesCgo(name string) bool {
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	return err == nil && slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` })
}

// check type-checks a package whose imports are, and hands it on if it can be
// analysed.
func (c *checker) check(s *source, files []*ast.File) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("package %s: fencevet fails on it: %v", s.pkg.ID, r)
		}
	}()
	pkg := s.pkg
	pkg.Types = types.NewPackage(pkg.PkgPath, pkg.Name)
	info := c.info()
	config := &types.Config{
		Importer: importer(func(path string) (*types.Package, error) { return c.imported(pkg, path) }),
		Error:    func(err error) { note(pkg, err) },
		Sizes:    c.sizes,
	}
	if pkg.Module != nil && pkg.Module.GoVersion != "" {
		config.GoVersion = "go" + pkg.Module.GoVersion
	}
	if err := typeCheck(config, c.fset, pkg.Types, info, files); err != nil && len(pkg.Errors) == 0 {
		note(pkg, err)
	}
	pkg.IllTyped = len(pkg.Errors) > 0
	for _, i := range s.imports {
		pkg.IllTyped = pkg.IllTyped || i.pkg.IllTyped
	}
	if s.reason = broken(pkg, info, c.p.cfg.Dir); s.reason != "" || len(files) == 0 {
		return nil // or nothing but tests, or files for another platform
	}
	s.checked = &uses.Package{Fset: c.fset, Files: files, Types: pkg.Types, Info: info}
	if c.p.cfg.Checked != nil {
		maps := *info
		if c.p.cfg.Checked(s.checked) {
			c.reuse(&maps)
		}
	}
	return nil
}

// info returns an empty Info. What is known of the expressions of a package is a fifth
// of all that is allocated, if its maps have to grow for each package anew.
func (c *checker) info() *types.Info {
	select {
	case info := <-c.spare:
		return info
	default:
	}
	return &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object),
		Implicits: make(map[ast.Node]types.Object), Instances: make(map[*ast.Ident]types.Instance),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
	}
}

// maxReused bounds the expressions of a package whose Info is used again: a map is as
// long to clear as it has ever been large.
const maxReused = 1 << 15

// reuse gives the maps of an Info that nobody needs to the next package.
func (c *checker) reuse(info *types.Info) {
	if len(info.Types) > maxReused {
		return
	}
	clear(info.Types)
	clear(info.Defs)
	clear(info.Uses)
	clear(info.Implicits)
	clear(info.Instances)
	clear(info.Selections)
	clear(info.FileVersions)
	*info = types.Info{
		Types: info.Types, Defs: info.Defs, Uses: info.Uses, Implicits: info.Implicits,
		Instances: info.Instances, Selections: info.Selections, FileVersions: info.FileVersions,
	}
	select {
	case c.spare <- info:
	default:
	}
}

// typeCheck lets no fault of the type checker end the run.
func typeCheck(config *types.Config, fset *token.FileSet, pkg *types.Package, info *types.Info, files []*ast.File) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the type checker fails: %v", r)
			pkg.MarkComplete()
		}
	}()
	return types.NewChecker(config, fset, pkg, info).Files(files)
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// imported returns the types of what a file of pkg imports.
func (c *checker) imported(pkg *packages.Package, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := pkg.Imports[path]
	switch {
	case p == nil:
		return c.added(path)
	case c.p.byID[p.ID] == nil:
		return c.exported(p.PkgPath)
	case p.Types == nil || !p.Types.Complete():
		return nil, errors.New("import cycle")
	}
	return p.Types, nil
}

// note adds what is wrong with a package to its errors.
func note(pkg *packages.Package, err error) {
	switch err := err.(type) {
	case *os.PathError:
		pkg.Errors = append(pkg.Errors, packages.Error{Pos: err.Path + ":1", Msg: err.Err.Error(), Kind: packages.ParseError})
	case scanner.ErrorList:
		for _, e := range err {
			pkg.Errors = append(pkg.Errors, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
		}
	case types.Error:
		pkg.Errors = append(pkg.Errors, packages.Error{Pos: err.Fset.Position(err.Pos).String(), Msg: err.Msg, Kind: packages.TypeError})
	default:
		pkg.Errors = append(pkg.Errors, packages.Error{Pos: "-", Msg: err.Error()})
	}
}
