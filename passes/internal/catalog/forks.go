package catalog

import (
	"go/types"
	"slices"
	"strings"
)

// A fork is a copy of a lock library under an import path of its own: somebody patched it
// and renamed the module, or copied it into the program. It is told by the last element of
// its path or by its name, and by what it declares: nearly all that the catalogue names of the library,
// with at least the parameters and results that its entries speak of. A package that only
// has the library's name has none of that.

// An original is one package of a lock library.
type original struct {
	path    string
	members []spoken
}

// spoken is a function that the catalogue has an entry for.
type spoken struct {
	member
	args, results int
	must          bool // takes part in ending or keeping the lock
	takes         bool
	ttl           Ref // of an acquire
}

// fewest is how many functions of a library the catalogue must name for a fork to be told
// by them.
const fewest = 5

// fork returns the path of the library that a package is a copy of, or "".
func (c *Catalog) fork(pkg *types.Package) string {
	if c.originals == nil || pkg.Scope() == nil {
		return ""
	}
	for _, name := range forkNames(pkg) {
		for _, o := range c.originals()[name] {
			if o.copied(pkg) {
				return o.path
			}
		}
	}
	return ""
}

// forkNames are what the path of a library may end in that a package is a copy of: as its own
// path does, or its name where that is another one (github.com/somebody/go-zk).
func forkNames(pkg *types.Package) []string {
	base := baseOf(unvendored(pkg.Path()))
	if pkg.Name() == base {
		return []string{base}
	}
	return []string{base, pkg.Name()}
}

// copied reports whether a package declares what an original does: whatever ends or keeps
// a lock, something that takes one, and three quarters of all, for versions differ.
func (o original) copied(pkg *types.Package) bool {
	found, takes := 0, false
	for _, m := range o.members {
		fn := m.in(pkg)
		if fn == nil {
			if m.must {
				return false
			}
			continue
		}
		if _, sure := lifetime(fn.Signature(), m.ttl); !sure {
			return false // what it does is read from its source
		}
		found++
		takes = takes || m.takes
	}
	return takes && 4*found >= 3*len(o.members)
}

// in is the function as a package declares it, or nil.
func (m spoken) in(pkg *types.Package) *types.Func {
	obj := pkg.Scope().Lookup(m.name)
	if m.recv != "" {
		owner, ok := pkg.Scope().Lookup(m.recv).(*types.TypeName)
		if !ok {
			return nil
		}
		obj, _, _ = types.LookupFieldOrMethod(types.NewPointer(owner.Type()), true, pkg, m.name)
		if types.IsInterface(owner.Type()) {
			obj, _, _ = types.LookupFieldOrMethod(owner.Type(), true, pkg, m.name)
		}
	}
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Params().Len() < m.args || fn.Signature().Results().Len() < m.results {
		return nil
	}
	return fn
}

// lifetime is which parameter of a fork's function is the time to live that an entry names:
// the patch may have added another duration before it. Where several could be meant, and
// their names do not tell, nobody knows.
func lifetime(sig *types.Signature, ttl Ref) (index int, sure bool) {
	if ttl.Base != Arg || len(ttl.Path) > 0 {
		return ttl.Index, true
	}
	var spans, told []int
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		if typeName(p.Type()) != (named{"time", "Duration"}) {
			continue
		}
		spans = append(spans, i)
		name := strings.ToLower(p.Name())
		if slices.ContainsFunc([]string{"ttl", "lease", "expir", "valid", "life"}, func(word string) bool { return strings.Contains(name, word) }) {
			told = append(told, i)
		}
	}
	switch {
	case len(spans) == 1:
		return spans[0], true
	case len(told) == 1:
		return told[0], true
	}
	return ttl.Index, len(spans) == 0 // a number, which cannot have been mistaken for another duration
}

// patched returns the entries for a function of a fork as its parameters are: those from the
// time to live on stand where that does.
func patched(list []*Call, sig *types.Signature) []*Call {
	out := slices.Clone(list)
	for i, c := range list {
		if c.Acquire == nil {
			continue
		}
		at, _ := lifetime(sig, c.Acquire.TTL)
		by := at - c.Acquire.TTL.Index
		if by == 0 || c.Acquire.TTL.Base != Arg {
			continue
		}
		call, a := *c, *c.Acquire
		first := a.TTL.Index
		for _, r := range []*Ref{&a.Handle, &a.Key, &a.TTL, &a.Value, &a.Options, &a.Parent, &a.Context, &a.Section, &a.Stop, &a.On, &a.Aged} {
			if r.Base == Arg && r.Index >= first {
				r.Index += by
			}
		}
		call.Acquire, call.args = &a, c.args+by
		out[i] = &call
	}
	return fitting(out, sig)
}

// originalsOf lists the packages that forks are told by, under the last element of their
// paths: those that locks are taken of.
func originalsOf(libs []*Library) map[string][]original {
	out := make(map[string][]original)
	for _, lib := range libs {
		if !lib.Locks {
			continue
		}
		for alias, paths := range lib.Packages {
			members := spokenOf(lib, alias)
			if len(members) < fewest || !slices.ContainsFunc(members, func(m spoken) bool { return m.takes }) {
				continue
			}
			path := paths[len(paths)-1]
			if !Generated(path) {
				base := baseOf(path)
				out[base] = append(out[base], original{path, members})
			}
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b original) int { return strings.Compare(a.path, b.path) })
	}
	return out
}

// spokenOf lists the functions of one package of a library that the catalogue names.
func spokenOf(lib *Library, alias string) []spoken {
	var out []spoken
	for _, c := range lib.Calls {
		for _, name := range c.Func {
			s, ok := parseSymbol(name)
			if !ok || s.alias != alias || strings.Contains(s.recv+s.name, "*") {
				continue
			}
			m := spoken{member{s.recv, s.name}, c.args, c.results, c.Release != nil || c.Renew != nil, c.Acquire != nil, Ref{}}
			if c.Acquire != nil {
				m.ttl = c.Acquire.TTL
			}
			if i := slices.IndexFunc(out, func(o spoken) bool { return o.member == m.member }); i < 0 {
				out = append(out, m)
			} else {
				out[i].must, out[i].takes = out[i].must || m.must, out[i].takes || m.takes
			}
		}
	}
	return out
}

// baseOf is the last element of a path that is no version.
func baseOf(path string) string {
	for {
		i := strings.LastIndexByte(path, '/')
		base := path[i+1:]
		if i < 0 || len(base) < 2 || base[0] != 'v' || strings.Trim(base[1:], "0123456789") != "" {
			return base
		}
		path = path[:i]
	}
}
