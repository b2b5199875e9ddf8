package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Assigned as a whole, a local struct loses what was stored in its fields before: a record
// that was given the token, and is then built anew, has none. Nor has its copy what is stored
// after that was made.

// assignedAnew is what a local struct holds at an instruction, where it is assigned as a whole
// after something else was stored in it, or something is stored only later. It is nil where
// that is not so, and where what has come since is out of sight.
func (f *Family) assignedAnew(a *ssa.Alloc, at ssa.Instruction) *term.T {
	st, ok := code.Deref(a.Type()).Underlying().(*types.Struct)
	if !ok || len(f.Fields[a]) == 0 || len(f.Stores[a]) == 0 || len(f.lent[a]) > 0 || at.Parent() != a.Parent() {
		return nil
	}
	var wholes []ssa.Instruction // that fill it as a whole
	fields := make(map[int][]*ssa.Store)
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != ssa.Value(a) {
				return nil
			}
			wholes = append(wholes, r)
		case *ssa.FieldAddr:
			for _, u := range *r.Referrers() {
				switch u := u.(type) {
				case *ssa.Store:
					if u.Addr != ssa.Value(r) {
						return nil
					}
					fields[r.Field] = append(fields[r.Field], u)
				case *ssa.UnOp, *ssa.DebugRef:
				default:
					return nil
				}
			}
		case *ssa.UnOp, *ssa.DebugRef, *ssa.MakeInterface:
		default:
			return nil
		}
	}
	for i, list := range fields {
		if _, unsure := f.inField(a, i); unsure == ifZero {
			return nil // a default, which contents knows of
		}
		fields[i] = slices.DeleteFunc(list, func(s *ssa.Store) bool { return !survives(s, wholes, at) })
	}
	for _, o := range f.outs[a] {
		if in, ok := o.value.(ssa.Instruction); !ok || in.Parent() != at.Parent() || survives(in, wholes, at) {
			return nil
		}
	}
	p := f.Engine.Pool
	var alts []*term.T
	wholes = slices.DeleteFunc(slices.Clone(wholes), func(w ssa.Instruction) bool { return !survives(w, wholes, at) })
	for _, w := range wholes {
		x := f.Value(w.(*ssa.Store).Val)
		switch {
		case x == nil:
			return nil
		case x.IsZero():
			x = p.Struct(types.TypeString(code.Deref(a.Type()), nil), f.Engine.CallSite(a.Pos()), nil, nil)
		}
		alts = append(alts, x)
	}
	if len(alts) == 0 {
		return nil
	}
	x := p.Join(alts...)
	for i := range st.NumFields() {
		name := st.Field(i).Name()
		var alts []*term.T
		for _, s := range fields[i] {
			if v := f.handedMap(s.Val); v != nil {
				alts = append(alts, v)
			}
		}
		if len(alts) == 0 {
			continue
		}
		stores := make([]ssa.Instruction, len(fields[i]))
		for n, s := range fields[i] {
			stores[n] = s
		}
		if slices.ContainsFunc(wholes, func(w ssa.Instruction) bool { return survives(w, stores, at) }) {
			alts = append(alts, p.Field(x, name))
		}
		x = p.With(x, name, p.Join(alts...))
	}
	return x
}

// survives reports whether there is a way from one instruction to another that does not
// lead over any of a list.
func survives(x ssa.Instruction, over []ssa.Instruction, at ssa.Instruction) bool {
	// passes tells what comes first in the rest of a block: at, or one of the list.
	passes := func(list []ssa.Instruction) (reaches, ends bool) {
		for _, in := range list {
			switch {
			case in == at:
				return true, true
			case slices.Contains(over, in):
				return false, true
			}
		}
		return false, false
	}
	list := x.Block().Instrs
	reaches, ends := passes(list[slices.Index(list, x)+1:])
	if ends {
		return reaches
	}
	seen := make(map[*ssa.BasicBlock]bool)
	todo := slices.Clone(x.Block().Succs)
	for len(todo) > 0 {
		b := todo[0]
		todo = todo[1:]
		if seen[b] {
			continue
		}
		seen[b] = true
		switch reaches, ends := passes(b.Instrs); {
		case reaches:
			return true
		case !ends:
			todo = append(todo, b.Succs...)
		}
	}
	return false
}
