package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
)

// A function may end its transaction by what it returns: a deferred function commits where there is
// no error, and rolls back where there is one. Whoever is refused, and returns an error, does not
// commit then.

// settles adds c to the commits that deferred functions of fn make where that returns no error, if
// it returns one wherever call is refused.
func (f *Family) settles(call *ssa.Call, s *summary.Summary, refused *refusedWrite, c summary.Claim) {
	for in, steps := range s.Steps {
		d, ok := in.(*ssa.Defer)
		if !ok || !slices.ContainsFunc(steps, f.commits) {
			continue
		}
		err := decidesCommit(d)
		if err == nil || err.Parent() != d.Parent() || !f.failsWith(d, call, refused, err) {
			continue
		}
		for i := range steps {
			if f.commits(steps[i]) {
				steps[i].Won = joined(steps[i].Won, c)
			}
		}
	}
}

// commits reports whether an effect commits some transaction.
func (f *Family) commits(x summary.Effect) bool {
	return f.Engine.endsOne(x) && strings.HasSuffix(x.Call.Name, ".Commit")
}

// decidesCommit is the variable of an error which has to be nil for a deferred function to commit;
// nil: there is none.
func decidesCommit(d *ssa.Defer) *ssa.Alloc {
	c := d.Common()
	callee := c.StaticCallee()
	if callee == nil {
		return nil
	}
	holds := func(v ssa.Value, inside ssa.Value) *ssa.Alloc {
		if a, ok := v.(*ssa.Alloc); ok && code.IsError(code.Deref(a.Type())) && commitsBy(callee, inside) {
			return a
		}
		return nil
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok {
		for i, v := range mc.Bindings {
			if a := holds(v, callee.FreeVars[i]); a != nil {
				return a
			}
		}
	}
	for i, v := range c.Args {
		if i < len(callee.Params) {
			if a := holds(v, callee.Params[i]); a != nil {
				return a
			}
		}
	}
	return nil
}

// commitsBy reports whether a function commits only where the error at an address is nil.
func commitsBy(fn *ssa.Function, addr ssa.Value) bool {
	found := false
	for _, b := range fn.Blocks {
		if !slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
			c, ok := in.(ssa.CallInstruction)
			return ok && code.MethodOf(c.Common()) == "Commit"
		}) {
			continue
		}
		found = true
		asked := false
		for to := b; to.Idom() != nil && !asked; to = to.Idom() {
			load, ok := zeroIn(to.Idom(), to).(*ssa.UnOp)
			asked = ok && load.X == addr && len(to.Preds) == 1
		}
		if !asked {
			return false
		}
	}
	return found
}

// failsWith reports whether the variable of an error that a function returns surely holds one
// wherever the function is left after a refusal, or without having come to the call. What is
// left before the defer commits nothing.
func (f *Family) failsWith(d *ssa.Defer, call *ssa.Call, refused *refusedWrite, err *ssa.Alloc) bool {
	found := false
	for _, b := range d.Parent().Blocks {
		for _, in := range b.Instrs {
			if _, leaves := in.(*ssa.RunDefers); !leaves || !after(d, in) && !code.CanReach(d.Block(), b, nil) {
				continue
			}
			if !refused.reached[in] && after(call, in) {
				continue
			}
			found = found || refused.reached[in]
			if !code.Failing(b) && !f.surelyError(lastStored(b, err)) {
				return false
			}
		}
	}
	return found
}

// lastStored is the value that a block leaves in a variable; nil: it stores none there.
func lastStored(b *ssa.BasicBlock, a *ssa.Alloc) (v ssa.Value) {
	for _, in := range b.Instrs {
		if st, ok := in.(*ssa.Store); ok && st.Addr == ssa.Value(a) {
			v = st.Val
		}
	}
	return v
}

// surelyError reports whether a value is an error, and not nil.
func (f *Family) surelyError(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.UnOp:
		_, global := v.X.(*ssa.Global)
		return global
	case *ssa.Call:
		switch code.CalleeName(v.Common()) {
		case "errors.New", "fmt.Errorf":
			return true
		case "errors.Join":
			list, ok := v.Call.Args[0].(*ssa.Slice)
			return ok && slices.ContainsFunc(f.elems[list.X], f.surelyError)
		}
	}
	return false
}
