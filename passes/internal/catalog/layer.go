package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A layer holds libraries of the same rank. They are indexed by import path,
// and each path only when it is first asked for: a process that reads one
// package meets few of them.
type layer struct {
	libs     []*Library
	byPath   map[string][]*Library
	shelves  sync.Map // import path -> *shelf
	commands func() map[string][]*Command
	sql      func() map[string]*SQLFunc
	at       func() map[string]*Call // by position
}

// A shelf holds the entries for one import path.
type shelf struct {
	calls    map[member][]*Call
	fields   map[member][]*Call
	params   map[string][]*Call // by type name
	stars    []starred
	handles  map[string]string // kind by type name
	refusals map[string]bool
}

// A member is a method or field, or a function if recv is empty. A recv of "*"
// stands for any type.
type member struct{ recv, name string }

func newLayer(libs []*Library) *layer {
	l := &layer{libs: libs, byPath: map[string][]*Library{}}
	for _, lib := range libs {
		for _, paths := range lib.Packages {
			for _, p := range paths {
				if !slices.Contains(l.byPath[p], lib) {
					l.byPath[p] = append(l.byPath[p], lib)
				}
			}
		}
	}
	l.commands = sync.OnceValue(func() map[string][]*Command { return commandsOf(libs, ignore) })
	l.at = sync.OnceValue(func() map[string]*Call {
		m := map[string]*Call{}
		for _, lib := range libs {
			for _, c := range lib.Calls {
				m[c.Pos] = c
			}
		}
		return m
	})
	l.sql = sync.OnceValue(func() map[string]*SQLFunc { return sqlOf(libs, ignore) })
	return l
}

// A clash is called for two entries that mean the same thing.
type clash func(pos, what, first string)

func ignore(_, _, _ string) {}

// check reports the entries that exclude each other.
func (l *layer) check() error {
	var errs Errors
	report := func(pos, what, first string) {
		e := &Error{Pos: pos, Name: what, Msg: fmt.Sprintf("%s has an entry at %s already: remove one", what, first)}
		if !slices.ContainsFunc(errs, func(o *Error) bool { return *o == *e }) { // once for several import paths
			errs = append(errs, e)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(l.byPath)) {
		newShelf(path, l.byPath[path], report)
	}
	commandsOf(l.libs, report)
	sqlOf(l.libs, report)
	if errs != nil {
		return errs
	}
	return nil
}

// shelf returns the entries for an import path, nil if there are none.
func (l *layer) shelf(path string) *shelf {
	libs := l.byPath[path]
	if libs == nil {
		return nil
	}
	if s, ok := l.shelves.Load(path); ok {
		return s.(*shelf)
	}
	s, _ := l.shelves.LoadOrStore(path, newShelf(path, libs, ignore))
	return s.(*shelf)
}

func newShelf(path string, libs []*Library, clash clash) *shelf {
	s := &shelf{calls: map[member][]*Call{}, fields: map[member][]*Call{}, params: map[string][]*Call{}, handles: map[string]string{}, refusals: map[string]bool{}}
	for _, lib := range libs {
		here := map[string]bool{}
		for alias, paths := range lib.Packages {
			here[alias] = slices.Contains(paths, path)
		}
		add := func(m map[member][]*Call, name string, sym symbol, c *Call) {
			if !here[sym.alias] {
				return
			}
			k := member{sym.recv, sym.name}
			for _, o := range m[k] {
				if len(c.When) == 0 && len(o.When) == 0 {
					clash(c.Pos, name, o.Pos)
				}
			}
			m[k] = append(m[k], c)
		}
		lib.handles(func(kind, name string) {
			if sym, ok := parseSymbol(name); ok && here[sym.alias] {
				s.handles[sym.name] = kind
			}
		})
		for _, name := range lib.Refusals {
			if sym, ok := parseSymbol(name); ok && here[sym.alias] {
				s.refusals[sym.name] = true
			}
		}
		for _, c := range lib.Calls {
			for _, name := range c.Func {
				sym, _ := parseSymbol(name)
				add(s.calls, name, sym, c)
			}
			for _, name := range c.Field {
				sym, _ := parseField(name)
				add(s.fields, name, sym, c)
			}
			if sym, ok := parseSymbol(c.Param); ok && here[sym.alias] {
				s.params[sym.name] = append(s.params[sym.name], c)
			}
		}
	}
	s.shelve()
	for _, list := range s.calls {
		conditionsFirst(list)
	}
	for _, list := range s.params {
		conditionsFirst(list)
	}
	return s
}

// conditionsFirst puts entries with a condition before those without.
func conditionsFirst(list []*Call) {
	if len(list) < 2 {
		return
	}
	slices.SortStableFunc(list, func(a, b *Call) int {
		return cmp.Compare(min(len(b.When), 1), min(len(a.When), 1))
	})
}

// commandsOf indexes Redis commands, those with the most options first.
func commandsOf(libs []*Library, clash clash) map[string][]*Command {
	m := map[string][]*Command{}
	for _, lib := range libs {
		for _, c := range lib.Commands {
			for _, o := range m[c.Name] {
				if slices.Equal(o.With, c.With) {
					clash(c.Pos, "command "+c.Name, o.Pos)
				}
			}
			m[c.Name] = append(m[c.Name], c)
		}
	}
	for _, list := range m {
		slices.SortStableFunc(list, func(a, b *Command) int { return cmp.Compare(len(b.With), len(a.With)) })
	}
	return m
}

func sqlOf(libs []*Library, clash clash) map[string]*SQLFunc {
	m := map[string]*SQLFunc{}
	for _, lib := range libs {
		for _, f := range lib.SQL {
			if o := m[f.Name]; o != nil {
				clash(f.Pos, "SQL function "+f.Name, o.Pos)
			}
			m[f.Name] = f
		}
	}
	return m
}
