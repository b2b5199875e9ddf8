package catalog

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
)

// Generators write packages into a program that have no import path of their own,
// and types and methods that are named after the program's tables. Such a package is
// told by what it declares: "type example.org/lib.T", in place of an import path,
// means every package that has T for another name of that type. Its functions are
// named with a star for what the program says: (*gen.*Update).Set*.

const declaring = "type "

// Path is the path by which the catalogue knows a package: that of its import, or the
// type by which a generated one is told, or that of the library which it is a copy of.
func (c *Catalog) Path(pkg *types.Package) string {
	path := unvendored(pkg.Path())
	if _, ok := c.paths[path]; ok {
		return path
	}
	for _, m := range c.marks {
		if declares(pkg, m) {
			return m
		}
	}
	return cmp.Or(c.fork(pkg), path)
}

// Path is Builtin().Path without making the catalogue.
func Path(pkg *types.Package) string {
	path := unvendored(pkg.Path())
	if _, known := find(path); known {
		return path
	}
	i, _ := find(declaring)
	for ; i < len(builtinPaths) && Generated(builtinPaths[i].path); i++ {
		if declares(pkg, builtinPaths[i].path) {
			return builtinPaths[i].path
		}
	}
	names := forkNames(pkg)
	if slices.ContainsFunc(builtinPaths, func(p imported) bool { return p.lock && slices.Contains(names, baseOf(p.path)) }) {
		return Builtin().Path(pkg)
	}
	return path
}

// Generated reports whether a path is that of packages which a generator writes: what
// they do is told by the catalogue, and need not be read.
func Generated(path string) bool { return strings.HasPrefix(path, declaring) }

// marksOf lists the types by which generated packages are told.
func marksOf(paths map[string]pathInfo) []string {
	var marks []string
	for p := range paths {
		if Generated(p) {
			marks = append(marks, p)
		}
	}
	slices.Sort(marks)
	return marks
}

// declares reports whether a package has another name for the type of a mark, the
// same one.
func declares(pkg *types.Package, mark string) bool {
	typ := strings.TrimPrefix(mark, declaring)
	i := strings.LastIndexByte(typ, '.')
	if i < 0 || pkg.Scope() == nil {
		return false
	}
	name, ok := pkg.Scope().Lookup(typ[i+1:]).(*types.TypeName)
	return ok && name.IsAlias() && typeName(name.Type()) == named{typ[:i], typ[i+1:]}
}

// A starred is the entries for names with a star.
type starred struct {
	member
	calls []*Call
}

// starred reports whether a name cannot be looked up, for a star in it.
func (m member) starred() bool {
	return strings.Contains(m.name, "*") || len(m.recv) > 1 && strings.Contains(m.recv, "*")
}

// like returns the entries for the name with a star that says most of a method.
func (s *shelf) like(recv, name string) []*Call {
	for _, x := range s.stars {
		if matches(x.recv, recv) && matches(x.name, name) {
			return x.calls
		}
	}
	return nil
}

// matches reports whether a name is what a pattern says; the star is for at least one
// letter.
func matches(pattern, name string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	return len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// shelve takes the names with a star out of those that are looked up, the ones that
// say most come first.
func (s *shelf) shelve() {
	for m, list := range s.calls {
		if m.starred() {
			conditionsFirst(list)
			s.stars = append(s.stars, starred{m, list})
			delete(s.calls, m)
		}
	}
	slices.SortFunc(s.stars, func(a, b starred) int {
		return cmp.Or(
			cmp.Compare(len(b.recv)+len(b.name), len(a.recv)+len(a.name)),
			cmp.Compare(a.recv+"."+a.name, b.recv+"."+b.name))
	})
}
