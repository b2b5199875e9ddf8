package slips

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// believes finds a way through a wrapper that tells its caller that the lock is
// held without asking the store: because it was taken once, says a field or map
// that the wrapper itself sets. A lease that is renewed in the background may be
// remembered, by one who keeps it, and so may one whose end is compared with the time;
// but where each caller gives it back, the first one does so under the others, unless
// they are counted.
func believes(e *engine.Engine, t *taking) []lock.Slip {
	st := t.st
	if st.Region == nil || !st.Wrapper || !st.HeldOut {
		return nil
	}
	renewed := t.u.Renewal == "library" || t.u.Renewal == "goroutine"
	bracket := e.Index.Bracket(st)
	if renewed && bracket == nil {
		return nil
	}
	told := code.FactsOf(st.Func, st.Region)
	if len(told) == 0 {
		return nil
	}
	first := st.Func.Blocks[0].Instrs[0]
	steps := t.f.Sums[st.Func].Steps
	region := world.Explore(first, nothing{}, func(in ssa.Instruction) world.Verb {
		if in == ssa.Instruction(st.At) || len(steps[in]) > 0 {
			return world.End
		}
		return world.Go
	})
	kept := t.kept()
	for _, ret := range region.Returns {
		same := true
		for i, v := range ret.Results {
			same = same && region.Fact(v).Same(told[i])
		}
		known := because(e, ret.Block(), kept, false)
		if !same || !known && (bracket == nil || !because(e, ret.Block(), kept, true)) {
			continue
		}
		slip := lock.Slip{Frame: t.f.Frame(ret, ""), Kind: lock.SlipBelief, Other: t.u.Acquire}
		if renewed || !known {
			if counts(region, ret) {
				continue
			}
			slip.Detail, slip.Other = "shared", bracket.Acquire
		} else if t.m.Kind == lock.Advisory && t.u.Handle != "pool" {
			continue // it is held as long as the session is, whose statements fail after that
		}
		return []lock.Slip{slip}
	}
	return nil
}

// counts reports whether a number is counted up on the way to a return.
func counts(region *world.Region, ret *ssa.Return) bool {
	return slices.ContainsFunc(region.Held, func(in ssa.Instruction) bool {
		return in.Block().Dominates(ret.Block()) && counted(in)
	})
}

// counted reports whether an instruction changes a number that is kept by another.
func counted(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Store:
		sum, ok := in.Val.(*ssa.BinOp)
		_, kept := placeOf(in.Addr)
		return ok && kept && (sum.Op == token.ADD || sum.Op == token.SUB)
	case *ssa.MapUpdate:
		sum, ok := in.Value.(*ssa.BinOp)
		return ok && sum.Op == token.ADD
	case *ssa.Call:
		_, ok := syncPlace(in)
		return ok && strings.HasPrefix(in.Call.StaticCallee().Name(), "Add")
	}
	return false
}

// nothing is known in the world before an acquire.
type nothing struct{}

// Value implements world.Oracle.
func (nothing) Value(ssa.Value) (world.Fact, bool) { return world.Fact{}, false }

// Stored implements world.Oracle.
func (nothing) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }

// A place is a field, whichever object it is of, or a package-level variable.
type place struct {
	owner string
	field int
}

// placeOf is the place that an address is of.
func placeOf(addr ssa.Value) (place, bool) {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		return place{addr.X.Type().String(), addr.Field}, true
	case *ssa.Global:
		return place{addr.String(), -1}, true
	}
	return place{}, false
}

// loadedFrom is the place that a value was loaded from.
func loadedFrom(v ssa.Value) (place, bool) {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return placeOf(load.X)
	}
	if call, ok := v.(*ssa.Call); ok {
		return syncPlace(call)
	}
	return place{}, false
}

// syncPlace is the place that a call of sync or sync/atomic reads or sets: that of a
// number, a flag or a map which goroutines share.
func syncPlace(call *ssa.Call) (place, bool) {
	callee := call.Call.StaticCallee()
	if callee == nil {
		return place{}, false
	}
	fn, ok := code.Origin(callee).Object().(*types.Func)
	if !ok || fn.Pkg() == nil || len(call.Call.Args) == 0 {
		return place{}, false
	}
	recv := code.ReceiverOf(callee)
	if path := fn.Pkg().Path(); path != "sync/atomic" && (path != "sync" || recv == nil || recv.Name() != "Map") {
		return place{}, false
	}
	return placeOf(call.Call.Args[0])
}

// kept lists the fields, variables and maps that are set once the lock was taken.
func (t *taking) kept() map[place]bool {
	out := make(map[place]bool)
	set := func(in ssa.Instruction) {
		switch in := in.(type) {
		case *ssa.Store:
			if p, ok := placeOf(in.Addr); ok {
				out[p] = true
			}
		case *ssa.MapUpdate:
			if p, ok := loadedFrom(in.Map); ok {
				out[p] = true
			}
		case *ssa.Call:
			if p, ok := syncPlace(in); ok {
				out[p] = true
			}
		}
	}
	for _, in := range t.st.Region.Held {
		set(in)
		if c, ok := in.(*ssa.Call); ok {
			for _, b := range accessor(t.f.Engine, c) {
				for _, in := range b.Instrs {
					set(in)
				}
			}
		}
	}
	for _, b := range t.st.Func.Blocks { // who is counted first, and then asks
		for _, in := range b.Instrs {
			if !counted(in) || !code.Before(in, t.st.At) {
				continue
			}
			switch in := in.(type) {
			case *ssa.Store:
				p, _ := placeOf(in.Addr)
				out[p] = true
			case *ssa.Call:
				p, _ := syncPlace(in)
				out[p] = true
			}
		}
	}
	return out
}

// because reports whether a branch on something kept leads to b. Comparisons of
// order with a constant count; those with the time only where timed says so: the end of
// a lease is a guess, but no blind one.
func because(e *engine.Engine, b *ssa.BasicBlock, kept map[place]bool, timed bool) bool {
	for p := b.Idom(); p != nil; p = p.Idom() {
		br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		values := asked(br.Cond)
		if timed {
			values = compared(br.Cond, 0)
		}
		for _, v := range values {
			if at, ok := loadedFrom(v); ok && kept[at] || !timed && answers(e, v, kept) {
				return true
			}
		}
	}
	return false
}

// maxAccessor is how many blocks a function has that merely looks at, or sets, what an
// object remembers.
const maxAccessor = 6

// accessor lists the blocks of a short function of the project's own.
func accessor(e *engine.Engine, c *ssa.Call) []*ssa.BasicBlock {
	fn := code.Origin(c.Call.StaticCallee())
	if fn == nil || fn.Parent() != nil || e.Families[fn] == nil || len(fn.Blocks) > maxAccessor {
		return nil
	}
	return fn.Blocks
}

// answers reports whether a value is what such a function answers from something kept.
func answers(e *engine.Engine, v ssa.Value, kept map[place]bool) bool {
	c, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	blocks := accessor(e, c)
	if len(blocks) == 0 {
		return false
	}
	f := e.Families[blocks[0].Parent()]
	for _, b := range blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, r := range ret.Results {
			for _, x := range asked(f.Single(r)) { // by way of the result, where something is deferred
				if at, ok := loadedFrom(x); ok && kept[at] {
					return true
				}
			}
		}
	}
	return false
}

// compared lists the values that a condition compares as times are: by an operator of
// order, or a function of the time package, however they are computed.
func compared(cond ssa.Value, depth int) []ssa.Value {
	if depth > 6 {
		return nil
	}
	switch c := cond.(type) {
	case *ssa.BinOp:
		if c.Op != token.EQL && c.Op != token.NEQ {
			return append(compared(c.X, depth+1), compared(c.Y, depth+1)...)
		}
	case *ssa.Convert:
		return compared(c.X, depth+1)
	case *ssa.Call:
		fn := c.Call.StaticCallee()
		if _, ok := syncPlace(c); ok {
			return []ssa.Value{c}
		}
		if fn == nil || fn.Pkg == nil || fn.Pkg.Pkg.Path() != "time" {
			return nil
		}
		var list []ssa.Value
		for _, a := range c.Call.Args {
			list = append(list, compared(a, depth+1)...)
		}
		return list
	case *ssa.UnOp:
		return []ssa.Value{c}
	}
	return nil
}

// asked lists the values that a condition asks whether they are there or true.
func asked(cond ssa.Value) []ssa.Value {
	switch c := cond.(type) {
	case *ssa.BinOp:
		if c.Op == token.EQL || c.Op == token.NEQ {
			return append(asked(c.X), asked(c.Y)...)
		}
		if _, ok := c.Y.(*ssa.Const); ok && code.IsNumber(c.X.Type()) {
			return asked(c.X)
		}
		return nil
	case *ssa.Extract:
		return asked(c.Tuple)
	case *ssa.Lookup:
		return []ssa.Value{c.X}
	}
	return []ssa.Value{cond}
}
