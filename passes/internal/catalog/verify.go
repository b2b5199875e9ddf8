package catalog

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/spell"
)

// Verify holds a library's names and references against real packages: each
// name must exist in the package, each argument index and field path in the
// signature of at least one function that the name means (versions differ, and
// Calls leaves out what does not fit). lookup returns a loaded package, or nil if there is none; names of
// packages that are not loaded are not judged, but returned as unseen.
func (lib *Library) Verify(lookup func(path string) *types.Package) (unseen []string, err error) {
	var errs Errors
	for _, c := range lib.Calls {
		for _, name := range c.names() {
			s, ok := parseSymbol(name)
			find := lookupSymbol
			if c.Field != nil {
				s, ok = parseField(name)
				find = lookupField
			}
			if !ok {
				continue
			}
			loaded, found, fits := 0, 0, false
			var misfits Errors
			for _, path := range lib.Packages[s.alias] {
				pkg := lookup(path)
				if pkg == nil {
					continue
				}
				loaded++
				for _, obj := range find(pkg, s) {
					found++
					var bad Errors
					if fn, ok := obj.(*types.Func); ok {
						bad = c.fit(fn, name, path)
					}
					fits = fits || bad == nil
					misfits = append(misfits, bad...)
				}
			}
			switch {
			case loaded == 0:
				unseen = append(unseen, name)
			case found == 0:
				errs = append(errs, &Error{Pos: c.Pos, Name: name, Msg: fmt.Sprintf("no %s in %s: correct the name%s", name, strings.Join(lib.Packages[s.alias], ", "), lib.meant(s, lookup))})
			case !fits:
				errs = append(errs, misfits...)
			}
		}
	}
	exists := func(list, what, name string, is func(types.Object) bool) {
		s, _ := parseSymbol(name)
		loaded, found := 0, 0
		for _, path := range lib.Packages[s.alias] {
			if pkg := lookup(path); pkg != nil {
				loaded++
				if is(pkg.Scope().Lookup(s.name)) {
					found++
				}
			}
		}
		switch {
		case loaded == 0:
			unseen = append(unseen, name)
		case found == 0:
			errs = append(errs, &Error{Pos: lib.places[list+" of "+lib.Library], Name: name, Msg: fmt.Sprintf("no %s in %s: correct the name", what+name, strings.Join(lib.Packages[s.alias], ", "))})
		}
	}
	lib.handles(func(_, name string) {
		exists("handles", "type ", name, func(obj types.Object) bool { _, ok := obj.(*types.TypeName); return ok })
	})
	for _, name := range lib.Refusals {
		exists("refusals", "", name, func(obj types.Object) bool { return obj != nil })
	}
	if errs != nil {
		return unseen, errs
	}
	return unseen, nil
}

// Unknown returns an error for each alias of whose packages lookup knows none.
func (lib *Library) Unknown(lookup func(path string) *types.Package) Errors {
	var errs Errors
	for _, alias := range slices.Sorted(maps.Keys(lib.Packages)) {
		paths := lib.Packages[alias]
		if !slices.ContainsFunc(paths, func(path string) bool { return lookup(path) != nil }) {
			errs = append(errs, &Error{Pos: lib.places[alias], Name: alias, Msg: fmt.Sprintf("no package %s among those that are imported: correct the path, or name the packages that import it", strings.Join(paths, " or "))})
		}
	}
	return errs
}

// meant is a remark on the name that was meant.
func (lib *Library) meant(s symbol, lookup func(path string) *types.Package) string {
	var known []string
	for _, path := range lib.Packages[s.alias] {
		pkg := lookup(path)
		if pkg == nil {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			obj := pkg.Scope().Lookup(name)
			if s.recv == "" {
				known = append(known, name)
				continue
			}
			if tn, ok := obj.(*types.TypeName); ok && s.recv == name {
				if named, ok := tn.Type().(*types.Named); ok {
					known = append(known, members(named)...)
				}
			} else if ok && lookupSymbol(pkg, symbol{s.alias, name, s.name}) != nil {
				return fmt.Sprintf(" (did you mean (%s.%s).%s?)", s.alias, name, s.name)
			}
		}
	}
	return spell.Meant(s.name, known)
}

// members are the names of what a type declares.
func members(named *types.Named) []string {
	var names []string
	for m := range named.Methods() {
		names = append(names, m.Name())
	}
	switch u := named.Underlying().(type) {
	case *types.Interface:
		for m := range u.ExplicitMethods() {
			names = append(names, m.Name())
		}
	case *types.Struct:
		for f := range u.Fields() {
			names = append(names, f.Name())
		}
	}
	return names
}

// names returns all names that the entry is for.
func (c *Call) names() []string {
	names := slices.Concat(c.Func, c.Field)
	if c.Param != "" {
		names = append(names, c.Param)
	}
	return names
}

// lookupSymbol finds what a function or type name stands for: one object, or
// for a wildcard receiver the method of every type that declares it.
func lookupSymbol(pkg *types.Package, s symbol) []types.Object {
	if s.recv == "" {
		if obj := pkg.Scope().Lookup(s.name); obj != nil {
			return []types.Object{obj}
		}
		return nil
	}
	var found []types.Object
	for _, name := range pkg.Scope().Names() {
		tn, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || s.recv != "*" && !matches(s.recv, name) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok {
			continue
		}
		if strings.Contains(s.name, "*") {
			for m := range named.Methods() {
				if matches(s.name, m.Name()) {
					found = append(found, m)
				}
			}
		} else if m := declared(named, s.name); m != nil {
			found = append(found, m)
		}
	}
	return found
}

// declared returns the method that a type itself declares: promoted methods
// are called as those of the type that declares them.
func declared(named *types.Named, method string) *types.Func {
	if i, ok := named.Underlying().(*types.Interface); ok {
		for m := range i.ExplicitMethods() {
			if m.Name() == method {
				return m
			}
		}
		return nil
	}
	for m := range named.Methods() {
		if m.Name() == method {
			return m
		}
	}
	return nil
}

func lookupField(pkg *types.Package, s symbol) []types.Object {
	tn, ok := pkg.Scope().Lookup(s.recv).(*types.TypeName)
	if !ok {
		return nil
	}
	if st, ok := tn.Type().Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if f.Name() == s.name {
				return []types.Object{f}
			}
		}
	}
	return nil
}

// fit checks the entry's references against a signature.
func (c *Call) fit(fn *types.Func, name, path string) Errors {
	var errs Errors
	sig := fn.Signature()
	bad := func(r Ref, why string) {
		errs = append(errs, &Error{Pos: c.Pos, Name: name, Msg: fmt.Sprintf("%q does not fit %s in %s: %s", r, fn.FullName(), path, why)})
	}
	c.refs(func(r Ref) {
		var t types.Type
		switch r.Base {
		case Arg:
			if r.Index >= sig.Params().Len() {
				// "arg 2..." may name no argument at all
				if !(r.Spread && r.Index == sig.Params().Len()) {
					bad(r, "it has "+count(sig.Params().Len(), "parameter"))
				}
				return
			}
			t = sig.Params().At(r.Index).Type()
		case Result:
			if r.Index >= sig.Results().Len() {
				bad(r, "it has "+count(sig.Results().Len(), "result"))
				return
			}
			t = sig.Results().At(r.Index).Type()
		case Receiver:
			if sig.Recv() == nil {
				bad(r, "it has no receiver")
				return
			}
			t = sig.Recv().Type()
		default:
			return
		}
		for _, field := range r.Path {
			t = element(t)
			if types.IsInterface(t) {
				return // a field of the value inside
			}
			obj, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), field)
			f, ok := obj.(*types.Var)
			if !ok {
				bad(r, fmt.Sprintf("%s has no field %s", t, field))
				return
			}
			t = f.Type()
		}
	})
	return errs
}

// count makes "1 result" and "2 results".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// element looks through pointers and slices.
func element(t types.Type) types.Type {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		default:
			return t
		}
	}
}
