package engine

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Readings follow time values backwards to the clock that they were read from,
// through variables, fields, parameters and results.
//
// Fields are those of a type, not of one object: what one function stores in
// Lease.ExpiresAt is what every other finds there. A time that is monotonic in
// one object and read from a store in another counts as read from the store.
type Readings struct {
	e       *Engine
	Callers map[*ssa.Function][]*ssa.CallCommon // the calls of a function
	Taking  map[*ssa.Function][]*ssa.Call       // the callers that can look at results
	stored  map[code.Slot][]ssa.Value
	Named   map[code.Slot][]ssa.Value // the addresses of a field, wherever it is read or set
	filled  map[code.Slot]string      // fields that a call fills through a pointer, and that call
	decoded map[*types.TypeName]string
	invoked map[string][]*types.Interface // those through which a method of that name is called, or may be out of sight
	valued  map[types.Object]bool         // functions that are used as values
}

// MaxSources bounds the values that one question looks at.
const MaxSources = 400

// Readings are those of the whole program, gathered when something asks for them.
func (e *Engine) Readings() *Readings {
	if e.read == nil {
		e.read = newReadings(e)
	}
	return e.read
}

func newReadings(e *Engine) *Readings {
	r := &Readings{
		e: e, Callers: make(map[*ssa.Function][]*ssa.CallCommon), Taking: make(map[*ssa.Function][]*ssa.Call),
		stored: make(map[code.Slot][]ssa.Value), Named: make(map[code.Slot][]ssa.Value), filled: make(map[code.Slot]string), decoded: make(map[*types.TypeName]string),
		invoked: make(map[string][]*types.Interface), valued: make(map[types.Object]bool),
	}
	var calls []*ssa.CallCommon
	var owners []*Family
	for _, f := range e.Order {
		for _, fn := range f.Members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					r.values(in)
					switch in := in.(type) {
					case *ssa.FieldAddr:
						if s, ok := code.SlotOf(in.X.Type(), in.Field); ok {
							r.Named[s] = append(r.Named[s], in)
						}
					case *ssa.Store:
						if a, ok := in.Addr.(*ssa.FieldAddr); ok {
							if s, ok := code.SlotOf(a.X.Type(), a.Field); ok {
								r.stored[s] = append(r.stored[s], in.Val)
							}
						}
					case ssa.CallInstruction:
						c := in.Common()
						if c.IsInvoke() {
							r.invokes(c.Value.Type(), c.Method)
						}
						if addr, v := atomicStore(c); addr != nil {
							if s, ok := code.SlotOf(addr.X.Type(), addr.Field); ok {
								r.stored[s] = append(r.stored[s], v)
							}
						}
						if callee := code.Origin(c.StaticCallee()); callee != nil && len(callee.Blocks) > 0 {
							r.Callers[callee] = append(r.Callers[callee], c)
							if call, ok := in.(*ssa.Call); ok {
								r.Taking[callee] = append(r.Taking[callee], call)
							}
						} else {
							calls, owners = append(calls, c), append(owners, f)
						}
					}
				}
			}
		}
	}
	for i, c := range calls {
		r.fills(owners[i], c)
	}
	return r
}

// atomicStore is what a call stores in an atomic number or pointer that is a field, and
// where; nil for others.
func atomicStore(c *ssa.CallCommon) (addr *ssa.FieldAddr, v ssa.Value) {
	if !strings.HasPrefix(code.CalleeName(c), "(*atomic.") || !slices.Contains([]string{"Store", "Swap", "CompareAndSwap"}, code.MethodOf(c)) {
		return nil, nil
	}
	addr, _ = c.Args[0].(*ssa.FieldAddr)
	return addr, c.Args[len(c.Args)-1]
}

// values notes the functions that an instruction uses other than to call them.
func (r *Readings) values(in ssa.Instruction) {
	var callee ssa.Value
	if c, ok := in.(ssa.CallInstruction); ok && !c.Common().IsInvoke() {
		callee = c.Common().Value
	}
	switch in := in.(type) {
	case *ssa.MakeInterface:
		r.exposes(in.Type())
	case *ssa.ChangeInterface:
		r.exposes(in.Type())
	}
	for _, op := range in.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && *op != callee && fn.Object() != nil {
			r.valued[fn.Object()] = true // of a method value, that is the method
		}
	}
}

// exposes notes the methods of an interface that code out of sight may call.
func (r *Readings) exposes(t types.Type) {
	it, ok := t.Underlying().(*types.Interface)
	if n := code.NamedOf(t); !ok || n != nil && r.e.Implementations.local[n.Obj().Pkg()] {
		return
	}
	for m := range it.Methods() {
		r.invokes(t, m)
	}
}

// invokes notes that a method of an interface is called, or may be.
func (r *Readings) invokes(t types.Type, m *types.Func) {
	if it, ok := t.Underlying().(*types.Interface); ok && !slices.Contains(r.invoked[m.Name()], it) {
		r.invoked[m.Name()] = append(r.invoked[m.Name()], it)
	}
}

// behind reports whether a method may be called through an interface that its type has.
func (r *Readings) behind(fn *ssa.Function) bool {
	recv := fn.Signature.Recv()
	if recv == nil {
		return false
	}
	n := code.NamedOf(recv.Type())
	return slices.ContainsFunc(r.invoked[fn.Name()], func(it *types.Interface) bool {
		return n == nil || n.TypeParams().Len() > 0 || types.Implements(types.NewPointer(n), it)
	})
}

// Used reports whether a function is called, or may be by way of an interface, or is used as a
// value.
func (r *Readings) Used(fn *ssa.Function) bool {
	return len(r.Callers[fn]) > 0 || r.behind(fn) || fn.Object() != nil && r.valued[fn.Object()]
}

// Yields lists what the calls of a function yield for its index-th result; known is false
// where code out of sight may call it, or it is called other than by its name.
func (r *Readings) Yields(fn *ssa.Function, index int) (out []ssa.Value, known bool) {
	obj := fn.Object()
	if obj == nil || fn.Parent() != nil || r.valued[obj] || r.behind(fn) || obj.Exported() && !r.e.Whole() {
		return nil, false
	}
	for _, call := range r.Taking[fn] {
		out = append(out, ResultOf(call, index)...)
	}
	return out, true
}

// fills notes the fields and types that a call without a body decodes into.
func (r *Readings) fills(f *Family, c *ssa.CallCommon) {
	by, ok := decoder(f, c)
	if !ok {
		return
	}
	args := c.Args
	if c.Signature().Variadic() && len(args) > 0 {
		if list := f.Variadic(args[len(args)-1]); list != nil {
			args = append(args[:len(args)-1:len(args)-1], list...)
		}
	}
	for _, a := range args {
		if !types.IsInterface(a.Type()) {
			continue
		}
		// The pointer may come from a caller: func load(dst any).
		r.Walk(a, func(v ssa.Value) bool {
			mi, ok := v.(*ssa.MakeInterface)
			if !ok {
				return true
			}
			if p, ok := mi.X.Type().Underlying().(*types.Pointer); ok {
				if a, ok := mi.X.(*ssa.FieldAddr); ok {
					if s, ok := code.SlotOf(a.X.Type(), a.Field); ok {
						r.filled[s] = by
					}
				}
				r.decodes(p.Elem(), by, 0)
			}
			return false
		}, nil)
	}
}

// decodes marks a type and the types of its fields, as far as they are the units' own.
func (r *Readings) decodes(t types.Type, by string, depth int) {
	if depth > 5 {
		return
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if !r.e.Implementations.local[n.Obj().Pkg()] || r.decoded[n.Obj()] != "" {
			return
		}
		r.decoded[n.Obj()] = by
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for v := range u.Fields() {
			r.decodes(v.Type(), by, depth+1)
		}
	case *types.Pointer:
		r.decodes(u.Elem(), by, depth+1)
	case *types.Slice:
		r.decodes(u.Elem(), by, depth+1)
	case *types.Map:
		r.decodes(u.Elem(), by, depth+1)
	}
}

// decoder reports whether a call fills what its pointer arguments point to, and
// names it. Other calls take a pointer to read from it (Marshal, HSet).
func decoder(f *Family, c *ssa.CallCommon) (string, bool) {
	name := ""
	if c.IsInvoke() {
		name = c.Method.Name()
	} else if fn := c.StaticCallee(); fn != nil {
		name = fn.Name()
	}
	fills := func(e *catalog.Call) bool {
		return e.Reads != nil && !e.Reads.Out.IsZero() || e.Query != nil && !e.Query.Out.IsZero()
	}
	// Which entry fits takes the arguments to tell, for the few where it matters.
	if slices.ContainsFunc(f.Entries(c), fills) {
		if e := f.Engine.Reader.Entry(f.CallTerm(c, token.NoPos)); e != nil && fills(e) {
			return name, true
		}
	}
	for _, verb := range []string{"Unmarshal", "Decode", "Scan", "Bind"} {
		if strings.HasPrefix(name, verb) {
			return name, true
		}
	}
	return "", false
}

// private lists all addresses of the field that addr is of, where only code in
// view can name it; nil otherwise.
func (r *Readings) private(addr ssa.Value) []ssa.Value {
	a, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	s, ok := code.SlotOf(a.X.Type(), a.Field)
	if !ok || !r.e.Implementations.local[s.Owner.Pkg()] || ast.IsExported(code.FieldName(a.X.Type(), a.Field)) {
		return nil
	}
	return r.Named[s]
}

// NeverSet reports whether an address is that of a private field which no code in view
// sets, nor anything that is given its address, though objects that have it are made there.
func (r *Readings) NeverSet(addr ssa.Value) bool {
	list := r.private(addr)
	if list == nil {
		return false
	}
	a := addr.(*ssa.FieldAddr)
	s, _ := code.SlotOf(a.X.Type(), a.Field)
	made := false
	for other, places := range r.Named {
		made = made || other.Owner == s.Owner && slices.ContainsFunc(places, func(v ssa.Value) bool {
			_, local := v.(*ssa.FieldAddr).X.(*ssa.Alloc)
			return local
		})
	}
	return made && len(r.stored[s]) == 0 && r.filled[s] == "" && r.decoded[s.Owner] == "" && !slices.ContainsFunc(list, func(v ssa.Value) bool {
		return slices.ContainsFunc(*v.Referrers(), func(in ssa.Instruction) bool {
			load, ok := in.(*ssa.UnOp)
			_, debug := in.(*ssa.DebugRef)
			return !debug && !(ok && load.Op == token.MUL)
		})
	})
}

// Only is the one value that a private field is ever set to, or nil.
func (r *Readings) Only(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || r.private(load.X) == nil {
		return nil
	}
	a := load.X.(*ssa.FieldAddr)
	s, _ := code.SlotOf(a.X.Type(), a.Field)
	if list := r.stored[s]; len(list) == 1 {
		return list[0]
	}
	return nil
}

// Family is that of the function that a value is in, or nil.
func (r *Readings) Family(v ssa.Value) *Family {
	fn := v.Parent()
	if fn == nil {
		return nil
	}
	return r.e.Families[code.Origin(code.Root(fn))]
}

// Entry is the catalogue's entry of a call.
func (r *Readings) Entry(v *ssa.Call) *catalog.Call {
	f := r.Family(v)
	if f == nil || len(f.Engine.Reader.Entries(f.Engine.nameOf(v.Common()))) == 0 {
		return nil // no need to know of what
	}
	return f.Engine.Reader.Entry(f.CallTerm(v.Common(), v.Pos()))
}

// Walk visits v and the values that it may have come from. enter returns
// whether to look behind a value; read is called for values that a call filled
// from outside the process.
func (r *Readings) Walk(v ssa.Value, enter func(ssa.Value) bool, read func(v ssa.Value, by string)) {
	seen := make(map[ssa.Value]bool)
	work := []ssa.Value{v}
	push := func(list ...ssa.Value) { work = append(work, list...) }
	for len(work) > 0 && len(seen) < MaxSources {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == nil || seen[v] {
			continue
		}
		seen[v] = true
		if !enter(v) {
			continue
		}
		switch v := v.(type) {
		case *ssa.Phi:
			push(v.Edges...)
		case *ssa.ChangeType:
			push(v.X)
		case *ssa.Convert:
			push(v.X)
		case *ssa.MakeInterface:
			push(v.X)
		case *ssa.ChangeInterface:
			push(v.X)
		case *ssa.TypeAssert:
			push(v.X)
		case *ssa.BinOp:
			push(v.X, v.Y)
		case *ssa.UnOp:
			if v.Op == token.MUL {
				r.loaded(v.X, push, read)
			} else {
				push(v.X)
			}
		case *ssa.Alloc, *ssa.FreeVar:
			r.loaded(v, push, read)
		case *ssa.Field:
			r.field(v, v.X, v.Field, push, read)
		case *ssa.Parameter:
			r.arguments(v, push)
		case *ssa.Call:
			if _, _, ok := code.FieldRead(v); ok { // of an atomic one
				r.loaded(v.Call.Args[0], push, read)
			} else {
				r.result(v, v, 0, push, read)
			}
		case *ssa.Extract:
			switch x := v.Tuple.(type) {
			case *ssa.Call:
				r.result(v, x, v.Index, push, read)
			case *ssa.TypeAssert:
				push(x.X)
			}
		}
	}
}

// loaded lists what an address holds.
func (r *Readings) loaded(addr ssa.Value, push func(...ssa.Value), read func(ssa.Value, string)) {
	f := r.Family(addr)
	if f == nil {
		return
	}
	switch a := f.Base(addr).(type) {
	case *ssa.Alloc:
		push(f.Stores[a]...)
		for _, o := range f.outs[a] {
			if by, ok := decoder(f, o.call); ok && read != nil {
				read(a, by)
			}
		}
	case *ssa.FieldAddr:
		r.field(a, a.X, a.Field, push, read)
	}
}

// field lists what a field of x may hold: what this family stores in the local
// variable x, or else what anyone stores in that field of the type.
func (r *Readings) field(v, x ssa.Value, i int, push func(...ssa.Value), read func(ssa.Value, string)) {
	f := r.Family(x)
	if f == nil {
		return
	}
	if a, ok := f.Base(x).(*ssa.Alloc); ok {
		if vals, _ := f.inField(a, i); len(vals) > 0 {
			push(vals...)
			return
		}
		// A type of a library's for what may be NULL is filled as a whole.
		for _, o := range f.outs[a] {
			if by, ok := decoder(f, o.call); ok && read != nil {
				read(v, by)
			}
		}
	}
	s, ok := code.SlotOf(x.Type(), i)
	if !ok {
		return
	}
	push(r.stored[s]...)
	if by := r.decoded[s.Owner]; by != "" && read != nil {
		read(v, by)
	}
	if by := r.filled[s]; by != "" && read != nil {
		read(v, by)
	}
}

// arguments lists what the callers in view pass for a parameter.
func (r *Readings) arguments(p *ssa.Parameter, push func(...ssa.Value)) {
	i := slices.Index(p.Parent().Params, p)
	for _, c := range r.Callers[p.Parent()] {
		if i >= 0 && i < len(c.Args) {
			push(c.Args[i])
		}
	}
}

// result lists what a call's result is made of.
func (r *Readings) result(v ssa.Value, call *ssa.Call, index int, push func(...ssa.Value), read func(ssa.Value, string)) {
	c := call.Common()
	if e := r.Entry(call); e != nil {
		switch {
		case !e.Same.IsZero() && index == 0:
			push(code.Operand(c, e.Same))
		case e.Reads != nil && e.Reads.Out.IsZero() && read != nil && !code.IsError(v.Type()):
			read(v, code.MethodOf(c))
		}
		return
	}
	callee := code.Origin(c.StaticCallee())
	if callee == nil {
		return
	}
	for _, b := range callee.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && index < len(ret.Results) {
			push(ret.Results[index])
		}
	}
}

// Now reports whether v is a reading of the clock as it stands, or computed
// from one. Times that lie in fields are of an earlier moment.
func (r *Readings) Now(v ssa.Value) bool {
	found := false
	r.Walk(v, func(x ssa.Value) bool {
		if _, _, ok := code.FieldRead(x); ok {
			return false
		}
		switch x := x.(type) {
		case *ssa.Parameter:
			found = found || meaning.Named(x.Name(), "now")
		case *ssa.Call:
			if e := r.Entry(x); e != nil {
				found = found || e.Clock == "now" && isTime(x.Type())
				return !found && (e.Clock == "keep" || e.Clock == "strip")
			}
			found = found || meaning.Named(code.MethodOf(x.Common()), "now")
		}
		return !found
	}, nil)
	return found
}

func isTime(t types.Type) bool { return code.IsNamed(t, "time", "Time") }

// asksAge reports whether the program holds the age of a record, of which it was given
// the version, against its clock. Without a version nothing is to be asked.
func (f *Family) asksAge(version *term.T) bool {
	if version == nil {
		return true
	}
	age := func(t *term.T) bool {
		return t.Any(func(x *term.T) bool {
			return x.Kind == term.Field && slices.Contains(ageFields, x.Name) && version.Any(func(y *term.T) bool { return y.Kind == term.Field && y.Args[0] == x.Args[0] })
		})
	}
	return slices.ContainsFunc(f.Calling, func(in ssa.CallInstruction) bool {
		callee := code.Declared(in.Common())
		return callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "time" &&
			slices.ContainsFunc(in.Common().Args, func(a ssa.Value) bool { return age(f.Get(a)) })
	})
}

// ageFields are those of what was read that tell when it was written.
var ageFields = []string{"LastModified", "Updated", "ModTime"}
