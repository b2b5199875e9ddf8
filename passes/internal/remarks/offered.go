package remarks

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/summary"
)

// A wrapper may hand its callers what tells the loss of the lock: the session itself, as
// a part of the object that it returns, or a method of its own that gives the channel
// out. Then it is theirs to look at, and who does not goes on when the lock is lost.

// unasked names what a wrapper's call returns that tells the loss of the lock, where the
// package of the caller never asks for it, and gives the object to nobody else. It is empty
// otherwise.
func (k *keeping) unasked(r summary.Recorded) string {
	call := callOn(r.Site.At)
	if call == nil || k.watched[code.PackagePath(r.Site.Func)+" "+r.Lock.Library] {
		return ""
	}
	told := ""
	results := call.Call.Signature().Results()
	for i := range results.Len() {
		v := engine.ResultOf(call, i)
		if tells := k.tellingResult(call, i); tells {
			if len(v) > 0 {
				return ""
			}
			told = "what " + code.MethodOf(call.Common()) + " returns to tell it is dropped"
			continue
		}
		offers := k.offers(results.At(i).Type(), r.Site.Func.Pkg, 0)
		if len(offers) == 0 {
			continue
		}
		if k.asked(code.PackagePath(r.Site.Func), offers) || slices.ContainsFunc(v, func(v ssa.Value) bool { return k.givesAway(v, make(map[ssa.Value]bool)) }) {
			return ""
		}
		told = "nobody asks " + named(offers) + " of what " + code.MethodOf(call.Common()) + " returns"
	}
	return told
}

// tellingResult reports whether a result of a function in view is a channel, or a context,
// that a library has returned to tell the loss of a lease.
func (k *keeping) tellingResult(call *ssa.Call, index int) bool {
	fn := code.Origin(call.Call.StaticCallee())
	if fn == nil || !signalling(fn.Signature.Results().At(index).Type()) {
		return false
	}
	return k.givesSignal(fn, index)
}

// givesSignal reports whether a function returns such a channel as its index-th result.
func (k *keeping) givesSignal(fn *ssa.Function, index int) bool {
	r := k.e.Readings()
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || index >= len(ret.Results) {
			return false
		}
		found := false
		r.Walk(ret.Results[index], func(x ssa.Value) bool {
			if c := callOf(x); c != nil && !found {
				e := r.Entry(c)
				found = e != nil && e.Loss != nil && (e.Loss.How == "channel" || e.Loss.How == "context")
			}
			return !found
		}, nil)
		return found
	})
}

// signalling reports whether a type is that of a channel to receive from, or a context.
func signalling(t types.Type) bool {
	c, ok := t.Underlying().(*types.Chan)
	return ok && c.Dir() != types.SendOnly || code.IsContext(t)
}

// offers lists the methods by which an object tells the loss of its lease: those of the
// library, of itself or of a field that everybody can name, and the object's own that give a
// library's signal out.
func (k *keeping) offers(t types.Type, pkg *ssa.Package, depth int) []*types.Func {
	n := code.NamedOf(t)
	if n == nil || depth > 1 || pkg == nil {
		return nil
	}
	var out []*types.Func
	methods := types.NewMethodSet(types.NewPointer(n))
	for i := range methods.Len() {
		fn, ok := methods.At(i).Obj().(*types.Func)
		if !ok || !fn.Exported() && fn.Pkg() != pkg.Pkg {
			continue
		}
		own := k.e.Functions[fn.Origin().FullName()]
		if k.e.TellsLoss(fn) || own != nil && own.Signature.Results().Len() == 1 && signalling(own.Signature.Results().At(0).Type()) && k.givesSignal(own, 0) {
			out = append(out, fn.Origin())
		}
	}
	if s, ok := n.Underlying().(*types.Struct); ok {
		for v := range s.Fields() {
			if !v.Embedded() && v.Exported() {
				out = append(out, k.offers(v.Type(), pkg, depth+1)...)
			}
		}
	}
	return out
}

// named lists methods for people.
func named(methods []*types.Func) string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.Name()
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " or ")
}

// asked reports whether a package calls one of the methods, or uses it as a value.
func (k *keeping) asked(pkg string, methods []*types.Func) bool {
	return slices.ContainsFunc(k.e.Index.InPackage(pkg), func(f *engine.Family) bool {
		return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
			return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
				return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
					if c, ok := in.(ssa.CallInstruction); ok {
						if declared := code.Declared(c.Common()); declared != nil && slices.ContainsFunc(methods, func(m *types.Func) bool {
							return declared.Origin() == m || c.Common().IsInvoke() && !code.IsContext(c.Common().Value.Type()) && declared.Name() == m.Name()
						}) {
							return true
						}
					}
					return slices.ContainsFunc(in.Operands(nil), func(op *ssa.Value) bool {
						fn, ok := (*op).(*ssa.Function)
						if !ok {
							return false
						}
						m, ok := fn.Object().(*types.Func)
						return ok && slices.Contains(methods, m.Origin())
					})
				})
			})
		})
	})
}

// givesAway reports whether an object goes where its package does not see what is asked of
// it: to other code than its own methods and the functions of the package, into an
// interface, a field that others can name, or back to the caller.
func (k *keeping) givesAway(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	f := k.e.Readings().Family(v)
	if f == nil {
		return true
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.If:
			return false
		case *ssa.FieldAddr, *ssa.Field: // the session in it
			part := r.(ssa.Value)
			return len(k.offers(code.Deref(part.Type()), v.Parent().Pkg, 0)) > 0 && k.givesAway(part, seen)
		case *ssa.Extract, *ssa.Phi, *ssa.UnOp, *ssa.ChangeType:
			return k.givesAway(r.(ssa.Value), seen)
		case *ssa.Store:
			if r.Val != v {
				return false
			}
			switch a := f.Base(r.Addr).(type) {
			case *ssa.Alloc:
				return k.givesAway(a, seen)
			case *ssa.FieldAddr:
				s, ok := code.SlotOf(a.X.Type(), a.Field)
				return !ok || s.Owner.Pkg() == nil || s.Owner.Pkg().Path() != code.PackagePath(f.Root) || token.IsExported(code.FieldName(a.X.Type(), a.Field))
			}
			return true
		case *ssa.MakeClosure:
			return false // in view, or one of its methods as a value
		case ssa.CallInstruction:
			c := r.Common()
			if len(f.Entries(c)) > 0 {
				return false
			}
			callee := c.StaticCallee()
			if callee == nil {
				return !c.IsInvoke() || c.Value != v
			}
			method := callee.Signature.Recv() != nil && len(c.Args) > 0 && c.Args[0] == v
			return !method && code.PackagePath(callee) != code.PackagePath(f.Root)
		}
		return true
	})
}
