package engine

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// TypeOf is the type of a parameter, or of a field of one; nil for other terms.
func (e *Engine) TypeOf(t *term.T) types.Type {
	switch t.Kind {
	case term.Param:
		if fn := e.Functions[t.Name]; fn != nil && t.Index < len(fn.Params) {
			return fn.Params[t.Index].Type()
		}
	case term.Field:
		if owner := e.TypeOf(t.Args[0]); owner != nil {
			if fields, ok := code.Deref(owner).Underlying().(*types.Struct); ok {
				for v := range fields.Fields() {
					if v.Name() == t.Name {
						return v.Type()
					}
				}
			}
		}
	}
	return nil
}

// Values lists all that a field, a parameter or a variable is set to in view; nothing
// where other code may set it.
func (e *Engine) Values(t *term.T) []*term.T {
	r := e.Readings()
	var from []ssa.Value
	switch t.Kind {
	case term.Param:
		fn := e.Functions[t.Name]
		for _, c := range r.Callers[fn] {
			if t.Index < len(c.Args) {
				from = append(from, c.Args[t.Index])
			}
		}
	case term.Global:
		from = e.Assigned(t.Name)
	case term.Field:
		if whole := e.wholes(t.Args[0]); len(whole) > 0 {
			out := make([]*term.T, len(whole))
			for i, x := range whole {
				out[i] = e.Pool.Field(x, t.Name)
			}
			return out
		}
		if parts := e.parts(t); len(parts) > 0 {
			return parts
		}
		from = e.SetTo(t)
	}
	var out []*term.T
	for _, v := range from {
		f := r.Family(v)
		if f == nil {
			f = e.Order[0] // a constant: any family can tell its value
		}
		x := f.Settled().Get(v)
		if !e.Solved[f] && x.Any(func(x *term.T) bool { return e.Pool.Initially(x) != nil }) {
			// What options do to it shows once they are summarised.
			e.SolveFrom([]*Family{f})
			f.reset()
			x = f.Get(v)
		}
		out = append(out, x)
	}
	return out
}

// SetTo lists what the field that a term reads is set to; nothing where code out of sight
// may set it.
func (e *Engine) SetTo(t *term.T) []ssa.Value {
	at, ok := e.slot(t)
	r := e.Readings()
	if !ok || at.Field < 0 || r.filled[at] != "" || r.decoded[at.Owner] != "" {
		return nil
	}
	return r.stored[at]
}

// Preset lists what the module sets a field to that others may set as well, where they
// use the module as a library: nothing where it is filled by a call, and nothing where the
// module is not all in view.
func (e *Engine) Preset(t *term.T) []*term.T {
	r := e.Readings()
	at, ok := e.slotOf(t, true)
	if !ok || !e.Whole() || r.filled[at] != "" || r.decoded[at.Owner] != "" {
		return nil
	}
	var out []*term.T
	for _, v := range r.stored[at] {
		f := r.Family(v)
		if f == nil {
			f = e.Order[0] // a constant
		}
		out = append(out, f.Settled().Get(v))
	}
	return out
}

// Assigned lists what a package-level variable is set to.
func (e *Engine) Assigned(name string) []ssa.Value {
	var out []ssa.Value
	for _, f := range e.Order {
		f.Look()
		for _, p := range f.Places {
			if g, ok := p.Addr.(*ssa.Global); ok && g.RelString(nil) == name {
				out = append(out, p.Val)
			}
		}
	}
	return out
}

// slot is the field that a term reads, where only code in view can set it.
func (e *Engine) slot(t *term.T) (code.Slot, bool) { return e.slotOf(t, false) }

// slotOf is the field that a term reads, be it one that other code may set.
func (e *Engine) slotOf(t *term.T, exported bool) (code.Slot, bool) {
	owner := e.TypeOf(t.Args[0])
	if owner == nil {
		return code.Slot{}, false
	}
	fields, ok := code.Deref(owner).Underlying().(*types.Struct)
	if !ok {
		return code.Slot{}, false
	}
	for i := range fields.NumFields() {
		if v := fields.Field(i); v.Name() == t.Name && (exported || !v.Exported()) {
			return code.SlotOf(owner, i)
		}
	}
	return code.Slot{}, false
}

// Carriers lists the values of the family that are, or may be, one of list;
// escapes says that it also goes where it cannot be followed.
func (f *Family) Carriers(list []ssa.Value) (out []ssa.Value, escapes bool) {
	seen := make(map[ssa.Value]bool)
	for len(list) > 0 {
		v := list[0]
		list = list[1:]
		if seen[v] || v.Referrers() == nil {
			continue
		}
		seen[v] = true
		out = append(out, v)
		for _, r := range *v.Referrers() {
			f := f.Engine.Families[code.Origin(code.Root(r.Parent()))]
			if f == nil {
				return out, true
			}
			switch r := r.(type) {
			case *ssa.DebugRef, *ssa.BinOp, *ssa.Select:
			case *ssa.UnOp:
				if r.Op == token.MUL {
					list = append(list, r)
				}
			case *ssa.Phi:
				list = append(list, r)
			case *ssa.ChangeType:
				list = append(list, r)
			case *ssa.Extract:
				list = append(list, r)
			case *ssa.Store:
				if r.Val != v {
					continue
				}
				if fields := f.Engine.Readings().private(r.Addr); fields != nil {
					list = append(list, fields...)
					continue
				}
				a, ok := f.Base(r.Addr).(*ssa.Alloc)
				if !ok {
					return out, true
				}
				list = append(list, f.aliases(a)...)
			case *ssa.MakeClosure:
				switch v.(type) {
				case *ssa.Alloc, *ssa.FreeVar: // the closure's name for it is listed
				default:
					return out, true // the receiver of a method value
				}
			case *ssa.Return:
				fn := code.Origin(r.Parent())
				results, known := f.Engine.Readings().Yields(fn, slices.Index(r.Results, v))
				if !known || len(f.Engine.Readings().Callers[fn]) == 0 {
					return out, true
				}
				list = append(list, results...)
			case ssa.CallInstruction:
				if f.Engine.Reader.Entry(f.CallTerm(r.Common(), r.Pos())) != nil {
					continue
				}
				params := Taken(r.Common(), v)
				if params == nil {
					return out, true
				}
				list = append(list, params...)
			default:
				return out, true
			}
		}
	}
	return out, false
}

// Carrier reports whether a parameter is no part of a key, but something like a context
// that a function needs to make one.
func (e *Engine) Carrier(t *term.T) bool {
	typ := e.TypeOf(t)
	return typ != nil && !code.IsBasic(typ)
}

// KeepsState reports whether a function, or one that it calls, stores something that
// outlives it: it may note there that the lease is gone, for whoever works to see.
func KeepsState(fn *ssa.Function, depth int) bool {
	if fn == nil || depth > 2 {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				switch in.Addr.(type) {
				case *ssa.FieldAddr, *ssa.Global:
					if basic, ok := in.Val.Type().Underlying().(*types.Basic); ok && basic.Kind() == types.Bool {
						return true
					}
				}
			case *ssa.Call:
				if KeepsState(in.Call.StaticCallee(), depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// wholes lists the structs that a struct with a field can be: what callers pass by its
// value, what a function makes, or the elements of a list that is written down; nothing for
// others.
func (e *Engine) wholes(x *term.T) []*term.T {
	var out []*term.T
	switch x.Kind {
	case term.Param:
		if typ := e.TypeOf(x); typ == nil || isPointer(typ) {
			return nil
		}
		for _, v := range e.Values(x) {
			made := []*term.T{v}
			if v.Kind == term.Elem || v.Kind == term.Call {
				made = e.wholes(v)
			}
			out = append(out, made...)
		}
	case term.Elem:
		if items, ok := elements(x); ok {
			return items
		}
	case term.Call:
		fn := e.Functions[x.Name]
		if fn == nil || e.Families[fn] == nil || fn.Signature.Results().Len() != 1 || isPointer(fn.Signature.Results().At(0).Type()) {
			return nil
		}
		bind := e.binder(x.Name, x.Args)
		for _, b := range fn.Blocks {
			if len(b.Instrs) == 0 {
				continue
			}
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				out = append(out, e.Pool.Subst(e.Families[fn].Settled().Get(ret.Results[0]), bind))
			}
		}
	}
	return out
}

// parts lists what a field is set to of a struct that lies in a field which only code in
// view can name (p.options.Token): there, or as a part of the whole. It is nothing where
// the struct is given away by its address.
func (e *Engine) parts(t *term.T) []*term.T {
	if t.Args[0].Kind != term.Field {
		return nil
	}
	at, ok := e.slot(t.Args[0])
	r := e.Readings()
	if !ok || r.filled[at] != "" || r.decoded[at.Owner] != "" || !r.e.Implementations.local[at.Owner.Pkg()] {
		return nil
	}
	var out []*term.T
	value := func(v ssa.Value) *term.T {
		f := r.Family(v)
		if f == nil {
			f = e.Order[0] // a constant
		}
		return f.Settled().Get(v)
	}
	// set visits what is done with the address of the struct.
	var set func(list []ssa.Instruction) bool
	set = func(list []ssa.Instruction) bool {
		for _, in := range list {
			switch in := in.(type) {
			case *ssa.DebugRef:
			case *ssa.FieldAddr:
				for _, u := range *in.Referrers() {
					if st, ok := u.(*ssa.Store); ok && st.Addr == ssa.Value(in) && code.FieldName(in.X.Type(), in.Field) == t.Name {
						out = append(out, value(st.Val))
					}
				}
			case *ssa.Store:
				whole := value(in.Val)
				if whole.Kind == term.Unknown {
					return false
				}
				out = append(out, e.Pool.Field(whole, t.Name))
			case *ssa.UnOp:
				if isPointer(in.Type()) && !set(*in.Referrers()) {
					return false
				}
			case ssa.CallInstruction: // of the catalogue: it only reads what it is told
				if f := e.Families[code.Origin(code.Root(in.Parent()))]; f == nil || len(f.Entries(in.Common())) == 0 {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	for _, addr := range r.Named[at] {
		if !set(*addr.Referrers()) {
			return nil
		}
	}
	return out
}

// aliases lists a variable under all the names that the closures of the family
// know it by.
func (f *Family) aliases(a *ssa.Alloc) []ssa.Value {
	out := []ssa.Value{a}
	for _, fn := range f.Members {
		for _, fv := range fn.FreeVars {
			if f.Base(fv) == ssa.Value(a) {
				out = append(out, fv)
			}
		}
	}
	return out
}

// Taken lists the parameters of a function in view that a call gives v to; nil where
// the callee is out of sight, or v is what is called.
func Taken(c *ssa.CallCommon, v ssa.Value) []ssa.Value {
	callee := code.Origin(c.StaticCallee())
	if callee == nil || len(callee.Blocks) == 0 || len(callee.Params) != len(c.Args) {
		return nil
	}
	var out []ssa.Value
	for i, a := range c.Args {
		if a == v {
			out = append(out, callee.Params[i])
		}
	}
	return out
}
