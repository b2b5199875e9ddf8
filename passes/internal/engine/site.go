package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// explore finds the section that begins at st and what it means for callers.
func (f *Family) explore(fn *ssa.Function, s *summary.Summary, st *summary.Site) {
	st.Func = fn
	s.Sites = append(s.Sites, st)
	m, ok := f.Engine.Acquire(st.Lock.Call)
	if !ok {
		return
	}
	if st.Direct && m.Section != nil {
		st.Closed = true
		st.Effects, _ = f.Apply(m.Section, []*term.T{}, st.Lock.At, summary.ByCallback)
	}
	if st.Closed {
		if opensParam(st.Effects, fn) && !f.computed(s, st, m, fn) || f.Engine.Idle(st) && opensParam(st.After, fn) {
			st.Wrapper = true
			s.Sections = append(s.Sections, f.Engine.section(s, st))
		}
		return
	}
	if _, async := st.At.(*ssa.Go); async && !f.awaited(st) {
		f.aloof(st)
		return
	}
	st.Mute = f.mute(st, m)
	if st.Sent == nil && st.Direct {
		st.Sent = f.sender(st.At)
	}
	match := f.matcher(st, m)
	releases := func(in ssa.Instruction) int {
		if d, ok := in.(*ssa.Defer); ok && f.failureOnly(d, match) {
			return -1
		}
		i := f.ReleaseIndex(s.Steps[in], match)
		if _, async := in.(*ssa.Go); async && f.Engine.TakenAnew(st, s.Steps[in], i) {
			return -1 // it gives back what it takes itself
		}
		return i
	}
	oracle := f.oracle(st, m)
	region := world.Explore(st.Start(), oracle, func(in ssa.Instruction) world.Verb {
		if _, ok := in.(*ssa.Call); ok {
			if i := releases(in); i >= 0 && s.Steps[in][i].Reach != summary.ByGoroutine {
				return world.Stop
			}
		}
		return world.Go
	})
	if region.Limit {
		st.Effects = append(st.Effects, summary.Effect{Why: lock.ReasonLimit, At: st.Lock.At})
	}
	st.Guarded = oracle.asked
	st.Region, st.Match = region, match
	f.gather(st, s, region, releases)
	st.Lock.Early = slices.Concat(st.Lock.Early, f.early(s, st))
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			// A release that was deferred before the acquire counts too.
			if d, ok := in.(*ssa.Defer); ok && releases(in) >= 0 && (d.Block().Dominates(st.Start().Block()) || code.Reaches(region, in)) {
				st.Note("deferred", s.Steps[in][releases(in)])
				st.Deferred = true
			}
		}
	}
	st.HeldOut = !st.Deferred && f.stillHeld(st, region, match)
	st.Skips = f.skips(s, st, m, oracle, region)
	st.Returned = f.returnsHandle(st, m, fn, match)
	st.Lent = st.HeldOut && f.handsEnd(st, fn, m)
	section := f.Engine.numbers(s, st.Effects)
	if fn.Signature.Results().Len() > 0 {
		// Hooks that are told of the lock are no work, where the caller is told as well.
		section = slices.DeleteFunc(slices.Clone(section), func(x summary.Effect) bool { return x.Open == summary.Value && x.Tells })
	}
	if st.HeldOut {
		section = slices.DeleteFunc(slices.Clone(section), func(x summary.Effect) bool {
			return x.Call != nil && x.Open == summary.Closed && notes(m, f.Engine.Reader.Of(x.Call))
		})
	}
	switch {
	case st.HeldOut && m.Scope == "transaction" && opensParam(st.Effects, fn) && !f.writes(section, m):
		// What fn was given runs in the transaction that the lock ends with.
		st.Wrapper = true
		s.Sections = append(s.Sections, f.Engine.section(s, st))
		return
	case st.HeldOut && (st.Returned || (len(st.Release) == 0 || f.undone(st) || f.givesUp(st, releases)) && (m.Row != nil && (m.Row.Stands || f.flags(fn, region)) || !f.Works(section, m) || f.returnsOwner(m, fn)) || st.Lent):
		// A record that stands until it is taken away is held on, whatever else fn does, and so is
		// what only the callers can give back, by the owner's value.
		st.Wrapper = fn.Name() != "main" && fn.Name() != "init"
	case !st.HeldOut && opensParam(st.Effects, fn) && !f.writes(section, m),
		!st.HeldOut && f.Engine.Idle(st) && opensParam(st.After, fn) && !f.writes(f.Engine.numbers(s, st.After), m): // given back too early
		st.Wrapper = true
		s.Sections = append(s.Sections, f.Engine.section(s, st))
		return
	}
	if st.Wrapper && m.Raw && !f.tells(fn, st, region) && !refused(st, oracle, region) && !(st.Mute && (st.Returned || f.returnsOwner(m, fn) || givenOwner(m) || NamesLock(fn.Name()))) {
		// The callers cannot know whether they have it: it is no lock to them, unless
		// that is the fault of a function that is about locks.
		st.Wrapper = false
	}
	if st.Wrapper {
		s.Holds = append(s.Holds, summary.Hold{Lock: st.Passed(), Facts: code.FactsOf(fn, region)})
	}
}

// flags reports whether fn tells by a flag in what it returns that the lock was taken.
func (f *Family) flags(fn *ssa.Function, region *world.Region) bool {
	return slices.ContainsFunc(code.FactsOf(fn, region), world.Fact.Tells)
}

// undone reports whether a function gives the lock back only where something else that
// belongs to taking it has failed, such as drawing the token that goes with it, and its
// callers are told that they have not got it. They must have something to release it by
// where they have: an object, another method of the receiver, or, going by the function's
// name, a function like it.
func (f *Family) undone(st *summary.Site) bool {
	if len(st.Freed) != len(st.Region.Stops) {
		return false // by a defer or a goroutine as well
	}
	hands := func(v *types.Var) bool { return !code.IsError(v.Type()) && !code.IsBasic(v.Type()) }
	if !slices.ContainsFunc(slices.Collect(st.Func.Signature.Results().Variables()), hands) && !NamesLock(st.Func.Name()) && len(f.Engine.Halves(st.Func)) == 0 {
		return false
	}
	told := code.FactsOf(st.Func, st.Region)
	refuses := func(in ssa.Instruction) bool {
		for i, v := range in.(*ssa.Return).Results {
			if fact := st.Region.Fact(v); fact.Contradicts(told[i]) {
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(st.Region.Stops, func(stop ssa.Instruction) bool {
		return !code.Failing(stop.Block()) && slices.ContainsFunc(st.Region.After, func(in ssa.Instruction) bool {
			_, ends := in.(*ssa.Return)
			return ends && code.CanReach(stop.Block(), in.Block(), nil) && !refuses(in)
		})
	})
}

// givesUp reports whether a lock is given back in fn only where it returns an error
// right away, and is held where it returns without having met one: who waits in a queue,
// and cannot wait any longer, leaves it.
func (f *Family) givesUp(st *summary.Site, releases func(ssa.Instruction) int) bool {
	if st.Deferred || !endsWithError(st.Func) {
		return false
	}
	if !slices.ContainsFunc(st.Region.Returns, func(ret *ssa.Return) bool { return !code.Failing(ret.Block()) }) {
		return false
	}
	for _, b := range st.Func.Blocks {
		i := slices.IndexFunc(b.Instrs, func(in ssa.Instruction) bool { return releases(in) >= 0 })
		if i < 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || isNilConst(ret.Results[len(ret.Results)-1]) || f.madeOf(ret.Results[len(ret.Results)-1], b.Instrs[i], 0) {
			return false // or only the release may fail
		}
	}
	return true
}

// madeOf reports whether a value is made of what an instruction yields.
func (f *Family) madeOf(v ssa.Value, in ssa.Instruction, depth int) bool {
	from, ok := v.(ssa.Instruction)
	if !ok || depth > MaxLooks {
		return false
	}
	made := func(x ssa.Value) bool { return f.madeOf(x, in, depth+1) }
	if a, ok := v.(*ssa.Alloc); ok {
		return slices.ContainsFunc(f.elems[a], made) || slices.ContainsFunc(f.Stores[a], made)
	}
	return from == in || slices.ContainsFunc(from.Operands(nil), func(op *ssa.Value) bool { return *op != nil && made(*op) })
}

func endsWithError(fn *ssa.Function) bool { return answersError(fn.Signature) }

func answersError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && code.IsError(sig.Results().At(n-1).Type())
}

func isNilConst(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// tells reports whether fn's results say if a general command found its key
// absent. That its error is nil says only that it was sent, unless fn makes an
// error of the refusal.
//
// A command that is queued has no answer yet: a bool that fn returns is then what
// its sender found out.
func (f *Family) tells(fn *ssa.Function, st *summary.Site, region *world.Region) bool {
	if call, ok := st.At.(*ssa.Call); ok && st.Direct && call.Referrers() != nil && len(*call.Referrers()) == 0 && returnsBool(fn) {
		return true
	}
	if fn.Signature.Results().Len() == 0 && st.Guarded && LoopBlocks(fn)[st.At.Block()] {
		return true // it comes back when it has the lock
	}
	for _, ret := range region.Returns {
		for _, v := range ret.Results {
			if below := st.At.Value(); !st.Direct && below != nil {
				given := f.Single(v)
				if x, ok := given.(*ssa.Extract); given == ssa.Value(below) || ok && x.Tuple == ssa.Value(below) {
					return true // as the wrapper below tells it
				}
			}
			if code.IsError(v.Type()) {
				// The database refuses an insert with an error, and so does a store of objects.
				m, _ := f.Engine.Acquire(st.Lock.Call)
				if st.Guarded && region.Fact(v).IsNil() || (m.Row != nil || m.Family == "object-store") && (st.Guarded || f.refusal(st, v)) {
					return true
				}
				continue
			}
			if st.Guarded && region.Fact(v).Definite() {
				return true
			}
			if t := f.Value(v); t != nil && t.Any(func(x *term.T) bool { return x == st.Term || x == st.Lock.Call }) {
				return true
			}
		}
	}
	return false
}

// refusal reports whether an error is the one by which a database refuses to
// insert a record, be it wrapped or handed on by a wrapper.
func (f *Family) refusal(st *summary.Site, err ssa.Value) bool {
	t := f.Value(err)
	return t != nil && t.Any(func(x *term.T) bool { return x == st.Term || x == st.Lock.Call })
}

// handsEnd reports whether a lock is given back by a goroutine only, and the
// caller gets the function that ends it: a cancel function is the release then.
func (f *Family) handsEnd(st *summary.Site, fn *ssa.Function, m meaning.Meaning) bool {
	if len(st.Freed) == 0 || slices.ContainsFunc(st.Freed, func(x summary.Effect) bool { return x.Reach != summary.ByGoroutine }) || f.writes(st.Effects, m) {
		return false
	}
	for v := range fn.Signature.Results().Variables() {
		if sig, ok := v.Type().Underlying().(*types.Signature); ok && sig.Params().Len() == 0 {
			return true
		}
	}
	return false
}

func returnsBool(fn *ssa.Function) bool {
	for v := range fn.Signature.Results().Variables() {
		if isBool(v.Type()) {
			return true
		}
	}
	return false
}

// Acquire returns the acquire meaning of a call.
func (e *Engine) Acquire(call *term.T) (meaning.Meaning, bool) {
	for _, m := range e.Reader.Of(call) {
		if m.Role == meaning.Acquire {
			return m, true
		}
	}
	return meaning.Meaning{}, false
}

// ofSame leaves of what a call through an interface may do what is done where the value in there is
// of the type that takes the lock: both are called on the same value.
func (f *Family) ofSame(st *summary.Site, in ssa.Instruction, list []summary.Effect) []summary.Effect {
	call, ok := in.(ssa.CallInstruction)
	at := st.At.Common()
	if !ok || st.Impl == "" || !at.IsInvoke() || !call.Common().IsInvoke() || f.Get(call.Common().Value) != f.Get(at.Value) || f.Get(at.Value).Kind == term.Unknown {
		return list
	}
	e := f.Engine
	var taker *types.TypeName
	for _, impl := range e.Implementations.Of(at) {
		if term.ShortName(e.Name(impl)) == st.Impl {
			taker = code.ReceiverOf(impl)
		}
	}
	var same, others []summary.Effect
	for _, impl := range e.Implementations.Of(call.Common()) {
		sum := e.Summary(impl)
		switch {
		case sum == nil:
		case code.ReceiverOf(impl) == taker:
			same = append(same, sum.Effects...)
		default:
			others = append(others, sum.Effects...)
		}
	}
	if taker == nil || len(same) == 0 || len(others) == 0 {
		return list // it may be inherited from a type inside
	}
	among := func(x summary.Effect, effects []summary.Effect) bool {
		return slices.ContainsFunc(effects, func(y summary.Effect) bool {
			if x.Memory != nil && y.Memory != nil {
				return x.Memory.Type == y.Memory.Type && x.Memory.Method == y.Memory.Method
			}
			return x.At == y.At
		})
	}
	return slices.DeleteFunc(slices.Clone(list), func(x summary.Effect) bool { return among(x, others) && !among(x, same) })
}

// gather collects the effects of the region.
func (f *Family) gather(st *summary.Site, s *summary.Summary, region *world.Region, releases func(ssa.Instruction) int) {
	lists := make(map[*ssa.BasicBlock][]summary.Effect)
	held := make(map[*ssa.BasicBlock]bool)
	except := st.Start().Block()
	if st.Kept = keptByLoop(region, s.Loops, except, releases); st.Kept {
		except = nil
	}
	add := func(in ssa.Instruction, list []summary.Effect) {
		b := in.Block()
		held[b] = true
		lists[b] = f.repeat(lists[b], list, b, s.Loops, except)
	}
	m, _ := f.Engine.Acquire(st.Lock.Call)
	apart := asides(st, s.Loops)
	// Only what is written there is left out: what else it does may be part of locking.
	aside := func(in ssa.Instruction) bool { return apart[in] && f.writes(s.Steps[in], m) }
	for _, in := range region.Held {
		if aside(in) && releases(in) < 0 {
			continue
		}
		list := f.ofSame(st, in, s.Steps[in])
		if send, ok := in.(*ssa.Send); ok && !code.IsError(send.X.Type()) && !slices.ContainsFunc(list, func(x summary.Effect) bool { return x.Signal != "" }) && !f.replies(send.Chan) {
			// Whoever receives works under the lock: "you are leader".
			st.Effects = append(st.Effects, summary.Effect{Why: lock.ReasonGoroutine, At: f.Frame(in, "")})
		}
		if f.signalsCaller(in) {
			st.Effects = append(st.Effects, summary.Effect{Why: lock.ReasonGoroutine, At: f.Frame(in, "")})
		}
		if i := releases(in); i >= 0 {
			switch in := in.(type) {
			case *ssa.Go, *ssa.Call:
				if run, ok := in.(*ssa.Go); !ok || !f.afterLoss(st, run) {
					st.Note("explicit", list[i])
				}
				list = carried(list)
			case *ssa.Defer:
				// What a deferred function does before it releases.
				list = f.Engine.until(st, list, i)
			}
		}
		add(in, list)
	}
	for _, in := range region.Stops {
		i := releases(in)
		list := s.Steps[in]
		st.Note("explicit", list[i])
		add(in, f.Engine.until(st, list, i))
	}
	f.Engine.spine(st.Start().Block(), lists, func(b *ssa.BasicBlock) bool { return held[b] })
	for _, b := range st.Func.Blocks {
		st.Effects = append(st.Effects, lists[b]...)
	}
	for _, in := range region.After {
		if !aside(in) {
			st.After = append(st.After, s.Steps[in]...)
		}
	}
	st.Effects = bound(st.Effects)
}

// keptByLoop reports whether a lock that is taken in a loop is given back by a defer in
// there: it is held until the function returns, through all turns that follow.
func keptByLoop(region *world.Region, loops []*summary.Loop, taken *ssa.BasicBlock, releases func(ssa.Instruction) int) bool {
	return slices.ContainsFunc(loops, func(l *summary.Loop) bool {
		return l.Body[taken] && slices.ContainsFunc(region.Held, func(in ssa.Instruction) bool {
			_, deferred := in.(*ssa.Defer)
			return deferred && l.Body[in.Block()] && releases(in) >= 0
		})
	})
}

// carried marks what a goroutine does that gives the lock back: the section
// goes on there.
func carried(list []summary.Effect) []summary.Effect {
	list = slices.Clone(list)
	for i := range list {
		list[i].Carried = true
	}
	return list
}

// opensParam reports whether an effect calls a parameter of fn (or of the
// functions around it): the caller decides what runs.
func opensParam(list []summary.Effect, fn *ssa.Function) bool {
	for _, x := range list {
		if x.Open == summary.Value && !x.Tells && IsArgument(x.Call.Args[0]) {
			return true
		}
	}
	return false
}

// IsArgument reports whether a function value is a parameter, or part of one: a
// struct of callbacks. Those of a method's receiver are known to whoever made
// that, not to the caller.
func IsArgument(fn *term.T) bool {
	part := false
	for fn.Kind == term.Field {
		fn, part = fn.Args[0], true
	}
	return fn.Kind == term.Param && !(part && fn.Index == 0 && strings.HasPrefix(fn.Name, "("))
}

// writes reports whether the section of a lock has writes of its own in view. A
// general command such as a delete is taken for bookkeeping in the lock's store
// only, and where the lock is a record, in what that is kept in.
func (f *Family) writes(list []summary.Effect, lock meaning.Meaning) bool {
	for _, x := range list {
		if x.Memory != nil {
			if f.Engine.Keeps(x.Memory) {
				return true
			}
			continue
		}
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		own, general, write := false, false, false
		elsewhere := false // than the record that is the lock
		for _, m := range f.Engine.Reader.Of(x.Call) {
			switch m.Role {
			case meaning.Acquire, meaning.Release, meaning.Renew:
				own = own || !m.Raw
				general = general || m.Family == lock.Family
			case meaning.Write:
				if lock.Handle != nil && m.Write.Key == lock.Handle {
					continue // what the lock itself says: a leader's proclamation
				}
				write = true
				elsewhere = elsewhere || lock.Row != nil && m.Write.Resource != lock.Row.Resource
			}
		}
		if write && !own && !(general && !elsewhere) {
			return true
		}
	}
	return false
}

// Works reports whether a section does what locks are taken for. Log lines,
// reads and the lock's own bookkeeping are not that, and what a goroutine does
// from then on (it keeps the lock alive) is not what its starter took it for.
func (f *Family) Works(list []summary.Effect, lock meaning.Meaning) bool {
	list = slices.DeleteFunc(slices.Clone(list), func(x summary.Effect) bool { return x.Reach == summary.ByGoroutine })
	return slices.ContainsFunc(list, func(x summary.Effect) bool { return x.Open != summary.Closed }) || f.writes(list, lock)
}

// givenOwner reports whether key and owner value of a lock are the caller's, who has then
// what it takes to give it back. That he does is a matter of evidence.
func givenOwner(m meaning.Meaning) bool {
	if m.Key == nil || m.Value == nil {
		return false
	}
	owner := m.Value
	for owner.Kind == term.Field {
		owner = owner.Args[0]
	}
	return owner.Kind == term.Param && m.Key.Open()
}

// returnsOwner reports whether fn gives its caller the value that it has stored to tell
// its lock from that of others, be it in an object.
func (f *Family) returnsOwner(m meaning.Meaning, fn *ssa.Function) bool {
	if m.Value == nil || m.Value.Kind != term.Call && m.Value.Kind != term.Result && m.Value.Kind != term.Op {
		return false // not made here
	}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			t := f.Value(v)
			return t != nil && !code.IsError(v.Type()) && t.Any(func(x *term.T) bool { return x == m.Value })
		}) {
			return true
		}
	}
	return false
}

// returnsHandle reports whether fn gives its caller the handle, or a function
// that releases the lock.
func (f *Family) returnsHandle(st *summary.Site, m meaning.Meaning, fn *ssa.Function, match func(summary.Effect) bool) bool {
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, v := range ret.Results {
			if code.IsError(v.Type()) {
				continue
			}
			if _, basic := v.Type().Underlying().(*types.Basic); basic {
				continue
			}
			t := f.Value(v)
			if t == nil {
				continue
			}
			if t.Any(func(x *term.T) bool {
				if x == st.Term || m.Handle != nil && x == m.Handle {
					return true
				}
				if x.Kind == term.Closure || x.Kind == term.Func {
					if sum := f.Engine.named(x.Name); sum != nil {
						effects, _ := f.instantiate(sum.Effects, f.binding(closureBinder(x, nil)), lock.Frame{}, summary.ByCall)
						return f.ReleaseIndex(effects, match) >= 0
					}
				}
				return false
			}) {
				return true
			}
		}
	}
	return false
}
