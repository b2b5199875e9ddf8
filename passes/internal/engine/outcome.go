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
)

// MaxLooks bounds the way that an outcome is followed; what goes further is
// taken to be looked at.
const MaxLooks = 12

// A look says what is done with a value that tells an outcome.
type look struct {
	seen  bool
	given int8 // handed to the callers as this result, counted from 1; 0: it is not
}

func (l look) or(m look) look {
	l.seen = l.seen || m.seen
	if l.given == 0 {
		l.given = m.given
	}
	return l
}

// effect is l as an Effect has it.
func (l look) effect() (checked, answer int8) {
	switch {
	case l.seen:
		return 1, 0
	case l.given != 0:
		return 0, l.given
	}
	return -1, 0
}

// checked tells whether the outcome of a conditional write is looked at.
func (f *Family) checked(in ssa.CallInstruction, ms []meaning.Meaning) (checked, answer int8) {
	reject, sends := "", false
	for _, m := range ms {
		if m.Role == meaning.Queued {
			return f.heard(in), 0
		}
		if m.Write != nil {
			reject, sends = m.Write.Reject, m.Write.Batch != nil
		}
	}
	if reject == "" || reject == "none" {
		return 0, 0
	}
	if e := f.Engine.Reader.Entry(f.CallTerm(in.Common(), in.Pos())); e != nil && !e.Later.IsZero() {
		return f.toldLater(in, e.Later), 0
	}
	v, ok := in.(ssa.Value)
	if ok && sends {
		checked, answer = f.told(v, false, 0).effect()
		if checked < 0 && f.hearsErrors(v) {
			checked = 0 // known of those statements alone whose answers have a listener
		}
		return checked, answer
	}
	if !ok {
		return -1, 0 // go or defer: nobody can look
	}
	if reject == "answer" {
		return f.answered(in).effect()
	}
	for _, m := range ms {
		if m.Write != nil && m.Write.Batch != nil && f.answersBatch(m.Write.Batch) {
			return 1, 0
		}
	}
	if code.IsError(v.Type()) && reject != "error" {
		return -1, 0 // there is nothing else to look at
	}
	return f.told(v, reject == "error", 0).effect()
}

// toldLater tells whether the answers are looked at that come out of an object, among which is
// that of a call. Which is whose depends on their order, and is not asked.
func (f *Family) toldLater(in ssa.CallInstruction, from catalog.Ref) int8 {
	var l look
	switch v := code.Operand(in.Common(), from).(type) {
	case *ssa.Call, *ssa.Extract:
		l = f.told(v, false, 0)
	case *ssa.UnOp:
		a, ok := v.X.(*ssa.Alloc)
		if !ok {
			return 0
		}
		l = f.toldVariable(a, false, 0)
	default:
		return 0 // whoever made it may read from it
	}
	if l.given != 0 {
		return 0
	}
	checked, _ := l.effect()
	return checked
}

// answersBatch reports whether what is queued on a batch is given functions for the answers.
func (f *Family) answersBatch(batch *term.T) bool {
	return slices.ContainsFunc(f.Calling, func(c ssa.CallInstruction) bool {
		t := f.CallTerm(c.Common(), c.Pos())
		queued := meaning.Receiver(t)
		e := f.Engine.Reader.Entry(t)
		return e != nil && e.Runs != nil && queued != nil && meaning.Receiver(queued) == batch
	})
}

// answered says how the variable is looked at that an option of a call has the outcome
// put into; without such an option nobody can.
func (f *Family) answered(in ssa.CallInstruction) look {
	var l look
	sent := f.CallTerm(in.Common(), in.Pos())
	for _, c := range f.Calling {
		call, ok := c.(*ssa.Call)
		if !ok || c.Parent() != in.Parent() {
			continue
		}
		t := f.CallTerm(c.Common(), c.Pos())
		e := f.Engine.Reader.Entry(t)
		if e == nil || e.Part == nil || e.Part.Word != "answer" || !sent.Any(func(x *term.T) bool { return x.Kind == term.Call && x.Site == t.Site }) {
			continue
		}
		a, ok := f.Base(code.Operand(c.Common(), e.Part.Args)).(*ssa.Alloc)
		if !ok {
			return look{seen: true} // a field, or a variable of the caller
		}
		for _, r := range *a.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp:
				l = l.or(f.told(r, true, 0))
			case *ssa.Store, *ssa.DebugRef:
			default:
				l.seen = l.seen || r != ssa.Instruction(call)
			}
		}
	}
	return l
}

// hearsErrors reports whether somebody looks at what the methods of an object answer.
func (f *Family) hearsErrors(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		call, ok := r.(*ssa.Call)
		return ok && code.Operand(call.Common(), catalog.Ref{Base: catalog.Receiver}) == v && f.told(call, true, 0) != (look{})
	})
}

// heard is 1 where a statement of a batch is given a function that looks at its answer.
func (f *Family) heard(queue ssa.CallInstruction) int8 {
	v, ok := queue.(*ssa.Call)
	if !ok {
		return 0
	}
	for _, r := range *v.Referrers() {
		call, ok := r.(*ssa.Call)
		if !ok {
			continue
		}
		e := f.Engine.Reader.Entry(f.CallTerm(call.Common(), call.Pos()))
		if e == nil || e.Runs == nil || code.Operand(call.Common(), catalog.Ref{Base: catalog.Receiver}) != ssa.Value(v) {
			continue
		}
		fn := code.Origin(functionIn(code.Operand(call.Common(), e.Runs.Func)))
		if fn == nil || len(fn.Params) == 0 {
			return 1 // out of sight, and taken to look
		}
		if g := f.Engine.Families[code.Root(fn)]; g == nil || g.told(fn.Params[0], false, 0) != (look{}) {
			return 1
		}
	}
	return 0
}

// asks notes whether a call's answer is looked at, for those of its effects
// whose outcome it tells: writes whose rejection the callee hands on, and what
// a method stores in an object of this process.
func (f *Family) asks(in ssa.CallInstruction, effects []summary.Effect) {
	res := in.Common().Signature().Results()
	v, ok := in.(ssa.Value)
	for i := range effects {
		x := &effects[i]
		x.Silent = x.Silent || f.silent(in, *x)
		switch {
		case x.Answer > 0 && int(x.Answer) <= res.Len():
			var l look
			if ok && res.Len() == 1 {
				l = f.told(v, true, 0)
			} else if ok {
				for _, r := range *v.Referrers() {
					if r, ok := r.(*ssa.Extract); ok && r.Index == int(x.Answer)-1 {
						l = l.or(f.told(r, true, 0))
					}
				}
			}
			x.Checked, x.Answer = l.effect()
		case x.Memory != nil && len(x.Via) == 1 && res.Len() > 0:
			var l look
			if ok {
				l = f.told(v, code.IsError(res.At(res.Len()-1).Type()), 0)
			}
			x.Checked = 1
			if !l.seen && l.given == 0 {
				x.Checked = -1
			}
		}
	}
}

// told says how v is looked at, beyond its error unless that tells the outcome.
// Where v goes on to code out of sight, that code is taken to look.
func (f *Family) told(v ssa.Value, errorTells bool, depth int) look {
	if v.Referrers() == nil || depth > MaxLooks {
		return look{seen: true}
	}
	var l look
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.Defer, *ssa.Go:
		case *ssa.FieldAddr:
			if !tellsNothing(r) {
				l = l.or(f.told(r, errorTells, depth+1))
			}
		case *ssa.Extract, *ssa.UnOp, *ssa.BinOp, *ssa.Phi, *ssa.Convert, *ssa.ChangeType, *ssa.IndexAddr, *ssa.Index:
			if x := r.(ssa.Value); errorTells || !code.IsError(x.Type()) {
				l = l.or(f.told(x, errorTells, depth+1))
			}
		case *ssa.Call:
			l = l.or(f.toldCall(v, r, errorTells, depth))
		case *ssa.Return:
			i := slices.Index(r.Results, v)
			if code.IsError(v.Type()) || v.Parent().Parent() != nil {
				return look{seen: true} // its callers are taken to look
			}
			l = l.or(look{given: int8(i + 1)})
		case *ssa.Store:
			a, ok := r.Addr.(*ssa.Alloc)
			if !ok || r.Val != v {
				return look{seen: true}
			}
			l = l.or(f.toldVariable(a, errorTells, depth))
		default:
			return look{seen: true}
		}
		if l.seen {
			break
		}
	}
	return l
}

// tellsNothing reports whether a field of an answer is the same for a write that was
// refused, where another one has the outcome: the header of a transaction that tells
// Succeeded, the results of one that tells Errors.
func tellsNothing(a *ssa.FieldAddr) bool {
	s, ok := code.Deref(a.X.Type()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	beside := map[string]string{"Header": "Succeeded", "Results": "Errors"}[s.Field(a.Field).Name()]
	for f := range s.Fields() {
		if beside != "" && f.Name() == beside {
			return true
		}
	}
	return false
}

// toldCall says how a call looks at v.
func (f *Family) toldCall(v ssa.Value, call *ssa.Call, errorTells bool, depth int) look {
	c := call.Common()
	entry := f.Engine.Reader.Entry(f.CallTerm(c, call.Pos()))
	switch {
	case entry == nil && c.IsInvoke() && c.Value == v && c.Method.Name() == "Close":
		return look{}
	case entry == nil:
	case !entry.Later.IsZero() && code.Operand(c, entry.Later) == v:
		return look{} // sends more
	case entry.Reads == nil:
		// What is done to an object besides reading from it (Close) is no look.
		return look{seen: code.Operand(c, catalog.Ref{Base: catalog.Receiver}) != v}
	case !entry.Reads.Out.IsZero():
		// Scan of a returned row: its error says that no row matched.
		return f.told(call, true, depth+1)
	case code.IsError(call.Type()) && !errorTells:
		return look{}
	default:
		return f.told(call, errorTells, depth+1)
	}
	if b, ok := c.Value.(*ssa.Builtin); ok && b.Name() == "len" {
		return look{seen: comparedWithConstant(call)} // to count is no look
	}
	callee := code.Origin(c.StaticCallee())
	if callee == nil || len(callee.Blocks) == 0 || len(callee.Params) != len(c.Args) {
		return look{seen: true}
	}
	g := f.Engine.Families[code.Root(callee)]
	if g == nil {
		return look{seen: true}
	}
	var l look
	for i, a := range c.Args {
		if a != v {
			continue
		}
		inside := g.told(callee.Params[i], errorTells, depth+1)
		l.seen = l.seen || inside.seen
		if inside.given != 0 && callee.Signature.Results().Len() == 1 {
			l = l.or(f.told(call, true, depth+1))
		} else if inside.given != 0 {
			l.seen = true
		}
	}
	return l
}

// comparedWithConstant reports whether a number is held against one that the program names.
func comparedWithConstant(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		cmp, ok := r.(*ssa.BinOp)
		if !ok {
			return false
		}
		_, x := cmp.X.(*ssa.Const)
		_, y := cmp.Y.(*ssa.Const)
		return x || y
	})
}

// toldVariable says how a variable is looked at that holds an outcome, also by function
// literals that capture it.
func (f *Family) toldVariable(a ssa.Value, errorTells bool, depth int) look {
	if depth > MaxLooks {
		return look{seen: true}
	}
	var l look
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store, *ssa.DebugRef:
		case *ssa.UnOp:
			l = l.or(f.told(r, errorTells, depth+1))
		case *ssa.MakeClosure:
			inside := f.toldVariable(r.Fn.(*ssa.Function).FreeVars[slices.Index(r.Bindings, a)], errorTells, depth+1)
			l.seen = l.seen || inside.seen
		default:
			return look{seen: true}
		}
	}
	return l
}
