package slips

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A release that is given a context which has ended by then is not sent. Terms
// do not tell a context from one that is made of it with a cancel function, so
// contexts are followed as SSA values.

// contexts finds releases whose context has ended, or may have.
func contexts(e *engine.Engine, t *taking) []lock.Slip {
	if t.m.Scope == "transaction" {
		return nil // a commit that is not sent ends the connection, and the transaction with it
	}
	var out []lock.Slip
	for _, r := range t.releasing() {
		call, ctx := contextOf(t.f, r.x)
		if ctx == nil {
			continue
		}
		slip := lock.Slip{Frame: t.f.Frame(call, ""), Other: t.u.Acquire}
		line := t.f.Lineage(ctx)
		switch end, at := t.deadBy(call, r.in, line); {
		case end != "":
			slip.Kind, slip.Detail = lock.SlipDead, end
			if at != nil {
				slip.Other = t.f.Frame(at, end+" here")
			}
		case t.bounded(line) != nil:
			slip.Kind, slip.Other = lock.SlipDeadline, t.f.Frame(t.bounded(line), "the deadline is set here")
		case fromCaller(line):
			slip.Kind = lock.SlipRequest
		default:
			continue
		}
		slip.Fix = e.WithoutCancel(call, ctx)
		out = append(out, slip)
	}
	return out
}

// contextOf returns the innermost call of the family on the way to a release,
// and the context that it is given, if the release gets that one.
func contextOf(f *engine.Family, x summary.Effect) (ssa.CallInstruction, ssa.Value) {
	var in ssa.CallInstruction
	for _, frame := range summary.Way(x) {
		if c := f.CallAt(frame.Position); c != nil {
			in = c
		}
	}
	if in == nil {
		return nil, nil
	}
	for _, a := range in.Common().Args {
		if !code.IsContext(a.Type()) {
			continue
		}
		// A wrapper may send its release with a context of its own.
		t := f.Get(a)
		if sentWith(x.Call, t) && !x.Call.Any(func(y *term.T) bool { return y.Kind == term.Call && y.Name == "context.WithoutCancel" }) {
			return in, a
		}
	}
	return nil, nil
}

// sentWith reports whether a call gets a context, or something that is made with it. What
// is read out of a context, such as the owner whose record is deleted, does not end with it.
func sentWith(call, ctx *term.T) bool {
	if call == ctx {
		return true
	}
	if call.Kind == term.Elem { // ctx.Value(key)
		return false
	}
	return slices.ContainsFunc(call.Args, func(a *term.T) bool { return a != nil && sentWith(a, ctx) })
}

// deadBy says how a context of the lineage has ended when the release runs, and
// where that is seen. outer is the instruction in the function of the acquire: the
// release itself, or the defer that it runs in.
func (t *taking) deadBy(call, outer ssa.CallInstruction, line []ssa.Value) (how string, at ssa.Instruction) {
	for b := call.Block(); b != nil; b = b.Idom() {
		for _, in := range b.Instrs {
			if in == ssa.Instruction(call) {
				break
			}
			if recv, ok := in.(*ssa.UnOp); ok && recv.Op == token.ARROW && doneOf(t.f, recv.X, line) {
				return "ended", in
			}
			if c, ok := in.(*ssa.Call); ok && t.f.Cancels(c, line) {
				return "cancelled", in
			}
		}
		if p := b.Idom(); p != nil {
			if in := code.Selected(p, b, func(c ssa.Value) bool { return doneOf(t.f, c, line) }); in != nil {
				return "ended", in
			}
		}
	}
	d, ok := outer.(*ssa.Defer)
	if !ok {
		return "", nil
	}
	// Deferred calls run last in, first out.
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Defer); ok && code.Before(d, c) && t.f.Cancels(c, line) {
				return "cancelled", c
			}
			// A wait ends the group's context, whichever way it ends.
			if c, ok := in.(*ssa.Call); ok && code.Before(d, c) && b.Dominates(lastBlock(t.st.Func)) && t.f.Cancels(c, line) {
				return "cancelled", c
			}
		}
	}
	return "", nil
}

// lastBlock is the block of the only return, or the entry where there are more.
func lastBlock(fn *ssa.Function) *ssa.BasicBlock {
	last := fn.Blocks[0]
	n := 0
	for _, b := range fn.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			last = b
			n++
		}
	}
	if n != 1 {
		return fn.Blocks[0]
	}
	return last
}

// doneOf reports whether a channel is Done() of a context of the lineage.
func doneOf(f *engine.Family, ch ssa.Value, line []ssa.Value) bool {
	c, ok := f.Single(ch).(*ssa.Call)
	return ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Done" && slices.Contains(line, f.Single(c.Call.Value))
}

// bounded returns the call that sets a deadline in the lineage, made before the
// lock was taken: the deadline is for the work, and where it strikes the release
// fails with it.
func (t *taking) bounded(line []ssa.Value) ssa.Instruction {
	for _, v := range line {
		c := code.MakerOf(v)
		if c == nil || c.Parent() != t.st.Func || !code.Before(c, t.st.At) {
			continue
		}
		switch code.CalleeName(c.Common()) {
		case "context.WithTimeout", "context.WithDeadline", "context.WithTimeoutCause", "context.WithDeadlineCause":
			return c
		}
	}
	return nil
}

// fromCaller reports whether a lineage begins with the context of a caller or of
// a request.
func fromCaller(line []ssa.Value) bool {
	if len(line) == 0 {
		return false
	}
	switch v := line[len(line)-1].(type) {
	case *ssa.Parameter:
		return true
	case *ssa.Call:
		return strings.HasSuffix(code.CalleeName(v.Common()), ".Request).Context")
	}
	return false
}
