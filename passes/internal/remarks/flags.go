package remarks

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A leader that is told to stop may set a flag. That stops the work only if somebody asks
// for it: one that is only shown, or that nobody reads, does not.

// unheardFlag reports whether a function does nothing but log and set flags that no code
// in view goes by.
func (k *keeping) unheardFlag(end *ssa.Function) bool {
	f := k.e.Families[code.Root(end)]
	flags, only := flagsOf(f, end)
	return only && len(flags) > 0 && !slices.ContainsFunc(flags, func(at ssa.Value) bool { return k.goneBy(f, end, at) })
}

// flagsOf lists the addresses of the bools and numbers that a function sets; only says that
// it does nothing else that other code can notice.
func flagsOf(f *engine.Family, fn *ssa.Function) (flags []ssa.Value, only bool) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ret := in.(*ssa.Return); ret || !tellsSomebody(f, in) {
				continue
			}
			switch in := in.(type) {
			case *ssa.Store:
				if !code.IsBasic(in.Val.Type()) {
					return nil, false
				}
				flags = append(flags, in.Addr)
			case *ssa.Call:
				if !atomically(in.Common(), "Store", "Swap", "CompareAndSwap", "Add") {
					return nil, false
				}
				flags = append(flags, in.Call.Args[0])
			default:
				return nil, false
			}
		}
	}
	return flags, true
}

// atomically reports whether a call is one of sync/atomic that begins with one of verbs.
func atomically(c *ssa.CallCommon, verbs ...string) bool {
	callee := code.Origin(c.StaticCallee())
	return callee != nil && code.PackagePath(callee) == "sync/atomic" && len(c.Args) > 0 &&
		slices.ContainsFunc(verbs, func(verb string) bool { return strings.HasPrefix(callee.Name(), verb) })
}

// goneBy reports whether what a flag holds may decide something: it is compared or
// branched on, or goes to code out of sight.
func (k *keeping) goneBy(f *engine.Family, end *ssa.Function, at ssa.Value) bool {
	var names []ssa.Value // of the flag
	switch a := f.Base(at).(type) {
	case *ssa.FieldAddr:
		s, ok := code.SlotOf(a.X.Type(), a.Field)
		if !ok || token.IsExported(code.FieldName(a.X.Type(), a.Field)) && !k.e.Whole() {
			return true
		}
		names = k.e.Readings().Named[s]
	case *ssa.Alloc:
		names = append(names, a)
		for _, fn := range f.Members {
			for _, fv := range fn.FreeVars {
				if f.Base(fv) == ssa.Value(a) {
					names = append(names, fv)
				}
			}
		}
	default:
		return true
	}
	return slices.ContainsFunc(names, func(name ssa.Value) bool {
		return name.Parent() != end && name.Referrers() != nil && slices.ContainsFunc(*name.Referrers(), func(r ssa.Instruction) bool {
			switch r := r.(type) {
			case *ssa.DebugRef, *ssa.Store, *ssa.MakeClosure:
				return false
			case *ssa.UnOp:
				return k.decidesBy(r, 0)
			case *ssa.Call:
				return !atomically(r.Common(), "Load", "Store", "Swap", "CompareAndSwap", "Add") || k.decidesBy(r, 0)
			}
			return true
		})
	})
}

// decidesBy reports whether a value that was read decides something: how long is waited, too. What a method gives
// out decides for its callers: all of them have to be in view.
func (k *keeping) decidesBy(v ssa.Value, depth int) bool {
	f := k.e.Readings().Family(v)
	if f == nil || depth > engine.MaxLooks {
		return true
	}
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.MakeInterface, *ssa.Convert, *ssa.Phi:
			return k.decidesBy(r.(ssa.Value), depth+1)
		case *ssa.Store:
			_, listed := r.Addr.(*ssa.IndexAddr) // for a line of the log
			return r.Val == v && !listed
		case *ssa.Call:
			return !f.QuietCall(r.Common()) || delays(f, r) || k.decidesBy(r, depth+1) // by what is made of it
		case *ssa.Return:
			results, known := k.e.Readings().Yields(code.Origin(r.Parent()), slices.Index(r.Results, v))
			return !known || slices.ContainsFunc(results, func(x ssa.Value) bool { return k.decidesBy(x, depth+1) })
		}
		return true
	})
}

// delays reports whether a call waits for as long as it is told, or has a timer do so.
func delays(f *engine.Family, call *ssa.Call) bool {
	entry := f.Engine.Reader.Entry(f.CallTerm(call.Common(), call.Pos()))
	return entry != nil && entry.Blocks != nil || code.MethodOf(call.Common()) == "Reset"
}

// setAt is where a package sets the callback of a struct, by the name of the field; the
// position of the callback itself where it is a literal of a function of the family.
func (k *keeping) setAt(pkg, field string, callback *term.T, otherwise lock.Frame) lock.Frame {
	for _, g := range k.e.Index.InPackage(pkg) {
		for _, fn := range g.Members {
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					st, ok := in.(*ssa.Store)
					if !ok {
						continue
					}
					a, ok := st.Addr.(*ssa.FieldAddr)
					if _, sig := st.Val.Type().Underlying().(*types.Signature); !ok || !sig || !a.Pos().IsValid() || code.FieldName(a.X.Type(), a.Field) != field {
						continue
					}
					if set := g.Settled().Get(st.Val); set.Name == callback.Name && set.Kind == callback.Kind {
						return lock.Frame{Position: k.e.Position(a.Pos()), Function: code.Shown(fn)}
					}
				}
			}
		}
	}
	return otherwise
}
