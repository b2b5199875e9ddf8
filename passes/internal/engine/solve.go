package engine

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Solve summarises the families that can matter, callees first: those that deal
// with locks themselves, what they call, and the callers of those that turn out
// to be wrappers. The rest of a program has nothing to say about locks.
func (e *Engine) Solve() {
	var todo []*Family
	for _, f := range e.Order {
		f.guard(func() {
			if f.callable() || f.deals() {
				todo = append(todo, f)
			}
		})
	}
	e.Solved = make(map[*Family]bool)
	e.SolveFrom(todo)
	e.follow()
	e.link()
	e.Evidence = newEvidence(e)
}

// SolveFrom summarises families, what they call, and those that call them as far as it concerns them.
func (e *Engine) SolveFrom(todo []*Family) {
	if len(todo) == 0 {
		return
	}
	done := e.Solved
	callers := make(map[*Family][]*Family)
	for _, f := range e.Order {
		f.callees = e.calleesOf(f)
		for _, g := range f.callees {
			callers[g] = append(callers[g], f)
		}
	}
	for len(todo) > 0 {
		var fresh []*Family
		for _, scc := range components(todo, done) {
			e.settle(scc)
			fresh = append(fresh, scc...)
		}
		todo = nil
		queued := make(map[*Family]bool)
		for _, f := range fresh {
			if !f.concernsCallers() {
				continue
			}
			for _, g := range callers[f] {
				if !done[g] && !queued[g] {
					queued[g] = true
					todo = append(todo, g)
				}
			}
		}
	}
}

// maxRebuilt bounds the work on one cycle: the terms that are made anew. In a program's own
// code no cycle takes a tenth of it; in the standard library, where all that prints can
// be called by all that is printed, one takes twenty times as much.
var maxRebuilt int64 = 500_000

// spent reports whether the cycle at hand has had all the work that it may. What functions
// call is out of sight from then on.
func (e *Engine) spent() bool { return e.most > 0 && e.Pool.Rebuilt() > e.most }

// settle summarises the families of a cycle until nothing changes. What takes too long is
// summarised once more without what it calls, so that nothing is said that rests
// on half of it.
func (e *Engine) settle(scc []*Family) {
	e.most = e.Pool.Rebuilt() + maxRebuilt
	defer func() { e.most = 0 }()
	rounds := 1
	if len(scc) > 1 || slices.Contains(scc[0].callees, scc[0]) {
		rounds = 4
	}
	for range rounds {
		if changed := e.round(scc); !changed || e.spent() {
			break
		}
	}
	if e.spent() {
		e.round(scc)
	}
	for _, f := range scc {
		for _, s := range f.Sums {
			if len(s.Sites) == 0 && !slices.ContainsFunc(s.Effects, func(x summary.Effect) bool { return f.Engine.Frees(x) || f.Engine.moves(x) }) {
				s.Steps = nil // nobody will ask where in the function they are
			}
		}
	}
}

// round summarises the families of a cycle once, and reports whether that changed anything.
func (e *Engine) round(scc []*Family) (changed bool) {
	for _, f := range scc {
		if f.failed {
			continue
		}
		f.guard(func() {
			f.reset()
			for _, fn := range f.Members {
				before := f.Sums[fn].Size()
				f.Sums[fn] = f.Summarise(fn)
				changed = changed || f.Sums[fn].Size() != before
			}
		})
	}
	return changed
}

// Frees reports whether an effect releases or renews a lock, or may store its value
// once more.
func (e *Engine) Frees(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Release || m.Role == meaning.Renew || m.Role == meaning.Acquire || Stored(m)
	})
}

// moves reports whether an effect stores when something ends: of a record that turns
// out to be a lock, that renews it.
func (e *Engine) moves(x summary.Effect) bool {
	return x.Call != nil && x.Open == summary.Closed && slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && e.Reader.Moves(m.Write)
	})
}

// deals reports whether a family takes, renews or releases a lock itself, or
// holds the text of a statement that does.
func (f *Family) deals() bool {
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(ssa.CallInstruction); ok && (f.locks(c.Common(), in.Pos()) || f.commands(c.Common())) {
					return true
				}
				for _, op := range in.Operands(nil) {
					switch x := (*op).(type) {
					case *ssa.Const:
						if x.Value != nil && x.Value.Kind() == constant.String && f.Engine.Reader.LockText(constant.StringVal(x.Value)) {
							return true
						}
					case *ssa.Global:
						if f.Engine.holdsLockText(x) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// commands reports whether a call gives a function of the program itself the words of a
// command that takes, prolongs or frees a key: a client of the project's own, to which any
// command may be told. Where the words stand is where that shows.
func (f *Family) commands(c *ssa.CallCommon) bool {
	callee := code.Origin(c.StaticCallee())
	if callee == nil || f.Engine.Families[callee] == nil {
		return false
	}
	return slices.ContainsFunc(f.Inputs(c), func(v ssa.Value) bool {
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		k, ok := v.(*ssa.Const)
		if !ok || k.Value == nil || k.Value.Kind() != constant.String {
			return false
		}
		switch strings.ToUpper(constant.StringVal(k.Value)) {
		case "NX", "SETNX", "DEL", "UNLINK", "EXPIRE", "PEXPIRE":
			return true
		}
		return false
	})
}

// holdsLockText reports whether a package-level variable is made from the text of
// a statement or script that takes or releases a lock.
func (e *Engine) holdsLockText(g *ssa.Global) bool {
	if told, ok := e.lockTexts[g]; ok {
		return told
	}
	e.lockTexts[g] = slices.ContainsFunc(e.madeFrom(g, 0), e.Reader.LockText)
	return e.lockTexts[g]
}

// maxMade bounds how deep the value of a variable is looked into for a text: a script
// made by a function of the project's own, from a file that is embedded.
const maxMade = 4

// madeFrom lists the texts that a value is made from.
func (e *Engine) madeFrom(v ssa.Value, depth int) []string {
	if depth > maxMade {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.String {
			return []string{constant.StringVal(v.Value)}
		}
	case *ssa.Global:
		if text := e.embedded(v); text != nil {
			return []string{text.Name}
		}
		if val := e.declaration(v); val != nil {
			return e.madeFrom(val, depth+1)
		}
	case *ssa.Call:
		var list []string
		for _, a := range v.Call.Args {
			list = append(list, e.madeFrom(a, depth+1)...)
		}
		return list
	case *ssa.UnOp:
		return e.madeFrom(v.X, depth+1)
	case *ssa.Convert:
		return e.madeFrom(v.X, depth+1)
	case *ssa.ChangeType:
		return e.madeFrom(v.X, depth+1)
	}
	return nil
}

// locks reports whether a call takes, renews or releases a lock.
func (f *Family) locks(c *ssa.CallCommon, pos token.Pos) bool {
	var obj *types.Func
	if c.IsInvoke() {
		obj = f.Engine.Implementations.method(c)
	} else if fn := code.Origin(c.StaticCallee()); fn != nil {
		obj, _ = fn.Object().(*types.Func)
	}
	if obj == nil {
		return false
	}
	entries := f.Engine.register(obj)
	if len(entries) == 0 {
		s := f.Engine.imported(code.Origin(c.StaticCallee()))
		return s != nil && f.Engine.concerns(s)
	}
	if !slices.ContainsFunc(entries, (*catalog.Call).MayLock) {
		return false // a format, a conversion: no need to know of what
	}
	if slices.ContainsFunc(f.Engine.Reader.Entries(f.Engine.fullName(obj.Origin())), func(e *catalog.Call) bool { return e.Acquire != nil && e.Acquire.Traced }) {
		return true // where it comes from shows when what is called has been summarised
	}
	for _, m := range f.Engine.Reader.Of(f.CallTerm(c, pos)) {
		if m.Role == meaning.Acquire || m.Role == meaning.Renew || m.Role == meaning.Release {
			return true
		}
		if m.Role == meaning.Write && (m.Write.MayLease() || f.Engine.madeElsewhere(m.Write)) {
			return true // what it asks for shows when what is called has been summarised
		}
		if Stored(m) && m.Write.Key.Kind == term.Field && m.Write.Value.Kind == term.Field {
			return true // what an object keeps may be its lock's key and owner
		}
	}
	return false
}

// madeElsewhere reports whether a write that has a filter takes that, or what it stores,
// from another function of the program.
func (e *Engine) madeElsewhere(c *meaning.Change) bool {
	if len(c.Guards) == 0 || len(c.Sets) > 0 && !slices.ContainsFunc(c.Guards, func(g meaning.Guard) bool { return g.Op == "other" }) {
		return false
	}
	return c.Call != nil && slices.ContainsFunc(meaning.Args(c.Call), func(a *term.T) bool {
		return a.Any(func(t *term.T) bool { return t.Kind == term.Call && e.Functions[t.Name] != nil })
	})
}

// maxFree is how many calls deep a function may release what its caller names
// and still count as a release function: the project's client, and a helper.
const maxFree = 2

// concernsCallers reports whether a family takes locks for its callers, or
// releases what they name.
func (f *Family) concernsCallers() bool {
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool { return f.Engine.concerns(f.Sums[fn]) })
}

// concerns reports whether callers of a function deal with locks by calling it.
func (e *Engine) concerns(s *summary.Summary) bool {
	if len(s.Holds) > 0 || len(s.Sections) > 0 {
		return true
	}
	for _, x := range s.Effects {
		if x.Open != summary.Closed || !x.Call.Open() || len(x.Via) > maxFree {
			continue
		}
		for _, m := range e.Reader.Of(x.Call) {
			if m.Role == meaning.Release || m.Role == meaning.Renew {
				return true
			}
		}
	}
	return false
}

// calleesOf lists the families that f may call, in a fixed order.
func (e *Engine) calleesOf(f *Family) []*Family {
	var out []*Family
	seen := make(map[*Family]bool)
	add := func(fn *ssa.Function) {
		fn = code.Origin(fn)
		if fn == nil {
			return
		}
		for fn.Parent() != nil {
			fn = fn.Parent()
		}
		if g := e.Families[fn]; g != nil && !seen[g] {
			seen[g] = true
			out = append(out, g)
		}
	}
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				for _, op := range in.Operands(nil) {
					switch x := (*op).(type) {
					case *ssa.Function:
						if x.Parent() == nil {
							add(e.behind(x)) // a closure of the family itself has a parent
						}
					case *ssa.Global:
						if made, ok := e.declaration(x).(*ssa.Call); ok {
							add(made.Call.StaticCallee())
						}
					}
				}
				if c, ok := in.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
					for _, impl := range e.Implementations.Of(c.Common()) {
						add(impl)
					}
				} else if ok {
					add(e.injectedIn(c.Common()))
				}
				for _, fn := range f.behindCall(in) {
					add(fn)
				}
			}
		}
	}
	return out
}

// behindCall lists the functions that an instruction may run by way of a library: methods of
// writers, and of models.
func (f *Family) behindCall(in ssa.Instruction) []*ssa.Function {
	list := f.writersIn(in)
	if c, ok := in.(ssa.CallInstruction); ok {
		list = append(list, f.hooks(c.Common())...)
	}
	return list
}

// components orders families and what they call bottom-up, those of a cycle
// together (Tarjan). It leaves out what is done, and marks the rest as done.
func components(order []*Family, done map[*Family]bool) [][]*Family {
	index := make(map[*Family]int)
	low := make(map[*Family]int)
	on := make(map[*Family]bool)
	var stack []*Family
	var out [][]*Family
	var visit func(f *Family)
	visit = func(f *Family) {
		index[f] = len(index) + 1
		low[f] = index[f]
		stack = append(stack, f)
		on[f] = true
		for _, g := range f.callees {
			if done[g] && !on[g] {
				continue
			}
			if index[g] == 0 {
				visit(g)
				low[f] = min(low[f], low[g])
			} else if on[g] {
				low[f] = min(low[f], index[g])
			}
		}
		if low[f] == index[f] {
			var scc []*Family
			for {
				g := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[g] = false
				done[g] = true
				scc = append(scc, g)
				if g == f {
					break
				}
			}
			slices.Reverse(scc)
			out = append(out, scc)
		}
	}
	for _, f := range order {
		if index[f] == 0 && !done[f] {
			visit(f)
		}
	}
	return out
}
