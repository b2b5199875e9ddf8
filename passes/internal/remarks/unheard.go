package remarks

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/world"
)

// A failure is heard of if it makes a difference: control goes on in another way
// than after a success, and does more there than to write a log line; or the
// outcome itself goes to code out of sight.
//
// Both ways are followed until the next turn of the loop waits. A time that is
// compared in the same function counts as a deadline of its own: whoever keeps
// one notices the loss without looking at the outcome.

// outcomes is what the results of a call tell in one of the worlds.
type outcomes struct {
	is    func(v ssa.Value) bool // v is a result of the call, or read from one
	fails bool                   // the error is not nil
	lost  bool                   // other results tell the loss
	gone  bool                   // the error is the one that tells the loss
}

// Value implements world.Oracle.
func (o outcomes) Value(v ssa.Value) (world.Fact, bool) {
	if o.gone && o.asksFor(v) {
		return world.True, true
	}
	if _, tuple := v.Type().(*types.Tuple); tuple || !o.is(v) {
		return world.Fact{}, false
	}
	switch {
	case code.IsError(v.Type()) && o.fails:
		return world.NotNil, true
	case code.IsError(v.Type()):
		return world.Nil, true
	case o.lost:
		f := failure(v.Type())
		return f, f.Definite()
	}
	f := world.Success(v.Type())
	return f, f.Definite()
}

// Stored implements world.Oracle.
func (outcomes) Stored(ssa.Instruction, ssa.Value) (world.Fact, bool) { return world.Fact{}, false }

// asksFor reports whether v asks whether the error of the call is one that a library, or the program,
// has a variable for. Of a renewal that is the one that says the lease is gone.
func (o outcomes) asksFor(v ssa.Value) bool {
	var x, y ssa.Value
	switch v := v.(type) {
	case *ssa.Call:
		if code.CalleeName(v.Common()) != "errors.Is" {
			return false
		}
		x, y = v.Call.Args[0], v.Call.Args[1]
	case *ssa.BinOp:
		if v.Op != token.EQL {
			return false
		}
		x, y = v.X, v.Y
	default:
		return false
	}
	load, ok := y.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	return ok && o.is(x) && code.IsError(x.Type()) && g.Pkg != nil && !engine.Standard(g.Pkg.Pkg.Path())
}

// failure is the fact that tells, by a result's type, that a lease is lost.
func failure(t types.Type) world.Fact {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return world.False
		case u.Info()&types.IsInteger != 0:
			return world.Parse("0")
		}
	case *types.Interface, *types.Pointer, *types.Chan, *types.Map, *types.Slice:
		return world.Nil
	}
	return world.Varying
}

// unheard says what becomes of a failure of the renewal in, where it makes no
// difference; it is empty otherwise.
func unheard(f *engine.Family, in ssa.CallInstruction) string {
	call, ok := in.(*ssa.Call)
	if !ok {
		return "its result is lost" // go, defer
	}
	if closes(f, call) {
		return ""
	}
	is := f.Tellers(in)
	fn := in.Parent()
	results := resultsOf(f, fn, is)
	if len(results) == 0 {
		return "its result is dropped"
	}
	if keepsTime(f, fn) || slices.ContainsFunc(results, func(v ssa.Value) bool { return f.Leaves(v, 0) }) {
		return ""
	}
	well := follow(f, call, outcomes{is: is}, false)
	told := false
	for _, v := range results {
		told = told || !code.IsError(v.Type()) && failure(v.Type()).Definite()
	}
	if differs(f, follow(f, call, outcomes{is: is, fails: true, lost: true}, true), well) {
		if asked(fn, outcomes{is: is}) && !differs(f, follow(f, call, outcomes{is: is, fails: true, lost: true, gone: true}, true), well) {
			return "where it tells that the lease is gone, the work goes on"
		}
		return ""
	}
	if told && differs(f, follow(f, call, outcomes{is: is, lost: true}, true), well) {
		return ""
	}
	return "a failure is only logged, and the work goes on"
}

// asked reports whether a function asks which error it is that a call has made.
func asked(fn *ssa.Function, o outcomes) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
			v, ok := in.(ssa.Value)
			return ok && o.asksFor(v)
		})
	})
}

// closes reports whether a renewal is the last deed of the section that it runs in: it
// leaves the lock behind for a while, so that nobody does again what was done. There is
// nothing to stop where it fails.
func closes(f *engine.Family, call *ssa.Call) bool {
	s := f.Sums[call.Parent()]
	if s == nil {
		return false
	}
	for _, st := range s.Sites {
		if st.Region == nil || st.At.Block() == call.Block() || len(st.Release) > 0 || !slices.Contains(st.Region.Held, ssa.Instruction(call)) {
			continue
		}
		acts := func(in ssa.Instruction) bool {
			c, ok := in.(ssa.CallInstruction)
			return ok && len(s.Steps[c]) > 0 && !f.QuietCall(c.Common())
		}
		after := false
		for _, in := range st.Region.Held {
			if in != ssa.Instruction(call) && acts(in) && in.Block() != st.At.Block() && followed(call, in, st.At.Block()) {
				after = true
			}
		}
		if !after && slices.ContainsFunc(st.Region.Held, func(in ssa.Instruction) bool { return acts(in) && code.Before(in, call) }) {
			return true
		}
	}
	return false
}

// followed reports whether control can get from x to y without passing the block end.
func followed(x, y ssa.Instruction, end *ssa.BasicBlock) bool {
	if x.Block() == y.Block() && code.Before(x, y) {
		return true
	}
	return slices.ContainsFunc(x.Block().Succs, func(b *ssa.BasicBlock) bool { return b != end && code.CanReach(b, y.Block(), end) })
}

// resultsOf lists the values that tell the outcome of the call and are looked at.
func resultsOf(f *engine.Family, fn *ssa.Function, is func(ssa.Value) bool) []ssa.Value {
	var out []ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			v, ok := in.(ssa.Value)
			if !ok || v.Referrers() == nil || !is(v) {
				continue
			}
			if _, tuple := v.Type().(*types.Tuple); tuple {
				continue
			}
			if _, basic := v.Type().Underlying().(*types.Basic); !basic && !code.IsError(v.Type()) {
				continue // a command object: what is read from it tells
			}
			if slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { _, debug := r.(*ssa.DebugRef); return !debug }) {
				out = append(out, v)
			}
		}
	}
	return out
}

// follow explores what happens after start. The way after a success ends at
// whatever waits next, that after a failure only at what every turn waits for:
// waiting before another try is part of handling the failure.
func follow(f *engine.Family, start ssa.Instruction, o world.Oracle, failed bool) *world.Region {
	return world.Explore(start, o, func(in ssa.Instruction) world.Verb {
		if waits(f, in) && (!failed || in.Block().Dominates(start.Block())) {
			return world.Kill
		}
		return world.Go
	})
}

func waits(f *engine.Family, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Select:
		return in.Blocking
	case *ssa.UnOp:
		return in.Op == token.ARROW
	case *ssa.Call:
		callee := in.Call.StaticCallee()
		return callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "time" && callee.Name() == "Sleep"
	}
	return false
}

// differs reports whether one of two ways does something that the other does
// not and that is more than a log line.
func differs(f *engine.Family, bad, well *world.Region) bool {
	in := make(map[ssa.Instruction]int)
	for _, x := range bad.Held {
		in[x] |= 1
	}
	for _, x := range well.Held {
		in[x] |= 2
	}
	for x, ways := range in {
		if ways != 3 && tellsSomebody(f, x) {
			return true
		}
		if ways != 3 {
			continue
		}
		switch x := x.(type) {
		case *ssa.Return:
			if slices.ContainsFunc(x.Results, func(v ssa.Value) bool { return !bad.Fact(v).Equal(well.Fact(v)) }) {
				return true
			}
		case *ssa.Phi:
			if !bad.Fact(x).Equal(well.Fact(x)) && f.Leaves(x, 0) {
				return true
			}
		}
	}
	return false
}

// tellsSomebody reports whether an instruction can let other code know.
func tellsSomebody(f *engine.Family, in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Send, *ssa.MapUpdate, *ssa.Panic:
		return true
	case *ssa.Store:
		a, local := in.Addr.(*ssa.Alloc)
		if ia, ok := in.Addr.(*ssa.IndexAddr); ok {
			a, local = ia.X.(*ssa.Alloc)
		}
		return !local || a.Heap && a.Comment != "varargs" && a.Comment != "slicelit"
	case *ssa.Select:
		return slices.ContainsFunc(in.States, func(s *ssa.SelectState) bool { return s.Dir == types.SendOnly })
	case *ssa.BinOp:
		return in.Op == token.ADD && code.IsNumber(in.Type()) // counts failures
	case *ssa.Return:
		return noticed(f, in.Parent(), 0)
	case ssa.CallInstruction:
		if c := in.Common(); code.MethodOf(c) == "Now" {
			return true // the time of the latest success is kept
		}
		return !f.QuietCall(in.Common())
	}
	return false
}

// noticed reports whether it makes a difference that a function has returned: it is done
// with the work, or a caller goes on to do something, such as to cancel the work.
func noticed(f *engine.Family, fn *ssa.Function, depth int) bool {
	if fn.Signature.Results().Len() > 0 || cleansUp(f, fn) || worksIn(f, fn) {
		return true
	}
	return depth < maxDeep && slices.ContainsFunc(f.Engine.Readings().Taking[fn], func(c *ssa.Call) bool {
		g := f.Engine.Families[code.Origin(code.Root(c.Parent()))]
		return g != nil && slices.ContainsFunc(follow(g, c, outcomes{is: func(ssa.Value) bool { return false }}, true).Held, func(x ssa.Instruction) bool {
			if _, ret := x.(*ssa.Return); ret {
				return noticed(g, x.Parent(), depth+1)
			}
			return x != ssa.Instruction(c) && tellsSomebody(g, x)
		})
	})
}

// cleansUp reports whether a function defers something that others notice.
func cleansUp(f *engine.Family, fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.Defer); ok && !f.QuietCall(d.Common()) {
				return true
			}
		}
	}
	return false
}

// worksIn reports whether a function does the work itself: its end is the end
// of the work. To cancel a context is none.
func worksIn(f *engine.Family, fn *ssa.Function) bool {
	s := f.Sums[fn]
	return s != nil && f.Works(slices.DeleteFunc(slices.Clone(s.Effects), func(x summary.Effect) bool {
		return x.Open != summary.Closed && f.Engine.Hidden(x) == ""
	}), meaning.Meaning{})
}

// keepsTime reports whether a function compares times: a deadline of its own.
func keepsTime(f *engine.Family, fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && !c.Call.IsInvoke() && c.Call.StaticCallee() != nil {
				if e := f.Engine.Reader.Entry(f.CallTerm(c.Common(), c.Pos())); e != nil && e.Clock == "compare" {
					return true
				}
			}
		}
	}
	return false
}

// deaf reports whether nobody hears of it when a renewal finds that the lease is lost.
func (k *keeping) deaf(f *engine.Family, in ssa.CallInstruction, x summary.Effect, m meaning.Meaning) bool {
	call, ok := in.(*ssa.Call)
	if !ok {
		return false
	}
	if m.Row != nil {
		return m.Counts && x.Checked < 0 && !k.readsBack(f.Sums[in.Parent()], m.Row.Resource)
	}
	return f.Deaf(call, x.Call, m) && !k.takesAgain(f, in, m)
}

// takesAgain reports whether each renewal is followed by another try for the lock, with
// the same session, before the next one: of a session that is gone, that makes an error.
func (k *keeping) takesAgain(f *engine.Family, in ssa.CallInstruction, m meaning.Meaning) bool {
	return slices.ContainsFunc(f.Sums[in.Parent()].Sites, func(st *summary.Site) bool {
		taken, ok := k.e.Acquire(st.Lock.Call)
		return ok && !st.Mute && k.e.Pool.Alike(taken.Parent, m.Handle) && code.Before(in, st.At) && code.CanReach(st.At.Block(), in.Block(), nil)
	})
}

// readsBack reports whether a function also reads the table that it extends a lease
// in: it may look there whose the lease is.
func (k *keeping) readsBack(s *summary.Summary, resource string) bool {
	_, table, _ := strings.Cut(resource, ":")
	return slices.ContainsFunc(s.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(k.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			_, tables, _ := strings.Cut(m.Store, ":")
			return m.Role == meaning.Query && slices.Contains(strings.Split(tables, ","), table)
		})
	})
}
