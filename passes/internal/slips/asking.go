package slips

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// What an acquire answers has to be asked for, in each of its parts: in a world
// where the lock was refused, or where the store could not be asked, the work
// must not run and nobody must be told that the lock is held.

// denied explores what happens where the lock is not taken: somebody else has it
// or, where broken, the store could not be asked.
func (t *taking) denied(broken bool) *world.Region {
	return t.f.Lost(t.st, t.m, broken, func(in ssa.Instruction) bool {
		// What is found where it looks may tell that the lock is its own, and where it
		// asks again it goes by that answer.
		return t.looks(in) || slices.ContainsFunc(t.f.Sums[t.st.Func].Sites, func(other *summary.Site) bool {
			return other != t.st && in == ssa.Instruction(other.At) && t.sameAs(other)
		})
	})
}

// looks reports whether an instruction reads the record that the acquire writes: the
// node that is there already, the row that is held.
func (t *taking) looks(in ssa.Instruction) bool {
	_, ok := in.(*ssa.Call)
	return ok && in != ssa.Instruction(t.st.At) && slices.ContainsFunc(t.f.Sums[t.st.Func].Steps[in], func(x summary.Effect) bool {
		return x.Call != nil && t.f.Engine.Reads(x.Call, t.f.Engine.RecordsOf(t.st.Lock.Call))
	})
}

// asks finds what is wrong with how the answer of the acquire is taken.
func asks(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || len(t.u.Via) > summary.MaxVia {
		return nil
	}
	if t.m.Row != nil && t.m.Row.Stands {
		// Known by signs only: what is done to put things back after a refused
		// insert cannot be told from the section.
		return nil
	}
	if t.st.Mute && !t.m.Raw && t.readsBack() {
		return nil
	}
	if t.m.GivesUp && t.st.Direct {
		if t.mistaken(t.denied(false)) {
			return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipRefused}}
		}
	}
	if t.mayFail() {
		broken := t.denied(true)
		if ret := t.welcomed(broken); ret != nil {
			slip := lock.Slip{Frame: t.f.Frame(ret, ""), Kind: lock.SlipOpen, Other: t.u.Acquire}
			if t.optional() {
				slip.Detail = "optional"
			}
			return []lock.Slip{slip}
		}
		if at := t.regardless(broken); at.IsValid() {
			return t.unasked(at, broken)
		}
	}
	if t.answers() && !e.Evidence.RefusedByError(t.st) {
		denied := t.denied(false)
		if at := t.regardless(denied); at.IsValid() {
			return t.unasked(at, denied)
		}
	}
	return t.untold()
}

// unasked is the slip of work that is done without the lock. Where only who has taken the
// lock gives it back, the program has asked, and goes on all the same.
func (t *taking) unasked(at lock.Frame, denied *world.Region) []lock.Slip {
	slip := lock.Slip{Frame: t.u.Acquire, Kind: lock.SlipUnasked, Other: at}
	held := func(r freeing) bool { return slices.Contains(denied.Held, ssa.Instruction(r.in)) }
	if list := t.releasing(); len(list) > 0 && len(t.early()) == 0 && !slices.ContainsFunc(list, held) {
		slip.Detail = lock.Meant
	}
	return []lock.Slip{slip}
}

// answers reports whether the acquire returns a bool of its own, or an object that
// tells one. Other values may have come with an error.
func (t *taking) answers() bool {
	v, ok := t.st.At.(ssa.Value)
	if !ok {
		return false
	}
	if t.m.Deaf && len(t.st.Lock.Chain) > 0 {
		return false // told in the wrapper, whose callers cannot ask
	}
	if t.m.Deaf || t.st.Mute {
		return true
	}
	results := t.st.At.Common().Signature().Results()
	for i := range results.Len() {
		if b, ok := results.At(i).Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return true
		}
	}
	return t.st.Direct && strings.Contains(v.Type().String(), "Bool")
}

// mayFail reports whether the acquire tells an error: one is read, or it is the
// only answer.
func (t *taking) mayFail() bool {
	if t.f.TellsError(t.st, t.m) {
		return true
	}
	results := t.st.At.Common().Signature().Results()
	n := results.Len()
	return n > 0 && code.IsError(results.At(n-1).Type()) && !t.answers() && !(t.st.Direct && t.m.Raw)
}

// welcomed returns a way out of a wrapper on which the caller is told that the
// lock is held although the store could not be asked.
func (t *taking) welcomed(denied *world.Region) *ssa.Return {
	if !t.st.Wrapper || !t.st.HeldOut {
		return nil
	}
	told := code.FactsOf(t.st.Func, t.st.Region)
	for _, ret := range denied.Returns {
		same := len(told) > 0
		for i, v := range ret.Results {
			same = same && denied.Fact(v).Same(told[i])
		}
		if same && !won(t.st.Region, ret) && !t.toldInside(ret) {
			return ret
		}
	}
	return nil
}

// toldInside reports whether a return answers an object that the function fills in there
// and that tells the failure itself: it holds the error, or what the error says, or its
// flags are not those of an object that the holder is answered. Services reply like that
// where an error of their own would be one of the call.
func (t *taking) toldInside(ret *ssa.Return) bool {
	for i := range ret.Results {
		lost := filled(t.f.Single(ret.Results[i]))
		for field, x := range lost {
			if code.IsError(x.Type()) && !code.IsConstant(x) || tellsOf(x) {
				return true
			}
			if isFlag(x) && slices.ContainsFunc(t.st.Region.Returns, func(ret *ssa.Return) bool {
				won := filled(t.f.Single(ret.Results[i]))
				return won != nil && won[field] != nil && isFlag(won[field]) && !t.st.Region.Fact(won[field]).Same(t.st.Region.Fact(x))
			}) {
				return true
			}
		}
		if lost == nil {
			continue
		}
		for _, ret := range t.st.Region.Returns {
			for field, x := range filled(t.f.Single(ret.Results[i])) {
				if lost[field] == nil && isFlag(x) && x.(*ssa.Const).Value.String() == "true" {
					return true // left out, which is false
				}
			}
		}
	}
	return false
}

// isFlag reports whether a value is true or false.
func isFlag(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Bool
}

// tellsOf reports whether a value is the text of an error.
func tellsOf(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	return ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Error" && code.IsError(c.Call.Value.Type())
}

// filled is what the fields of an object are set to that is made for one return; nil of
// anything else.
func filled(v ssa.Value) map[int]ssa.Value {
	switch x := v.(type) {
	case *ssa.MakeInterface:
		return filled(x.X)
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return filled(x.X)
		}
	case *ssa.Alloc:
		if _, ok := code.Deref(x.Type()).Underlying().(*types.Struct); !ok {
			return nil
		}
		out := make(map[int]ssa.Value)
		for _, r := range *x.Referrers() {
			fa, ok := r.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			for _, r := range *fa.Referrers() {
				if store, ok := r.(*ssa.Store); ok && store.Addr == ssa.Value(fa) {
					out[fa.Field] = store.Val
				}
			}
		}
		return out
	}
	return nil
}

// optional reports whether a wrapper tells success without a lock by design: on a
// way that never comes to the acquire, where no store is configured say.
func (t *taking) optional() bool {
	told := code.FactsOf(t.st.Func, t.st.Region)
	for _, b := range t.st.Func.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(told) == 0 || code.CanReach(t.st.At.Block(), b, nil) || b == t.st.At.Block() {
			continue
		}
		same := true
		for i, v := range ret.Results {
			same = same && code.IsConstant(v) && t.st.Region.Fact(v).Same(told[i])
		}
		if same {
			return true
		}
	}
	return false
}

// won reports whether the holder leaves by the same return: then its values are
// told apart by something that is not seen.
func won(region *world.Region, ret *ssa.Return) bool { return slices.Contains(region.Returns, ret) }

// mistaken reports whether a refusal without an error is taken for success: the
// section runs, or the caller is told so.
func (t *taking) mistaken(denied *world.Region) bool {
	if t.asksContext() {
		return false
	}
	kept := t.keptUnasked()
	if t.regardless(denied).IsValid() || kept && t.inSpite(denied).IsValid() {
		return true
	}
	return t.st.Wrapper && slices.ContainsFunc(denied.Returns, func(ret *ssa.Return) bool {
		n := len(ret.Results)
		return n > 0 && code.IsError(ret.Results[n-1].Type()) && denied.Fact(ret.Results[n-1]).IsNil() && won(t.st.Region, ret) && (kept || !t.hands(ret))
	})
}

// asksContext reports whether the function asks a context, after the acquire, whether it
// has ended: that is what an acquire gives up for.
func (t *taking) asksContext() bool {
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Err" && code.IsContext(c.Call.Value.Type()) && code.Before(t.st.At, c) && isAsked(c) {
				return true
			}
		}
	}
	return false
}

// isAsked reports whether a value is compared, be it by way of a variable that holds another
// one on other ways.
func isAsked(v ssa.Value) bool {
	return isCompared(v) || slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		phi, ok := r.(*ssa.Phi)
		return ok && isCompared(phi)
	})
}

// keptUnasked reports whether what the acquire answers is kept where only code in view
// finds it, and none of that asks whether it is nil.
func (t *taking) keptUnasked() bool {
	call, ok := t.st.At.(*ssa.Call)
	if !ok {
		return false
	}
	list, escapes := t.f.Carriers(engine.ResultOf(call, 0))
	return !escapes && !slices.ContainsFunc(list, isCompared)
}

// isCompared reports whether a value is compared with anything.
func isCompared(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { _, ok := r.(*ssa.BinOp); return ok })
}

// hands reports whether a return gives on what the acquire answered.
func (t *taking) hands(ret *ssa.Return) bool {
	return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
		return !code.IsError(v.Type()) && t.f.Get(v).Any(func(x *term.T) bool { return x == t.st.Term })
	})
}

// regardless returns where the work of the section runs although the lock was not
// taken. Nothing is said where the answer goes on to other code, which may ask.
func (t *taking) regardless(denied *world.Region) lock.Frame {
	if denied.Limit || t.st.Wrapper && t.st.HeldOut || !t.st.Mute && t.passedOn() {
		return lock.Frame{}
	}
	return t.inSpite(denied)
}

// inSpite returns where work of the section runs in the world where the lock was not taken.
// Where the holder has work of its own, what everybody does after it is not meant to be
// guarded.
func (t *taking) inSpite(denied *world.Region) lock.Frame {
	steps := t.f.Sums[t.st.Func].Steps
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	inSection := make(map[ssa.Instruction]bool)
	for _, in := range t.st.Region.Held {
		inSection[in] = true
		if !refused[in] && slices.ContainsFunc(steps[in], t.guarded) {
			return lock.Frame{}
		}
	}
	for _, in := range denied.Held {
		if !inSection[in] || !slices.ContainsFunc(steps[in], t.guarded) {
			continue
		}
		if _, ok := in.(*ssa.Go); ok || t.follows(in, denied) || t.nextTurn(in, denied) {
			continue
		}
		return t.f.Frame(in, "runs all the same")
	}
	if !t.alike(denied) {
		return lock.Frame{}
	}
	for _, in := range denied.Held {
		if _, ok := in.(*ssa.Call); ok && inSection[in] && slices.ContainsFunc(steps[in], t.perhaps) {
			return t.f.Frame(in, "runs all the same")
		}
	}
	return lock.Frame{}
}

// alike reports whether the loser runs every call that the holder runs, but for logs
// and the release.
func (t *taking) alike(denied *world.Region) bool {
	steps := t.f.Sums[t.st.Func].Steps
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	return !slices.ContainsFunc(t.st.Region.Held, func(in ssa.Instruction) bool {
		call, ok := in.(ssa.CallInstruction)
		return ok && !refused[in] && !code.Logs(call.Common()) && t.f.ReleaseIndex(steps[in], t.st.Match) < 0
	})
}

// perhaps reports whether an effect may be what a lock is taken for: a call whose
// callee is out of sight. One such call may as well tell or measure something, so it
// counts only where the loser does all that the holder does.
func (t *taking) perhaps(x summary.Effect) bool {
	switch {
	case x.Own, x.Call == nil:
		return false
	case x.Open == summary.Dynamic:
		return x.Why == lock.ReasonInterface
	}
	return x.Open == summary.Value && !x.Tells && !x.Yields && t.f.Engine.Hidden(x) != ""
}

// follows reports whether an instruction comes after a loop that looks for a lock
// to take among several, and that does work of its own where it has got one: what
// is done at the end of the round is not what the lock is for.
func (t *taking) follows(in ssa.Instruction, denied *world.Region) bool {
	if !slices.ContainsFunc(t.f.Sums[t.st.Func].Loops, func(l *summary.Loop) bool { return l.Body[t.st.At.Block()] && !l.Body[in.Block()] }) {
		return false
	}
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	return slices.ContainsFunc(t.st.Region.Held, func(in ssa.Instruction) bool {
		_, async := in.(*ssa.Go)
		return !refused[in] && (async || slices.ContainsFunc(t.f.Sums[t.st.Func].Steps[in], t.guarded))
	})
}

// nextTurn reports whether the loser comes to an instruction by another turn of a loop
// around it and the acquire only: another case of a select, which comes when it is due, or
// what is done instead where no lock is to be taken. It is not what the lock was tried for.
func (t *taking) nextTurn(in ssa.Instruction, denied *world.Region) bool {
	at, to := t.st.At.Block(), in.Block()
	return slices.ContainsFunc(t.f.Sums[t.st.Func].Loops, func(l *summary.Loop) bool {
		return l.Body[at] && l.Body[to] && !denied.Comes(to, l.Head)
	})
}

// guarded reports whether an effect is what a lock is taken for.
func (t *taking) guarded(x summary.Effect) bool {
	switch {
	case x.Own:
		return false
	case x.Memory != nil:
		return t.f.Engine.Keeps(x.Memory)
	case x.Open == summary.Value:
		return !x.Tells && x.Call.Args[0].Kind == term.Param && t.f.Engine.Hidden(x) != ""
	case x.Call == nil || x.Open != summary.Closed:
		return false
	}
	ms := t.f.Engine.Reader.Of(x.Call)
	return slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Write }) && !t.f.Engine.PartOfLocking(t.st, t.m, x, ms)
}

// passedOn reports whether the acquire's answer is used for more than a branch:
// stored in an object, or given to a function that is more than a log.
// What only a deferred function reads comes too late to count.
func (t *taking) passedOn() bool {
	v, ok := t.st.At.(ssa.Value)
	return ok && passedOn(t.f, v, make(map[ssa.Value]bool))
}

// passedOn asks that of one value; those in seen, which a variable may have come back
// to, are asked already.
func passedOn(f *engine.Family, v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	if v.Referrers() == nil {
		return true
	}
	answer := code.IsError(v.Type()) || code.IsBasic(v.Type())
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.If, *ssa.Defer, *ssa.Go, *ssa.FieldAddr, *ssa.Return:
		case *ssa.Extract:
			if passedOn(f, r, seen) {
				return true
			}
		case *ssa.BinOp:
			if !code.IsConstant(r.Y) && !code.IsConstant(r.X) {
				return true
			}
		case *ssa.UnOp, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Phi:
			if passedOn(f, r.(ssa.Value), seen) {
				return true
			}
		case *ssa.Store:
			if r.Val != v {
				continue
			}
			if _, variadic := r.Addr.(*ssa.IndexAddr); variadic {
				continue // an argument for a log or an error's text
			}
			a, local := f.Base(r.Addr).(*ssa.Alloc)
			if !local || answer && readElsewhere(f, a, seen) {
				return true
			}
		case *ssa.Call:
			if !answer {
				entry := f.Engine.Reader.Entry(f.CallTerm(r.Common(), r.Pos()))
				if entry != nil && entry.Reads != nil && passedOn(f, r, seen) {
					return true
				}
				continue
			}
			if entry := f.Engine.Reader.Entry(f.CallTerm(r.Common(), r.Pos())); entry == nil && !(code.IsError(r.Type()) && returned(r)) {
				return true
			}
		default:
			if answer {
				return true
			}
		}
	}
	return false
}

// returned reports whether all that becomes of a value is that it is returned, be it by way
// of the variable of a result: an error that says more than the one it is made of.
func returned(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Return, *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return !returned(r)
		case *ssa.Store:
			result, ok := r.Addr.(*ssa.Alloc)
			return r.Addr != v && (r.Val != v || !ok || !returned(result))
		}
		return true
	})
}

// readElsewhere reports whether what a variable holds is passed on, or read by a
// closure that is not just deferred.
func readElsewhere(f *engine.Family, a *ssa.Alloc, seen map[ssa.Value]bool) bool {
	for _, r := range *a.Referrers() {
		if load, ok := r.(*ssa.UnOp); ok && passedOn(f, load, seen) {
			return true
		}
		mc, ok := r.(*ssa.MakeClosure)
		if ok && slices.ContainsFunc(*mc.Referrers(), func(r ssa.Instruction) bool { _, deferred := r.(*ssa.Defer); return !deferred }) {
			return true
		}
	}
	return false
}

// expires finds a lease without an end, and one whose end a second command sets:
// a crash between the two leaves the lock for ever.
func expires(e *engine.Engine, t *taking) []lock.Slip {
	if !t.st.Direct || !t.m.Raw || t.m.Kind != lock.Lease || t.m.TTL.Source != "none" && !t.zeroTTL() {
		return nil
	}
	if t.m.Row != nil {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipForever}}
	}
	// Other stores keep the end in what they store.
	if t.m.Family != "redis" {
		return nil
	}
	if i := slices.IndexFunc(t.st.Effects, func(x summary.Effect) bool { return e.Prolongs(x, t.m) }); i >= 0 {
		at := t.st.Effects[i].At
		at.Text = "its expiry is set here"
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipTwoCalls, Other: at}}
	}
	return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipForever}}
}

// zeroTTL reports whether the time to live is a field that nothing sets: the zero that is
// left means no expiry.
func (t *taking) zeroTTL() bool {
	return t.m.Span != nil && slices.ContainsFunc(t.st.At.Common().Args, func(v ssa.Value) bool {
		load, ok := v.(*ssa.UnOp)
		return ok && load.Op == token.MUL && t.f.Get(v) == t.m.Span && t.f.Engine.Readings().NeverSet(load.X)
	})
}
