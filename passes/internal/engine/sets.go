package engine

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// maxSets bounds the stores of a summary.
const maxSets = 32

// maxStored bounds the values that a place is said to hold.
const maxStored = 5

// A location is a place where a family stores something.
type location struct {
	of    *term.T
	field string
	index *term.T
}

// sets lists what a function stores where its callers can see it.
func (f *Family) sets(fn *ssa.Function) []summary.Set {
	var out []summary.Set
	add := func(s summary.Set) {
		if !visible(s.Of) || !f.Engine.tells(s.Value) || len(out) == maxSets || slices.Contains(out, s) {
			return
		}
		out = append(out, s)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				if fa, ok := f.Base(in.Addr).(*ssa.FieldAddr); ok {
					if _, local := f.Base(fa.X).(*ssa.Alloc); !local {
						add(summary.Set{
							Of: f.Get(fa.X), Field: code.FieldName(fa.X.Type(), fa.Field), Value: f.leftUnset(in, fa, f.appended(in, f.defaulted(in, f.Get(in.Val)))),
							Perhaps: !onEverySuccess(b),
						})
					}
				}
			case *ssa.MapUpdate:
				step, _ := pours(in, in.Map)
				add(f.poursInto(in.Map, step))
			case ssa.CallInstruction:
				if call, ok := in.(*ssa.Call); ok && copiesMap(call) {
					step, _ := pours(in, call.Call.Args[0])
					add(f.poursInto(call.Call.Args[0], step))
					continue
				}
				always := onEverySuccess(b)
				f.called(in, func(s summary.Set) {
					s.Perhaps = s.Perhaps || !always
					add(s)
				})
			}
		}
	}
	return out
}

// visible reports whether callers can reach an object: by a parameter.
func visible(t *term.T) bool {
	for t.Kind == term.Field || t.Kind == term.Elem {
		t = t.Args[0]
	}
	return t.Kind == term.Param
}

// called passes on what the callee of a call stores, with the arguments put in.
func (f *Family) called(in ssa.CallInstruction, add func(summary.Set)) {
	c := in.Common()
	for _, callee := range f.Engine.Callees(c) {
		sum := f.Engine.Summary(callee)
		if sum == nil || f.Engine.spent() || len(sum.Sets) == 0 {
			continue
		}
		args := f.CallTerm(c, in.Pos()).Args
		if !c.IsInvoke() && len(args) == len(c.Args) {
			args = slices.Clone(args)
			for i, a := range c.Args {
				if code.IsMap(a.Type()) {
					args[i] = f.Get(a) // the map, whatever is in it by then
				}
			}
		}
		bind := f.binding(f.Engine.binder(f.Engine.Name(callee), args))
		for _, s := range sum.Sets {
			add(summary.Set{Of: bind.Put(s.Of), Field: s.Field, Index: bind.Put(s.Index), Value: bind.Put(s.Value), Perhaps: s.Perhaps})
		}
	}
}

// Callees lists the functions in view that a call may be of.
func (e *Engine) Callees(c *ssa.CallCommon) []*ssa.Function {
	if c.IsInvoke() {
		return e.Implementations.Of(c)
	}
	if fn := c.StaticCallee(); fn != nil {
		return []*ssa.Function{code.Origin(fn)}
	}
	return nil
}

// binding puts a caller's terms in place of a callee's parameters. What the family
// stored in the fields that the callee reads is there.
func (f *Family) binding(bind func(*term.T) *term.T) *term.Binding {
	return f.Engine.Pool.Binding(bind, f.at)
}

// at joins a place, the field or the element of x, with what the family stores
// there.
func (f *Family) at(place, x *term.T, field string, index *term.T) *term.T {
	locations := f.locations()
	if len(locations) == 0 {
		return place
	}
	var alts []*term.T
	if !place.IsZero() {
		alts = append(alts, place)
	}
	n := len(alts)
	for _, x := range x.Alts() {
		for _, t := range locations[location{x, field, index}] {
			if !t.IsZero() {
				alts = append(alts, t)
			}
		}
	}
	if len(alts) == n || len(alts) > maxStored {
		return place
	}
	return f.Engine.Pool.Join(alts...)
}

// locations lists what the family stores in objects that are not local variables,
// itself or by the functions that it calls. What is stored may come from such a
// place itself, so it is evaluated twice, apart from the values of the family.
func (f *Family) locations() map[location][]*term.T {
	if f.keyed != nil {
		return f.keyed
	}
	values, busy := f.values, f.busy
	f.keyed = make(map[location][]*term.T)
	for range 2 {
		f.values, f.busy = make(map[ssa.Value]*term.T), make(map[ssa.Value]bool)
		next := make(map[location][]*term.T)
		add := func(s summary.Set) {
			k := location{s.Of, s.Field, s.Index}
			if !slices.Contains(next[k], s.Value) {
				next[k] = append(next[k], s.Value)
			}
		}
		for _, s := range f.Places {
			switch a := s.Addr.(type) {
			case *ssa.FieldAddr:
				add(summary.Set{Of: f.Get(a.X), Field: code.FieldName(a.X.Type(), a.Field), Value: f.Get(s.Val)})
			case *ssa.Global:
			default:
				add(summary.Set{Of: f.Get(s.Addr), Index: f.Get(s.key), Value: f.Get(s.Val)})
			}
		}
		for _, in := range f.Calling {
			f.called(in, add)
		}
		f.keyed = next
		if len(next) == 0 {
			break
		}
	}
	f.values, f.busy = values, busy
	return f.keyed
}

// extended is an object that a function returns, with what was stored in it since
// it was made.
func (f *Family) extended(t *term.T) *term.T {
	locations := f.locations()
	if t == nil || len(locations) == 0 || !t.Any(func(x *term.T) bool { return x.Kind == term.Struct }) {
		return t
	}
	var alts []*term.T
	for _, x := range t.Alts() {
		if x.Kind == term.Struct {
			y := x
			for _, k := range f.fieldsOf(x) {
				v := f.Engine.Pool.Join(locations[k]...)
				if old := f.Engine.Pool.Field(x, k.field); !old.IsZero() {
					v = f.Engine.Pool.Join(old, v)
				}
				y = f.Engine.Pool.With(y, k.field, v)
			}
			x = y
		}
		alts = append(alts, x)
	}
	return f.Engine.Pool.Join(alts...)
}

// fieldsOf lists the locations that are fields of x, in a fixed order.
func (f *Family) fieldsOf(x *term.T) []location {
	var out []location
	for k := range f.locations() {
		if k.of == x && k.field != "" {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b location) int { return strings.Compare(a.field, b.field) })
	return out
}

// isPointerField reports whether a field of a struct holds a pointer.
func isPointerField(t types.Type, name string) bool {
	st, ok := code.Deref(t).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for v := range st.Fields() {
		if v.Name() == name {
			return isPointer(v.Type())
		}
	}
	return false
}

// isStruct reports whether a variable is a struct.
func isStruct(a *ssa.Alloc) bool {
	_, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return ok
}

// doubts tells what a store to a field of x leaves of what x was set to before.
func (f *Family) doubts(st *ssa.Store, x *ssa.Alloc) doubt {
	if len(*x.Referrers()) == 0 || x.Parent() != st.Parent() {
		return perchance
	}
	if asksZero(st) {
		return ifZero
	}
	for _, r := range *x.Referrers() {
		if whole, ok := r.(*ssa.Store); ok && whole.Addr == ssa.Value(x) && whole.Block() != st.Block() {
			return perchance
		}
	}
	return certain
}

// asksZero reports whether a store to a field is reached only where the field is
// zero.
func asksZero(st *ssa.Store) bool {
	to, ok := st.Addr.(*ssa.FieldAddr)
	b := st.Block()
	if !ok || len(b.Preds) != 1 {
		return false
	}
	x := zeroIn(b.Preds[0], b)
	load, ok := x.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	from, ok := load.X.(*ssa.FieldAddr)
	return ok && from.X == to.X && from.Field == to.Field
}

// zeroIn returns the value that is zero, or less, where control goes from p to b;
// nil if there is none.
func zeroIn(p, b *ssa.BasicBlock) ssa.Value {
	br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return nil
	}
	op := bin.Op
	if p.Succs[0] != b {
		op = negate(op)
	}
	if zero, ok := bin.Y.(*ssa.Const); !ok || !(op == token.EQL || op == token.LEQ || op == token.LSS) || !isZero(zero) {
		return nil
	}
	return bin.X
}

func isZero(c *ssa.Const) bool {
	if c.Value == nil {
		return true
	}
	switch c.Value.Kind() {
	case constant.String:
		return constant.StringVal(c.Value) == ""
	case constant.Int, constant.Float:
		return constant.Sign(c.Value) == 0
	}
	return false
}

// defaulted is what a store puts into a field: val, where the field is zero only.
func (f *Family) defaulted(st *ssa.Store, val *term.T) *term.T {
	if !asksZero(st) {
		return val
	}
	fa := st.Addr.(*ssa.FieldAddr)
	return f.Engine.Pool.Or(f.Engine.Pool.Field(f.Get(fa.X), code.FieldName(fa.X.Type(), fa.Field)), val)
}

// fallback is the value of a variable that is given a default where it is zero,
// or nil.
func (f *Family) fallback(phi *ssa.Phi) *term.T {
	b := phi.Block()
	if len(phi.Edges) != 2 || len(b.Preds) != 2 {
		return nil
	}
	for i, from := range b.Preds {
		// From here comes the default: the value was found to be zero.
		var x ssa.Value
		switch {
		case len(from.Preds) == 1 && len(from.Succs) == 1:
			x = zeroIn(from.Preds[0], from)
		case len(from.Succs) == 2 && from.Succs[0] != from.Succs[1]:
			x = zeroIn(from, b)
		}
		if x == nil {
			continue
		}
		value, other := f.Value(phi.Edges[1-i]), f.Value(phi.Edges[i])
		if value != nil && other != nil && value == f.Get(x) {
			return f.Engine.Pool.Or(value, other)
		}
	}
	return nil
}

// passed is the struct x, a local variable, after the calls that got a pointer to
// it.
func (f *Family) passed(a *ssa.Alloc, x *term.T) *term.T {
	p := f.Engine.Pool
	for _, in := range f.lent[a] {
		before := x
		c := in.Common()
		i := slices.IndexFunc(c.Args, func(v ssa.Value) bool { return f.Base(v) == ssa.Value(a) })
		var fns *term.T
		switch callee := c.StaticCallee(); {
		case callee != nil:
			sum := f.Engine.Summary(callee)
			if sum == nil {
				continue
			}
			name := f.Engine.Name(code.Origin(callee))
			for _, s := range sum.Sets {
				of, within := s.Of, ""
				if of.Kind == term.Field && s.Field == "" {
					of, within = of.Args[0], of.Name // a map that lies in it
				}
				if s.Field == "" && within == "" || of.Kind != term.Param || of.Name != name || of.Index != i {
					continue
				}
				bind := func(t *term.T) *term.T {
					switch {
					case t.Name != name || t.Index >= len(c.Args):
						return nil
					case t.Index == i:
						return x
					}
					return f.Get(c.Args[t.Index])
				}
				value := p.Subst(s.Value, bind)
				if within != "" {
					if s.Perhaps {
						value = p.Unknown("ways")
					}
					o := &filling{p, p.Field(x, within)}
					o.put(summary.Set{Index: p.Subst(s.Index, bind), Value: value})
					x = p.With(x, within, o.object)
					continue
				}
				switch old, own := p.Field(x, s.Field), p.Field(of, s.Field); {
				case s.Perhaps && old.IsZero() && isPointerField(a.Type(), s.Field):
					value = p.Join(p.Nil(), value)
				case !old.IsZero() && value.Kind != term.Op && (s.Perhaps || !s.Value.Any(func(t *term.T) bool { return t == own })):
					value = p.Join(old, value)
				}
				x = p.With(x, s.Field, value)
			}
			x = f.growth(in, before, x)
			continue
		case !c.IsInvoke():
			fns = f.Get(c.Value)
		case len(c.Args) == 1:
			fns = f.Get(c.Value) // a function type with a method that calls it
		default:
			continue
		}
		// One option after the other; anything else may do as it likes.
		if fns.Kind == term.Elem && (len(fns.Args) == 1 || fns.Args[1].Kind != term.Const) {
			x = f.growth(in, before, p.Applied(fns.Args[0], i, x))
		}
	}
	return x
}

// applied is the object x after functions have run on it: those that are known
// set its fields. It is nil where one is not known.
func (e *Engine) applied(fns *term.T, index int, x *term.T) *term.T {
	switch fns.Kind {
	case term.Nil:
		return x
	case term.Const:
		if fns.IsZero() {
			return x
		}
	case term.List:
		for _, fn := range fns.Args {
			if x = e.applied(fn, index, x); x == nil {
				return nil
			}
		}
		return x
	case term.Op:
		if fns.Name == "append" && len(fns.Args) == 2 {
			if x = e.applied(fns.Args[0], index, x); x == nil {
				return nil
			}
			if y := e.applied(fns.Args[1], index, x); y != nil {
				return y
			}
			return e.Pool.Applied(fns.Args[1], index, x) // after those that are known
		}
	case term.Func, term.Closure:
		sum := e.named(fns.Name)
		if sum == nil {
			return nil
		}
		args := make([]*term.T, index+1)
		for i := range args {
			args[i] = e.Pool.Unknown("argument")
		}
		args[index] = x
		bind := closureBinder(fns, args)
		for _, s := range sum.Sets {
			if s.Field != "" && s.Of.Kind == term.Param && bind(s.Of) == x {
				x = e.Pool.With(x, s.Field, e.Pool.Subst(s.Value, bind))
				args[index] = x
			}
		}
		return x
	}
	return nil
}
