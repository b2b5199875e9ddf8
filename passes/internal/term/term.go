// Package term represents values of analysed code symbolically: what a value
// is made of, in terms of parameters, constants, globals and calls.
//
// Two locks have the same key, a release belongs to an acquire and a token
// reaches a write exactly when terms say so. Terms are interned: equal terms
// of one Pool are the same pointer. A term is a value of one function family
// (a named function and the closures in it); putting a caller's arguments in
// place of parameters (Pool.Subst) makes it a value of the caller.
//
// Imprecision: memory is not ordered. A variable with several assignments is
// the Join of them, whichever of them came last.
package term

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Kind is the shape of a term.
type Kind uint8

const (
	Unknown Kind = iota // Name: why
	Const               // Name: exact text; Type: string, int, bool, float
	Nil
	Param   // Name: function; Index; Label: its name in the source
	Global  // Name: qualified name
	Func    // Name: function; a function value without captured variables
	Closure // Name: function; Args: alternating Param and the term it is bound to
	Call    // Name: function; Args: receiver (if any), then arguments; Site
	Result  // Index-th result of Args[0]
	Out     // what Args[0] stored through its Index-th pointer argument
	Field   // Name: field; Args[0]: struct, or pointer to one
	Elem    // Args[0][Args[1]]; Args[1] may be missing
	Struct  // Type; Names and Args: the fields that are set; Site
	List    // Args: elements
	Op      // Name: operator, or "format"
	Join    // Args: alternatives; Name: which it is shows in a context
)

// Limits keep terms small; what does not fit is Unknown("limit").
const (
	maxDepth = 18
	maxSize  = 300
	maxJoin  = 6
	maxText  = 1 << 14
)

// A T is an interned, immutable term.
type T struct {
	Kind  Kind
	Name  string
	Type  string
	Site  string // file:line:col of a call or composite literal: tells apart two values made alike
	Index int
	Names []string
	Args  []*T
	Label string // for people; not part of identity

	id    int
	depth int
	size  int
	open  bool // holds a Param
	like  *T   // the same without sites; nil until asked for
	next  *T   // of the same hash
}

// A Pool interns terms. It is safe for concurrent use.
type Pool struct {
	// Apply runs functions that are known on an object; nil where they are not.
	Apply func(fns *T, index int, x *T) *T

	// Yields reports whether a value is surely not nil; nil where nobody knows.
	Yields func(*T) bool

	rebuilt atomic.Int64

	mu    sync.Mutex
	terms map[uint64]*T // by hash; terms of one hash are chained
	count int
	short map[cutting]*T // what cut has made
}

// Rebuilt counts the terms that were made anew with other arguments: most of the work that
// there is, and the same wherever and whenever it is done.
func (p *Pool) Rebuilt() int64 { return p.rebuilt.Load() }

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{terms: make(map[uint64]*T), short: make(map[cutting]*T)} }

func (p *Pool) intern(t T) *T {
	t.depth, t.size = 1, 1
	t.open = t.Kind == Param
	for _, a := range t.Args {
		t.depth = max(t.depth, a.depth+1)
		t.size += a.size
		t.open = t.open || a.open
	}
	if t.depth > maxDepth || t.size > maxSize {
		return p.Unknown("limit")
	}
	h := t.hash()
	p.mu.Lock()
	defer p.mu.Unlock()
	for old := p.terms[h]; old != nil; old = old.next {
		if old.equal(&t) {
			return old
		}
	}
	p.count++
	n := new(T) // and not &t, which would be made for the many that are known as well
	*n = t
	n.id, n.like, n.next = p.count, nil, p.terms[h]
	p.terms[h] = n
	return n
}

// hash mixes what makes a term's identity; its arguments by their numbers.
func (t *T) hash() uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	text := func(s string) {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
		h = (h ^ 0xff) * prime
	}
	h = (h ^ uint64(t.Kind)) * prime
	h = (h ^ uint64(t.Index)) * prime
	text(t.Name)
	text(t.Type)
	text(t.Site)
	for _, n := range t.Names {
		text(n)
	}
	for _, a := range t.Args {
		h = (h ^ uint64(a.id)) * prime
	}
	return h
}

func (t *T) equal(u *T) bool {
	return t.Kind == u.Kind && t.Index == u.Index && t.Name == u.Name && t.Type == u.Type && t.Site == u.Site &&
		slices.Equal(t.Names, u.Names) && slices.Equal(t.Args, u.Args)
}

// Unknown is a value out of sight.
func (p *Pool) Unknown(why string) *T { return p.intern(T{Kind: Unknown, Name: why}) }

// Const is a constant; typ is string, int, bool or float.
func (p *Pool) Const(typ, text string) *T {
	if len(text) > maxText {
		return p.Unknown("limit")
	}
	return p.intern(T{Kind: Const, Name: text, Type: typ})
}

// Nil is the nil value.
func (p *Pool) Nil() *T { return p.intern(T{Kind: Nil}) }

// Param is the index-th parameter (the receiver first) of function fn.
func (p *Pool) Param(fn string, index int, label string) *T {
	return p.intern(T{Kind: Param, Name: fn, Index: index, Label: label})
}

// Global is a package-level variable.
func (p *Pool) Global(name string) *T { return p.intern(T{Kind: Global, Name: name}) }

// Func is a function as a value.
func (p *Pool) Func(name string) *T { return p.intern(T{Kind: Func, Name: name}) }

// Closure is an anonymous function of a function whose parameters are bound as
// in binds: alternating parameter and value.
func (p *Pool) Closure(name string, binds ...*T) *T {
	return p.intern(T{Kind: Closure, Name: name, Args: binds})
}

// Call is the call of fn at site.
func (p *Pool) Call(fn, site string, args ...*T) *T {
	return p.intern(T{Kind: Call, Name: fn, Site: site, Args: args})
}

// SameCall reports whether two terms are one call: far inside of a value it has lost its
// arguments, but not its place.
func (t *T) SameCall(u *T) bool {
	return t == u || t.Kind == Call && u.Kind == Call && t.Name == u.Name && t.Site == u.Site && t.Site != ""
}

// Result is the index-th result of a call with several.
func (p *Pool) Result(call *T, index int) *T {
	return p.intern(T{Kind: Result, Index: index, Args: []*T{call}})
}

// Out is what call stored through its index-th pointer.
//
// A struct in its place is what was encoded: decoded, its fields have the same
// names, and it may have others.
func (p *Pool) Out(call *T, index int) *T {
	if call.Kind == Struct && call.Type != "map" {
		return p.Struct("", call.Site, call.Names, call.Args)
	}
	return p.intern(T{Kind: Out, Index: index, Args: []*T{call}})
}

// Field is a field of a struct or of what a pointer points to.
func (p *Pool) Field(x *T, name string) *T {
	switch x.Kind {
	case Struct:
		if i := slices.Index(x.Names, name); i >= 0 {
			return x.Args[i]
		}
		if x.Type != "" {
			return p.Const("zero", "")
		}
	case Join:
		if x.IsChoice() {
			return p.Choice(x, x.Args[0], p.Field(x.Args[1], name), p.Field(x.Args[2], name))
		}
		alts := make([]*T, 0, len(x.Args))
		for _, a := range x.Args {
			if a.Kind != Nil {
				alts = append(alts, p.Field(a, name))
			}
		}
		return p.Join(alts...)
	case Const:
		if x.Type == "zero" {
			return x
		}
	case Nil:
		return p.Const("zero", "") // options that are not given ask for nothing
	case Op:
		if x.Name == opWith {
			if x.Args[1].Name == name {
				return x.Args[2]
			}
			return p.Field(x.Args[0], name)
		}
		if y, with, without, ok := x.Cases(); ok {
			return p.When(y, p.Field(with, name), p.Field(without, name))
		}
	case Unknown:
		return x
	}
	return p.intern(T{Kind: Field, Name: name, Args: []*T{x}})
}

// IsMap reports whether t is a map whose keys are known: a Struct of type "map", or
// "map:" and the name of the map's type.
func (t *T) IsMap() bool {
	return t.Kind == Struct && (t.Type == "map" || strings.HasPrefix(t.Type, "map:"))
}

// Elem is an element of a slice, array or map, or what a context carries.
func (p *Pool) Elem(x, index *T) *T {
	if x.Kind == List && index != nil && index.Kind == Const {
		if i, err := strconv.Atoi(index.Name); err == nil && i >= 0 && i < len(x.Args) {
			return x.Args[i]
		}
	}
	if x.IsMap() && index != nil && index.Kind == Const {
		if i := slices.Index(x.Names, index.Name); i >= 0 {
			return x.Args[i]
		}
	}
	if index == nil {
		return p.intern(T{Kind: Elem, Args: []*T{x}})
	}
	if y, name, value, ok := x.Changed(); ok && index.Kind == Const {
		if name == index.Name {
			return value
		}
		return p.Elem(y, index)
	}
	if v := p.carried(x, index); v != nil {
		return v
	}
	return p.intern(T{Kind: Elem, Args: []*T{x, index}})
}

// Struct is a struct value of type typ with the named fields set.
func (p *Pool) Struct(typ, site string, names []string, args []*T) *T {
	return p.intern(T{Kind: Struct, Type: typ, Site: site, Names: names, Args: args})
}

// List is a slice of known elements.
func (p *Pool) List(args ...*T) *T { return p.intern(T{Kind: List, Args: args}) }

// Op applies an operator. Constant strings that are added are joined.
func (p *Pool) Op(name string, args ...*T) *T {
	if name == "+" && len(args) == 2 {
		x, y := args[0], args[1]
		if x.Kind == Const && y.Kind == Const && x.Type == "string" && y.Type == "string" {
			return p.Const("string", x.Name+y.Name)
		}
	}
	if name == "format" && len(args) > 1 && plain(args) {
		return p.Const("string", fill(args[0].Name, args[1:]))
	}
	switch {
	case name == opAppend && len(args) == 2 && args[0].IsZero() && args[1].Kind == List:
		return args[1]
	case name == opAppend && len(args) == 2 && args[0].Kind == List && args[1].Kind == List:
		return p.List(append(slices.Clip(args[0].Args), args[1].Args...)...)
	case name == opJoin && len(args) == 2 && args[0].Kind == List && len(args[0].Args) > 0:
		var parts []*T
		for i, a := range args[0].Args {
			if i > 0 {
				parts = append(parts, args[1])
			}
			parts = append(parts, a)
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return p.Op("+", parts...)
	case name == opJoin && len(args) == 2 && args[0].Kind == Op && args[0].Name == opWhen:
		return p.When(args[0].Args[0], p.Joined(args[0].Args[1], args[1]), p.Joined(args[0].Args[2], args[1]))
	case name == "len" && len(args) == 1 && args[0].Kind == List:
		return p.Const("int", strconv.Itoa(len(args[0].Args)))
	case name == opContext && len(args) == 1 && args[0].given() != nil:
		return args[0].given()
	case name == opText && len(args) == 1:
		return p.Digits(args[0])
	case name == opOr && len(args) == 2:
		return p.Or(args[0], args[1])
	case name == opWith && len(args) == 3:
		return p.With(args[0], args[1].Name, args[2])
	case name == opMerged && len(args) == 2:
		return p.Merged(args[0], args[1])
	case name == opApplied && len(args) == 3:
		if i, err := strconv.Atoi(args[1].Name); err == nil {
			return p.Applied(args[0], i, args[2])
		}
	}
	return p.intern(T{Kind: Op, Name: name, Args: args})
}

// Operators with constructors of their own.
const (
	opThere   = "there"   // whether there is an Args[0]
	opWhen    = "when"    // Args[1] where Args[0] is not zero, else Args[2]
	opOr      = "or"      // Args[0] unless it is zero, then Args[1]
	opWith    = "with"    // Args[0] with the field that Args[1] names set to Args[2]
	opMerged  = "merged"  // the map Args[0] after what is in the map Args[1] was copied into it
	opApplied = "applied" // Args[2] after the functions Args[0] have run on it
	opAppend  = "append"  // the list Args[0] with what is in the list Args[1] behind it
	opBuilt   = "built"   // a text that the function Args[0] makes of the others
	opJoin    = "join"    // the texts in the list Args[0], with Args[1] between them
)

// Append is the list x with what is in the list y behind it.
func (p *Pool) Append(x, y *T) *T { return p.Op(opAppend, x, y) }

// Joined is the text of what is in a list, with sep in between.
func (p *Pool) Joined(list, sep *T) *T { return p.Op(opJoin, list, sep) }

// Built is a text that a function makes piece by piece of args. How is not known: the same
// function makes the same text of the same.
func (p *Pool) Built(fn string, args ...*T) *T {
	return p.Op(opBuilt, append([]*T{p.Const("func", fn)}, args...)...)
}

// IsBuilt reports whether t is such a text.
func (t *T) IsBuilt() bool { return t.Kind == Op && t.Name == opBuilt }

// Or is x unless that is zero, else y: a value with a default.
func (p *Pool) Or(x, y *T) *T {
	switch {
	case x.IsZero():
		return y
	case x.Kind == Const || x == y || x.IsMap():
		return x
	}
	return p.intern(T{Kind: Op, Name: opOr, Args: []*T{x, y}})
}

// Applied is the object x after functions, or lists of them, have run in their
// order with x as argument index. Which they are may be known to callers only.
func (p *Pool) Applied(fns *T, index int, x *T) *T {
	if p.Apply != nil {
		if y := p.Apply(fns, index, x); y != nil {
			return y
		}
	}
	return p.intern(T{Kind: Op, Name: opApplied, Args: []*T{fns, p.Const("int", strconv.Itoa(index)), x}})
}

// Initially is what a field held before functions that are not known ran on its
// object; nil for any other term.
func (p *Pool) Initially(t *T) *T {
	if t == nil || t.Kind != Field || t.Args[0].Kind != Op || t.Args[0].Name != opApplied {
		return nil
	}
	before := t.Args[0].Args[2]
	return p.Field(before, t.Name)
}

// Join is any of alts. Duplicates go; nested joins are flattened.
func (p *Pool) Join(alts ...*T) *T {
	if len(alts) == 1 && alts[0] != nil {
		return alts[0]
	}
	var flat []*T
	for _, a := range alts {
		if a == nil {
			continue
		}
		if a.Kind == Join {
			flat = append(flat, a.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	slices.SortFunc(flat, Compare)
	flat = slices.Compact(flat)
	switch {
	case len(flat) == 0:
		return p.Unknown("none")
	case len(flat) == 1:
		return flat[0]
	case len(flat) > maxJoin:
		return p.Unknown("limit")
	}
	return p.intern(T{Kind: Join, Args: flat})
}

// Compare orders terms by structure, so that the order does not depend on the
// order in which a pool met them.
func Compare(x, y *T) int {
	if x == y {
		return 0
	}
	if x.Kind != y.Kind {
		return int(x.Kind) - int(y.Kind)
	}
	if c := strings.Compare(x.Name, y.Name); c != 0 {
		return c
	}
	if c := strings.Compare(x.Type, y.Type); c != 0 {
		return c
	}
	if c := strings.Compare(x.Site, y.Site); c != 0 {
		return c
	}
	if x.Index != y.Index {
		return x.Index - y.Index
	}
	if c := slices.Compare(x.Names, y.Names); c != 0 {
		return c
	}
	return slices.CompareFunc(x.Args, y.Args, Compare)
}

// Like is t without sites: values made in the same way at different places
// have the same Like.
func (p *Pool) Like(t *T) *T {
	if t == nil {
		return nil
	}
	p.mu.Lock()
	l := t.like
	p.mu.Unlock()
	if l != nil {
		return l
	}
	if x := t.Number(); x != t { // a command sends it in digits as well
		return p.Like(x)
	}
	args := make([]*T, len(t.Args))
	for i, a := range t.Args {
		args[i] = p.Like(a)
	}
	n := *t
	n.Args, n.like = args, nil
	if t.Kind != Call || t.Name != "make" { // what is made anew is like nothing else
		n.Site = ""
	}
	l = p.intern(n)
	p.mu.Lock()
	t.like = l
	p.mu.Unlock()
	return l
}

// Alike reports whether x and y are made in the same way of the same values.
// Unknown values are alike to nothing.
func (p *Pool) Alike(x, y *T) bool {
	if x == nil || y == nil || x.Kind == Unknown || y.Kind == Unknown {
		return false
	}
	return x == y || p.Like(x) == p.Like(y)
}

// Alts returns the alternatives of a Join, the value and the default of an Or,
// or t alone.
func (t *T) Alts() []*T {
	if t == nil {
		return nil
	}
	if t.IsChoice() {
		return t.Args[1:]
	}
	if t.Kind == Join || t.Kind == Op && t.Name == opOr {
		return t.Args
	}
	return []*T{t}
}

// Open reports whether t depends on a parameter.
func (t *T) Open() bool { return t != nil && t.open }

// Any reports whether f holds for t or a term inside it.
func (t *T) Any(f func(*T) bool) bool {
	if t == nil {
		return false
	}
	if f(t) {
		return true
	}
	for _, a := range t.Args {
		if a.Any(f) {
			return true
		}
	}
	return false
}

// Str returns the value of a string constant.
func (t *T) Str() (string, bool) {
	if t != nil && t.Kind == Const && t.Type == "string" {
		return t.Name, true
	}
	return "", false
}

// Int returns the value of an integer constant.
func (t *T) Int() (int64, bool) {
	if t != nil && t.Kind == Const && t.Type == "int" {
		n, err := strconv.ParseInt(t.Name, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// IsZero reports whether t is a zero value or nil.
func (t *T) IsZero() bool {
	if t == nil || t.Kind == Nil {
		return true
	}
	return t.Kind == Const && (t.Type == "zero" || (t.Type == "int" || t.Type == "duration") && t.Name == "0" || t.Type == "string" && t.Name == "" || t.Type == "bool" && t.Name == "false")
}
