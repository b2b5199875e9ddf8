package engine

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// factVersion is the first byte of a fact. Facts do not outlive the build of
// the tool that wrote them, as drivers keep them by its identity; a byte that
// does not fit means no fact all the same.
const factVersion = 5

// maxInner bounds the function values whose summaries a fact carries.
const maxInner = 24

// A codec writes a summary or reads one, with the same code for both: every
// method takes a pointer to what it writes from or reads into.
//
//	version
//	strings    length and bytes each; the package's own path is one byte in them
//	places     file, line, column
//	terms      arguments before what is made of them
//	entries    of the catalogue, of the functions that terms call
//	functions  the summaries of function values in the terms, with their names
//	summary
//
// Everything is a varint; strings, places and terms are told by index.
type codec struct {
	e    *Engine
	path string // of the package
	read bool
	bad  bool   // what is read makes no sense
	data []byte // written so far, or to be read

	strings []string
	places  []lock.Position
	terms   []*term.T

	// For writing only.
	stringAt map[string]int
	placeAt  map[lock.Position]int
	termAt   map[*term.T]int
}

func encode(e *Engine, s *summary.Summary, path string) *Fact {
	c := &codec{e: e, path: path, stringAt: make(map[string]int), placeAt: make(map[lock.Position]int), termAt: make(map[*term.T]int)}
	c.summary(s)
	body := c.take()

	// Function values: their summaries may hold more of them.
	var inner []string
	for i := 0; i < len(c.terms); i++ {
		t := c.terms[i]
		if t.Kind != term.Func && t.Kind != term.Closure {
			continue
		}
		name := t.Name
		if _, known := c.stringAt["func "+name]; known {
			continue
		}
		c.stringAt["func "+name] = 0
		sum := e.named(name)
		if sum == nil {
			continue
		}
		if len(inner) >= maxInner {
			sum = &summary.Summary{Effects: []summary.Effect{limit}}
		}
		inner = append(inner, name)
		c.text(&name)
		c.summary(first(e.portable(sum), maxInnerEffects))
	}
	functions := c.take()
	c.entries()
	entries := c.take()

	for _, t := range c.terms {
		c.term(t)
	}
	terms := c.take()
	for _, p := range c.places {
		c.text(&p.File)
		c.num(&p.Line)
		c.num(&p.Column)
	}
	places := c.take()

	c.data = append(c.data, factVersion)
	c.count(len(c.strings))
	for _, s := range c.strings {
		c.literal(s)
	}
	c.count(len(c.places))
	c.data = append(c.data, places...)
	c.count(len(c.terms))
	c.data = append(c.data, terms...)
	c.data = append(c.data, entries...)
	c.count(len(inner))
	c.data = append(c.data, functions...)
	c.data = append(c.data, body...)
	return &Fact{Code: c.data}
}

// decode reads a fact of a function of the package at path, and the summaries
// of the function values in it; nil where it makes no sense.
func decode(e *Engine, f *Fact, path string) (*summary.Summary, map[string]*summary.Summary) {
	if len(f.Code) == 0 || f.Code[0] != factVersion {
		return nil, nil
	}
	if len(f.Code) == 1 {
		return &summary.Summary{}, nil
	}
	c := &codec{e: e, path: path, read: true, data: f.Code[1:]}
	for range c.count(0) {
		c.strings = append(c.strings, c.literal(""))
	}
	for range c.count(0) {
		var p lock.Position
		c.text(&p.File)
		c.num(&p.Line)
		c.num(&p.Column)
		c.places = append(c.places, p)
	}
	for range c.count(0) {
		c.terms = append(c.terms, c.term(nil))
	}
	c.entries()
	inner := make(map[string]*summary.Summary)
	for range c.count(0) {
		var name string
		c.text(&name)
		sum := &summary.Summary{}
		c.summary(sum)
		inner[name] = sum
	}
	s := &summary.Summary{}
	c.summary(s)
	if c.bad {
		return nil, nil
	}
	return s, inner
}

// take returns what was written and begins anew.
func (c *codec) take() []byte {
	b := c.data
	c.data = nil
	return b
}

// count writes n, or reads the length of a list, each element of which takes
// one byte at least.
func (c *codec) count(n int) int {
	if !c.read {
		c.data = binary.AppendUvarint(c.data, uint64(n))
		return n
	}
	u, w := binary.Uvarint(c.data)
	if w <= 0 || u > uint64(len(c.data)) {
		c.bad = true
		return 0
	}
	c.data = c.data[w:]
	return int(u)
}

func (c *codec) num(n *int) {
	if !c.read {
		c.data = binary.AppendVarint(c.data, int64(*n))
		return
	}
	v, w := binary.Varint(c.data)
	if w <= 0 {
		c.bad = true
		return
	}
	c.data, *n = c.data[w:], int(v)
}

// literal is a string in full.
func (c *codec) literal(s string) string {
	if c.read {
		n := c.count(0)
		if c.bad || n > len(c.data) {
			c.bad = true
			return ""
		}
		s, c.data = string(c.data[:n]), c.data[n:]
		if strings.HasPrefix(s, "\x01") {
			s = c.unfolder().Replace(s[1:])
		}
		return s
	}
	if strings.HasPrefix(s, "\x01") || c.path != "" && strings.Contains(s, c.path) {
		s = "\x01" + c.folder().Replace(s)
	}
	c.count(len(s))
	c.data = append(c.data, s...)
	return s
}

// folder writes the package's own path as one byte, unfolder reads it.
func (c *codec) folder() *strings.Replacer {
	if c.path == "" {
		return strings.NewReplacer("\x00", "\x00.")
	}
	return strings.NewReplacer("\x00", "\x00.", c.path, "\x00/")
}

func (c *codec) unfolder() *strings.Replacer {
	return strings.NewReplacer("\x00.", "\x00", "\x00/", c.path)
}

func (c *codec) text(s *string) {
	if c.read {
		if i := c.index(len(c.strings)); i >= 0 {
			*s = c.strings[i]
		}
		return
	}
	i, ok := c.stringAt[*s]
	if !ok {
		i = len(c.strings)
		c.stringAt[*s] = i
		c.strings = append(c.strings, *s)
	}
	c.data = binary.AppendUvarint(c.data, uint64(i))
}

// index reads an index into a table of n entries.
func (c *codec) index(n int) int {
	u, w := binary.Uvarint(c.data)
	if w <= 0 || u >= uint64(n) {
		c.bad = true
		return -1
	}
	c.data = c.data[w:]
	return int(u)
}

func (c *codec) position(p *lock.Position) {
	if c.read {
		if i := c.index(len(c.places)); i >= 0 {
			*p = c.places[i]
		}
		return
	}
	q := c.e.Place(*p)
	i, ok := c.placeAt[q]
	if !ok {
		i = len(c.places)
		c.placeAt[q] = i
		c.places = append(c.places, q)
	}
	c.data = binary.AppendUvarint(c.data, uint64(i))
}

// site is a place in a term: file:line:column.
func (c *codec) site(s *string) {
	var p lock.Position
	if !c.read {
		p.File = *s
		if file, at, ok := cutPlace(*s); ok {
			p.File, p.Line, p.Column = file, at[0], at[1]
		}
		c.position(&p)
		return
	}
	c.position(&p)
	if *s = p.File; p.Line > 0 {
		*s += ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
	}
}

func cutPlace(s string) (file string, at [2]int, ok bool) {
	for i := 1; i >= 0; i-- {
		colon := strings.LastIndexByte(s, ':')
		if colon < 0 {
			return "", at, false
		}
		n, err := strconv.Atoi(s[colon+1:])
		if err != nil || n <= 0 || strconv.Itoa(n) != s[colon+1:] {
			return "", at, false
		}
		s, at[i] = s[:colon], n
	}
	return s, at, true
}

// value is a term by its index; 0 is none.
func (c *codec) value(t **term.T) {
	if c.read {
		if i := c.index(len(c.terms) + 1); i > 0 {
			*t = c.terms[i-1]
		}
		return
	}
	i := 0
	if *t != nil {
		i = c.intern(*t)
	}
	c.data = binary.AppendUvarint(c.data, uint64(i))
}

// intern enters a term after what it is made of, and returns its number.
func (c *codec) intern(t *term.T) int {
	if i := c.termAt[t]; i > 0 {
		return i
	}
	for _, a := range t.Args {
		c.intern(a)
	}
	c.terms = append(c.terms, t)
	c.termAt[t] = len(c.terms)
	return len(c.terms)
}

// list writes or reads the elements of a list.
func list[T any](c *codec, l *[]T, element func(*T)) {
	n := c.count(len(*l))
	if c.read && n > 0 {
		*l = make([]T, n)
	}
	for i := range n {
		if c.bad {
			return
		}
		element(&(*l)[i])
	}
}

// term writes or reads a row of the table of terms.
func (c *codec) term(t *term.T) *term.T {
	var row term.T
	if t != nil {
		row = *t
	}
	kind := int(row.Kind)
	c.num(&kind)
	row.Kind = term.Kind(kind)
	switch row.Kind {
	case term.Nil, term.List:
	case term.Result, term.Out:
		c.num(&row.Index)
	default:
		c.text(&row.Name)
	}
	switch row.Kind {
	case term.Const:
		c.text(&row.Type)
	case term.Param:
		c.num(&row.Index)
		c.text(&row.Label)
	case term.Call:
		c.site(&row.Site)
	case term.Struct:
		c.text(&row.Type)
		c.site(&row.Site)
		list(c, &row.Names, c.text)
	}
	list(c, &row.Args, func(a **term.T) {
		if c.value(a); *a == nil {
			c.bad = true
		}
	})
	if !c.read || c.bad {
		return nil
	}
	return c.made(row)
}

// made interns a term that was read.
func (c *codec) made(t term.T) *term.T {
	p := c.e.Pool
	n := len(t.Args)
	switch t.Kind {
	case term.Const:
		return p.Const(t.Type, t.Name)
	case term.Nil:
		return p.Nil()
	case term.Param:
		return p.Param(t.Name, t.Index, t.Label)
	case term.Global:
		return p.Global(t.Name)
	case term.Func:
		return p.Func(t.Name)
	case term.Closure:
		return p.Closure(t.Name, t.Args...)
	case term.Call:
		return p.Call(t.Name, t.Site, t.Args...)
	case term.Struct:
		if len(t.Names) == n {
			return p.Struct(t.Type, t.Site, t.Names, t.Args)
		}
	case term.List:
		return p.List(t.Args...)
	case term.Op:
		return p.Op(t.Name, t.Args...)
	case term.Join:
		if t.IsChoice() && n == 3 {
			return p.Choice(&t, t.Args[0], t.Args[1], t.Args[2])
		}
		return p.Join(t.Args...)
	case term.Result:
		if n == 1 {
			return p.Result(t.Args[0], t.Index)
		}
	case term.Out:
		if n == 1 {
			return p.Out(t.Args[0], t.Index)
		}
	case term.Field:
		if n == 1 {
			return p.Field(t.Args[0], t.Name)
		}
	case term.Elem:
		if n == 1 {
			return p.Elem(t.Args[0], nil)
		}
		if n == 2 {
			return p.Elem(t.Args[0], t.Args[1])
		}
	}
	return p.Unknown(t.Name)
}

// entries tells which entries of the catalogue are those of called functions:
// what a function means is found by its type, and that is not at hand where
// the fact is read.
func (c *codec) entries() {
	type named struct {
		name string
		at   []meaning.EntryAt
	}
	var all []named
	if !c.read {
		seen := make(map[string]bool)
		for _, t := range c.terms {
			if t.Kind != term.Call || seen[t.Name] {
				continue
			}
			seen[t.Name] = true
			x := named{name: t.Name}
			for _, entry := range c.e.Reader.Entries(t.Name) {
				x.at = append(x.at, meaning.EntryAt{Pos: entry.Pos, Declared: entry.Declared})
			}
			if len(x.at) > 0 {
				all = append(all, x)
			}
		}
	}
	list(c, &all, func(x *named) {
		c.text(&x.name)
		list(c, &x.at, func(at *meaning.EntryAt) {
			c.text(&at.Pos)
			c.text(&at.Declared)
		})
	})
	if c.read && c.e.Reader != nil {
		for _, x := range all {
			c.e.Reader.Name(x.name, x.at)
		}
	}
}
