package engine

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Mappers run methods of a model around the statements that they send for it: a write of a
// model is what these hooks write as well, whether or not it changed a row.
//
// Imprecision: the model has to be named where the chain is, and hooks that a chain's
// session leaves out are run all the same.

// maxChain bounds the links of a chain in which the model is looked for.
const maxChain = 20

// hooks lists the methods of the model that a call runs.
func (f *Family) hooks(c *ssa.CallCommon) []*ssa.Function {
	for _, entry := range f.Entries(c) {
		if len(entry.Hooks) == 0 {
			continue
		}
		model := f.modelOf(c, entry)
		if model == nil || model.Obj().Pkg() == nil {
			continue
		}
		var out []*ssa.Function
		for _, name := range entry.Hooks {
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(model), true, nil, name)
			m, ok := obj.(*types.Func)
			if !ok {
				continue
			}
			if fn := code.Origin(f.Engine.Program.FuncValue(m.Origin())); fn != nil {
				out = append(out, fn)
			}
		}
		return out
	}
	return nil
}

// modelOf is the type of the model that a call is about, or nil.
func (f *Family) modelOf(c *ssa.CallCommon, entry *catalog.Call) *types.Named {
	chain := code.Operand(c, catalog.Ref{Base: catalog.Receiver})
	if chain != nil {
		if n, ok := types.Unalias(chain.Type()).(*types.Named); ok && n.TypeArgs().Len() > 0 {
			return code.NamedOf(n.TypeArgs().At(0))
		}
	}
	for range maxChain {
		if chain == nil {
			break
		}
		link, ok := f.Single(chain).(*ssa.Call)
		if !ok {
			break
		}
		for _, e := range f.Entries(link.Common()) {
			if e.Part != nil && e.Part.Kind == "table" && !e.Part.Args.IsZero() {
				return elementOf(code.Operand(link.Common(), e.Part.Args))
			}
		}
		chain = code.Operand(link.Common(), catalog.Ref{Base: catalog.Receiver})
	}
	if entry.Write == nil || entry.Write.Args.IsZero() {
		return nil
	}
	return elementOf(code.Operand(c, entry.Write.Args))
}

// elementOf is the type of a record, or of those in a list.
func elementOf(v ssa.Value) *types.Named {
	if v == nil {
		return nil
	}
	t := code.Deref(unboxed(v).Type())
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = list.Elem()
	}
	n := code.NamedOf(t)
	if n == nil {
		return nil
	}
	if _, ok := n.Underlying().(*types.Struct); !ok {
		return nil
	}
	return n
}

// runHooks is what the hooks of a call's model do.
func (f *Family) runHooks(in ssa.CallInstruction, call *term.T, at lock.Frame, reach summary.Reach) []summary.Effect {
	var out []summary.Effect
	for _, fn := range f.hooks(in.Common()) {
		sum := f.Engine.Summary(fn)
		if sum == nil {
			continue
		}
		var args []*term.T // the model, and a new chain on the same handle
		if on := f.Engine.Session(meaning.Receiver(f.Engine.head(call))); on != nil {
			args = []*term.T{f.Engine.Pool.Unknown("model"), on}
		}
		more, _ := f.instantiate(sum.Effects, f.binding(f.Engine.binder(f.Engine.Name(fn), args)), at, max(reach, summary.ByCallback))
		out = append(out, more...)
	}
	return slices.Clip(out)
}
