package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Calls of functions that the language has: lists that are appended to and copied.

func (f *Family) builtin(name string, c *ssa.CallCommon) *term.T {
	p := f.Engine.Pool
	if name == "append" && len(c.Args) == 2 {
		x, y := f.Value(c.Args[0]), f.Value(c.Args[1])
		if y != nil && y.Kind == term.List && (x == nil || x.IsZero()) {
			return y
		}
	}
	args := make([]*term.T, len(c.Args))
	for i, a := range c.Args {
		args[i] = f.Get(a)
	}
	return p.Op(name, args...)
}

// assembled is a slice that is put together by append. Where ways differ in what they
// add to what is common to all, or a loop adds something in each turn, that is one
// element that nothing is known of.
func (f *Family) assembled(v ssa.Value, seen []ssa.Value) *term.T {
	p := f.Engine.Pool
	switch x := v.(type) {
	case *ssa.Call:
		if isAppend(x) {
			return p.Append(f.assembled(x.Call.Args[0], seen), f.Get(x.Call.Args[1]))
		}
	case *ssa.Phi:
		if slices.Contains(seen, v) {
			break
		}
		for _, base := range x.Edges {
			if !slices.ContainsFunc(x.Edges, func(e ssa.Value) bool { return !appends(e, base, x) }) {
				return p.Append(f.assembled(base, append(seen, v)), p.List(p.Unknown("part")))
			}
		}
	case *ssa.MakeSlice:
		if n, ok := x.Len.(*ssa.Const); ok && n.Int64() == 0 {
			return p.List()
		}
	case *ssa.Slice:
		if n, ok := x.High.(*ssa.Const); ok && n.Int64() == 0 && x.Low == nil {
			return p.List()
		}
	case *ssa.Const:
		if x.IsNil() {
			return p.List()
		}
	}
	return f.Get(v)
}

// copied is a slice that is made as long as another one and what stands before that: the
// first elements are stored one by one, and the other is copied behind them. It is nil for
// others.
func (f *Family) copied(m *ssa.MakeSlice) *term.T {
	p := f.Engine.Pool
	head := make(map[int64]*term.T)
	var rest *term.T
	var from int64
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.IndexAddr:
			i, ok := code.ConstInt(r.Index)
			if !ok || len(*r.Referrers()) != 1 {
				return nil
			}
			st, ok := (*r.Referrers())[0].(*ssa.Store)
			if !ok || st.Addr != ssa.Value(r) || head[i] != nil {
				return nil
			}
			head[i] = f.Get(st.Val)
		case *ssa.Slice:
			for _, u := range *r.Referrers() {
				c, ok := u.(*ssa.Call)
				if !ok || !isBuiltin(c, "copy") || c.Call.Args[0] != ssa.Value(r) {
					continue
				}
				low, ok := code.ConstInt(r.Low)
				if r.Low == nil {
					low, ok = 0, true
				}
				if !ok || rest != nil {
					return nil
				}
				from, rest = low, f.Get(c.Call.Args[1])
			}
		}
	}
	if rest == nil || int64(len(head)) != from {
		return nil
	}
	list := make([]*term.T, from)
	for i := range list {
		if list[i] = head[int64(i)]; list[i] == nil {
			return nil
		}
	}
	return p.Append(p.List(list...), rest)
}

// appends reports whether v is base, or made from it or from other by append.
func appends(v, base, other ssa.Value) bool {
	for {
		if v == base || v == other {
			return true
		}
		c, ok := v.(*ssa.Call)
		if !ok || !isAppend(c) {
			return false
		}
		v = c.Call.Args[0]
	}
}

func isAppend(c *ssa.Call) bool {
	return isBuiltin(c, "append")
}

func isBuiltin(c *ssa.Call, name string) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name && len(c.Call.Args) == 2
}

// copies reports whether a call is of a method that generators write to copy objects of
// Kubernetes: what is made of the copy is made of the original, as it was.
func copies(c *ssa.CallCommon) bool {
	fn := c.StaticCallee()
	return fn != nil && fn.Name() == "DeepCopy" && fn.Signature.Recv() != nil && len(c.Args) == 1 && fn.Signature.Results().Len() == 1 &&
		types.Identical(fn.Signature.Results().At(0).Type(), fn.Signature.Recv().Type())
}
