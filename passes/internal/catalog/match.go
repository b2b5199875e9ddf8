package catalog

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// A Catalog answers what functions, Redis commands and SQL functions mean.
// It is immutable and safe for concurrent use.
type Catalog struct {
	libs  []*Library // sorted by name
	paths map[string]pathInfo
	index func() *index
}

type pathInfo struct{ lock bool }

// A key names a function or field: import path, receiver or struct type ("*"
// for any receiver), and name. A parameter type is a name without receiver.
type key struct{ path, recv, name string }

// index holds the entries by what they are looked up with. It is built at the
// first lookup: most packages have nothing to look up.
type index struct {
	calls    map[key][]*Call
	params   map[key][]*Call
	fields   map[key][]*Call
	commands map[string][]*Command
	sql      map[string]*SQLFunc
}

// With returns the catalogue with further libraries on top: an entry of theirs
// replaces all entries of c for the same function. Two further libraries that
// describe the same function are an error.
func (c *Catalog) With(extra ...*Library) (*Catalog, error) {
	if len(extra) == 0 {
		return c, nil
	}
	over, err := newIndex(extra)
	if err != nil {
		return nil, err
	}
	m := &Catalog{libs: append(slices.Clone(c.libs), extra...), paths: pathsOf(extra)}
	for p, info := range c.paths {
		m.paths[p] = pathInfo{lock: info.lock || m.paths[p].lock}
	}
	sortLibraries(m.libs)
	m.index = sync.OnceValue(func() *index { return merge(over, c.index()) })
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
				paths[p] = pathInfo{lock: lib.Locks || paths[p].lock}
			}
		}
	}
	return paths
}

// newIndex indexes libraries that all have the same rank, so that two entries
// for one function exclude each other.
func newIndex(libs []*Library) (*index, error) {
	n := 0
	for _, lib := range libs {
		n += 3 * len(lib.Calls)
	}
	x := &index{calls: make(map[key][]*Call, n), params: map[key][]*Call{}, fields: map[key][]*Call{}, commands: map[string][]*Command{}, sql: map[string]*SQLFunc{}}
	var errs Errors
	clash := func(pos, what, first string) {
		errs = append(errs, &Error{Pos: pos, Name: what, Msg: fmt.Sprintf("%s has an entry at %s already: remove one", what, first)})
	}
	for _, lib := range libs {
		for _, c := range lib.Calls {
			m := x.calls
			switch {
			case c.Param != "":
				m = x.params
			case c.Field != nil:
				m = x.fields
			}
			c.keys(func(k key, name string) {
				for _, o := range m[k] {
					if len(c.When) == 0 && len(o.When) == 0 && c.Param == "" {
						clash(c.Pos, name, o.Pos)
					}
				}
				m[k] = append(m[k], c)
			})
		}
		for _, c := range lib.Commands {
			for _, o := range x.commands[c.Name] {
				if slices.Equal(o.With, c.With) {
					clash(c.Pos, "command "+c.Name, o.Pos)
				}
			}
			x.commands[c.Name] = append(x.commands[c.Name], c)
		}
		for _, f := range lib.SQL {
			if o := x.sql[f.Name]; o != nil {
				clash(f.Pos, "SQL function "+f.Name, o.Pos)
			}
			x.sql[f.Name] = f
		}
	}
	for _, list := range x.calls {
		if len(list) == 1 {
			continue
		}
		slices.SortStableFunc(list, func(a, b *Call) int { return cmp.Compare(rank(a), rank(b)) })
	}
	for _, list := range x.commands { // the most demanding options first
		slices.SortStableFunc(list, func(a, b *Command) int { return cmp.Compare(len(b.With), len(a.With)) })
	}
	if errs != nil {
		return nil, errs
	}
	return x, nil
}

// rank puts entries with a condition before those without.
func rank(c *Call) int {
	if len(c.When) > 0 {
		return 0
	}
	return 1
}

// keys calls f for everything the entry is found by.
func (c *Call) keys(f func(k key, name string)) {
	add := func(name string, s symbol, ok bool) {
		if !ok {
			return
		}
		for _, path := range c.Library.Packages[s.alias] {
			f(key{path, s.recv, s.name}, name)
		}
	}
	for _, name := range c.Func {
		s, ok := parseSymbol(name)
		add(name, s, ok)
	}
	for _, name := range c.Field {
		s, ok := parseField(name)
		add(name, s, ok)
	}
	if c.Param != "" {
		s, ok := parseSymbol(c.Param)
		add(c.Param, s, ok)
	}
}

// merge lays one index over another. Base wildcards for the same method give
// way to an exact entry by the order of lookup, not here.
func merge(over, base *index) *index {
	x := &index{calls: clone(base.calls), params: clone(base.params), fields: clone(base.fields), commands: clone(base.commands), sql: clone(base.sql)}
	lay(x.calls, over.calls)
	lay(x.params, over.params)
	lay(x.fields, over.fields)
	lay(x.commands, over.commands)
	lay(x.sql, over.sql)
	return x
}

func clone[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	lay(c, m)
	return c
}

func lay[K comparable, V any](dst, src map[K]V) {
	for k, v := range src {
		dst[k] = v
	}
}

// Calls returns the entries for a called function, those with a condition on
// the arguments first; nil if the catalogue does not know the function. An
// entry for the receiver type wins over one for any receiver of the package,
// and both over one for a parameter type. Entries that refer to parameters or
// results which the function does not have are left out: a wildcard also meets
// methods of the same name that are none of its business, and libraries change.
func (c *Catalog) Calls(fn *types.Func) []*Call {
	fn = fn.Origin()
	if fn.Pkg() == nil {
		return nil // error.Error
	}
	sig := fn.Signature()
	x := c.index()
	path := unvendored(fn.Pkg().Path())
	if _, ok := c.paths[path]; ok {
		recv := ""
		if r := sig.Recv(); r != nil {
			recv = typeName(r.Type()).name
		}
		if list := fitting(x.calls[key{path, recv, fn.Name()}], sig); list != nil {
			return list
		}
		if sig.Recv() != nil {
			if list := fitting(x.calls[key{path, "*", fn.Name()}], sig); list != nil {
				return list
			}
		}
	}
	for p := range sig.Params().Variables() {
		t := p.Type()
		if s, ok := t.(*types.Slice); ok {
			t = s.Elem()
		}
		if n := typeName(t); n.path != "" {
			if list := fitting(x.params[key{path: n.path, name: n.name}], sig); list != nil {
				return list
			}
		}
	}
	return nil
}

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

// Fields returns the entries for reading a field of a defined struct type.
func (c *Catalog) Fields(owner *types.TypeName, field string) []*Call {
	if owner.Pkg() == nil {
		return nil
	}
	path := unvendored(owner.Pkg().Path())
	if _, ok := c.paths[path]; !ok {
		return nil
	}
	return c.index().fields[key{path, owner.Name(), field}]
}

type named struct{ path, name string }

// typeName names a defined type or a pointer to one.
func typeName(t types.Type) named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
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
	for _, cmd := range c.index().commands[strings.ToUpper(words[0])] {
		if cmd.hasOptions(words[1:]) {
			return cmd
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
	return c.index().sql[name]
}

// Libraries returns all libraries, sorted by name.
func (c *Catalog) Libraries() []*Library { return slices.Clone(c.libs) }

// Relevant reports whether a package is catalogued at all, and whether it is
// one whose import can mean a lock.
func (c *Catalog) Relevant(path string) (lock, known bool) {
	info, known := c.paths[unvendored(path)]
	return info.lock, known
}
