package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Some builders are changed in place: a link counts although nobody takes what it
// returns, update.Where(...); update.Save(ctx). The term of such a builder has all
// links that come before.

// built is the builder v that the call c is made on, with the links that c does not
// come from in the source but in time. A link that comes on some ways only leaves open
// what is asked; what it sets is passed over.
//
// Imprecision: links that other functions add, which are given the builder, are not seen.
func (f *Family) built(c *ssa.CallCommon, v ssa.Value) *term.T {
	root := f.rootLink(v)
	links := f.sameObject(root)
	at := instructionOf(v, c)
	if !links[v] || at == nil || f.sentBefore(links, at) {
		return f.Get(v)
	}
	t := f.Get(root)
	for _, l := range f.inOrder(links) {
		if ssa.Instruction(l) == at || !mayPrecede(l, at) {
			continue
		}
		next := f.linked(l, t)
		switch {
		case code.Before(l, at):
			t = next
		case f.conditional(l):
			t = f.Engine.Pool.Join(t, next)
		}
	}
	return t
}

// buildsOn reports whether a function is given builders that are changed in place.
func (e *Engine) buildsOn(fn string) bool {
	return slices.ContainsFunc(e.Reader.Entries(fn), (*catalog.Call).InPlace)
}

// link is the builder that a call changes in place, and may return, or nil.
func (f *Family) link(call *ssa.Call) ssa.Value {
	obj := code.Declared(call.Common())
	if obj == nil || obj.Signature().Recv() == nil {
		return nil
	}
	on := code.Operand(call.Common(), catalog.Ref{Base: catalog.Receiver})
	if obj.Signature().Results().Len() > 0 && !types.Identical(call.Type(), on.Type()) {
		return nil // of another type is what starts a builder
	}
	for _, e := range f.Engine.register(obj) {
		if e.Part != nil && e.InPlace() {
			return on
		}
	}
	return nil
}

// rootLink is the builder that a value is, before any of its links.
func (f *Family) rootLink(v ssa.Value) ssa.Value {
	for range MaxLooks {
		switch x := v.(type) {
		case *ssa.Call:
			if b := f.link(x); b != nil {
				v = b
				continue
			}
		case *ssa.Phi:
			v = x.Edges[0]
			continue
		}
		break
	}
	return v
}

// sameObject is the values that are one builder: its links, and where ways meet that
// all have it.
func (f *Family) sameObject(root ssa.Value) map[ssa.Value]bool {
	same := map[ssa.Value]bool{root: true}
	todo := []ssa.Value{root}
	for len(todo) > 0 {
		v := todo[0]
		todo = todo[1:]
		if v.Referrers() == nil {
			continue
		}
		for _, r := range *v.Referrers() {
			x, ok := r.(ssa.Value)
			if !ok || same[x] {
				continue
			}
			switch x := x.(type) {
			case *ssa.Call:
				ok = f.link(x) == v
			case *ssa.Phi:
				ok = !slices.ContainsFunc(x.Edges, func(e ssa.Value) bool { return !same[e] && e != v })
			default:
				ok = false
			}
			if ok {
				same[x] = true
				todo = append(todo, x)
			}
		}
	}
	return same
}

// sentBefore reports whether what a builder has made by then was sent before: some start
// anew after that.
func (f *Family) sentBefore(links map[ssa.Value]bool, at ssa.Instruction) bool {
	for v := range links {
		for _, r := range *v.Referrers() {
			c, ok := r.(ssa.CallInstruction)
			if !ok || r == at || !mayPrecede(r, at) || code.Operand(c.Common(), catalog.Ref{Base: catalog.Receiver}) != v {
				continue
			}
			if obj := code.Declared(c.Common()); obj != nil && slices.ContainsFunc(f.Engine.register(obj), func(e *catalog.Call) bool { return e.Write != nil || e.Query != nil }) {
				return true
			}
		}
	}
	return false
}

// inOrder lists the links of a builder as they stand in the function.
func (f *Family) inOrder(links map[ssa.Value]bool) []*ssa.Call {
	var list []*ssa.Call
	for v := range links {
		if call, ok := v.(*ssa.Call); ok && f.link(call) != nil && links[f.link(call)] {
			list = append(list, call)
		}
	}
	slices.SortFunc(list, func(a, b *ssa.Call) int {
		if a.Block() != b.Block() {
			return a.Block().Index - b.Block().Index
		}
		return slices.Index(a.Block().Instrs, ssa.Instruction(a)) - slices.Index(b.Block().Instrs, ssa.Instruction(b))
	})
	return list
}

// linked is a link that is put upon the builder t.
func (f *Family) linked(l *ssa.Call, t *term.T) *term.T {
	given := l.Call.Args
	if !l.Call.IsInvoke() {
		given = given[1:]
	}
	args := []*term.T{t}
	for _, a := range given {
		args = append(args, f.Get(a))
	}
	return f.scoped(f.Engine.Pool.Call(code.Declared(l.Common()).FullName(), f.Engine.CallSite(l.Pos()), args...))
}

// conditional reports whether a link adds something that has to hold, or may.
func (f *Family) conditional(l *ssa.Call) bool {
	return slices.ContainsFunc(f.Engine.register(code.Declared(l.Common())), func(e *catalog.Call) bool {
		return e.Part != nil && !slices.Contains([]string{"set", "op", "table"}, e.Part.Kind)
	})
}

// instructionOf is the call c that v is given to.
func instructionOf(v ssa.Value, c *ssa.CallCommon) ssa.Instruction {
	if v.Referrers() == nil {
		return nil
	}
	for _, r := range *v.Referrers() {
		if in, ok := r.(ssa.CallInstruction); ok && in.Common() == c {
			return in
		}
	}
	return nil
}

// mayPrecede reports whether there is a way from one instruction to another.
func mayPrecede(x, y ssa.Instruction) bool {
	if x.Block() == y.Block() && code.Before(x, y) {
		return true
	}
	seen := make(map[*ssa.BasicBlock]bool)
	todo := slices.Clone(x.Block().Succs)
	for len(todo) > 0 {
		b := todo[0]
		todo = todo[1:]
		if b == y.Block() {
			return true
		}
		if !seen[b] {
			seen[b] = true
			todo = append(todo, b.Succs...)
		}
	}
	return false
}
