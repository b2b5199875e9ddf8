package catalog

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// A Catalog answers what functions, Redis commands and SQL functions mean.
// It is immutable and safe for concurrent use.
type Catalog struct {
	libs  []*Library          // sorted by name
	paths map[string]pathInfo // all that are catalogued
	marks []string            // those of generated packages
	// originals are the packages that forks are told by, by the last element of their paths.
	originals func() map[string][]original
	layers    []*layer // what is on top wins
	// What directives on declarations say comes before all layers.
	declared func(*types.Func) *Call
	revive   func(declared, pos string) *Call
}

// pathInfo tells whether an import can mean a lock, and whether it can mean
// anything that a section around it would have to answer for.
type pathInfo struct{ lock, acts bool }

// Declaring returns the catalogue with entries for what the source itself says of
// its functions. of returns the entry of a function, or nil; revive makes an
// entry from its text again where the function is out of sight.
func (c *Catalog) Declaring(of func(*types.Func) *Call, revive func(declared, pos string) *Call) *Catalog {
	d := *c
	d.declared, d.revive = of, revive
	return &d
}

// With returns the catalogue with further libraries on top: an entry of theirs
// replaces all entries of c for the same function. Two further libraries that
// describe the same function are an error.
func (c *Catalog) With(extra ...*Library) (*Catalog, error) {
	if len(extra) == 0 {
		return c, nil
	}
	top := newLayer(extra)
	if err := top.check(); err != nil {
		return nil, err
	}
	m := &Catalog{
		libs:   append(slices.Clone(c.libs), extra...),
		paths:  pathsOf(extra),
		layers: append([]*layer{top}, c.layers...),
	}
	for p, info := range c.paths {
		m.paths[p] = pathInfo{info.lock || m.paths[p].lock, info.acts || m.paths[p].acts}
	}
	m.marks = marksOf(m.paths)
	sortLibraries(m.libs)
	m.originals = sync.OnceValue(func() map[string][]original { return originalsOf(m.libs) })
	return m, nil
}

func sortLibraries(libs []*Library) {
	slices.SortFunc(libs, func(a, b *Library) int { return cmp.Compare(a.Library, b.Library) })
}

func pathsOf(libs []*Library) map[string]pathInfo {
	paths := map[string]pathInfo{}
	for _, lib := range libs {
		for _, list := range lib.Packages {
			for _, p := range list {
				paths[p] = pathInfo{lib.Locks || paths[p].lock, paths[p].acts}
			}
		}
		for _, c := range lib.Calls {
			if !c.Acts() {
				continue
			}
			for _, name := range append(slices.Clip(c.Func), c.Param) {
				if s, ok := parseSymbol(name); ok {
					for _, p := range lib.Packages[s.alias] {
						paths[p] = pathInfo{paths[p].lock, true}
					}
				}
			}
		}
	}
	return paths
}

// Ends reports whether a function of a listed package ends the process or the goroutine. It
// may be asked while packages are read: the package of fn is told by its path alone, since
// others may still be declaring what they know of it.
func (c *Catalog) Ends(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	if _, listed := c.paths[unvendored(fn.Pkg().Path())]; !listed {
		return false
	}
	return slices.ContainsFunc(c.Calls(fn), func(e *Call) bool { return e.Ends })
}

// Calls returns the entries for a called function, those with a condition on
// the arguments first; nil if the catalogue does not know the function. An
// entry for the receiver type wins over one for any receiver of the package,
// and both over one for a parameter type. Entries that refer to parameters or
// results which the function does not have are left out: a wildcard also meets
// methods of the same name that are none of its business, and libraries change.
//
// Programs write interfaces of their own for the methods of a client that they
// use (PutObject(ctx, *s3.PutObjectInput, ...)): these are the client's. So are
// the methods of such an interface that give a database handle's results
// (ExecContext(ctx, string, ...any) (sql.Result, error)), as generated code has it.
func (c *Catalog) Calls(fn *types.Func) []*Call {
	fn = fn.Origin()
	if fn.Pkg() == nil {
		return nil // error.Error
	}
	if c.declared != nil {
		if e := c.declared(fn); e != nil {
			return []*Call{e}
		}
	}
	sig := fn.Signature()
	path := c.Path(fn.Pkg())
	if _, ok := c.paths[path]; ok {
		for _, l := range c.layers {
			s := l.shelf(path)
			if s == nil {
				continue
			}
			fitting := fitting
			if !Generated(path) && path != unvendored(fn.Pkg().Path()) {
				fitting = patched
			}
			if sig.Recv() == nil {
				if list := fitting(s.calls[member{"", fn.Name()}], sig); list != nil {
					return list
				}
				continue
			}
			for _, recv := range []string{typeName(sig.Recv().Type()).name, "*"} {
				if list := fitting(s.calls[member{recv, fn.Name()}], sig); list != nil {
					return list
				}
			}
			if list := fitting(s.like(typeName(sig.Recv().Type()).name, fn.Name()), sig); list != nil {
				return list
			}
		}
	}
	for p := range sig.Params().Variables() {
		t := elem(p.Type())
		n := typeName(t)
		if _, ok := c.paths[n.path]; !ok {
			continue
		}
		for _, l := range c.layers {
			if s := l.shelf(n.path); s != nil {
				if list := fitting(paired(s.params[n.name], fn), sig); list != nil {
					return list
				}
				if recv := sig.Recv(); recv != nil && types.IsInterface(recv.Type()) {
					if list := s.repeated(fn, t); list != nil {
						return list
					}
				}
			}
		}
	}
	if list := c.narrowed(fn, sig); list != nil {
		return list
	}
	if recv := sig.Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return c.likeHandle(fn.Name(), sig)
	}
	return nil
}

// repeated returns the entries of the method of a library that a method of a program's own
// interface repeats, one of whose parameters is of a type of that library: a client's, which
// takes that type as well, or whichever has the very same parameters and results.
func (s *shelf) repeated(fn *types.Func, param types.Type) []*Call {
	sig := fn.Signature()
	home := namedOf(param).Obj().Pkg()
	of := func(recv string) (own *types.Signature, known bool) {
		tn, ok := home.Scope().Lookup(recv).(*types.TypeName)
		if !ok {
			return nil, false
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(tn.Type()), true, home, fn.Name())
		if method, ok := obj.(*types.Func); ok {
			return method.Signature(), true
		}
		return nil, true // in another version of the library
	}
	takes := func(sig *types.Signature) bool {
		if sig == nil {
			return false
		}
		for p := range sig.Params().Variables() {
			if typeName(elem(p.Type())) == typeName(param) {
				return true
			}
		}
		return false
	}
	if list := fitting(s.calls[member{"Client", fn.Name()}], sig); list != nil {
		if own, known := of("Client"); !known || takes(own) {
			return list
		}
	}
	var found []*Call
	for m, list := range s.calls {
		if m.name != fn.Name() || m.recv == "" || m.recv == "*" {
			continue
		}
		if own, _ := of(m.recv); own == nil || !types.Identical(own, sig) {
			continue
		}
		if found != nil && !slices.EqualFunc(found, list, func(a, b *Call) bool { return a.Pos == b.Pos }) {
			return nil // which of them, is not known
		}
		found = list
	}
	return fitting(found, sig)
}

// narrowed returns the entries of a client's method that a program's own
// interface repeats, told by what it returns: SetNX(...) *redis.BoolCmd,
// ExecContext(...) (sql.Result, error).
func (c *Catalog) narrowed(fn *types.Func, sig *types.Signature) []*Call {
	if recv := sig.Recv(); recv == nil || !types.IsInterface(recv.Type()) || sig.Results().Len() == 0 {
		return nil
	}
	n := typeName(sig.Results().At(0).Type())
	if _, ok := c.paths[n.path]; !ok {
		return nil
	}
	for _, l := range c.layers {
		if s := l.shelf(n.path); s != nil {
			for _, recv := range clients {
				if list := fitting(s.calls[member{recv, fn.Name()}], sig); list != nil {
					return list
				}
			}
		}
	}
	return nil
}

// likeHandle returns the entries of the method of a database handle that a
// method of an interface has the name and a result of. The result may be of
// another package than the handle: pgconn.CommandTag. So may the handle that has the
// method, of a library which adds to that one: NamedExec(...) (sql.Result, error).
func (c *Catalog) likeHandle(name string, sig *types.Signature) []*Call {
	for r := range sig.Results().Variables() {
		n := typeName(r.Type())
		if _, ok := c.paths[n.path]; !ok {
			continue
		}
		for _, l := range c.layers {
			own := l.byPath[n.path]
			for _, lib := range own {
				if found := l.ofHandle(lib, name, sig); found != nil {
					return found
				}
			}
			if len(own) == 0 || own[0].Family != "sql" {
				continue
			}
			for _, lib := range l.libs {
				if lib.Family == "sql" {
					if found := l.ofHandle(lib, name, sig); found != nil {
						return found
					}
				}
			}
		}
	}
	return nil
}

// ofHandle returns the entries of the method that a handle of the library has by that name.
func (l *layer) ofHandle(lib *Library, name string, sig *types.Signature) (found []*Call) {
	lib.handles(func(_, handle string) {
		sym, ok := parseSymbol(handle)
		if !ok || found != nil {
			return
		}
		for _, path := range lib.Packages[sym.alias] {
			if found = fitting(l.shelf(path).calls[member{sym.name, name}], sig); found != nil {
				return
			}
		}
	})
	return found
}

// clients are the names that libraries give their clients.
var clients = []string{"Client", "Cmdable", "DB", "Conn", "Pool", "*"}

func fitting(list []*Call, sig *types.Signature) []*Call {
	misfit := func(c *Call) bool { return c.args > sig.Params().Len() || c.results > sig.Results().Len() }
	if !slices.ContainsFunc(list, misfit) {
		return list
	}
	if list = slices.DeleteFunc(slices.Clone(list), misfit); len(list) == 0 {
		return nil
	}
	return list
}

// Handle returns what a statement on a value of the type runs on: pool, conn,
// tx, any of these, or "" if the catalogue does not know the type. The type is
// given as import path and name: database/sql.DB.
func (c *Catalog) Handle(typ string) string {
	typ, _, _ = strings.Cut(typ, "[")
	i := strings.LastIndexByte(typ, '.')
	if i < 0 {
		return ""
	}
	for _, l := range c.layers {
		if s := l.shelf(unvendored(typ[:i])); s != nil && s.handles[typ[i+1:]] != "" {
			return s.handles[typ[i+1:]]
		}
	}
	return ""
}

// Refusal reports whether a name of a package tells of an error that a condition did
// not hold: the type or variable of such an error, or a function that asks for it.
func (c *Catalog) Refusal(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && slices.ContainsFunc(c.layers, func(l *layer) bool {
		s := l.shelf(c.Path(obj.Pkg()))
		return s != nil && s.refusals[obj.Name()]
	})
}

// Fields returns the entries for reading a field of a defined struct type.
func (c *Catalog) Fields(owner *types.TypeName, field string) []*Call {
	if owner.Pkg() == nil {
		return nil
	}
	path := c.Path(owner.Pkg())
	for _, l := range c.layers {
		if s := l.shelf(path); s != nil {
			if list := s.fields[member{owner.Name(), field}]; list != nil {
				return list
			}
		}
	}
	return nil
}

type named struct{ path, name string }

// elem is what a slice is of; t itself where it is none.
func elem(t types.Type) types.Type {
	if s, ok := t.(*types.Slice); ok {
		return s.Elem()
	}
	return t
}

// namedOf is the defined type that t is or points to, or nil.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// GivenStore reports whether a function is given something of a library of locks, or of a
// store that has some: operations to send, a transaction.
func (c *Catalog) GivenStore(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		if c.paths[typeName(elem(p.Type())).path].lock {
			return true
		}
	}
	return false
}

// typeName names a defined type or a pointer to one.
func typeName(t types.Type) named {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return named{}
	}
	return named{unvendored(n.Obj().Pkg().Path()), n.Obj().Name()}
}

// unvendored returns the import path as the source writes it.
func unvendored(path string) string {
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		return path[i+len("/vendor/"):]
	}
	return strings.TrimPrefix(path, "vendor/")
}

// Command returns the meaning of a Redis command given as words; words that
// are not constant are empty. Options are looked for after the command's name.
func (c *Catalog) Command(words []string) *Command {
	if len(words) == 0 {
		return nil
	}
	name := strings.ToUpper(words[0])
	for _, l := range c.layers {
		for _, cmd := range l.commands()[name] {
			if cmd.hasOptions(words[1:]) {
				return cmd
			}
		}
	}
	return nil
}

func (c *Command) hasOptions(words []string) bool {
	for _, o := range c.With {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, o) }) {
			return false
		}
	}
	return true
}

// SQLFunc returns the meaning of a function called in SQL text, nil if it has
// none. A schema prefix (pg_catalog., sys., dbo.) is looked through.
func (c *Catalog) SQLFunc(name string) *SQLFunc {
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	for _, l := range c.layers {
		if f := l.sql()[name]; f != nil {
			return f
		}
	}
	return nil
}

// Libraries returns all libraries, sorted by name.
func (c *Catalog) Libraries() []*Library { return slices.Clone(c.libs) }

// Relevant reports whether a package is catalogued at all, and whether it is
// one whose import can mean a lock.
func (c *Catalog) Relevant(path string) (lock, known bool) {
	info, known := c.paths[unvendored(path)]
	return info.lock, known
}

// Acts reports whether a package has functions that a critical section would have
// to answer for.
func (c *Catalog) Acts(path string) bool { return c.paths[unvendored(path)].acts }

// Locks reports whether a package is there to take locks: it has calls that take
// one without further signs.
func (c *Catalog) Locks(path string) bool {
	path = unvendored(path)
	return slices.ContainsFunc(c.libs, func(l *Library) bool {
		return slices.ContainsFunc(l.Calls, func(call *Call) bool {
			if a := call.Acquire; a == nil || a.Raw || a.Traced {
				return false
			}
			return slices.ContainsFunc(call.Func, func(name string) bool { return slices.Contains(l.Packages[packageOf(name)], path) })
		})
	})
}

// packageOf is the package in the name of a function, (*pkg.T).M or pkg.F, as
// the catalogue writes it.
func packageOf(name string) string {
	name, _, _ = strings.Cut(strings.TrimLeft(name, "(*"), ".")
	return name
}

// Acts reports whether a call does something that a critical section around it
// would have to answer for. Others make, name or convert values, or run what
// they are given.
func (c *Call) Acts() bool {
	return c.Acquire != nil || c.Renew != nil || c.Release != nil || c.Loss != nil || c.Write != nil || c.Query != nil ||
		len(c.Command) > 0 || c.Blocks != nil
}

// MayLock reports whether the call can take a lock, renew it or give it back, by
// itself or by what it sends.
func (c *Call) MayLock() bool {
	return c.Acquire != nil || c.Renew != nil || c.Release != nil || c.Write != nil || c.Query != nil || len(c.Command) > 0
}

// At returns the entry at a position of a catalogue file, or the one that is made
// from a directive there; nil if there is none.
func (c *Catalog) At(pos, declared string) *Call {
	if declared != "" && c.revive != nil {
		return c.revive(declared, pos)
	}
	for _, l := range c.layers {
		if e := l.at()[pos]; e != nil {
			return e
		}
	}
	return nil
}
