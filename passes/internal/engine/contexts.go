package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A release that is given a context which has ended by then is not sent. Terms
// do not tell a context from one that is made of it with a cancel function, so
// contexts are followed as SSA values.

// contexts finds releases whose context has ended, or may have.
func (e *Engine) contexts(t *taking) []lock.Slip {
	if t.m.Scope == "transaction" {
		return nil // a commit that is not sent ends the connection, and the transaction with it
	}
	var out []lock.Slip
	for _, r := range t.releasing() {
		call, ctx := t.f.contextOf(r.x)
		if ctx == nil {
			continue
		}
		slip := lock.Slip{Frame: t.f.frame(call, ""), Other: t.u.Acquire}
		line := t.f.lineage(ctx)
		switch end, at := t.deadBy(call, r.in, line); {
		case end != "":
			slip.Kind, slip.Detail = lock.SlipDead, end
			if at != nil {
				slip.Other = t.f.frame(at, end+" here")
			}
		case t.bounded(line) != nil:
			slip.Kind, slip.Other = lock.SlipDeadline, t.f.frame(t.bounded(line), "the deadline is set here")
		case fromCaller(line):
			slip.Kind = lock.SlipRequest
		default:
			continue
		}
		slip.Fix = e.withoutCancel(call, ctx)
		out = append(out, slip)
	}
	return out
}

// contextOf returns the innermost call of the family on the way to a release,
// and the context that it is given, if the release gets that one.
func (f *family) contextOf(x Effect) (ssa.CallInstruction, ssa.Value) {
	var in ssa.CallInstruction
	for _, frame := range way(x) {
		if c := f.callAt(frame.Position); c != nil {
			in = c
		}
	}
	if in == nil {
		return nil, nil
	}
	for _, a := range in.Common().Args {
		if !isContext(a.Type()) {
			continue
		}
		// A wrapper may send its release with a context of its own.
		t := f.get(a)
		if x.Call.Any(func(y *term.T) bool { return y == t }) && !x.Call.Any(func(y *term.T) bool { return y.Kind == term.Call && y.Name == "context.WithoutCancel" }) {
			return in, a
		}
	}
	return nil, nil
}

// callAt finds a call of the family by its place.
func (f *family) callAt(at lock.Position) ssa.CallInstruction {
	for _, fn := range f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok && f.begin(c) == at.Pos && f.e.position(at.Pos) == at {
					return c
				}
			}
		}
	}
	return nil
}

// lineage lists a context and those that it is made of: when one of them ends, so
// does it. A variable with several values ends it: which one holds is not known.
func (f *family) lineage(v ssa.Value) []ssa.Value {
	var out []ssa.Value
	for range 12 {
		v = f.single(v)
		if v == nil || slices.Contains(out, v) {
			return out
		}
		out = append(out, v)
		call := makerOf(v)
		if call == nil || strings.HasSuffix(calleeName(call.Common()), ".WithoutCancel") {
			return out
		}
		v = nil
		for _, a := range call.Common().Args {
			if isContext(a.Type()) {
				v = a
				break
			}
		}
	}
	return out
}

// makerOf is the call that a context is a result of, or nil.
func makerOf(v ssa.Value) *ssa.Call {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	c, _ := v.(*ssa.Call)
	return c
}

// latest is the value of a variable where it is loaded: that of the last store on
// every way there, or, in a closure, of the last one. It is nil where that is not
// certain.
//
// What a function with a defer returns is such a variable: SSA stores the results,
// runs the defers and loads what it returns.
func (f *family) latest(a *ssa.Alloc, load ssa.Instruction) ssa.Value {
	var stores []*ssa.Store
	for _, r := range *a.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			stores = append(stores, st)
		}
	}
	if len(stores) == 0 || len(stores) != len(f.stores[a]) {
		return nil // another function stores as well
	}
	var last, here *ssa.Store
	certain := true
	for _, st := range stores {
		if st.Block() == load.Block() && before(st, load) && (here == nil || before(here, st)) {
			here = st
		}
		switch {
		case load.Parent() == a.Parent() && before(load, st) && !before(st, load):
		case last == nil || before(last, st):
			last = st
		default:
			certain = certain && before(st, last)
		}
	}
	switch {
	case here != nil:
		return here.Val
	case last != nil && certain:
		return last.Val
	}
	return nil
}

// single looks through a variable to its value.
func (f *family) single(v ssa.Value) ssa.Value {
	for range 6 {
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			a, ok := f.base(x.X).(*ssa.Alloc)
			if !ok {
				return v
			}
			if v = f.latest(a, x); v == nil {
				return nil
			}
		case *ssa.FreeVar:
			b := f.base(x)
			if b == v {
				return v
			}
			v = b
		case *ssa.ChangeInterface:
			v = x.X
		case nil:
			return nil
		default:
			return v
		}
	}
	return v
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
			if recv, ok := in.(*ssa.UnOp); ok && recv.Op == token.ARROW && t.f.doneOf(recv.X, line) {
				return "ended", in
			}
			if c, ok := in.(*ssa.Call); ok && t.f.cancels(c, line) {
				return "cancelled", in
			}
		}
		if p := b.Idom(); p != nil {
			if in := selected(p, b, func(c ssa.Value) bool { return t.f.doneOf(c, line) }); in != nil {
				return "ended", in
			}
		}
	}
	d, ok := outer.(*ssa.Defer)
	if !ok {
		return "", nil
	}
	// Deferred calls run last in, first out.
	for _, b := range t.st.fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Defer); ok && before(d, c) && t.f.cancels(c, line) {
				return "cancelled", c
			}
			// A wait ends the group's context, whichever way it ends.
			if c, ok := in.(*ssa.Call); ok && before(d, c) && b.Dominates(lastBlock(t.st.fn)) && t.f.cancels(c, line) {
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
func (f *family) doneOf(ch ssa.Value, line []ssa.Value) bool {
	c, ok := f.single(ch).(*ssa.Call)
	return ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Done" && slices.Contains(line, f.single(c.Call.Value))
}

// cancels reports whether a call ends a context of the lineage: its cancel
// function, a closure that only calls that, or the group whose Wait ends it.
func (f *family) cancels(in ssa.CallInstruction, line []ssa.Value) bool {
	c := in.Common()
	made := func(v ssa.Value, index int) bool {
		x, ok := f.single(v).(*ssa.Extract)
		return ok && x.Index == index && slices.ContainsFunc(line, func(l ssa.Value) bool {
			m, ok := l.(*ssa.Extract)
			return ok && m != x && m.Tuple == x.Tuple
		})
	}
	if callee := c.StaticCallee(); callee != nil {
		if callee.Name() == "Wait" && len(c.Args) == 1 && strings.HasSuffix(receiverType(fnName(callee)), "errgroup.Group") {
			return made(c.Args[0], 0)
		}
		if callee.Parent() != nil && len(callee.Blocks) == 1 {
			for _, x := range callee.Blocks[0].Instrs {
				if inner, ok := x.(*ssa.Call); ok && f.cancels(inner, line) {
					return true
				}
			}
		}
		return false
	}
	return !c.IsInvoke() && isCancel(c) && made(c.Value, 1)
}

func isCancel(c *ssa.CallCommon) bool { return c.Signature().Results().Len() == 0 }

// selected returns the select in p of which a case for a channel that match
// likes leads to b.
func selected(p, b *ssa.BasicBlock, match func(ssa.Value) bool) ssa.Instruction {
	br, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok || !p.Succs[0].Dominates(b) || len(p.Succs[0].Preds) != 1 {
		return nil
	}
	bin, ok := br.Cond.(*ssa.BinOp)
	if !ok || bin.Op != token.EQL {
		return nil
	}
	index, ok := bin.X.(*ssa.Extract)
	if !ok {
		return nil
	}
	sel, ok := index.Tuple.(*ssa.Select)
	if !ok {
		return nil
	}
	n, ok := constInt(bin.Y)
	if !ok || int(n) >= len(sel.States) || !match(sel.States[n].Chan) {
		return nil
	}
	return sel
}

// bounded returns the call that sets a deadline in the lineage, made before the
// lock was taken: the deadline is for the work, and where it strikes the release
// fails with it.
func (t *taking) bounded(line []ssa.Value) ssa.Instruction {
	for _, v := range line {
		c := makerOf(v)
		if c == nil || c.Parent() != t.st.fn || !before(c, t.st.at) {
			continue
		}
		switch calleeName(c.Common()) {
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
		return strings.HasSuffix(calleeName(v.Common()), ".Request).Context")
	}
	return false
}
