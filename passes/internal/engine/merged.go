package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// The arguments of a statement, or the values of an expression, lie in a map that several
// hands fill: key by key, by copying another map into it, and by functions that are given it.

// A pouring is one step of that.
type pouring struct {
	in    ssa.Instruction
	key   ssa.Value // nil: all that is in value
	value ssa.Value
}

// pours tells what an instruction puts into the map m; ok is false where it puts nothing
// there by itself. A loop over another map that stores each of its pairs copies that.
func pours(in ssa.Instruction, m ssa.Value) (p pouring, ok bool) {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		if in.Map != m {
			return p, false
		}
		if r := pairOf(in); r != nil {
			return pouring{in: r, value: r.X}, true
		}
		return pouring{in, in.Key, in.Value}, true
	case *ssa.Call:
		if copiesMap(in) && in.Call.Args[0] == m {
			return pouring{in: in, value: in.Call.Args[1]}, true
		}
	}
	return p, false
}

// copiesMap reports whether a call copies one map into another.
func copiesMap(call *ssa.Call) bool {
	fn := code.Declared(call.Common())
	return fn != nil && len(call.Call.Args) == 2 && (fn.FullName() == "maps.Copy" || fn.FullName() == "golang.org/x/exp/maps.Copy")
}

// pairOf is the range over a map of which each round stores the pair that it has come to;
// nil for any other store.
func pairOf(in *ssa.MapUpdate) *ssa.Range {
	key, ok := in.Key.(*ssa.Extract)
	if !ok || key.Index != 1 {
		return nil
	}
	next, ok := key.Tuple.(*ssa.Next)
	if !ok || next.IsString {
		return nil
	}
	value, ok := unboxed(in.Value).(*ssa.Extract)
	if !ok || value.Tuple != key.Tuple || value.Index != 2 || everyRound(in.Block(), naturalLoops(in.Parent())) != next.Block() {
		return nil
	}
	r, _ := next.Iter.(*ssa.Range)
	return r
}

// putTogether reports whether others than single stores fill a map that is made here.
func (f *Family) putTogether(m *ssa.MakeMap) bool {
	return slices.ContainsFunc(retyped([]ssa.Value{m}), func(v ssa.Value) bool {
		return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
			if step, ok := pours(r, v); ok {
				return step.key == nil
			}
			call, ok := r.(*ssa.Call)
			if ok {
				ok = false
				f.pouredBy(call, v, func(summary.Set) { ok = true })
			}
			return ok
		})
	})
}

// everyRound is the head of the loop that comes through b in each round, or b.
func everyRound(b *ssa.BasicBlock, loops []*summary.Loop) *ssa.BasicBlock {
	for _, l := range loops {
		if l.Head != b && l.Body[b] && !slices.ContainsFunc(l.Head.Preds, func(p *ssa.BasicBlock) bool { return l.Body[p] && !b.Dominates(p) }) {
			return l.Head
		}
	}
	return b
}

// poured is the map m, whose term is t, after all that is put into it before an instruction,
// or anywhere if that is nil. What is put there on some ways only makes its key unknown.
//
// Imprecision: steps are taken in the order of the text. Functions out of sight that are given
// the map are taken to read it.
func (f *Family) poured(m ssa.Value, t *term.T, at ssa.Instruction) *term.T {
	p := f.Engine.Pool
	for _, use := range usesOf(retyped(f.loadsOf(m))) {
		r, v := use.in, use.value
		if r == at || at != nil && (r.Parent() != at.Parent() || !mayPrecede(r, at)) {
			continue
		}
		if step, ok := pours(r, v); ok {
			if step.key == nil {
				t = f.mergedAt(step, t, at)
			} else {
				t = f.pairAt(step.in, f.Get(step.key), f.Get(step.value), t, at)
			}
			continue
		}
		if call, ok := r.(*ssa.Call); ok && isBuiltin(call, "delete") {
			t = f.pairAt(call, f.Get(call.Call.Args[1]), p.Unknown("unset"), t, at)
		} else if ok {
			f.pouredBy(call, v, func(s summary.Set) {
				switch {
				case s.Index != nil:
					if s.Perhaps {
						s.Value = p.Unknown("ways")
					}
					t = f.pairAt(call, s.Index, s.Value, t, at)
				case s.Perhaps || !f.always(call, at):
					t = p.Merged(t, p.Unknown("ways"))
				default:
					t = p.Merged(t, s.Value)
				}
			})
		}
	}
	return t
}

// usesOf lists the instructions that values are used by, in the order of the text.
func usesOf(list []ssa.Value) []pouring {
	var uses []pouring
	for _, v := range list {
		for _, r := range *v.Referrers() {
			uses = append(uses, pouring{in: r, value: v})
		}
	}
	slices.SortStableFunc(uses, func(x, y pouring) int {
		bx, by := x.in.Block(), y.in.Block()
		if bx != by {
			return bx.Index - by.Index
		}
		return slices.Index(bx.Instrs, x.in) - slices.Index(bx.Instrs, y.in)
	})
	return uses
}

// retyped lists maps, and what they are with another type.
func retyped(list []ssa.Value) []ssa.Value {
	for i := 0; i < len(list); i++ {
		for _, r := range *list[i].Referrers() {
			if c, ok := r.(*ssa.ChangeType); ok {
				list = append(list, c)
			}
		}
	}
	return list
}

// always reports whether an instruction comes before another one on every way, or, if that
// is nil, is one that a function always comes to.
func (f *Family) always(in, at ssa.Instruction) bool {
	if at != nil {
		return code.Before(in, at)
	}
	return !f.onSomeWays(in)
}

// pairAt is the map t after a pair is stored in it.
func (f *Family) pairAt(in ssa.Instruction, key, value, t *term.T, at ssa.Instruction) *term.T {
	p := f.Engine.Pool
	switch {
	case key.Kind != term.Const:
		return p.Merged(t, p.Unknown("ways"))
	case f.always(in, at):
		return p.With(t, key.Name, value)
	}
	return p.With(t, key.Name, p.Unknown("ways"))
}

// mergedAt is the map t after another one is copied into it. To be in a loop over the maps
// of a list, all of which are copied, is no doubt.
func (f *Family) mergedAt(step pouring, t *term.T, at ssa.Instruction) *term.T {
	p := f.Engine.Pool
	in, src := step.in, f.Get(step.value)
	if src.Kind == term.Elem && (len(src.Args) == 1 || src.Args[1].Kind != term.Const) {
		if head := everyRound(in.Block(), naturalLoops(in.Parent())); head != in.Block() {
			in, src = head.Instrs[0], p.Elem(src.Args[0], nil)
		}
	}
	if b := in.Block(); len(b.Preds) == 1 && asksFor(b.Preds[0], step.value) {
		in = b.Preds[0].Instrs[0] // nothing is copied else, as there is nothing
	}
	if !f.always(in, at) {
		return p.Merged(t, p.Unknown("ways"))
	}
	return p.Merged(t, src)
}

// asksFor reports whether a block ends with the question whether a map is nil, or empty.
func asksFor(b *ssa.BasicBlock, m ssa.Value) bool {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok {
		return false
	}
	x := bin.X
	if call, ok := x.(*ssa.Call); ok && len(call.Call.Args) == 1 {
		x = call.Call.Args[0] // len
	}
	c, ok := bin.Y.(*ssa.Const)
	return ok && isZero(c) && x == m
}

// poursInto is a step of those that fill a map as callers see it.
func (f *Family) poursInto(m ssa.Value, step pouring) summary.Set {
	s := summary.Set{Of: f.Get(m), Value: f.Get(step.value)}
	b := step.in.Block()
	if step.key != nil {
		s.Index = f.Get(step.key)
	} else if src := s.Value; src.Kind == term.Elem && (len(src.Args) == 1 || src.Args[1].Kind != term.Const) {
		if head := everyRound(b, naturalLoops(b.Parent())); head != b {
			b, s.Value = head, f.Engine.Pool.Elem(src.Args[0], nil)
		}
	}
	s.Perhaps = !onEverySuccess(b)
	return s
}

// pouredBy tells what the function that a call is of puts into a map that it is given.
func (f *Family) pouredBy(call *ssa.Call, m ssa.Value, add func(summary.Set)) {
	c := call.Common()
	if c.IsInvoke() {
		return
	}
	callee := code.Origin(c.StaticCallee())
	if callee == nil {
		return
	}
	sum := f.Engine.Summary(callee)
	if sum == nil || f.Engine.spent() {
		return
	}
	name := f.Engine.Name(callee)
	bind := func(t *term.T) *term.T {
		if t.Name != name || t.Index >= len(c.Args) {
			return nil
		}
		if a := c.Args[t.Index]; unboxed(a) != unboxed(m) {
			return f.Get(a)
		}
		return f.Engine.Pool.Unknown("ways") // the map itself
	}
	for _, s := range sum.Sets {
		if s.Field != "" || s.Of.Kind != term.Param || s.Of.Name != name || s.Of.Index >= len(c.Args) || unboxed(c.Args[s.Of.Index]) != unboxed(m) {
			continue
		}
		put := f.Engine.Pool.Binding(bind, nil)
		add(summary.Set{Index: put.Put(s.Index), Value: put.Put(s.Value), Perhaps: s.Perhaps})
	}
}
