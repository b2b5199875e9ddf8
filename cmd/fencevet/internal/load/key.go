package load

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fencevet/fencevet/passes/uses"
)

// Key names everything that Read would read: equal keys mean equal programs. The
// files of the packages that are read from source count by their content, and so
// do those that C code comes from, or that are embedded and short. Of others only what they declare matters,
// which follows from the version of their module; where that can be edited (the
// standard library, vendored packages, a replacement in a directory) from the
// times and sizes of their files.
func (p *Program) Key() ([sha256.Size]byte, error) {
	h := sha256.New()
	say := func(format string, args ...any) { fmt.Fprintf(h, format+"\n", args...) }
	say("dir %q root %q modules %q", p.cfg.Dir, p.Root, p.Modules)
	for _, pkg := range p.roots {
		say("root %q", pkg.ID) // the platform shows in the files of what all import
	}
	for _, name := range []string{"CGO_CFLAGS", "CGO_CPPFLAGS", "CC"} {
		say("%s %q", name, os.Getenv(name))
	}
	var errs []error
	buffer := make([]byte, 32<<10)
	for _, pkg := range p.all() {
		if p.byID[pkg.ID] == nil {
			errs = append(errs, identify(h, pkg))
			continue
		}
		say("package %q %q %q", pkg.ID, pkg.PkgPath, pkg.Name)
		for _, e := range pkg.Errors {
			say("error %q %q", e.Pos, e.Msg)
		}
		if m := pkg.Module; m != nil {
			say("go %q", m.GoVersion)
		}
		for _, path := range sortedImports(pkg) {
			say("import %q %q", path, pkg.Imports[path].ID)
		}
		errs = append(errs, hashFiles(h, pkg.GoFiles, buffer), hashFiles(h, pkg.OtherFiles, buffer), hashFiles(h, short(pkg.EmbedFiles), buffer))
	}
	return [sha256.Size]byte(h.Sum(nil)), errors.Join(errs...)
}

// all lists the packages that were found, by ID.
func (p *Program) all() []*packages.Package {
	var all []*packages.Package
	packages.Visit(p.roots, nil, func(pkg *packages.Package) { all = append(all, pkg) })
	slices.SortFunc(all, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// identify adds what tells a package that is not read from source from another:
// which of its files are in the build, and what they are.
func identify(h hash.Hash, pkg *packages.Package) error {
	fmt.Fprintf(h, "package %q\n", pkg.ID)
	for _, e := range pkg.Errors {
		fmt.Fprintf(h, "error %q %q\n", e.Pos, e.Msg)
	}
	m := pkg.Module
	known := m != nil && fixed(m)
	if known {
		fmt.Fprintf(h, "module %q %q in %q\n", m.Path, m.Version, m.Dir)
	}
	for _, name := range pkg.GoFiles {
		if known {
			fmt.Fprintf(h, "file %q\n", filepath.Base(name))
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "file %q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	}
	return nil
}

func sortedImports(pkg *packages.Package) []string {
	var paths []string
	for path := range pkg.Imports {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// fixed reports whether a module lies in the module cache, where a version is the
// same forever.
func fixed(m *packages.Module) bool {
	if m.Replace != nil {
		return m.Replace.Version != "" && inCache(m.Dir, m.Replace.Version)
	}
	return m.Version != "" && inCache(m.Dir, m.Version)
}

func inCache(dir, version string) bool { return strings.HasSuffix(filepath.Base(dir), "@"+version) }

// short leaves out the files that are too long to be read.
func short(names []string) []string {
	var list []string
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() <= uses.MaxEmbedded {
			list = append(list, name)
		}
	}
	return list
}

// hashFiles adds the names and contents of files, which are read into a buffer: one of
// its own for each file would be a tenth of all that a run allocates.
func hashFiles(h hash.Hash, names []string, buffer []byte) error {
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		content := sha256.New()
		_, err = io.CopyBuffer(content, struct{ io.Reader }{f}, buffer) // a file alone would bring its own
		f.Close()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "file %q %s\n", name, hex.EncodeToString(content.Sum(nil)))
	}
	return nil
}
