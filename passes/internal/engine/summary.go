package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// maxEffects bounds a summary; what does not fit is one effect that says so.
const maxEffects = 250

// maxFrom bounds the receivers that are remembered.
const maxFrom = 4

// Summarise makes the summary of one function of the family.
func (f *Family) Summarise(fn *ssa.Function) *summary.Summary {
	s := &summary.Summary{Steps: make(map[ssa.Instruction][]summary.Effect)}
	s.Loops = f.loops(fn)
	var acquired []*summary.Site
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case ssa.CallInstruction:
				effects, sites := f.step(in)
				s.Steps[in] = append(effects, f.leads(in)...)
				f.decide(in, sites)
				acquired = append(acquired, sites...)
			case *ssa.Store, *ssa.Send:
				s.Steps[in] = f.leads(in)
			case *ssa.Return:
				f.results(s, in)
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					s.Steps[in] = f.Waiting(in)
				}
			case *ssa.Select:
				s.Steps[in] = f.Waiting(in)
			}
		}
	}
	s.Sets = f.sets(fn)
	f.memory(fn, s)
	f.ask(fn, s)
	f.test(fn, s)
	f.choose(fn, s)
	f.claims(fn, s)
	lists := make(map[*ssa.BasicBlock][]summary.Effect)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			lists[b] = append(lists[b], f.repeat(s.Steps[in], b, s.Loops, nil)...)
		}
	}
	f.Engine.spine(fn.Blocks[0], lists, func(*ssa.BasicBlock) bool { return true })
	perhaps(fn, lists)
	s.Effects = bound(inOrder(fn, s, lists))
	for _, st := range acquired {
		f.explore(fn, s, st)
	}
	f.decorates(fn, s)
	return s
}

// decorates notes the sections of function literals that fn returns, in which a function
// runs that fn was given: a decorator. Whoever calls fn says what is done under the lock.
func (f *Family) decorates(fn *ssa.Function, s *summary.Summary) {
	given := func(list []summary.Effect) bool {
		return slices.ContainsFunc(list, func(x summary.Effect) bool {
			return x.Open == summary.Value && IsArgument(x.Call.Args[0]) && x.Call.Args[0].Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == code.FuncName(fn) })
		})
	}
	for _, inner := range fn.AnonFuncs {
		sum := f.Sums[inner]
		if sum == nil || !slices.ContainsFunc(s.Results, func(r *term.T) bool {
			return r != nil && r.Any(func(t *term.T) bool {
				return (t.Kind == term.Closure || t.Kind == term.Func) && t.Name == code.FuncName(inner)
			})
		}) {
			continue
		}
		for _, sec := range sum.Sections {
			if given(sec.Effects) || given(sec.After) {
				s.Sections = append(s.Sections, sec)
			}
		}
	}
}

// inOrder lists what a function does in the order of its text, what it defers last: a
// caller whose lock it gives back is told what comes before that.
func inOrder(fn *ssa.Function, s *summary.Summary, lists map[*ssa.BasicBlock][]summary.Effect) []summary.Effect {
	var list, last []summary.Effect
	for _, b := range fn.Blocks {
		rest := lists[b]
		for _, in := range b.Instrs {
			n := len(s.Steps[in])
			if _, deferred := in.(*ssa.Defer); deferred {
				last = append(slices.Clip(rest[:n]), last...)
			} else {
				list = append(list, rest[:n]...)
			}
			rest = rest[n:]
		}
	}
	return append(list, last...)
}

// results joins what a return gives back; nil and zero values, which
// accompany an error, are left out where there is anything else. Text that a builder was
// filled with piece by piece is not followed: it is a matter of the arguments, whatever else
// the function may return.
func (f *Family) results(s *summary.Summary, ret *ssa.Return) {
	if s.Results == nil {
		s.Results = make([]*term.T, len(ret.Results))
	}
	for i, v := range ret.Results {
		if code.IsError(v.Type()) {
			continue
		}
		t := f.extended(f.Value(v))
		if t != nil && t.Kind == term.Struct && code.IsBasic(v.Type()) {
			t = f.builtOf(ret.Parent())
		}
		if t == nil || t.IsZero() && s.Results[i] != nil || s.Results[i] != nil && s.Results[i].IsBuilt() {
			continue
		}
		if s.Results[i] == nil || s.Results[i].IsZero() || t.IsBuilt() {
			s.Results[i] = t
		} else {
			s.Results[i] = f.Engine.Pool.Join(s.Results[i], t)
		}
	}
}

// builtOf is the text that a function builds of its parameters.
func (f *Family) builtOf(fn *ssa.Function) *term.T {
	args := make([]*term.T, len(fn.Params))
	for i, p := range fn.Params {
		args[i] = f.Get(p)
	}
	return f.Engine.Pool.Built(code.FuncName(code.Origin(fn)), args...)
}

// bound drops repeated effects and limits their number.
func bound(list []summary.Effect) []summary.Effect {
	type key struct {
		call  *term.T
		at    lock.Position
		reach summary.Reach
		why   lock.Reason
		mem   *summary.Memory
		told  string
	}
	seen := make(map[key]int, len(list))
	out := make([]summary.Effect, 0, min(len(list), maxEffects+1)) // summaries live long: no more than it takes
	for _, x := range list {
		at := x.At.Position
		if x.Why != "" && x.Call == nil {
			at = lock.Position{} // one remark of a kind is enough
		}
		k := key{x.Call, at, x.Reach, x.Why, x.Memory, x.Signal}
		if i, ok := seen[k]; ok {
			if len(out[i].Won) > 0 {
				out[i].Won = shared(out[i].Won, x.Won)
			}
			continue
		}
		seen[k] = len(out)
		if len(out) == maxEffects {
			return append(out, summary.Effect{Why: lock.ReasonLimit, At: x.At})
		}
		out = append(out, x)
	}
	return out
}

// A statement that frees a lock without asking whose it is (DEL of the key,
// DELETE of the row by its name) takes it from whoever holds it by then.

// perhaps marks effects of blocks that lie on some ways through fn only.
func perhaps(fn *ssa.Function, lists map[*ssa.BasicBlock][]summary.Effect) {
	for b, list := range lists {
		if len(list) == 0 || code.OnEveryWay(fn, b) {
			continue
		}
		skipped := !onEverySuccess(b)
		for i := range list {
			list[i].Perhaps = true
			list[i].Skipped = list[i].Skipped || skipped
		}
	}
}
