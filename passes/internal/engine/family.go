package engine

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A Family is a named function and the closures inside it. Its functions share
// variables, so their values are evaluated together.
type Family struct {
	Engine  *Engine                            // that it belongs to
	Root    *ssa.Function                      // the named function
	Members []*ssa.Function                    // closures before the functions that hold them
	Sums    map[*ssa.Function]*summary.Summary // what its functions do
	callees []*Family                          // for the order of summaries
	failed  bool                               // the engine did, on this family
	applied int                                // function values that are being put in place, one in another

	Made   map[*ssa.Function]*ssa.MakeClosure // where a closure is made
	values map[ssa.Value]*term.T
	busy   map[ssa.Value]bool

	Stores  map[ssa.Value][]ssa.Value           // whole variable: values stored
	Fields  map[ssa.Value][]FieldStore          // local struct: what is stored in its fields
	elems   map[ssa.Value][]ssa.Value           // local array: value per index, or nil
	cells   map[cell][]ssa.Value                // local array of structs: values stored per element and field
	outs    map[ssa.Value][]out                 // local variable filled through a pointer
	Places  []Placed                            // stores to fields of objects that are not local
	keyed   map[location][]*term.T              // places, and what callees store, evaluated
	lent    map[ssa.Value][]ssa.CallInstruction // local struct: calls that get a pointer to it
	Calling []ssa.CallInstruction               // all calls

	blocks map[string]*ssa.BasicBlock // of calls, by place
	handed map[*ssa.Parameter]ssa.CallInstruction
}

// A cell is a field of an element of a local array.
type cell struct {
	array ssa.Value
	index int64
	field int
}

// A FieldStore is a store to a field of a local struct.
type FieldStore struct {
	Field  int
	Val    ssa.Value
	unsure doubt
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

// Placed is a store through an address that is not a local variable's.
type Placed struct {
	Addr ssa.Value // the address, or a map
	key  ssa.Value // map key, where addr is a map
	Val  ssa.Value // what is stored
}

func newFamily(e *Engine, root *ssa.Function) *Family {
	f := &Family{Engine: e, Root: root, Sums: make(map[*ssa.Function]*summary.Summary), Made: make(map[*ssa.Function]*ssa.MakeClosure)}
	var walk func(fn *ssa.Function)
	walk = func(fn *ssa.Function) {
		for _, a := range fn.AnonFuncs {
			walk(a)
		}
		f.Members = append(f.Members, fn)
	}
	walk(root)
	return f
}

// reset forgets evaluated values: callee summaries have changed.
func (f *Family) reset() {
	f.values, f.busy = make(map[ssa.Value]*term.T), make(map[ssa.Value]bool)
	f.keyed = nil
	f.Look()
}

// Look scans the family once. Some are asked about without being summarised.
func (f *Family) Look() {
	if f.Stores == nil {
		f.scan()
	}
}

// Base resolves a captured variable to the variable of the function that
// declares it.
func (f *Family) Base(v ssa.Value) ssa.Value {
	f.Look()
	for range 20 {
		fv, ok := v.(*ssa.FreeVar)
		if !ok {
			break
		}
		mc := f.Made[fv.Parent()]
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
func (f *Family) scan() {
	f.Stores, f.Fields = make(map[ssa.Value][]ssa.Value), make(map[ssa.Value][]FieldStore)
	f.elems, f.outs = make(map[ssa.Value][]ssa.Value), make(map[ssa.Value][]out)
	f.cells, f.lent = make(map[cell][]ssa.Value), make(map[ssa.Value][]ssa.CallInstruction)
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if mc, ok := in.(*ssa.MakeClosure); ok {
					f.Made[mc.Fn.(*ssa.Function)] = mc
				}
			}
		}
	}
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Store:
					f.store(in)
				case *ssa.MapUpdate:
					f.Places = append(f.Places, Placed{in.Map, in.Key, in.Value})
				case ssa.CallInstruction:
					f.scanOut(in)
					f.Calling = append(f.Calling, in)
					for _, a := range in.Common().Args {
						if x, ok := f.Base(a).(*ssa.Alloc); ok && isStruct(x) {
							f.lent[x] = append(f.lent[x], in)
						}
					}
				}
			}
		}
	}
}

func (f *Family) store(st *ssa.Store) {
	val := st.Val
	switch a := f.Base(st.Addr).(type) {
	case *ssa.Alloc:
		f.Stores[a] = append(f.Stores[a], val)
	case *ssa.FieldAddr:
		if x, ok := f.Base(a.X).(*ssa.Alloc); ok {
			f.Fields[x] = append(f.Fields[x], FieldStore{a.Field, val, f.doubts(st, x)})
			return
		}
		if ia, ok := a.X.(*ssa.IndexAddr); ok {
			if c, ok := ia.Index.(*ssa.Const); ok && c.Value != nil {
				if x, ok := f.Base(ia.X).(*ssa.Alloc); ok {
					at := cell{x, c.Int64(), a.Field}
					f.cells[at] = append(f.cells[at], val)
					return
				}
			}
		}
		f.Places = append(f.Places, Placed{a, nil, val})
	case *ssa.IndexAddr:
		if x, ok := f.Base(a.X).(*ssa.Alloc); ok {
			if c, ok := a.Index.(*ssa.Const); ok && c.Value != nil {
				f.setElem(x, c.Int64(), val)
				return
			}
		}
	case *ssa.Global:
		f.Places = append(f.Places, Placed{a, nil, val})
	}
}

// inField lists what is stored in a field of a local struct, and what is left then of the
// value that it had, on some way.
func (f *Family) inField(x ssa.Value, i int) (vals []ssa.Value, unsure doubt) {
	for _, s := range f.Fields[x] {
		if s.Field == i {
			vals, unsure = append(vals, s.Val), max(unsure, s.unsure)
		}
	}
	return vals, unsure
}

// maxElems bounds the local arrays whose elements are looked at: a longer one is a table.
const maxElems = 1 << 12

func (f *Family) setElem(a *ssa.Alloc, i int64, val ssa.Value) {
	arr, ok := a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || i < 0 || i >= arr.Len() || arr.Len() > maxElems {
		return
	}
	if f.elems[a] == nil {
		f.elems[a] = make([]ssa.Value, arr.Len())
	}
	f.elems[a][i] = val
}

// elem is what is stored in an element of a local array, or nil.
func (f *Family) elem(a *ssa.Alloc, i int64) ssa.Value {
	if list := f.elems[a]; i < int64(len(list)) {
		return list[i]
	}
	return nil
}

// scanOut records variables whose address is handed, as an interface value, to
// a call without a body (Scan, Unmarshal, Decode): the call fills them. A
// pointer that is passed under its own type is input to most calls.
func (f *Family) scanOut(in ssa.CallInstruction) {
	c := in.Common()
	v, ok := in.(ssa.Value)
	if !ok || c.StaticCallee() != nil && (len(c.StaticCallee().Blocks) > 0 || f.Engine.imported(code.Origin(c.StaticCallee())) != nil) {
		return
	}
	entries := f.Entries(c)
	reads := len(entries) == 0
	for _, e := range entries {
		reads = reads || e.Query != nil || e.Reads != nil && !e.Reads.Out.IsZero()
	}
	args := c.Args
	if c.Signature().Variadic() && len(args) > 0 {
		if list := f.Variadic(args[len(args)-1]); list != nil {
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
		switch x := f.Base(mi.X).(type) {
		case *ssa.Alloc:
			f.outs[x] = append(f.outs[x], out{c, v, n})
		case *ssa.FieldAddr:
			if b, ok := f.Base(x.X).(*ssa.Alloc); ok {
				f.outs[b] = append(f.outs[b], out{c, v, n})
			}
		default:
			continue
		}
		n++
	}
}

// Entries lists what the catalogue says of a called function.
func (f *Family) Entries(c *ssa.CallCommon) []*catalog.Call {
	if c.IsInvoke() {
		return f.Engine.register(f.Engine.Implementations.method(c))
	}
	if callee := c.StaticCallee(); callee != nil {
		fn, _ := callee.Object().(*types.Func)
		return f.Engine.register(fn)
	}
	return nil
}

// filledSlice returns the local array behind a slice that a call of the
// catalogue fills with fresh values (rand.Read), or nil.
func (f *Family) filledSlice(entries []*catalog.Call, arg ssa.Value) *ssa.Alloc {
	s, ok := arg.(*ssa.Slice)
	if !ok {
		return nil
	}
	for _, e := range entries {
		if e.Origin != nil && !e.Origin.Out.IsZero() {
			a, _ := f.Base(s.X).(*ssa.Alloc)
			return a
		}
	}
	return nil
}

// Variadic lists the values of a slice that was made for a variadic call.
func (f *Family) Variadic(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	a, ok := f.Base(s.X).(*ssa.Alloc)
	if !ok {
		return nil
	}
	if len(f.elems[a]) == 0 {
		// The stores come before the call in the same block, but scan may not
		// have met them when it runs in instruction order: look at referrers.
		for _, r := range *a.Referrers() {
			if ia, ok := r.(*ssa.IndexAddr); ok {
				if c, ok := ia.Index.(*ssa.Const); ok && c.Value != nil {
					for _, rr := range *ia.Referrers() {
						if st, ok := rr.(*ssa.Store); ok {
							f.setElem(a, c.Int64(), st.Val)
						}
					}
				}
			}
		}
	}
	list := make([]ssa.Value, 0, len(f.elems[a]))
	for i, x := range f.elems[a] {
		if x == nil {
			continue // not set, as all that follow
		}
		if i > len(list) {
			return nil
		}
		list = append(list, x)
	}
	return list
}

// Settled is the family, ready to tell values although nothing asked for its
// summary.
func (f *Family) Settled() *Family {
	if f.values == nil {
		f.reset()
	}
	return f
}
