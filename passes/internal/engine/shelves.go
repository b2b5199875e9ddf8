package engine

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Tokens that are put into a field or a variable of the package, and taken from there for a
// write: another grant's may stand there by then.

// A shelf is such a place: a field of whichever object of a type, or a variable.
type shelf struct {
	owner *types.Struct
	field int
	name  string
}

// shelfOf is the place that an address is of; ok is false for variables of functions.
func shelfOf(addr ssa.Value) (shelf, bool) {
	switch x := addr.(type) {
	case *ssa.FieldAddr:
		st, ok := code.Deref(x.X.Type()).Underlying().(*types.Struct)
		return shelf{owner: st, field: x.Field}, ok
	case *ssa.Global:
		return shelf{name: x.RelString(nil)}, true
	}
	return shelf{}, false
}

// A Shelving is where an ordered token is put into such a place.
type Shelving struct {
	Addr ssa.Value // of the place, or of the map in it
	At   ssa.Instruction
}

// shelvings notes where a function puts ordered tokens.
func (e *Engine) shelvings(f *Family, fn *ssa.Function) {
	put := func(addr, v ssa.Value, at ssa.Instruction) {
		if place, ok := shelfOf(addr); ok && mayBeToken(v.Type()) && e.Reader.Draws(f.Settled().Get(v)) {
			e.shelves[place] = append(e.shelves[place], shelved(f, addr, at)...)
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch x := in.(type) {
			case *ssa.Store:
				put(x.Addr, x.Val, x)
			case *ssa.MapUpdate:
				if load, ok := x.Map.(*ssa.UnOp); ok {
					put(load.X, x.Value, x)
				}
			}
		}
	}
}

// shelved lists the places where a field of a struct comes to be: of one that the function
// makes, those that it puts the struct into.
func shelved(f *Family, addr ssa.Value, at ssa.Instruction) []Shelving {
	made, ok := f.Single(rootOf(addr)).(*ssa.Alloc)
	if !ok {
		return []Shelving{{addr, at}}
	}
	var out []Shelving
	note := func(v ssa.Value) {
		for _, r := range *v.Referrers() {
			if st, ok := r.(*ssa.Store); ok && st.Val == v {
				if _, ok := shelfOf(st.Addr); ok {
					out = append(out, Shelving{st.Addr, st})
				}
			}
		}
	}
	note(made)
	for _, r := range *made.Referrers() {
		if load, ok := r.(*ssa.UnOp); ok {
			note(load)
		}
	}
	return out
}

// rootOf is the struct that has, some way down, the field of an address.
func rootOf(addr ssa.Value) ssa.Value {
	for {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok {
			return addr
		}
		addr = fa.X
	}
}

// Shelved lists where ordered tokens are put into the places from which a write of a section
// has what it is given.
func (e *Engine) Shelved(st *summary.Site, write *term.T) []Shelving {
	if e.shelves == nil {
		e.shelves = make(map[shelf][]Shelving)
		e.EachFunction(e.shelvings)
	}
	if len(e.shelves) == 0 || st.Func == nil || write == nil {
		return nil
	}
	var out []Shelving
	look := func(f *Family, fn *ssa.Function, to ssa.Instruction) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				load, ok := in.(*ssa.UnOp)
				if !ok || load.Op != token.MUL {
					continue
				}
				if _, local := f.Single(rootOf(load.X)).(*ssa.Alloc); local {
					continue // what the function has made itself
				}
				if at, ok := shelfOf(load.X); ok && len(e.shelves[at]) > 0 && f.flows(load, to) {
					out = append(out, e.shelves[at]...)
				}
			}
		}
	}
	f, in := e.Index.CallOf(write)
	if in != nil {
		look(f, in.Parent(), in)
	}
	if g := e.Families[code.Origin(code.Root(st.Func))]; g != nil {
		for _, fn := range g.Members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if slices.ContainsFunc(g.doneBy(in), func(x summary.Effect) bool { return x.Call != nil && x.Call.SameCall(write) }) {
						look(g, fn, in)
					}
				}
			}
		}
	}
	return out
}

// mayBeToken reports whether values of a type can be tokens: numbers, or texts of them.
func mayBeToken(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// OnlyFirst reports whether a token is put only where nothing is there yet, by an object that
// was there before: what was put there for an earlier grant stays.
func (e *Engine) OnlyFirst(s Shelving) bool {
	at, ok := shelfOf(s.Addr)
	fn := s.At.Parent()
	if !ok {
		return false
	}
	if e.inOnce(fn) {
		return true
	}
	for _, b := range fn.Blocks {
		if len(b.Preds) != 1 || !b.Dominates(s.At.Block()) {
			continue
		}
		if load, ok := zeroIn(b.Preds[0], b).(*ssa.UnOp); ok {
			if of, there := shelfOf(load.X); there && of == at && !e.cleared(at) {
				return true
			}
		}
	}
	return false
}

// inOnce reports whether a function literal is run by a sync.Once.
func (e *Engine) inOnce(fn *ssa.Function) bool {
	f := e.Families[code.Origin(code.Root(fn))]
	if f == nil || f.Made[fn] == nil {
		return false
	}
	return slices.ContainsFunc(*f.Made[fn].Referrers(), func(r ssa.Instruction) bool {
		c, ok := r.(*ssa.Call)
		obj := (*types.Func)(nil)
		if ok {
			obj = code.Declared(&c.Call)
		}
		if obj == nil || obj.FullName() != "(*sync.Once).Do" {
			return false
		}
		_, local := c.Call.Args[0].(*ssa.Alloc)
		return !local
	})
}

// cleared reports whether a place is emptied again somewhere.
func (e *Engine) cleared(at shelf) bool {
	if e.emptied == nil {
		e.emptied = make(map[shelf]bool)
		e.EachFunction(func(_ *Family, fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					x, ok := in.(*ssa.Store)
					if !ok {
						continue
					}
					if c, is := x.Val.(*ssa.Const); is && isZero(c) {
						if of, ok := shelfOf(x.Addr); ok {
							e.emptied[of] = true
						}
					}
				}
			}
		})
	}
	return e.emptied[at]
}
