package engine

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
)

// Readings follow time values backwards to the clock that they were read from,
// through variables, fields, parameters and results.
//
// Fields are those of a type, not of one object: what one function stores in
// Lease.ExpiresAt is what every other finds there. A time that is monotonic in
// one object and read from a store in another counts as read from the store.
type readings struct {
	e       *Engine
	callers map[*ssa.Function][]*ssa.CallCommon
	taking  map[*ssa.Function][]*ssa.Call // the callers that can look at results
	stored  map[slot][]ssa.Value
	named   map[slot][]ssa.Value // the addresses of a field, wherever it is read or set
	filled  map[slot]string      // fields that a call fills through a pointer, and that call
	decoded map[*types.TypeName]string
}

// A slot is a field of a named type.
type slot struct {
	owner *types.TypeName
	field int
}

// maxSources bounds the values that one question looks at.
const maxSources = 400

// readings are those of the whole program, gathered when something asks for them.
func (e *Engine) readings() *readings {
	if e.read == nil {
		e.read = newReadings(e)
	}
	return e.read
}

func newReadings(e *Engine) *readings {
	r := &readings{
		e: e, callers: make(map[*ssa.Function][]*ssa.CallCommon), taking: make(map[*ssa.Function][]*ssa.Call),
		stored: make(map[slot][]ssa.Value), named: make(map[slot][]ssa.Value), filled: make(map[slot]string), decoded: make(map[*types.TypeName]string),
	}
	var calls []*ssa.CallCommon
	var owners []*family
	for _, f := range e.order {
		for _, fn := range f.members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					switch in := in.(type) {
					case *ssa.FieldAddr:
						if s, ok := slotOf(in.X.Type(), in.Field); ok {
							r.named[s] = append(r.named[s], in)
						}
					case *ssa.Store:
						if a, ok := in.Addr.(*ssa.FieldAddr); ok {
							if s, ok := slotOf(a.X.Type(), a.Field); ok {
								r.stored[s] = append(r.stored[s], in.Val)
							}
						}
					case ssa.CallInstruction:
						c := in.Common()
						if callee := origin(c.StaticCallee()); callee != nil && len(callee.Blocks) > 0 {
							r.callers[callee] = append(r.callers[callee], c)
							if call, ok := in.(*ssa.Call); ok {
								r.taking[callee] = append(r.taking[callee], call)
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

// fills notes the fields and types that a call without a body decodes into.
func (r *readings) fills(f *family, c *ssa.CallCommon) {
	by, ok := decoder(f, c)
	if !ok {
		return
	}
	args := c.Args
	if c.Signature().Variadic() && len(args) > 0 {
		if list := f.variadic(args[len(args)-1]); list != nil {
			args = append(args[:len(args)-1:len(args)-1], list...)
		}
	}
	for _, a := range args {
		if !types.IsInterface(a.Type()) {
			continue
		}
		// The pointer may come from a caller: func load(dst any).
		r.walk(a, func(v ssa.Value) bool {
			mi, ok := v.(*ssa.MakeInterface)
			if !ok {
				return true
			}
			if p, ok := mi.X.Type().Underlying().(*types.Pointer); ok {
				if a, ok := mi.X.(*ssa.FieldAddr); ok {
					if s, ok := slotOf(a.X.Type(), a.Field); ok {
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
func (r *readings) decodes(t types.Type, by string, depth int) {
	if depth > 5 {
		return
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if !r.e.impls.local[n.Obj().Pkg()] || r.decoded[n.Obj()] != "" {
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
func decoder(f *family, c *ssa.CallCommon) (string, bool) {
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
	if slices.ContainsFunc(f.entries(c), fills) {
		if e := f.e.reader.Entry(f.callTerm(c, token.NoPos)); e != nil && fills(e) {
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

func slotOf(t types.Type, field int) (slot, bool) {
	n, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok {
		return slot{}, false
	}
	return slot{n.Origin().Obj(), field}, true
}

// private lists all addresses of the field that addr is of, where only code in
// view can name it; nil otherwise.
func (r *readings) private(addr ssa.Value) []ssa.Value {
	a, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	s, ok := slotOf(a.X.Type(), a.Field)
	if !ok || !r.e.impls.local[s.owner.Pkg()] || ast.IsExported(fieldName(a.X.Type(), a.Field)) {
		return nil
	}
	return r.named[s]
}

// only is the one value that a private field is ever set to, or nil.
func (r *readings) only(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || r.private(load.X) == nil {
		return nil
	}
	a := load.X.(*ssa.FieldAddr)
	s, _ := slotOf(a.X.Type(), a.Field)
	if list := r.stored[s]; len(list) == 1 {
		return list[0]
	}
	return nil
}

func (r *readings) family(v ssa.Value) *family {
	fn := v.Parent()
	if fn == nil {
		return nil
	}
	return r.e.families[origin(rootOf(fn))]
}

// entry is the catalogue's entry of a call.
func (r *readings) entry(v *ssa.Call) *catalog.Call {
	f := r.family(v)
	if f == nil {
		return nil
	}
	return f.e.reader.Entry(f.callTerm(v.Common(), v.Pos()))
}

// walk visits v and the values that it may have come from. enter returns
// whether to look behind a value; read is called for values that a call filled
// from outside the process.
func (r *readings) walk(v ssa.Value, enter func(ssa.Value) bool, read func(v ssa.Value, by string)) {
	seen := make(map[ssa.Value]bool)
	work := []ssa.Value{v}
	push := func(list ...ssa.Value) { work = append(work, list...) }
	for len(work) > 0 && len(seen) < maxSources {
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
			r.result(v, v, 0, push, read)
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
func (r *readings) loaded(addr ssa.Value, push func(...ssa.Value), read func(ssa.Value, string)) {
	f := r.family(addr)
	if f == nil {
		return
	}
	switch a := f.base(addr).(type) {
	case *ssa.Alloc:
		push(f.stores[a]...)
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
func (r *readings) field(v, x ssa.Value, i int, push func(...ssa.Value), read func(ssa.Value, string)) {
	f := r.family(x)
	if f == nil {
		return
	}
	if a, ok := f.base(x).(*ssa.Alloc); ok {
		if vals := f.fields[a][i]; len(vals) > 0 {
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
	s, ok := slotOf(x.Type(), i)
	if !ok {
		return
	}
	push(r.stored[s]...)
	if by := r.decoded[s.owner]; by != "" && read != nil {
		read(v, by)
	}
	if by := r.filled[s]; by != "" && read != nil {
		read(v, by)
	}
}

// arguments lists what the callers in view pass for a parameter.
func (r *readings) arguments(p *ssa.Parameter, push func(...ssa.Value)) {
	i := slices.Index(p.Parent().Params, p)
	for _, c := range r.callers[p.Parent()] {
		if i >= 0 && i < len(c.Args) {
			push(c.Args[i])
		}
	}
}

// result lists what a call's result is made of.
func (r *readings) result(v ssa.Value, call *ssa.Call, index int, push func(...ssa.Value), read func(ssa.Value, string)) {
	c := call.Common()
	if e := r.entry(call); e != nil {
		switch {
		case !e.Same.IsZero() && index == 0:
			push(operand(c, e.Same))
		case e.Reads != nil && e.Reads.Out.IsZero() && read != nil && !isError(v.Type()):
			read(v, methodOf(c))
		}
		return
	}
	callee := origin(c.StaticCallee())
	if callee == nil {
		return
	}
	for _, b := range callee.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && index < len(ret.Results) {
			push(ret.Results[index])
		}
	}
}

// methodOf is a called function's own name, or that of the variable that holds it.
func methodOf(c *ssa.CallCommon) string {
	switch {
	case c.IsInvoke():
		return c.Method.Name()
	case c.StaticCallee() != nil:
		return origin(c.StaticCallee()).Name()
	}
	if u, ok := c.Value.(*ssa.UnOp); ok {
		switch x := u.X.(type) {
		case *ssa.Global:
			return x.Name()
		case *ssa.FieldAddr:
			return fieldName(x.X.Type(), x.Field)
		}
	}
	return c.Value.Name()
}

// lost says how a time came to carry no monotonic reading; it is empty where it
// carries one or that is not known.
func (r *readings) lost(v ssa.Value) string {
	why := ""
	r.walk(v, func(x ssa.Value) bool {
		if call := callOf(x); call != nil {
			if e := r.entry(call); e != nil {
				switch e.Clock {
				case "strip":
					why = methodOf(call.Common()) + " leaves no monotonic reading"
				case "now":
					return false
				}
			}
		}
		return why == ""
	}, func(_ ssa.Value, by string) {
		if why == "" {
			why = "a time that " + by + " brings in has no monotonic reading"
		}
	})
	return why
}

// now reports whether v is a reading of the clock as it stands, or computed
// from one. Times that lie in fields are of an earlier moment.
func (r *readings) now(v ssa.Value) bool {
	found := false
	r.walk(v, func(x ssa.Value) bool {
		if _, _, ok := fieldRead(x); ok {
			return false
		}
		switch x := x.(type) {
		case *ssa.Parameter:
			found = found || meaning.Named(x.Name(), "now")
		case *ssa.Call:
			if e := r.entry(x); e != nil {
				found = found || e.Clock == "now" && isTime(x.Type())
				return !found && (e.Clock == "keep" || e.Clock == "strip")
			}
			found = found || meaning.Named(methodOf(x.Common()), "now")
		}
		return !found
	}, nil)
	return found
}

// ticks reports whether a number was made of the clock as it stands
// (time.Now().Unix()), which drops the monotonic reading, and by what.
func (r *readings) ticks(v ssa.Value) (by string) {
	r.walk(v, func(x ssa.Value) bool {
		call, ok := x.(*ssa.Call)
		if !ok {
			_, _, stored := fieldRead(x)
			return by == "" && isNumber(x.Type()) && !stored
		}
		if e := r.entry(call); e != nil && e.Clock == "strip" && isNumber(call.Type()) {
			if len(call.Call.Args) > 0 && r.now(call.Call.Args[0]) {
				by = methodOf(call.Common())
			}
			return false
		}
		return by == ""
	}, nil)
	return by
}

func callOf(v ssa.Value) *ssa.Call {
	switch v := v.(type) {
	case *ssa.Call:
		return v
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			return c
		}
	}
	return nil
}

// fieldRead reports whether v was read from a field, and from which.
func fieldRead(v ssa.Value) (x ssa.Value, field int, ok bool) {
	switch v := v.(type) {
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return a.X, a.Field, true
		}
	case *ssa.Field:
		return v.X, v.Field, true
	}
	return nil, 0, false
}

func isTime(t types.Type) bool { return isNamed(t, "time", "Time") }

// isNumber reports whether t is an integer or floating-point number that is no
// time.Duration.
func isNumber(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsFloat) != 0 && !isNamed(t, "time", "Duration")
}

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg && n.Obj().Name() == name
}
