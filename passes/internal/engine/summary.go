package engine

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
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
				s.Steps[in] = append(f.leads(in), f.handsOn(in)...)
			case *ssa.Return:
				f.results(s, in)
			case *ssa.UnOp:
				if in.Op == token.ARROW {
					s.Steps[in] = f.Waiting(in)
				}
			case *ssa.Select:
				s.Steps[in] = append(f.Waiting(in), f.handsOn(in)...)
			}
		}
	}
	f.carriedResults(fn, s)
	s.Sets = f.sets(fn)
	f.memory(fn, s)
	f.ask(fn, s)
	f.test(fn, s)
	f.choose(fn, s)
	f.claims(fn, s)
	f.copies(fn, s)
	lists := make(map[*ssa.BasicBlock][]summary.Effect)
	for _, b := range fn.Blocks {
		n := 0
		for _, in := range b.Instrs {
			n += len(s.Steps[in])
		}
		if n == 0 {
			continue
		}
		list := make([]summary.Effect, 0, n)
		for _, in := range b.Instrs {
			list = f.repeat(list, s.Steps[in], b, s.Loops, nil)
		}
		lists[b] = list
	}
	f.Engine.spine(fn.Blocks[0], lists, func(*ssa.BasicBlock) bool { return true })
	f.perhaps(fn, lists)
	s.Effects = bound(inOrder(fn, s, lists))
	for _, st := range acquired {
		f.explore(fn, s, st)
	}
	f.alone(s)
	f.Engine.bookkeeping(fn, s)
	f.decorates(fn, s)
	return s
}

// decorates notes the sections of function literals that fn returns, in which a function
// runs that fn was given: a decorator. Whoever calls fn says what is done under the lock.
func (f *Family) decorates(fn *ssa.Function, s *summary.Summary) {
	given := func(list []summary.Effect) bool {
		return slices.ContainsFunc(list, func(x summary.Effect) bool {
			return x.Open == summary.Value && IsArgument(x.Call.Args[0]) && x.Call.Args[0].Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == f.Engine.Name(fn) })
		})
	}
	for _, inner := range fn.AnonFuncs {
		sum := f.Sums[inner]
		if sum == nil || !slices.ContainsFunc(s.Results, func(r *term.T) bool {
			return r != nil && r.Any(func(t *term.T) bool {
				return (t.Kind == term.Closure || t.Kind == term.Func) && t.Name == f.Engine.Name(inner)
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
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	list := make([]summary.Effect, 0, n)
	var last []summary.Effect
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
// accompany an error, are left out where there is anything else, and so are contexts. Text that a builder was
// filled with piece by piece is not followed: it is a matter of the arguments, whatever else
// the function may return.
func (f *Family) results(s *summary.Summary, ret *ssa.Return) {
	if s.Results == nil {
		s.Results = make([]*term.T, len(ret.Results))
	}
	for i, v := range ret.Results {
		if code.IsError(v.Type()) || code.IsContext(v.Type()) && fails(ret) {
			continue
		}
		t := f.givenBack(ret, i)
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
	return f.Engine.Pool.Built(f.Engine.Name(code.Origin(fn)), args...)
}

// bound drops repeated effects and limits their number. It changes the list itself.
func bound(list []summary.Effect) []summary.Effect {
	last := make(map[*term.T]int, min(len(list), maxEffects)) // of a call, counted from 1
	before := make([]int, 0, min(len(list), maxEffects))      // that, when the next came
	out := list[:0]
	for _, x := range list {
		i := last[x.Call]
		for i > 0 && !again(out[i-1], x) {
			i = before[i-1]
		}
		if i > 0 {
			if len(out[i-1].Won) > 0 {
				out[i-1].Won = shared(out[i-1].Won, x.Won)
			}
			continue
		}
		if len(out) == maxEffects {
			out = append(out, summary.Effect{Why: lock.ReasonLimit, At: x.At})
			break
		}
		before = append(before, last[x.Call])
		out = append(out, x)
		last[x.Call] = len(out)
	}
	clear(list[len(out):])
	if cap(out)-len(out) > len(out)/8 {
		return slices.Clone(out) // summaries live long: no more than it takes
	}
	return out
}

// again reports whether two effects of the same call are one.
func again(x, y summary.Effect) bool {
	same := x.Reach == y.Reach && x.Why == y.Why && x.Memory == y.Memory && x.Signal == y.Signal && slices.Equal(x.Chosen, y.Chosen)
	// Where something is out of sight, one remark of a kind is enough.
	return same && (x.At.Position == y.At.Position || x.Why != "" && x.Call == nil || intoWriter(x) || HandsOn(x))
}

// A statement that frees a lock without asking whose it is (DEL of the key,
// DELETE of the row by its name) takes it from whoever holds it by then.

// perhaps marks effects of blocks that lie on some ways through fn only.
func (f *Family) perhaps(fn *ssa.Function, lists map[*ssa.BasicBlock][]summary.Effect) {
	for b, list := range lists {
		if len(list) == 0 || code.OnEveryWay(fn, b) {
			continue
		}
		skipped := !onEverySuccess(b)
		for i := range list {
			list[i].Perhaps = list[i].Perhaps || !f.configured(b, list[i])
			list[i].Skipped = list[i].Skipped || skipped
		}
	}
}

// configured reports whether a command is left out only where there is no client to send
// it by: that says how the program is set up, and not whether a lock is held.
func (f *Family) configured(b *ssa.BasicBlock, x summary.Effect) bool {
	r, ok := f.Engine.Release(x)
	if !ok || !r.Raw || len(x.Via) > 0 {
		return false
	}
	client := meaning.Receiver(x.Call)
	for b.Idom() != nil && len(b.Preds) == 1 && asksNil(b.Idom()) {
		b = b.Idom()
		asked := f.Get(b.Instrs[len(b.Instrs)-1].(*ssa.If).Cond.(*ssa.BinOp).X)
		if client == nil || !client.Any(func(t *term.T) bool { return t == asked }) { // its methods may be those of what it embeds
			return false
		}
	}
	return code.OnEveryWay(b.Parent(), b)
}
