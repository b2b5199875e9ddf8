package catalog

import (
	"embed"
	"slices"
	"strings"
	"sync"
)

// The files under data are the source of the built-in catalogue. Parsing them
// takes far longer than a vet tool may take to start, and a vet tool starts
// once per package; so they are compiled to Go literals, which the linker lays
// out and which cost nothing until they are read.
//
//go:generate go test -run ^TestGenerated$ -update .

// Files holds the data files as written, for display.
//
//go:embed data/*.yaml
var Files embed.FS

// source is one compiled data file. A map literal would be built at start, so
// the package table is a list here.
type source struct {
	lib      *Library
	packages []alias
}

type alias struct {
	name  string
	paths []string
}

// imported is one import path of the built-in libraries.
type imported struct {
	path       string
	lock, acts bool
}

// Builtin returns the built-in catalogue. It is made at the first call.
var Builtin = sync.OnceValue(func() *Catalog {
	c := &Catalog{paths: make(map[string]pathInfo, len(builtinPaths))}
	for _, s := range builtin {
		s.lib.Packages = make(map[string][]string, len(s.packages))
		for _, a := range s.packages {
			s.lib.Packages[a.name] = a.paths
		}
		s.lib.own()
		c.libs = append(c.libs, s.lib)
	}
	for _, p := range builtinPaths {
		c.paths[p.path] = pathInfo{p.lock, p.acts}
	}
	c.marks = marksOf(c.paths)
	sortLibraries(c.libs)
	c.originals = sync.OnceValue(func() map[string][]original { return originalsOf(c.libs) })
	c.layers = []*layer{newLayer(c.libs)}
	return c
})

// Relevant is Builtin().Relevant without making the catalogue: the gate asks
// it about every import of every package.
func Relevant(path string) (lock, known bool) {
	i, known := find(path)
	return known && builtinPaths[i].lock, known
}

// Acts reports whether a package has functions that a critical section would
// have to answer for. Like Relevant it does not make the catalogue.
func Acts(path string) bool {
	i, known := find(path)
	return known && builtinPaths[i].acts
}

// Covers reports whether packages of a module are in the catalogue: what their
// functions mean is told there, and need not be read from their source.
func Covers(module string) bool {
	i, known := find(module)
	return known || i < len(builtinPaths) && strings.HasPrefix(builtinPaths[i].path, module+"/")
}

func find(path string) (i int, known bool) {
	return slices.BinarySearchFunc(builtinPaths, unvendored(path), func(p imported, path string) int {
		return strings.Compare(p.path, path)
	})
}
