package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
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
	return t.f.lost(t.st, t.m, broken, func(in ssa.Instruction) bool {
		// What is found where it looks may tell that the lock is its own, and where it
		// asks again it goes by that answer.
		return t.looks(in) || slices.ContainsFunc(t.f.sums[t.st.fn].sites, func(other *site) bool {
			return other != t.st && in == ssa.Instruction(other.at) && t.sameAs(other)
		})
	})
}

// looks reports whether an instruction reads the record that the acquire writes: the
// node that is there already, the row that is held.
func (t *taking) looks(in ssa.Instruction) bool {
	_, ok := in.(*ssa.Call)
	return ok && in != ssa.Instruction(t.st.at) && slices.ContainsFunc(t.f.sums[t.st.fn].steps[in], func(x Effect) bool {
		return x.Call != nil && t.f.e.reads(x.Call, t.f.e.recordsOf(t.st.lock.Call))
	})
}

// recordsOf lists the resources that an acquire writes.
func (e *Engine) recordsOf(acquire *term.T) []string {
	var out []string
	for _, m := range e.reader.Of(acquire) {
		if m.Role == meaning.Write {
			out = append(out, m.Write.Resource)
		}
	}
	return out
}

// reads reports whether a call reads one of the resources.
func (e *Engine) reads(call *term.T, resources []string) bool {
	return slices.ContainsFunc(e.reader.Of(call), func(m meaning.Meaning) bool {
		return slices.ContainsFunc(queried(m), func(name string) bool { return slices.Contains(resources, name) })
	})
}

// asks finds what is wrong with how the answer of the acquire is taken.
func (e *Engine) asks(t *taking) []lock.Slip {
	if t.st.region == nil || len(t.u.Via) > maxVia {
		return nil
	}
	if t.m.Row != nil && t.m.Raw {
		// Known by signs only: what is done to put things back after a refused
		// insert cannot be told from the section.
		return nil
	}
	if t.st.mute && !t.m.Raw && t.readsBack() {
		return nil
	}
	if t.m.GivesUp && t.st.direct {
		if t.mistaken(t.denied(false)) {
			return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipRefused}}
		}
	}
	if t.mayFail() {
		broken := t.denied(true)
		if ret := t.welcomed(broken); ret != nil {
			slip := lock.Slip{Frame: t.f.frame(ret, ""), Kind: lock.SlipOpen, Other: t.u.Acquire}
			if t.optional() {
				slip.Detail = "optional"
			}
			return []lock.Slip{slip}
		}
		if at := t.regardless(broken); at.IsValid() {
			return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUnasked, Other: at}}
		}
	}
	if t.answers() {
		if at := t.regardless(t.denied(false)); at.IsValid() {
			return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipUnasked, Other: at}}
		}
	}
	return t.untold()
}

// answers reports whether the acquire returns a bool of its own, or an object that
// tells one. Other values may have come with an error.
func (t *taking) answers() bool {
	v, ok := t.st.at.(ssa.Value)
	if !ok {
		return false
	}
	if t.m.Deaf && len(t.st.lock.chain) > 0 {
		return false // told in the wrapper, whose callers cannot ask
	}
	if t.m.Deaf || t.st.mute {
		return true
	}
	results := t.st.at.Common().Signature().Results()
	for i := range results.Len() {
		if b, ok := results.At(i).Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool {
			return true
		}
	}
	return t.st.direct && strings.Contains(v.Type().String(), "Bool")
}

// mayFail reports whether the acquire tells an error: one is read, or it is the
// only answer.
func (t *taking) mayFail() bool {
	if t.f.tellsError(t.st, t.m) {
		return true
	}
	results := t.st.at.Common().Signature().Results()
	n := results.Len()
	return n > 0 && isError(results.At(n-1).Type()) && !t.answers() && !(t.st.direct && t.m.Raw)
}

// welcomed returns a way out of a wrapper on which the caller is told that the
// lock is held although the store could not be asked.
func (t *taking) welcomed(denied *world.Region) *ssa.Return {
	if !t.st.wrapper || !t.st.heldOut {
		return nil
	}
	told := factsOf(t.st.fn, t.st.region)
	for _, ret := range denied.Returns {
		same := len(told) > 0
		for i, v := range ret.Results {
			same = same && denied.Fact(v).Same(told[i])
		}
		if same && !won(t.st.region, ret) {
			return ret
		}
	}
	return nil
}

// optional reports whether a wrapper tells success without a lock by design: on a
// way that never comes to the acquire, where no store is configured say.
func (t *taking) optional() bool {
	told := factsOf(t.st.fn, t.st.region)
	for _, b := range t.st.fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || len(told) == 0 || canReach(t.st.at.Block(), b, nil) || b == t.st.at.Block() {
			continue
		}
		same := true
		for i, v := range ret.Results {
			same = same && isConstant(v) && t.st.region.Fact(v).Same(told[i])
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
	return t.st.wrapper && slices.ContainsFunc(denied.Returns, func(ret *ssa.Return) bool {
		n := len(ret.Results)
		return n > 0 && isError(ret.Results[n-1].Type()) && denied.Fact(ret.Results[n-1]).IsNil() && won(t.st.region, ret) && (kept || !t.hands(ret))
	})
}

// asksContext reports whether the function asks a context, after the acquire, whether it
// has ended: that is what an acquire gives up for.
func (t *taking) asksContext() bool {
	for _, b := range t.st.fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.Call); ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Err" && isContext(c.Call.Value.Type()) && before(t.st.at, c) && isCompared(c) {
				return true
			}
		}
	}
	return false
}

// keptUnasked reports whether what the acquire answers is kept where only code in view
// finds it, and none of that asks whether it is nil.
func (t *taking) keptUnasked() bool {
	call, ok := t.st.at.(*ssa.Call)
	if !ok {
		return false
	}
	list, escapes := t.f.carriers(resultOf(call, 0))
	return !escapes && !slices.ContainsFunc(list, isCompared)
}

// isCompared reports whether a value is compared with anything.
func isCompared(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool { _, ok := r.(*ssa.BinOp); return ok })
}

// hands reports whether a return gives on what the acquire answered.
func (t *taking) hands(ret *ssa.Return) bool {
	return slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
		return !isError(v.Type()) && t.f.get(v).Any(func(x *term.T) bool { return x == t.st.callTerm })
	})
}

// regardless returns where the work of the section runs although the lock was not
// taken. Nothing is said where the answer goes on to other code, which may ask.
func (t *taking) regardless(denied *world.Region) lock.Frame {
	if denied.Limit || t.st.wrapper && t.st.heldOut || !t.st.mute && t.passedOn() {
		return lock.Frame{}
	}
	return t.inSpite(denied)
}

// inSpite returns where work of the section runs in the world where the lock was not taken.
func (t *taking) inSpite(denied *world.Region) lock.Frame {
	steps := t.f.sums[t.st.fn].steps
	inSection := make(map[ssa.Instruction]bool)
	for _, in := range t.st.region.Held {
		inSection[in] = true
	}
	for _, in := range denied.Held {
		if !inSection[in] || !slices.ContainsFunc(steps[in], t.guarded) {
			continue
		}
		if _, ok := in.(*ssa.Go); ok || t.follows(in, denied) {
			continue
		}
		return t.f.frame(in, "runs all the same")
	}
	if !t.alike(denied) {
		return lock.Frame{}
	}
	for _, in := range denied.Held {
		if _, ok := in.(*ssa.Call); ok && inSection[in] && slices.ContainsFunc(steps[in], t.perhaps) {
			return t.f.frame(in, "runs all the same")
		}
	}
	return lock.Frame{}
}

// alike reports whether the loser runs every call that the holder runs, but for logs
// and the release.
func (t *taking) alike(denied *world.Region) bool {
	steps := t.f.sums[t.st.fn].steps
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	return !slices.ContainsFunc(t.st.region.Held, func(in ssa.Instruction) bool {
		call, ok := in.(ssa.CallInstruction)
		return ok && !refused[in] && !logs(call.Common()) && t.f.releaseIndex(steps[in], t.st.match) < 0
	})
}

// perhaps reports whether an effect may be what a lock is taken for: a call whose
// callee is out of sight. One such call may as well tell or measure something, so it
// counts only where the loser does all that the holder does.
func (t *taking) perhaps(x Effect) bool {
	switch {
	case x.Own, x.Call == nil:
		return false
	case x.Open == Dynamic:
		return x.Why == lock.ReasonInterface
	}
	return x.Open == Value && !x.Tells && !x.Yields && t.f.e.hidden(x) != ""
}

// follows reports whether an instruction comes after a loop that looks for a lock
// to take among several, and that does work of its own where it has got one: what
// is done at the end of the round is not what the lock is for.
func (t *taking) follows(in ssa.Instruction, denied *world.Region) bool {
	if !slices.ContainsFunc(t.f.sums[t.st.fn].loops, func(l *loop) bool { return l.body[t.st.at.Block()] && !l.body[in.Block()] }) {
		return false
	}
	refused := make(map[ssa.Instruction]bool)
	for _, in := range denied.Held {
		refused[in] = true
	}
	return slices.ContainsFunc(t.st.region.Held, func(in ssa.Instruction) bool {
		_, async := in.(*ssa.Go)
		return !refused[in] && (async || slices.ContainsFunc(t.f.sums[t.st.fn].steps[in], t.guarded))
	})
}

// guarded reports whether an effect is what a lock is taken for.
func (t *taking) guarded(x Effect) bool {
	switch {
	case x.Own:
		return false
	case x.Memory != nil:
		return true
	case x.Open == Value:
		return !x.Tells && x.Call.Args[0].Kind == term.Param && t.f.e.hidden(x) != ""
	case x.Call == nil || x.Open != Closed:
		return false
	}
	ms := t.f.e.reader.Of(x.Call)
	return slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Write }) && !t.f.e.own(t.st, t.m, x, ms)
}

// passedOn reports whether the acquire's answer is used for more than a branch:
// stored in an object, or given to a function that is more than a log.
// What only a deferred function reads comes too late to count.
func (t *taking) passedOn() bool {
	v, ok := t.st.at.(ssa.Value)
	return ok && t.f.passedOn(v, make(map[ssa.Value]bool))
}

// passedOn asks that of one value; those in seen, which a variable may have come back
// to, are asked already.
func (f *family) passedOn(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	if v.Referrers() == nil {
		return true
	}
	answer := isError(v.Type()) || isBasic(v.Type())
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef, *ssa.If, *ssa.Defer, *ssa.Go, *ssa.FieldAddr, *ssa.Return:
		case *ssa.Extract:
			if f.passedOn(r, seen) {
				return true
			}
		case *ssa.BinOp:
			if !isConstant(r.Y) && !isConstant(r.X) {
				return true
			}
		case *ssa.UnOp, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.Phi:
			if f.passedOn(r.(ssa.Value), seen) {
				return true
			}
		case *ssa.Store:
			if r.Val != v {
				continue
			}
			if _, variadic := r.Addr.(*ssa.IndexAddr); variadic {
				continue // an argument for a log or an error's text
			}
			a, local := f.base(r.Addr).(*ssa.Alloc)
			if !local || answer && f.readElsewhere(a, seen) {
				return true
			}
		case *ssa.Call:
			if !answer {
				entry := f.e.reader.Entry(f.callTerm(r.Common(), r.Pos()))
				if entry != nil && entry.Reads != nil && f.passedOn(r, seen) {
					return true
				}
				continue
			}
			if entry := f.e.reader.Entry(f.callTerm(r.Common(), r.Pos())); entry == nil {
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

func isConstant(v ssa.Value) bool { _, ok := v.(*ssa.Const); return ok }

// readElsewhere reports whether what a variable holds is passed on, or read by a
// closure that is not just deferred.
func (f *family) readElsewhere(a *ssa.Alloc, seen map[ssa.Value]bool) bool {
	for _, r := range *a.Referrers() {
		if load, ok := r.(*ssa.UnOp); ok && f.passedOn(load, seen) {
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
func (e *Engine) expires(t *taking) []lock.Slip {
	if !t.st.direct || !t.m.Raw || t.m.Kind != lock.Lease || t.m.TTL.Source != "none" {
		return nil
	}
	if t.m.Row != nil {
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipForever}}
	}
	// Other stores keep the end in what they store.
	if t.m.Family != "redis" {
		return nil
	}
	if i := slices.IndexFunc(t.st.effects, func(x Effect) bool { return e.prolongs(x, t.m) }); i >= 0 {
		at := t.st.effects[i].At
		at.Text = "its expiry is set here"
		return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipTwoCalls, Other: at}}
	}
	return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipForever}}
}

// prolongs reports whether an effect moves the end of the very lock that m takes.
func (e *Engine) prolongs(x Effect, m meaning.Meaning) bool {
	return x.Call != nil && x.Open == Closed && slices.ContainsFunc(e.reader.Of(x.Call), func(r meaning.Meaning) bool {
		return r.Role == meaning.Renew && r.Family == m.Family && e.pool.Alike(r.Key, m.Key)
	})
}
