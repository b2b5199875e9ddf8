package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// believes finds a way through a wrapper that tells its caller that the lock is
// held without asking the store: because it was taken once, says a field or map
// that the wrapper itself sets. A lease that is renewed in the background may be
// remembered; so may one whose end is compared with the time.
func (e *Engine) believes(t *taking) []lock.Slip {
	st := t.st
	if st.region == nil || !st.wrapper || !st.heldOut || t.u.Renewal == "library" || t.u.Renewal == "goroutine" {
		return nil
	}
	told := factsOf(st.fn, st.region)
	if len(told) == 0 {
		return nil
	}
	first := st.fn.Blocks[0].Instrs[0]
	steps := t.f.sums[st.fn].steps
	region := world.Explore(first, nothing{}, func(in ssa.Instruction) world.Verb {
		if in == ssa.Instruction(st.at) || len(steps[in]) > 0 {
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
		if same && because(ret.Block(), kept) {
			return []lock.Slip{{Frame: t.f.frame(ret, ""), Kind: lock.SlipBelief, Other: t.u.Acquire}}
		}
	}
	return nil
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
	return place{}, false
}

// kept lists the fields, variables and maps that are set once the lock was taken.
func (t *taking) kept() map[place]bool {
	out := make(map[place]bool)
	for _, in := range t.st.region.Held {
		switch in := in.(type) {
		case *ssa.Store:
			if p, ok := placeOf(in.Addr); ok {
				out[p] = true
			}
		case *ssa.MapUpdate:
			if p, ok := loadedFrom(in.Map); ok {
				out[p] = true
			}
		}
	}
	return out
}

// because reports whether a branch on something kept leads to b. Comparisons of
// order, as with the time, are no belief.
func because(b *ssa.BasicBlock, kept map[place]bool) bool {
	for p := b.Idom(); p != nil; p = p.Idom() {
		br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
		if ok && slices.ContainsFunc(asked(br.Cond), func(v ssa.Value) bool { at, ok := loadedFrom(v); return ok && kept[at] }) {
			return true
		}
	}
	return false
}

// asked lists the values that a condition asks whether they are there or true.
func asked(cond ssa.Value) []ssa.Value {
	switch c := cond.(type) {
	case *ssa.BinOp:
		if c.Op == token.EQL || c.Op == token.NEQ {
			return append(asked(c.X), asked(c.Y)...)
		}
		return nil
	case *ssa.Extract:
		return asked(c.Tuple)
	case *ssa.Lookup:
		return []ssa.Value{c.X}
	}
	return []ssa.Value{cond}
}
