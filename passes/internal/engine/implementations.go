package engine

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
)

// MaxImplementations bounds the implementations whose effects an interface
// call is given; what an interface with more of them does is out of sight. A
// lock that one of them takes is still seen.
const MaxImplementations = 12

// Implementations resolves interface calls to types that are declared in the
// units and really become values of that interface somewhere: a type that only
// happens to have the methods is no implementation. Where no conversion is in
// sight (a container that works by reflection makes it), types of packages
// that know the interface's package stand in. A package that lets applications set
// what it locks with may have an adapter beside it that neither knows: for an interface
// of locks, types that fit count too. Test doubles are left out by
// name: they protect nothing.
//
// A value that is asked for more than its interface has ("if s, ok := store.(interface{...})")
// is one of those that become values of that interface and have the rest as well.
type Implementations struct {
	e       *Engine
	types   []*types.Named
	local   map[*types.Package]bool
	into    map[string][]types.Type  // interface -> concrete types converted to it, in source order
	foreign map[string][]types.Type  // interface -> types of other modules converted to it
	widened map[string][]string      // interface -> interfaces converted to it
	sources map[string]types.Type    // those interfaces, by name
	placed  map[*types.TypeName]bool // types that become values of an interface of the units' own
	seen    map[conversion]bool      // what is in the two
	memo    map[*types.Func][]*ssa.Function
	keys    map[types.Type]string      // of interfaces, as asked for
	means   map[invocation]*types.Func // methods, as asked for
}

// An invocation is what is called through an interface.
type invocation struct {
	method *types.Func
	of     types.Type
}

func newImplementations(e *Engine) *Implementations {
	im := &Implementations{
		e: e, local: make(map[*types.Package]bool), memo: make(map[*types.Func][]*ssa.Function),
		into: make(map[string][]types.Type), foreign: make(map[string][]types.Type), widened: make(map[string][]string),
		sources: make(map[string]types.Type), seen: make(map[conversion]bool), placed: make(map[*types.TypeName]bool),
		keys: make(map[types.Type]string), means: make(map[invocation]*types.Func),
	}
	for _, p := range e.pkgs {
		im.local[p.Pkg] = true
	}
	for _, p := range e.pkgs {
		im.declared(p.Pkg)
	}
	for _, f := range e.Order {
		for _, fn := range f.Members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					im.record(in)
				}
			}
		}
	}
	return im
}

// declared lists a package's types.
func (im *Implementations) declared(p *types.Package) {
	if isDouble(p.Name()) {
		return
	}
	for _, name := range p.Scope().Names() {
		tn, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || isDouble(name) {
			continue
		}
		if n, ok := tn.Type().(*types.Named); ok && n.TypeParams().Len() == 0 && !types.IsInterface(n) {
			im.types = append(im.types, n)
		}
	}
}

// A conversion is one to an interface: of a concrete type or, where that is
// nil, of another interface.
type conversion struct {
	to      string
	from    string
	typ     *types.TypeName
	pointer bool
}

// record notes what becomes a value of which interface. Nothing is called
// through an interface without methods, though most is converted to one.
func (im *Implementations) record(in ssa.Instruction) {
	if c, ok := in.(ssa.CallInstruction); ok {
		im.instantiate(c.Common())
		return
	}
	switch in := in.(type) {
	case *ssa.MakeInterface:
		n := code.NamedOf(in.X.Type())
		if n == nil || n.Obj().Pkg() == nil || empty(in.Type()) || isDouble(n.Obj().Name()) || isDouble(n.Obj().Pkg().Name()) {
			return
		}
		c := conversion{to: im.key(in.Type()), typ: n.Obj(), pointer: isPointer(in.X.Type())}
		if n.TypeArgs() != nil {
			c.from = types.TypeString(n, nil)
		}
		if !im.seen[c] {
			im.seen[c] = true
			if to := code.NamedOf(in.Type()); to != nil && im.local[to.Obj().Pkg()] {
				im.placed[n.Obj()] = true
			}
			if im.local[n.Obj().Pkg()] {
				im.into[c.to] = append(im.into[c.to], in.X.Type())
			} else {
				im.foreign[c.to] = append(im.foreign[c.to], in.X.Type())
			}
		}
	case *ssa.ChangeInterface:
		im.widen(in.X.Type(), in.Type())
	case *ssa.TypeAssert:
		if types.IsInterface(in.AssertedType) {
			im.widen(in.X.Type(), in.AssertedType)
		}
	}
}

// widen notes that values of one interface become those of another.
func (im *Implementations) widen(from, to types.Type) {
	if empty(from) || empty(to) {
		return
	}
	c := conversion{to: im.key(to), from: im.key(from)}
	if c.from != c.to && !im.seen[c] {
		im.seen[c] = true
		im.widened[c.to] = append(im.widened[c.to], c.from)
		im.sources[c.from] = from
	}
}

func empty(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// key names an interface. Each call through it asks for that, and one without a name has
// all its methods in it.
func (im *Implementations) key(t types.Type) string {
	key, ok := im.keys[t]
	if !ok {
		key = types.TypeString(types.Unalias(t), nil)
		im.keys[t] = key
	}
	return key
}

func isDouble(name string) bool {
	l := strings.ToLower(name)
	for _, w := range []string{"mock", "fake", "stub", "noop", "dummy"} {
		if strings.HasPrefix(l, w) || strings.HasSuffix(l, w) || strings.HasSuffix(l, w+"s") {
			return true
		}
	}
	return false
}

// Of lists the methods that an interface call can reach in the units. An object that has
// another one of the interface in a field, to which it adds something, has not one of its
// own kind there, where there are others.
func (im *Implementations) Of(c *ssa.CallCommon) []*ssa.Function {
	list := im.all(c)
	if i := im.decorator(c); i >= 0 && len(list) > 1 {
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	return list
}

// decorator is which of the implementations makes the call for an object that it has in a
// field, or -1.
func (im *Implementations) decorator(c *ssa.CallCommon) int {
	return slices.IndexFunc(im.all(c), func(m *ssa.Function) bool { return decorates(m, c.Value) })
}

// all lists the implementations of a method.
func (im *Implementations) all(c *ssa.CallCommon) []*ssa.Function {
	m := c.Method
	if tp, ok := types.Unalias(c.Value.Type()).(*types.TypeParam); ok {
		return im.instances(tp, m)
	}
	if list, ok := im.memo[m]; ok {
		return list
	}
	im.memo[m] = nil
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok || !im.resolvable(c) {
		return nil
	}
	candidates := im.fitting(c.Value.Type(), iface)
	if len(candidates) == 0 {
		candidates = im.acquainted(c.Value.Type(), iface)
	}
	candidates = append(candidates, im.adapters(c.Value.Type(), iface, candidates)...)
	list := im.targets(nil, candidates, m, 0)
	im.memo[m] = list
	return list
}

// fitting lists the concrete types that become values of an interface. What was a value of
// another one before may lack what this one has.
func (im *Implementations) fitting(t types.Type, iface *types.Interface) []types.Type {
	return slices.DeleteFunc(im.converted(im.into, im.key(t), make(map[string]bool)), func(recv types.Type) bool {
		return !types.Implements(recv, iface)
	})
}

// instances lists the methods that a call on a value of a type parameter can reach: those
// of the types that it stands for in view or, where there are none, of types that become
// values of the interface that it is constrained by, or are known to its package.
func (im *Implementations) instances(tp *types.TypeParam, m *types.Func) []*ssa.Function {
	candidates := im.converted(im.into, paramKey(tp), make(map[string]bool))
	if iface, ok := tp.Constraint().Underlying().(*types.Interface); ok && len(candidates) == 0 {
		candidates = im.converted(im.into, im.key(tp.Constraint()), make(map[string]bool))
		if len(candidates) == 0 && !iface.IsComparable() && iface.IsMethodSet() {
			candidates = im.acquainted(tp.Constraint(), iface)
		}
	}
	return im.targets(nil, candidates, m, 0)
}

// paramKey names a type parameter: those of different functions often have the same name.
func paramKey(tp *types.TypeParam) string {
	return fmt.Sprintf("type parameter %s at %d", tp.Obj().Name(), tp.Obj().Pos())
}

// instantiate notes which types a call gives for the type parameters of a function, or of
// the receiver of a method.
func (im *Implementations) instantiate(c *ssa.CallCommon) {
	callee := c.StaticCallee()
	if callee == nil || len(callee.TypeArgs()) == 0 || callee.Origin() == nil {
		return
	}
	params := callee.Origin().TypeParams()
	for i, arg := range callee.TypeArgs() {
		if params == nil || i >= params.Len() {
			return
		}
		to := paramKey(params.At(i))
		if tp, ok := types.Unalias(arg).(*types.TypeParam); ok || types.IsInterface(arg) {
			from := im.key(arg)
			if ok {
				from = paramKey(tp)
			}
			if c := (conversion{to: to, from: from}); from != to && !im.seen[c] {
				im.seen[c] = true
				im.widened[to] = append(im.widened[to], from)
			}
			continue
		}
		n := code.NamedOf(arg)
		if n == nil || n.Obj().Pkg() == nil || !im.local[n.Obj().Pkg()] {
			continue
		}
		if c := (conversion{to: to, typ: n.Obj(), pointer: isPointer(arg)}); !im.seen[c] {
			im.seen[c] = true
			im.into[to] = append(im.into[to], arg)
		}
	}
}

// maxEmbeddings bounds the interfaces in one another that a method is looked for in.
const maxEmbeddings = 3

// targets adds the methods that a call of m reaches on values of some types. Where a type
// has the method from an interface that is embedded in it, these are the methods of what
// may be in there. Imprecision: their receiver is said to be the whole.
func (im *Implementations) targets(list []*ssa.Function, candidates []types.Type, m *types.Func, depth int) []*ssa.Function {
	for _, recv := range candidates {
		obj, _, _ := types.LookupFieldOrMethod(recv, true, m.Pkg(), m.Name())
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if r := fn.Signature().Recv(); r != nil && depth < maxEmbeddings {
			if iface, ok := r.Type().Underlying().(*types.Interface); ok {
				list = im.targets(list, im.fitting(r.Type(), iface), m, depth+1)
				continue
			}
		}
		if target := im.e.Program.FuncValue(fn.Origin()); target != nil && len(target.Blocks) > 0 && !slices.Contains(list, target) {
			list = append(list, target)
		}
	}
	return list
}

// converted lists the concrete types among those in from that become values of an
// interface, directly or through another one.
func (im *Implementations) converted(from map[string][]types.Type, key string, seen map[string]bool) []types.Type {
	if seen[key] {
		return nil
	}
	seen[key] = true
	list := slices.Clone(from[key])
	for _, w := range im.widened[key] {
		list = append(list, im.converted(from, w, seen)...)
	}
	return list
}

// method is the function that a call through an interface means to the catalogue: the
// interface's method or, where that is the program's own and all that becomes a value of
// it has methods that mean the same, such a method: of the one type of a library, or of its
// pools and its transactions. Programs declare such interfaces to be tested without the
// library. Imprecision: what comes in by reflection is not seen.
func (im *Implementations) method(c *ssa.CallCommon) *types.Func {
	call := invocation{c.Method, c.Value.Type()}
	fn, ok := im.means[call]
	if !ok {
		fn = im.meant(c)
		im.means[call] = fn
	}
	return fn
}

func (im *Implementations) meant(c *ssa.CallCommon) *types.Func {
	if len(im.e.register(c.Method)) > 0 || !im.resolvable(c) {
		return c.Method
	}
	key := im.key(c.Value.Type())
	if len(im.converted(im.into, key, make(map[string]bool))) > 0 {
		return c.Method
	}
	foreign := im.converted(im.foreign, key, make(map[string]bool))
	for _, w := range im.widened[key] {
		if n := code.NamedOf(im.sources[w]); n != nil && n.Obj().Pkg() != nil && !im.local[n.Obj().Pkg()] {
			foreign = append(foreign, im.sources[w])
		}
	}
	means := c.Method
	for i, t := range foreign {
		obj, _, _ := types.LookupFieldOrMethod(t, true, c.Method.Pkg(), c.Method.Name())
		fn, ok := obj.(*types.Func)
		if !ok || len(im.e.register(fn)) == 0 || i > 0 && !sameEntries(im.e.register(fn), im.e.register(means)) {
			return c.Method
		}
		if i == 0 {
			means = fn.Origin()
		}
	}
	return means
}

// sameEntries reports whether two functions are listed by the same entries.
func sameEntries(a, b []*catalog.Call) bool {
	return slices.EqualFunc(a, b, func(x, y *catalog.Call) bool { return x.Pos == y.Pos })
}

// acquainted lists the types with the interface's methods in packages that
// import the package of the interface, or are it, or whose own types the methods speak of.
func (im *Implementations) acquainted(t types.Type, iface *types.Interface) []types.Type {
	n := code.NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return nil
	}
	home := n.Obj().Pkg()
	var list []types.Type
	for _, n := range im.types {
		p := n.Obj().Pkg()
		if p != home && !slices.Contains(p.Imports(), home) && !speaksOf(iface, p) {
			continue
		}
		for _, recv := range []types.Type{n, types.NewPointer(n)} {
			if types.Implements(recv, iface) {
				list = append(list, recv)
				break
			}
		}
	}
	return list
}

// speaksOf reports whether what the methods of an interface return is declared by a
// package: Take(ctx, name) (*lease.Grant, error) is how a type of that package takes one.
func speaksOf(iface *types.Interface, p *types.Package) bool {
	for m := range iface.Methods() {
		for r := range m.Signature().Results().Variables() {
			if n := code.NamedOf(r.Type()); n != nil && n.Obj().Pkg() == p && !types.IsInterface(n) {
				return true
			}
		}
	}
	return false
}

// adapters lists the types that fit an interface of locks, in packages that do not know
// its package and are not known to it. Where an implementation of another package is in
// sight, what is set is known, and what becomes a value of another interface is there for
// that one. That a type merely happens to fit is unlikely where there
// are several methods, or one that returns how to unlock, and more than a context is told.
func (im *Implementations) adapters(t types.Type, iface *types.Interface, known []types.Type) []types.Type {
	n := code.NamedOf(t)
	if n == nil || n.Obj().Pkg() == nil || !im.local[n.Obj().Pkg()] {
		return nil
	}
	locks, plain := forLocks(n.Obj().Name(), iface)
	if !locks {
		return nil
	}
	home := n.Obj().Pkg()
	if slices.ContainsFunc(known, func(t types.Type) bool { return code.NamedOf(t).Obj().Pkg() != home }) {
		return nil
	}
	var list []types.Type
	for _, n := range im.types {
		p := n.Obj().Pkg()
		if p == home || slices.Contains(p.Imports(), home) || slices.Contains(home.Imports(), p) || im.placed[n.Obj()] {
			continue
		}
		if recv := types.NewPointer(n); types.Implements(recv, iface) && !(plain && renames(recv, iface)) {
			list = append(list, recv)
		}
	}
	return list
}

// renames reports whether a type has other names for what the methods of an interface are
// given: its methods were not written after those.
func renames(recv types.Type, iface *types.Interface) bool {
	for m := range iface.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(recv, true, m.Pkg(), m.Name())
		own, ok := obj.(*types.Func)
		if !ok {
			return true
		}
		for i := range m.Signature().Params().Len() {
			a, b := m.Signature().Params().At(i).Name(), own.Signature().Params().At(i).Name()
			if a != b && a != "" && b != "" && b != "_" {
				return true
			}
		}
	}
	return false
}

// forLocks reports whether an interface is about locks that its user names. Plain is one
// whose two methods are told a name and answer an error: those of many a thing that is
// locked look like that.
func forLocks(name string, iface *types.Interface) (locks, plain bool) {
	named, takes, returns := NamesLock(name), false, false
	plain = iface.NumMethods() == 2
	for m := range iface.Methods() {
		named = named || NamesLock(m.Name())
		for p := range m.Signature().Params().Variables() {
			takes = takes || !code.IsContext(p.Type())
			plain = plain && (code.IsContext(p.Type()) || code.IsBasic(p.Type()) && !code.IsDuration(p.Type()))
		}
		for r := range m.Signature().Results().Variables() {
			_, fn := r.Type().Underlying().(*types.Signature)
			returns = returns || fn
			plain = plain && code.IsError(r.Type())
		}
	}
	return named && takes && (iface.NumMethods() > 1 || returns), plain
}

// resolvable reports whether an interface is the module's own, so that its
// implementations are likely to be in sight.
func (im *Implementations) resolvable(c *ssa.CallCommon) bool {
	if c.Method.Pkg() == nil {
		return false
	}
	return im.local[c.Method.Pkg()] || c.Method.Pkg().Path() == "sync"
}

// complete reports whether every implementation is in sight.
func (im *Implementations) complete(c *ssa.CallCommon) bool { return im.local[c.Method.Pkg()] }
