package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A cache is told by what is done with it, whatever it is called: a key is looked up, what
// is not there is loaded from elsewhere and stored under it, and the answer is the one or
// the other. Nothing is lost of what a second holder stores there.
//
// That lookup and store are in one function, or in functions that it calls, is asked; a
// cache that is filled elsewhere goes unnoticed.

// copies marks the writes of fn that store what it did not find and has loaded.
func (f *Family) copies(fn *ssa.Function, s *summary.Summary) {
	if fn.Signature.Results().Len() == 0 {
		return
	}
	var calls, loads []*ssa.Call
	keys := make(map[*ssa.Call]*term.T) // of the lookups
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(*ssa.Call)
			if !ok || len(s.Steps[call]) == 0 {
				continue
			}
			calls = append(calls, call)
			if key := f.lookedUp(s.Steps[call]); key != nil {
				keys[call] = key
			} else if slices.ContainsFunc(s.Steps[call], f.mayLoad) {
				loads = append(loads, call)
			}
		}
	}
	if len(keys) == 0 || len(loads) == 0 {
		return
	}
	for _, store := range calls {
		for i, x := range s.Steps[store] {
			if key := f.keptUnder(x); key != nil && slices.ContainsFunc(calls, func(look *ssa.Call) bool {
				return keys[look] != nil && f.Engine.Pool.Alike(keys[look], key) && f.refills(look, store, loads)
			}) {
				s.Steps[store][i].Copy = true
			}
		}
	}
}

// opensPool reports whether a function returns a pool of connections that it was not given:
// what it does on the way (tables that are made where there are none, a version that is
// written down) is done for the program, and not for one section.
func (e *Engine) opensPool(fn *ssa.Function) bool {
	pool := func(v *types.Var) bool {
		n := code.NamedOf(v.Type())
		return n != nil && e.Reader.Catalog.Handle(types.TypeString(n, nil)) == "pool"
	}
	return slices.ContainsFunc(slices.Collect(fn.Signature.Results().Variables()), pool) &&
		!slices.ContainsFunc(slices.Collect(fn.Signature.Params().Variables()), pool)
}

// lookedUp is the key that a call reads, where it reads one and changes nothing.
func (f *Family) lookedUp(steps []summary.Effect) (key *term.T) {
	for _, x := range steps {
		if x.Open != summary.Closed || x.Call == nil {
			continue
		}
		for _, m := range f.Engine.Reader.Of(x.Call) {
			switch {
			case m.Role == meaning.Query && m.Key != nil && (key == nil || key == m.Key):
				key = m.Key
			case m.Role == meaning.Query, m.Role == meaning.Write:
				return nil
			}
		}
	}
	return key
}

// mayLoad reports whether an effect asks something outside of the process, or is out of
// sight and may do so.
func (f *Family) mayLoad(x summary.Effect) bool {
	if x.Open != summary.Closed {
		return true
	}
	return x.Call != nil && slices.ContainsFunc(f.Engine.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Query || m.Role == meaning.Block && m.Block.Kind == "remote"
	})
}

// keptUnder is the key that an effect stores a value under, without a condition.
func (f *Family) keptUnder(x summary.Effect) *term.T {
	if x.Open != summary.Closed || x.Call == nil {
		return nil
	}
	for _, m := range f.Engine.Reader.Of(x.Call) {
		if m.Role == meaning.Write && m.Write.Store == "redis" && m.Write.Value != nil && len(m.Write.Guards) == 0 {
			return m.Write.Key
		}
	}
	return nil
}

// refills reports whether what a call stores was loaded after the lookup, with nothing of
// what that found in it, and the function answers with what it loads or finds.
func (f *Family) refills(look, store *ssa.Call, loads []*ssa.Call) bool {
	if !code.Before(look, store) || f.stems(look, loads).intoArgs(store, false) || !f.stems(look, nil).intoResult() {
		return false
	}
	return slices.ContainsFunc(loads, func(load *ssa.Call) bool {
		return code.Before(look, load) && code.Before(load, store) && f.stems(load, nil).intoArgs(store, true) && f.stems(load, nil).intoResult()
	})
}

// maxStems bounds the values that are looked at for one answer.
const maxStems = 400

// A stem is a call whose answer is looked for in values. Objects that are changed through
// pointers from elsewhere are not followed.
type stem struct {
	f     *Family
	of    *ssa.Call
	loads []*ssa.Call // that fill a variable anew
	seen  map[standing]bool
}

// A standing is a value, and of a variable where it is read.
type standing struct {
	v  ssa.Value
	at ssa.Instruction
}

func (f *Family) stems(of *ssa.Call, loads []*ssa.Call) *stem {
	return &stem{f: f, of: of, loads: loads, seen: make(map[standing]bool)}
}

// intoArgs reports whether the answer goes, surely or perhaps, into what another call is
// given. Where there is too much to look at, it may.
func (s *stem) intoArgs(call *ssa.Call, surely bool) bool {
	into := s.inArgs(call)
	if len(s.seen) > maxStems {
		return !surely
	}
	return into
}

// intoResult reports whether the answer goes into a result of its function.
func (s *stem) intoResult() bool {
	for _, b := range s.of.Parent().Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool { return !code.IsError(v.Type()) && s.in(v, ret) }) {
			return len(s.seen) <= maxStems
		}
	}
	return false
}

func (s *stem) inArgs(call *ssa.Call) bool {
	filled := s.fills(call) // what a variable was before is of no account
	return slices.ContainsFunc(code.OperandsOf(call.Common()), func(a ssa.Value) bool {
		switch a.(type) {
		case *ssa.Alloc, *ssa.MakeInterface, *ssa.Slice:
			if filled {
				return false
			}
		}
		return s.in(a, call)
	})
}

// in reports whether the answer goes into v, as it is at an instruction.
func (s *stem) in(v ssa.Value, at ssa.Instruction) bool {
	st := standing{v: v}
	if _, variable := v.(*ssa.Alloc); variable {
		st.at = at
	}
	if s.seen[st] || len(s.seen) > maxStems {
		return false
	}
	s.seen[st] = true
	switch v := v.(type) {
	case *ssa.Call:
		return v == s.of || s.inArgs(v)
	case *ssa.Alloc:
		return s.inVariable(v, at)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return s.in(e, v) })
	case *ssa.BinOp:
		return s.in(v.X, v) || s.in(v.Y, v)
	case *ssa.UnOp:
		return s.in(v.X, v)
	case *ssa.MakeClosure:
		return false
	case ssa.Instruction: // of one operand: a conversion, a part
		ops := v.Operands(nil)
		return len(ops) > 0 && *ops[0] != nil && s.in(*ops[0], at)
	}
	return false
}

// inVariable is in of a local variable: by what was stored there, or filled in by a call,
// since it was last set as a whole on every way.
func (s *stem) inVariable(a *ssa.Alloc, at ssa.Instruction) bool {
	var sets []ssa.Instruction
	whole := make(map[ssa.Instruction]bool)
	var look func(addr ssa.Value, all bool)
	look = func(addr ssa.Value, all bool) {
		for _, r := range *addr.Referrers() {
			switch r := r.(type) {
			case *ssa.Store:
				if r.Addr == addr {
					sets, whole[r] = append(sets, r), all
				} else if call := variadicCall(r.Addr); call != nil {
					sets, whole[call] = append(sets, call), all && s.fills(call)
				}
			case *ssa.Call:
				sets, whole[r] = append(sets, r), all && s.fills(r)
			case *ssa.MakeInterface:
				look(r, all)
			case *ssa.FieldAddr:
				look(r, false)
			case *ssa.IndexAddr:
				look(r, false)
			case *ssa.Slice:
				look(r, false)
			}
		}
	}
	look(a, true)
	if len(sets) > maxStems {
		return false
	}
	return slices.ContainsFunc(sets, func(set ssa.Instruction) bool {
		if set == at || set.Parent() != at.Parent() || !mayPrecede(set, at) || slices.ContainsFunc(sets, func(last ssa.Instruction) bool {
			return whole[last] && last != set && code.Before(last, at) && !mayPrecede(last, set)
		}) {
			return false
		}
		if st, ok := set.(*ssa.Store); ok {
			return s.in(st.Val, set)
		}
		call := set.(*ssa.Call)
		return call == s.of || s.inArgs(call)
	})
}

// fills reports whether a call loads what it fills a variable with, or takes it from what
// was loaded: row.Scan.
func (s *stem) fills(call *ssa.Call) bool {
	return slices.ContainsFunc(s.loads, func(load *ssa.Call) bool {
		return call == load || slices.Contains(code.OperandsOf(call.Common()), ssa.Value(load))
	})
}

// variadicCall is the call that is given the list of which addr is an element, or nil.
func variadicCall(addr ssa.Value) *ssa.Call {
	elem, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	list, ok := elem.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for _, r := range *list.Referrers() {
		if all, ok := r.(*ssa.Slice); ok && len(*all.Referrers()) == 1 {
			call, _ := (*all.Referrers())[0].(*ssa.Call)
			return call
		}
	}
	return nil
}
