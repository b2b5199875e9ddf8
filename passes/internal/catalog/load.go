package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/fencevet/fencevet/passes/internal/strict"
)

// Load reads one catalogue file. It is strict: whatever it does not know is an
// error, because a misspelt key or name would silently blind the analyzer. The
// error, if any, is of type Errors and holds every fault found.
func Load(name string, data []byte) (*Library, error) {
	d := &decoder{}
	d.Decoder = strict.Decoder{Name: name, Custom: custom(d), Enter: d.enter}
	root := d.Document(data, "at least library and calls")
	if root == nil {
		return nil, d.Err()
	}
	return d.load(root)
}

// Decode reads the library that stands at a node of another file.
func Decode(name string, n *yaml.Node) (*Library, error) {
	d := &decoder{}
	d.Decoder = strict.Decoder{Name: name, Custom: custom(d), Enter: d.enter}
	return d.load(n)
}

func (d *decoder) load(root *yaml.Node) (*Library, error) {
	lib := new(Library)
	d.Value(root, lib)
	d.check(root, lib)
	if err := d.Err(); err != nil {
		return nil, err
	}
	for _, c := range lib.Calls {
		c.refs(func(r Ref) {
			n := r.Index + 1
			if r.Spread {
				n = r.Index // no value at all is a spread, too
			}
			switch r.Base {
			case Arg:
				c.args = max(c.args, n)
			case Result:
				c.results = max(c.results, n)
			}
		})
	}
	lib.own()
	return lib, nil
}

// own sets the back references of a library's entries.
func (lib *Library) own() {
	for _, c := range lib.Calls {
		c.Library = lib
	}
	for _, c := range lib.Commands {
		c.Library = lib
	}
	for _, f := range lib.SQL {
		f.Library = lib
	}
}

// A symbol is a parsed function name of a catalogue file.
type symbol struct {
	alias string
	recv  string // receiver type, "*" for any, "" for a package-level function
	name  string
}

func (s symbol) String() string {
	if s.recv == "" {
		return s.alias + "." + s.name
	}
	return "(" + s.alias + "." + s.recv + ")." + s.name
}

// parseSymbol reads pkg.Func, (pkg.T).Method, (*pkg.T).Method or
// (pkg.*).Method, with one star in a name that is generated. Pointer and value receivers are not told apart: a method set
// cannot have both.
func parseSymbol(s string) (symbol, bool) {
	var r symbol
	if recv, ok := strings.CutPrefix(s, "("); ok {
		recv, name, ok := strings.Cut(strings.TrimPrefix(recv, "*"), ").")
		if !ok {
			return symbol{}, false
		}
		r.name = name
		if r.alias, r.recv, ok = strings.Cut(recv, "."); !ok || r.recv != "*" && !isPattern(r.recv) {
			return symbol{}, false
		}
		return r, isAlias(r.alias) && isPattern(r.name)
	}
	r.alias, r.name, _ = strings.Cut(s, ".")
	return r, isAlias(r.alias) && isName(r.name)
}

// isPattern also allows one star, for what a program says in a name that is generated.
func isPattern(s string) bool {
	return strings.Count(s, "*") <= 1 && isName(strings.Replace(s, "*", "", 1))
}

// parseField reads pkg.T.Field.
func parseField(s string) (symbol, bool) {
	alias, rest, _ := strings.Cut(s, ".")
	recv, name, _ := strings.Cut(rest, ".")
	return symbol{alias, recv, name}, isAlias(alias) && isName(recv) && isName(name)
}

// isName reports whether s can be the name of something exported from Go code:
// only ASCII, because checking for more costs time at every start.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return s != ""
}

// isAlias also allows a dash, which package names of old have.
func isAlias(s string) bool { return isName(strings.ReplaceAll(s, "-", "_")) }

// check finds the faults that need more than one value to be seen.
func (d *decoder) check(root *yaml.Node, lib *Library) {
	if root.Kind != yaml.MappingNode {
		return // already reported
	}
	if lib.Library == "" && strict.Child(root, "library") == nil {
		d.Errorf(root, "library is missing: give the file a unique display name")
	}
	if len(lib.Calls)+len(lib.Commands)+len(lib.SQL) == 0 {
		d.Errorf(root, "the file says nothing: add calls")
	}
	if p := strict.Child(root, "packages"); p != nil && p.Kind == yaml.MappingNode {
		d.packages(p)
		lib.places = make(map[string]string)
		for i := 0; i+1 < len(p.Content); i += 2 {
			lib.places[p.Content[i].Value] = d.Pos(p.Content[i])
		}
		for _, key := range []string{"handles", "refusals"} {
			if n := strict.Child(root, key); n != nil {
				lib.places[key+" of "+lib.Library] = d.Pos(n)
			}
		}
	}
	plain := map[string]string{} // function -> position of its entry without when
	for i, c := range lib.Calls {
		d.call(strict.Nth(strict.Child(root, "calls"), i), lib, c, plain)
	}
	lib.handles(func(kind, name string) {
		at := strict.Child(strict.Child(root, "handles"), kind)
		if s, ok := parseSymbol(name); !ok || s.recv != "" {
			d.Errorf(at, "bad type name %q: want pkg.T", name)
		} else {
			d.alias(at, lib, s.alias)
			d.once(at, "type "+name, plain)
		}
	})
	for i, v := range lib.Versions {
		at := strict.Nth(strict.Child(root, "versions"), i)
		if s, ok := parseSymbol(v); ok && s.recv == "" {
			d.alias(at, lib, s.alias)
		} else if strings.Count(v, ":") != 1 {
			d.Errorf(at, "bad mark %q: want a type (pkg.T) or a word in a tag (key:word)", v)
		}
	}
	for i, alias := range lib.InPlace {
		d.alias(strict.Nth(strict.Child(root, "in-place"), i), lib, alias)
	}
	for i, name := range lib.Refusals {
		at := strict.Nth(strict.Child(root, "refusals"), i)
		if s, ok := parseSymbol(name); !ok || s.recv != "" {
			d.Errorf(at, "bad name %q: want pkg.Name", name)
		} else {
			d.alias(at, lib, s.alias)
		}
	}
	for i, c := range lib.Commands {
		d.command(strict.Nth(strict.Child(root, "commands"), i), c, plain)
	}
	for i, f := range lib.SQL {
		d.sqlFunc(strict.Nth(strict.Child(root, "sql"), i), f, plain)
	}
}

func (d *decoder) packages(n *yaml.Node) {
	owner := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		alias, paths := n.Content[i], n.Content[i+1]
		for _, p := range append([]*yaml.Node{paths}, paths.Content...) {
			if p.Kind != yaml.ScalarNode || p.Value == "" {
				continue
			}
			if strings.ContainsAny(strings.TrimPrefix(p.Value, declaring), " \t*{}@") || strings.HasPrefix(p.Value, "/") || strings.HasSuffix(p.Value, "/") {
				d.Errorf(p, "bad import path %q: want the text of an import declaration", p.Value)
			}
			if o, ok := owner[alias.Value+" "+p.Value]; ok {
				d.Errorf(p, "import path %q is listed twice under %s", p.Value, o)
			}
			owner[alias.Value+" "+p.Value] = alias.Value
		}
	}
}

func (d *decoder) call(n *yaml.Node, lib *Library, c *Call, plain map[string]string) {
	names, fields := strict.Child(n, "func"), strict.Child(n, "field")
	switch {
	case n.Kind != yaml.MappingNode:
		return // already reported
	case names == nil && fields == nil && c.Param == "":
		d.Errorf(n, "entry without func: name the function it describes")
	case names != nil && c.Param != "" || names != nil && fields != nil || fields != nil && c.Param != "":
		d.Errorf(n, "func, field and param exclude each other: make an entry for each")
	}
	if at := strict.Child(n, "pair"); at != nil && (c.Param == "" || c.Pair != nil && c.Pair.Is == "") {
		d.Errorf(at, "a pair restricts an entry by param, and says which half it is")
	}
	for i, f := range c.Field {
		at := strict.Nth(fields, i)
		s, ok := parseField(f)
		if !ok {
			if f != "" {
				d.Errorf(at, "bad field name %q: want pkg.T.Field", f)
			}
			continue
		}
		d.alias(at, lib, s.alias)
		d.once(at, "field "+f, plain)
	}
	if c.Param != "" {
		if s, ok := parseSymbol(c.Param); !ok || s.recv != "" {
			d.Errorf(strict.Child(n, "param"), "bad type name %q: want pkg.T", c.Param)
		} else {
			d.alias(strict.Child(n, "param"), lib, s.alias)
		}
	}
	for i, f := range c.Func {
		at := strict.Nth(names, i)
		s, ok := parseSymbol(f)
		if !ok {
			if f != "" {
				d.Errorf(at, "bad function name %q: want pkg.Func, (pkg.T).Method, (*pkg.T).Method or (pkg.*).Method", f)
			}
			continue
		}
		d.alias(at, lib, s.alias)
		if s.recv == "" && c.usesReceiver() {
			d.Errorf(at, "%s has no receiver, but the entry refers to one", f)
		}
		if len(c.When) == 0 {
			d.once(at, s.String(), plain)
		}
	}
	if !c.says() {
		d.Errorf(n, "entry without a meaning: add a role such as acquire, release, write or pure")
	}
	for i, m := range c.When {
		if m.At.IsZero() || len(m.Is)+len(m.Not) == 0 {
			d.Errorf(strict.Nth(strict.Child(n, "when"), i), "condition needs at, and is or not")
		}
	}
	if c.Runs != nil && c.Runs.Func.IsZero() {
		d.Errorf(strict.Child(n, "runs"), "runs needs func: which argument is called")
	}
	if c.Acquire != nil && c.Acquire.Kind == "" {
		d.Errorf(strict.Child(n, "acquire"), "acquire needs kind: lease, session, election or advisory")
	}
}

func (d *decoder) command(n *yaml.Node, c *Command, plain map[string]string) {
	switch {
	case n.Kind != yaml.MappingNode:
		return
	case c.Name == "" || c.Name != strings.ToUpper(c.Name):
		d.Errorf(n, "command needs a name in upper case")
	case c.Acquire == nil && c.Renew == nil && c.Release == nil && c.Token == nil && c.Write == nil && c.Query == nil && c.Script.IsZero() && !c.Pure:
		d.Errorf(n, "command %s without a meaning: add a role such as write or query", c.Name)
	}
	d.once(n, "command "+strings.Join(append([]string{c.Name}, c.With...), " "), plain)
}

func (d *decoder) sqlFunc(n *yaml.Node, f *SQLFunc, plain map[string]string) {
	switch {
	case n.Kind != yaml.MappingNode:
		return
	case f.Name == "" || f.Name != strings.ToLower(f.Name):
		d.Errorf(n, "SQL function needs a name in lower case")
	case f.Acquire == nil && f.Release == nil && f.Token == nil && f.Origin == nil:
		d.Errorf(n, "SQL function %s without a meaning: add acquire, release, token or origin", f.Name)
	}
	d.once(n, "SQL function "+f.Name, plain)
}

// once refuses a second entry for the same thing.
func (d *decoder) once(n *yaml.Node, key string, plain map[string]string) {
	if first, ok := plain[key]; ok {
		d.Errorf(n, "%s has an entry at %s already: merge the two, or add when", key, first)
		return
	}
	plain[key] = d.Pos(n)
}

func (d *decoder) alias(n *yaml.Node, lib *Library, alias string) {
	if _, ok := lib.Packages[alias]; ok {
		return
	}
	var known []string
	for a := range lib.Packages {
		known = append(known, a)
	}
	slices.Sort(known)
	if known == nil {
		known = []string{"none"}
	}
	d.Errorf(n, "unknown package alias %q: add it to packages (known: %s)", alias, strings.Join(known, ", "))
}

// says reports whether the entry has any role.
func (c *Call) says() bool {
	v := reflect.ValueOf(*c)
	for f, fv := range v.Fields() {
		switch strict.Key(f) {
		case "", "func", "param", "field", "when":
		default:
			if !fv.IsZero() {
				return true
			}
		}
	}
	return false
}

func (c *Call) usesReceiver() bool {
	found := false
	c.refs(func(r Ref) { found = found || r.Base == Receiver })
	return found
}

// refs calls f for every reference in the entry.
func (c *Call) refs(f func(Ref)) {
	walkRefs(reflect.ValueOf(c).Elem(), f)
}

func walkRefs(v reflect.Value, f func(Ref)) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == refType {
			if r := v.Interface().(Ref); !r.IsZero() {
				f(r)
			}
			return
		}
		if v.Type() == libraryType {
			return
		}
		for _, fv := range v.Fields() {
			walkRefs(fv, f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walkRefs(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkRefs(v.Index(i), f)
		}
	}
}

// String returns the entry's functions, for messages.
func (c *Call) String() string {
	if c.Param != "" {
		return fmt.Sprintf("functions with a %s parameter", c.Param)
	}
	return strings.Join(append(slices.Clone(c.Func), c.Field...), ", ")
}
