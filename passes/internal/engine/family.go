package engine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A family is a named function and the closures inside it. Its functions share
// variables, so their values are evaluated together.
type family struct {
	e       *Engine
	root    *ssa.Function
	members []*ssa.Function // closures before the functions that hold them
	sums    map[*ssa.Function]*Summary
	callees []*family // for the order of summaries
	failed  bool      // the engine did, on this family
	applied int       // function values that are being put in place, one in another

	made   map[*ssa.Function]*ssa.MakeClosure
	values map[ssa.Value]*term.T
	busy   map[ssa.Value]bool

	stores  map[ssa.Value][]ssa.Value           // whole variable: values stored
	fields  map[ssa.Value]map[int][]ssa.Value   // local struct: values stored per field
	elems   map[ssa.Value]map[int64]ssa.Value   // local array: value per index
	cells   map[cell][]ssa.Value                // local array of structs: values stored per element and field
	outs    map[ssa.Value][]out                 // local variable filled through a pointer
	places  []placed                            // stores to fields of objects that are not local
	keyed   map[location][]*term.T              // places, and what callees store, evaluated
	lent    map[ssa.Value][]ssa.CallInstruction // local struct: calls that get a pointer to it
	unsure  map[field]doubt                     // local struct: fields that keep what they had on some ways
	calling []ssa.CallInstruction               // all calls

	blocks map[string]*ssa.BasicBlock // of calls, by place
	handed map[*ssa.Parameter]ssa.CallInstruction
}

// A cell is a field of an element of a local array.
type cell struct {
	array ssa.Value
	index int64
	field int
}

// A field is one of a local struct.
type field struct {
	of    ssa.Value
	index int
}

// A doubt is what a store leaves of the value that a field had.
type doubt uint8

const (
	certain   doubt = iota // nothing
	ifZero                 // what is not zero: the store is a default
	perchance              // all of it, on some way
)

// An out is a call that fills a variable through its index-th pointer.
type out struct {
	call  *ssa.CallCommon
	value ssa.Value // the call, as a value
	index int
}

// placed is a store through an address that is not a local variable's.
type placed struct {
	addr ssa.Value
	key  ssa.Value // map key, where addr is a map
	val  ssa.Value
}

func newFamily(e *Engine, root *ssa.Function) *family {
	f := &family{e: e, root: root, sums: make(map[*ssa.Function]*Summary), made: make(map[*ssa.Function]*ssa.MakeClosure)}
	var walk func(fn *ssa.Function)
	walk = func(fn *ssa.Function) {
		for _, a := range fn.AnonFuncs {
			walk(a)
		}
		f.members = append(f.members, fn)
	}
	walk(root)
	return f
}

// reset forgets evaluated values: callee summaries have changed.
func (f *family) reset() {
	f.values, f.busy = make(map[ssa.Value]*term.T), make(map[ssa.Value]bool)
	f.keyed = nil
	f.look()
}

// look scans the family once. Some are asked about without being summarised.
func (f *family) look() {
	if f.stores == nil {
		f.scan()
	}
}

// base resolves a captured variable to the variable of the function that
// declares it.
func (f *family) base(v ssa.Value) ssa.Value {
	f.look()
	for range 20 {
		fv, ok := v.(*ssa.FreeVar)
		if !ok {
			break
		}
		mc := f.made[fv.Parent()]
		if mc == nil {
			break
		}
		next := v
		for i, x := range fv.Parent().FreeVars {
			if x == fv && i < len(mc.Bindings) {
				next = mc.Bindings[i]
			}
		}
		if next == v {
			break
		}
		v = next
	}
	return v
}

// scan records every store of the family, so that loads find them.
func (f *family) scan() {
	f.stores, f.fields = make(map[ssa.Value][]ssa.Value), make(map[ssa.Value]map[int][]ssa.Value)
	f.elems, f.outs = make(map[ssa.Value]map[int64]ssa.Value), make(map[ssa.Value][]out)
	f.cells = make(map[cell][]ssa.Value)
	f.lent, f.unsure = make(map[ssa.Value][]ssa.CallInstruction), make(map[field]doubt)
	for _, fn := range f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if mc, ok := in.(*ssa.MakeClosure); ok {
					f.made[mc.Fn.(*ssa.Function)] = mc
				}
			}
		}
	}
	for _, fn := range f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Store:
					f.store(in.Addr, in.Val)
					if fa, ok := f.base(in.Addr).(*ssa.FieldAddr); ok {
						if x, ok := f.base(fa.X).(*ssa.Alloc); ok {
							at := field{x, fa.Field}
							f.unsure[at] = max(f.unsure[at], f.doubts(in, x))
						}
					}
				case *ssa.MapUpdate:
					f.places = append(f.places, placed{in.Map, in.Key, in.Value})
				case ssa.CallInstruction:
					f.scanOut(in)
					f.calling = append(f.calling, in)
					for _, a := range in.Common().Args {
						if x, ok := f.base(a).(*ssa.Alloc); ok && isStruct(x) {
							f.lent[x] = append(f.lent[x], in)
						}
					}
				}
			}
		}
	}
}

func (f *family) store(addr, val ssa.Value) {
	addr = f.base(addr)
	switch a := addr.(type) {
	case *ssa.Alloc:
		f.stores[a] = append(f.stores[a], val)
	case *ssa.FieldAddr:
		if x, ok := f.base(a.X).(*ssa.Alloc); ok {
			if f.fields[x] == nil {
				f.fields[x] = make(map[int][]ssa.Value)
			}
			f.fields[x][a.Field] = append(f.fields[x][a.Field], val)
			return
		}
		if ia, ok := a.X.(*ssa.IndexAddr); ok {
			if c, ok := ia.Index.(*ssa.Const); ok && c.Value != nil {
				if x, ok := f.base(ia.X).(*ssa.Alloc); ok {
					at := cell{x, c.Int64(), a.Field}
					f.cells[at] = append(f.cells[at], val)
					return
				}
			}
		}
		f.places = append(f.places, placed{a, nil, val})
	case *ssa.IndexAddr:
		if x, ok := f.base(a.X).(*ssa.Alloc); ok {
			if c, ok := a.Index.(*ssa.Const); ok && c.Value != nil {
				if f.elems[x] == nil {
					f.elems[x] = make(map[int64]ssa.Value)
				}
				f.elems[x][c.Int64()] = val
				return
			}
		}
	case *ssa.Global:
		f.places = append(f.places, placed{a, nil, val})
	}
}

// scanOut records variables whose address is handed, as an interface value, to
// a call without a body (Scan, Unmarshal, Decode): the call fills them. A
// pointer that is passed under its own type is input to most calls.
func (f *family) scanOut(in ssa.CallInstruction) {
	c := in.Common()
	v, ok := in.(ssa.Value)
	if !ok || c.StaticCallee() != nil && (len(c.StaticCallee().Blocks) > 0 || f.e.imported(origin(c.StaticCallee())) != nil) {
		return
	}
	entries := f.entries(c)
	reads := len(entries) == 0
	for _, e := range entries {
		reads = reads || e.Query != nil || e.Reads != nil && !e.Reads.Out.IsZero()
	}
	args := c.Args
	if c.Signature().Variadic() && len(args) > 0 {
		if list := f.variadic(args[len(args)-1]); list != nil {
			args = append(args[:len(args)-1:len(args)-1], list...)
		}
	}
	n := 0
	for _, a := range args {
		mi, ok := a.(*ssa.MakeInterface)
		if !ok {
			if x := f.filledSlice(entries, a); x != nil {
				f.outs[x] = append(f.outs[x], out{c, v, n})
			}
			continue
		}
		if !reads {
			continue // known to take the pointer as input: a model, a record to store
		}
		switch x := f.base(mi.X).(type) {
		case *ssa.Alloc:
			f.outs[x] = append(f.outs[x], out{c, v, n})
		case *ssa.FieldAddr:
			if b, ok := f.base(x.X).(*ssa.Alloc); ok {
				f.outs[b] = append(f.outs[b], out{c, v, n})
			}
		default:
			continue
		}
		n++
	}
}

// entries lists what the catalogue says of a called function.
func (f *family) entries(c *ssa.CallCommon) []*catalog.Call {
	if c.IsInvoke() {
		return f.e.register(f.e.impls.method(c))
	}
	if callee := c.StaticCallee(); callee != nil {
		fn, _ := callee.Object().(*types.Func)
		return f.e.register(fn)
	}
	return nil
}

// filledSlice returns the local array behind a slice that a call of the
// catalogue fills with fresh values (rand.Read), or nil.
func (f *family) filledSlice(entries []*catalog.Call, arg ssa.Value) *ssa.Alloc {
	s, ok := arg.(*ssa.Slice)
	if !ok {
		return nil
	}
	for _, e := range entries {
		if e.Origin != nil && !e.Origin.Out.IsZero() {
			a, _ := f.base(s.X).(*ssa.Alloc)
			return a
		}
	}
	return nil
}

// variadic lists the values of a slice that was made for a variadic call.
func (f *family) variadic(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := f.base(s.X).(*ssa.Alloc)
	if !ok {
		return nil
	}
	n := len(f.elems[a])
	if n == 0 {
		// The stores come before the call in the same block, but scan may not
		// have met them when it runs in instruction order: look at referrers.
		f.elems[a] = make(map[int64]ssa.Value)
		for _, r := range *a.Referrers() {
			if ia, ok := r.(*ssa.IndexAddr); ok {
				if c, ok := ia.Index.(*ssa.Const); ok && c.Value != nil {
					for _, rr := range *ia.Referrers() {
						if st, ok := rr.(*ssa.Store); ok {
							f.elems[a][c.Int64()] = st.Val
						}
					}
				}
			}
		}
		n = len(f.elems[a])
	}
	list := make([]ssa.Value, 0, n)
	for i := range int64(n) {
		x, ok := f.elems[a][i]
		if !ok {
			return nil
		}
		list = append(list, x)
	}
	return list
}
