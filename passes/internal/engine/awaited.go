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

// What a goroutine takes, it holds: whoever started it goes on at once, and does not know
// whether it has the lock yet, or ever gets it. Only where the starter waits for what the
// goroutine tells, or for its end, is the lock there for him.
//
// That is a matter of channels (and of groups that are waited for). Which one the goroutine
// tells by is seen in the functions that take the lock and in what they call there; of a
// function in another package it may be any that it was given.

// maxTold bounds how deep in the goroutine's calls a channel is looked for.
const maxTold = 2

// awaited reports whether the function that starts a goroutine which takes a lock waits until
// it has it, or lets its callers wait.
func (f *Family) awaited(st *summary.Site) bool {
	fn := st.At.Parent()
	given := f.channelsOf(st.At.Common())
	told, known := f.toldOn(st)
	matches := func(v ssa.Value) bool {
		if !known {
			return slices.Contains(given, v) || fieldOf(v) != nil
		}
		return slices.ContainsFunc(told, func(t ssa.Value) bool {
			if _, param := t.(*ssa.Parameter); param && t.Parent() != v.Parent() {
				return slices.Contains(given, v)
			}
			x, y := fieldOf(t), fieldOf(v)
			return t == v || x != nil && x == y
		})
	}
	oneOf := func(ch ssa.Value) bool { return slices.ContainsFunc(f.channels(ch, nil), matches) }
	if slices.ContainsFunc(told, func(t ssa.Value) bool { p, ok := t.(*ssa.Parameter); return ok && p.Parent() == fn }) {
		return true // the callers wait, if anybody
	}
	for _, b := range fn.Blocks {
		after := code.CanReach(st.At.Block(), b, nil)
		passed := b != st.At.Block() || LoopBlocks(fn)[b]
		for _, in := range b.Instrs {
			passed = passed || in == ssa.Instruction(st.At)
			if after && passed && in != ssa.Instruction(st.At) && f.hears(in, oneOf) {
				return true
			}
		}
	}
	return false
}

// hears reports whether an instruction waits for a channel, or for all that was started, or
// gives the channel to somebody who may.
func (f *Family) hears(in ssa.Instruction, matches func(ssa.Value) bool) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.ARROW && matches(in.X)
	case *ssa.Select:
		return slices.ContainsFunc(in.States, func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly && matches(s.Chan) })
	case *ssa.Return:
		return slices.ContainsFunc(in.Results, func(v ssa.Value) bool { return isChannel(v) && matches(v) })
	case *ssa.Call:
		if _, builtin := in.Call.Value.(*ssa.Builtin); builtin {
			return false
		}
		return f.WaitsFor(in) || slices.ContainsFunc(in.Call.Args, func(v ssa.Value) bool { return isChannel(v) && matches(v) })
	}
	return false
}

// aloof makes a section of what the goroutine itself does under the lock that it took.
func (f *Family) aloof(st *summary.Site) {
	st.Apart, st.HeldOut = true, true
	if len(st.Lock.Chain) == 0 {
		return
	}
	st.Effects = slices.Clone(st.Lock.Chain[len(st.Lock.Chain)-1].Effects)
	if fn := code.Origin(st.At.Common().StaticCallee()); fn != nil && fn.Parent() == nil {
		st.Effects, _ = f.instantiate(st.Effects, f.bindingAt(st.At, f.Engine.binder(f.Engine.Name(fn), st.Term.Args)), st.Lock.At, summary.ByGoroutine)
	}
	for i := range st.Effects {
		st.Effects[i].Reach = summary.ByGoroutine
	}
}

// alone sorts out the locks that goroutines hold. One that is taken beside the same lock
// keeps that alive, and is no use of its own; one that a function literal takes is a use
// there, where it is in view.
func (f *Family) alone(s *summary.Summary) {
	key := func(st *summary.Site) *term.T {
		m, _ := f.Engine.Acquire(st.Lock.Call)
		return m.Key
	}
	all := slices.Clone(s.Sites)
	s.Sites = slices.DeleteFunc(s.Sites, func(st *summary.Site) bool {
		if !st.Apart {
			return false
		}
		if k := key(st); k != nil && slices.ContainsFunc(all, func(other *summary.Site) bool {
			return !other.Apart && key(other) != nil && f.Engine.Pool.Alike(key(other), k)
		}) {
			return true
		}
		n := len(st.Lock.Chain)
		if n == 0 || st.Lock.At.Position == f.Frame(st.At, "").Position {
			return false
		}
		st.Lock.Chain[n-1].Apart = true
		return true
	})
}

// toldOn lists the channels on which a goroutine, and the functions by which it takes a lock,
// tell something, these after they have it; known is false where not all of them are in view.
func (f *Family) toldOn(st *summary.Site) (told []ssa.Value, known bool) {
	for _, c := range st.Lock.Chain {
		if c.Region == nil || c.Func == nil {
			return nil, false
		}
		g := f.Engine.Families[code.Root(c.Func)]
		if g == nil {
			return nil, false
		}
		for _, in := range c.Region.Held {
			told = g.tellsOn(told, in, maxTold)
		}
		for _, b := range c.Func.Blocks {
			for _, in := range b.Instrs {
				if d, ok := in.(*ssa.Defer); ok {
					told = g.tellsOn(told, d, maxTold)
				}
			}
		}
	}
	return f.tellsOn(told, st.At, maxTold), len(st.Lock.Chain) > 0
}

// tellsOn adds the channels that an instruction sends on or closes, in a function that it
// calls as well.
func (f *Family) tellsOn(told []ssa.Value, in ssa.Instruction, depth int) []ssa.Value {
	add := func(ch ssa.Value) {
		if v := f.channel(ch); v != nil {
			told = append(told, v)
		}
	}
	switch in := in.(type) {
	case *ssa.Send:
		add(in.Chan)
	case *ssa.Select:
		for _, s := range in.States {
			if s.Dir == types.SendOnly {
				add(s.Chan)
			}
		}
	case ssa.CallInstruction:
		c := in.Common()
		if b, ok := c.Value.(*ssa.Builtin); ok {
			if b.Name() == "close" {
				add(c.Args[0])
			}
			return told
		}
		callee := code.Origin(c.StaticCallee())
		if callee == nil || depth == 0 || f.Engine.Families[code.Root(callee)] == nil {
			return told
		}
		for _, b := range callee.Blocks {
			for _, in := range b.Instrs {
				told = f.Engine.Families[code.Root(callee)].tellsOn(told, in, depth-1)
			}
		}
	}
	return told
}

// channelsOf lists the channels that a call is given.
func (f *Family) channelsOf(c *ssa.CallCommon) []ssa.Value {
	var out []ssa.Value
	for _, a := range c.Args {
		if isChannel(a) {
			out = append(out, f.channel(a))
		}
	}
	return out
}

// channel is where a channel comes from, whichever of its ends a function is given.
func (f *Family) channel(v ssa.Value) ssa.Value {
	if c, ok := v.(*ssa.ChangeType); ok {
		v = c.X
	}
	return f.Single(v)
}

// channels lists what a channel may be: a variable may stand for one of several.
func (f *Family) channels(v ssa.Value, seen []*ssa.Phi) []ssa.Value {
	x := f.channel(v)
	phi, ok := x.(*ssa.Phi)
	switch {
	case x == nil || ok && slices.Contains(seen, phi):
		return nil
	case !ok:
		return []ssa.Value{x}
	}
	seen = append(seen, phi)
	var out []ssa.Value
	for _, e := range phi.Edges {
		out = append(out, f.channels(e, seen)...)
	}
	return out
}

func isChannel(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Chan)
	return ok
}

// fieldOf is the field, or the package's variable, that a value was loaded from; nil for
// other values.
func fieldOf(v ssa.Value) types.Object {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	switch a := load.X.(type) {
	case *ssa.FieldAddr:
		if st, ok := code.Deref(a.X.Type()).Underlying().(*types.Struct); ok {
			return st.Field(a.Field).Origin()
		}
	case *ssa.Global:
		if a.Object() != nil {
			return a.Object()
		}
	}
	return nil
}
