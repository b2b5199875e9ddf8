package load

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// findExports finds the export data of what is not read from source: as the last
// run did where nothing of it has changed, else by asking the go command, which
// builds what is not in its cache.
func (c *checker) findExports() error {
	c.files, c.failed = make(map[string]string), make(map[string]string)
	var paths []string
	for _, s := range c.p.sources {
		for _, i := range s.pkg.Imports {
			if c.p.byID[i.ID] != nil || i.PkgPath == "unsafe" || len(i.Errors) > 0 {
				continue
			}
			if i.ExportFile != "" {
				c.files[i.PkgPath] = i.ExportFile // the driver says so
			} else {
				paths = append(paths, i.PkgPath)
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	key, err := c.p.exportsKey(paths)
	if err == nil && c.recall(key) {
		return nil
	}
	unknown := err != nil
	found, err := ask(&packages.Config{
		Context: c.ctx, Mode: packages.NeedName | packages.NeedExportFile | packages.NeedTypesSizes, Dir: c.p.cfg.Dir,
	}, paths...)
	if err != nil {
		return err
	}
	for _, pkg := range found {
		if pkg.TypesSizes != nil {
			c.sizes = pkg.TypesSizes
		}
		if pkg.ExportFile != "" {
			c.files[pkg.PkgPath] = pkg.ExportFile
			continue
		}
		c.p.unbuilt = true
		if len(pkg.Errors) > 0 {
			c.failed[pkg.PkgPath] = firstLine(pkg.Errors[0].Msg)
		}
	}
	if !unknown && !c.p.unbuilt {
		if data, err := json.Marshal(exports{c.files, c.sizes.Sizeof(types.Typ[types.Uintptr])}); err == nil {
			c.p.cfg.Cache.Put(key, data)
		}
	}
	return nil
}

// added returns the types of a package that no programmer imports, but a file that
// cgo makes. What these are is not known before the file is there.
func (c *checker) added(path string) (*types.Package, error) {
	found, err := ask(&packages.Config{Context: c.ctx, Mode: packages.NeedName | packages.NeedExportFile, Dir: c.p.cfg.Dir}, path)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	for _, pkg := range found {
		if c.files[pkg.PkgPath] == "" {
			c.files[pkg.PkgPath] = pkg.ExportFile
		}
	}
	c.mu.Unlock()
	return c.exported(path)
}

// exports is where export data was found. The names of the files stand for their
// content, so that they may be gone but never other ones.
type exports struct {
	Files map[string]string // by import path
	Word  int64             // size of a pointer
}

func (c *checker) recall(key [sha256.Size]byte) bool {
	var e exports
	if data := c.p.cfg.Cache.Get(key); data == nil || json.Unmarshal(data, &e) != nil {
		return false
	}
	for _, file := range e.Files {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	c.files = e.Files
	// Types have the same sizes on all platforms with pointers of that size.
	arch := "amd64"
	if e.Word == 4 {
		arch = "386"
	}
	c.sizes = types.SizesFor("gc", arch)
	return true
}

// exportsKey names the export data of packages by all that it is made from.
func (p *Program) exportsKey(paths []string) ([sha256.Size]byte, error) {
	h := sha256.New()
	fmt.Fprintf(h, "exports %q %q\n", p.cfg.Dir, paths)
	for _, name := range []string{"GOFLAGS", "GOEXPERIMENT", "GOOS", "GOARCH", "CGO_ENABLED", "CGO_CFLAGS", "CGO_CPPFLAGS", "CC"} {
		fmt.Fprintf(h, "%s %q\n", name, os.Getenv(name))
	}
	var errs []error
	for _, pkg := range p.all() {
		if p.byID[pkg.ID] == nil {
			errs = append(errs, identify(h, pkg))
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), errors.Join(errs...)
}

// exported reads a package's export data. All of it is one universe of types,
// which can be extended by one reader at a time.
func (c *checker) exported(path string) (*types.Package, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.types[path]; p != nil && p.Complete() {
		return p, nil
	}
	name := c.files[path]
	if name == "" {
		if why := c.failed[path]; why != "" {
			return nil, errors.New(why)
		}
		return nil, errors.New("no export data")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %v", name, err)
	}
	return gcexportdata.Read(r, c.fset, c.types, path)
}
