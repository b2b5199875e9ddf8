package engine

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

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

// Shelved lists where ordered tokens are stored in the places from which a write of a section
// has what it is given.
func (e *Engine) Shelved(st *summary.Site, write *term.T) []*ssa.Store {
	if e.shelves == nil {
		e.shelves = make(map[shelf][]*ssa.Store)
		e.EachFunction(func(f *Family, fn *ssa.Function) {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					if x, ok := in.(*ssa.Store); ok {
						if at, ok := shelfOf(x.Addr); ok && integral(x.Val.Type()) && e.Reader.Draws(f.Settled().Get(x.Val)) {
							e.shelves[at] = append(e.shelves[at], x)
						}
					}
				}
			}
		})
	}
	if len(e.shelves) == 0 || st.Func == nil || write == nil {
		return nil
	}
	var out []*ssa.Store
	look := func(f *Family, fn *ssa.Function, to ssa.Instruction) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				load, ok := in.(*ssa.UnOp)
				if !ok || load.Op != token.MUL {
					continue
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

func integral(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// OnlyFirst reports whether a store is made only where nothing is there yet, by an object that
// was there before: what was put there for an earlier grant stays.
func (e *Engine) OnlyFirst(store *ssa.Store) bool {
	at, ok := shelfOf(store.Addr)
	fn := store.Parent()
	if !ok || ofNew(e, store.Addr) {
		return false
	}
	if e.inOnce(fn) {
		return true
	}
	for _, b := range fn.Blocks {
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		bin, ok := br.Cond.(*ssa.BinOp)
		if !ok || bin.Op != token.EQL && bin.Op != token.NEQ && bin.Op != token.LEQ && bin.Op != token.GTR {
			continue
		}
		load, ok := bin.X.(*ssa.UnOp)
		if !ok {
			continue
		}
		zero, is := bin.Y.(*ssa.Const)
		if of, there := shelfOf(load.X); !there || of != at || !is || !(zero.IsNil() || zero.Value != nil && (zero.Value.ExactString() == "0" || zero.Value.ExactString() == `""`)) {
			continue
		}
		empty := b.Succs[0]
		if bin.Op == token.NEQ || bin.Op == token.GTR {
			empty = b.Succs[1]
		}
		if len(empty.Preds) == 1 && empty.Dominates(store.Block()) && !e.cleared(at) {
			return true
		}
	}
	return false
}

// ofNew reports whether an address is of something that the function has made.
func ofNew(e *Engine, addr ssa.Value) bool {
	for {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		addr = fa.X
	}
	f := e.Families[code.Origin(code.Root(addr.Parent()))]
	if addr.Parent() == nil || f == nil {
		return false
	}
	_, made := f.Single(addr).(*ssa.Alloc)
	return made
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
					if c, is := x.Val.(*ssa.Const); is && (c.Value == nil || strings.Trim(c.Value.ExactString(), `"0`) == "") {
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
