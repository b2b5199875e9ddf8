package engine

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// A site is one place in one function where a lock is taken: a library call,
// or the call of a wrapper that leaves a lock held or runs a callback under it.
type site struct {
	fn       *ssa.Function
	at       ssa.CallInstruction
	sent     ssa.CallInstruction // sends what the acquire queues, where that is another call
	lock     Acquired
	callTerm *term.T      // the call at this place
	told     *signs       // of a site in another package: all that is known of it
	direct   bool         // a library call
	impl     string       // of the interface method that is called; empty: of none
	facts    []world.Fact // of the call's results, where a wrapper took the lock
	closed   bool         // taken and released by the callee; effects are its section's

	effects  []Effect   // in the section
	after    []Effect   // after the release
	release  []string   // how it is released here
	freed    []Effect   // the releases
	late     lock.Frame // where what the section writes is committed, if that is after the release
	heldOut  bool       // still held at a return
	wrapper  bool       // taken for the callers
	guarded  bool       // the outcome decides a branch
	skips    bool       // the loser returns without error
	deferred bool
	kept     bool // taken and deferred in a loop: held through the turns that follow
	returned bool // the handle, or a function that releases, is returned
	mute     bool // nothing is read of the answer that would tell a refusal
	lent     bool // a goroutine releases when the function that the caller gets says so

	// What explore found, for those that look closer afterwards; nil where the
	// callee has the section.
	region *world.Region
	match  func(Effect) bool // whether an effect releases the lock
}

// recorded is a use with what it was made from.
type recorded struct {
	use  *lock.Use
	st   *site
	lock meaning.Meaning
}

// start is the instruction with which the lock is taken.
func (st *site) start() ssa.CallInstruction {
	if st.sent != nil {
		return st.sent
	}
	return st.at
}

// explore finds the section that begins at st and what it means for callers.
func (f *family) explore(fn *ssa.Function, s *Summary, st *site) {
	st.fn = fn
	s.sites = append(s.sites, st)
	m, ok := f.e.acquire(st.lock.Call)
	if !ok {
		return
	}
	if st.direct && m.Section != nil {
		st.closed = true
		st.effects, _ = f.apply(m.Section, []*term.T{}, st.lock.At, ByCallback)
	}
	if st.closed {
		if opensParam(st.effects, fn) && !f.computed(st, m, fn) || f.e.idle(st) && opensParam(st.after, fn) {
			st.wrapper = true
			s.Sections = append(s.Sections, st.section())
		}
		return
	}
	st.mute = f.mute(st, m)
	if st.sent == nil && st.direct {
		st.sent = f.sender(st.at)
	}
	match := f.matcher(st, m)
	releases := func(in ssa.Instruction) int {
		if d, ok := in.(*ssa.Defer); ok && f.failureOnly(d, match) {
			return -1
		}
		return f.releaseIndex(s.steps[in], match)
	}
	oracle := f.oracle(st, m)
	region := world.Explore(st.start(), oracle, func(in ssa.Instruction) world.Verb {
		if _, ok := in.(*ssa.Call); ok {
			if i := releases(in); i >= 0 && s.steps[in][i].Reach != ByGoroutine {
				return world.Stop
			}
		}
		return world.Go
	})
	if region.Limit {
		st.effects = append(st.effects, Effect{Why: lock.ReasonLimit, At: st.lock.At})
	}
	st.guarded = oracle.asked
	st.region, st.match = region, match
	f.gather(st, s, region, releases)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			// A release that was deferred before the acquire counts too.
			if d, ok := in.(*ssa.Defer); ok && releases(in) >= 0 && (d.Block().Dominates(st.start().Block()) || reaches(region, in)) {
				st.note("deferred", s.steps[in][releases(in)])
				st.deferred = true
			}
		}
	}
	st.heldOut = len(region.Returns) > 0 && !st.deferred
	st.skips = f.skips(s, st, m, oracle, region)
	st.returned = f.returnsHandle(st, m, fn, match)
	st.lent = st.heldOut && f.handsEnd(st, fn, m)
	section := f.e.numbers(s, st.effects)
	switch {
	case st.heldOut && (st.returned || (len(st.release) == 0 || f.undone(st) || f.givesUp(st, releases)) && (m.Raw && m.Row != nil || !f.works(section, m)) || st.lent):
		// A record that stands until it is taken away is held on, whatever else fn does.
		st.wrapper = fn.Name() != "main" && fn.Name() != "init"
	case !st.heldOut && opensParam(st.effects, fn) && !f.writes(section, m),
		!st.heldOut && f.e.idle(st) && opensParam(st.after, fn) && !f.writes(f.e.numbers(s, st.after), m): // given back too early
		st.wrapper = true
		s.Sections = append(s.Sections, st.section())
		return
	}
	if st.wrapper && m.Raw && !f.tells(fn, st, region) && !refused(st, oracle, region) && !(st.mute && (st.returned || f.returnsOwner(m, fn) || NamesLock(fn.Name()))) {
		// The callers cannot know whether they have it: it is no lock to them, unless
		// that is the fault of a function that is about locks.
		st.wrapper = false
	}
	if st.wrapper {
		s.Holds = append(s.Holds, Hold{Lock: st.passed(), Facts: factsOf(fn, region)})
	}
}

// undone reports whether a function gives the lock back only where something else that
// belongs to taking it has failed, such as drawing the token that goes with it, and its
// callers are told that they have not got it. They must have something to release it by
// where they have: an object, another method of the receiver, or, going by the function's
// name, a function like it.
func (f *family) undone(st *site) bool {
	if len(st.freed) != len(st.region.Stops) {
		return false // by a defer or a goroutine as well
	}
	hands := func(v *types.Var) bool { return !isError(v.Type()) && !isBasic(v.Type()) }
	if !slices.ContainsFunc(slices.Collect(st.fn.Signature.Results().Variables()), hands) && !NamesLock(st.fn.Name()) && len(f.e.halves(st.fn)) == 0 {
		return false
	}
	told := factsOf(st.fn, st.region)
	refuses := func(in ssa.Instruction) bool {
		for i, v := range in.(*ssa.Return).Results {
			if fact := st.region.Fact(v); fact.Definite() && told[i].Definite() && !fact.Same(told[i]) {
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(st.region.Stops, func(stop ssa.Instruction) bool {
		return !failing(stop.Block()) && slices.ContainsFunc(st.region.After, func(in ssa.Instruction) bool {
			_, ends := in.(*ssa.Return)
			return ends && canReach(stop.Block(), in.Block(), nil) && !refuses(in)
		})
	})
}

// givesUp reports whether a lock is given back in fn only where it returns an error
// right away, and is held where it returns without having met one: who waits in a queue,
// and cannot wait any longer, leaves it.
func (f *family) givesUp(st *site, releases func(ssa.Instruction) int) bool {
	if st.deferred || !endsWithError(st.fn) {
		return false
	}
	if !slices.ContainsFunc(st.region.Returns, func(ret *ssa.Return) bool { return !failing(ret.Block()) }) {
		return false
	}
	for _, b := range st.fn.Blocks {
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
func (f *family) madeOf(v ssa.Value, in ssa.Instruction, depth int) bool {
	from, ok := v.(ssa.Instruction)
	if !ok || depth > maxLooks {
		return false
	}
	made := func(x ssa.Value) bool { return f.madeOf(x, in, depth+1) }
	if a, ok := v.(*ssa.Alloc); ok {
		return slices.ContainsFunc(slices.Collect(maps.Values(f.elems[a])), made) || slices.ContainsFunc(f.stores[a], made)
	}
	return from == in || slices.ContainsFunc(from.Operands(nil), func(op *ssa.Value) bool { return *op != nil && made(*op) })
}

func endsWithError(fn *ssa.Function) bool {
	n := fn.Signature.Results().Len()
	return n > 0 && isError(fn.Signature.Results().At(n-1).Type())
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
func (f *family) tells(fn *ssa.Function, st *site, region *world.Region) bool {
	if call, ok := st.at.(*ssa.Call); ok && st.direct && call.Referrers() != nil && len(*call.Referrers()) == 0 && returnsBool(fn) {
		return true
	}
	if fn.Signature.Results().Len() == 0 && st.guarded && loopBlocks(fn)[st.at.Block()] {
		return true // it comes back when it has the lock
	}
	for _, ret := range region.Returns {
		for _, v := range ret.Results {
			if below := st.at.Value(); !st.direct && below != nil {
				given := f.single(v)
				if x, ok := given.(*ssa.Extract); given == ssa.Value(below) || ok && x.Tuple == ssa.Value(below) {
					return true // as the wrapper below tells it
				}
			}
			if isError(v.Type()) {
				// The database refuses an insert with an error.
				m, _ := f.e.acquire(st.lock.Call)
				if st.guarded && region.Fact(v).IsNil() || m.Row != nil && (st.guarded || f.refusal(st, v)) {
					return true
				}
				continue
			}
			if st.guarded && region.Fact(v).Definite() {
				return true
			}
			if t := f.value(v); t != nil && t.Any(func(x *term.T) bool { return x == st.callTerm || x == st.lock.Call }) {
				return true
			}
		}
	}
	return false
}

// refusal reports whether an error is the one by which a database refuses to
// insert a record, be it wrapped or handed on by a wrapper.
func (f *family) refusal(st *site, err ssa.Value) bool {
	t := f.value(err)
	return t != nil && t.Any(func(x *term.T) bool { return x == st.callTerm || x == st.lock.Call })
}

// handsEnd reports whether a lock is given back by a goroutine only, and the
// caller gets the function that ends it: a cancel function is the release then.
func (f *family) handsEnd(st *site, fn *ssa.Function, m meaning.Meaning) bool {
	if len(st.freed) == 0 || slices.ContainsFunc(st.freed, func(x Effect) bool { return x.Reach != ByGoroutine }) || f.writes(st.effects, m) {
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

// section is the section as callers get it, where the callee takes the lock for
// a function that they pass.
func (st *site) section() Section {
	return Section{Lock: st.passed(), Effects: st.effects, After: st.after, Release: st.release}
}

// passed is the lock as callers get it, with st among the sites on the way.
func (st *site) passed() Acquired {
	a := st.lock
	a.chain = append(a.chain[:len(a.chain):len(a.chain)], st)
	return a
}

// acquire returns the acquire meaning of a call.
func (e *Engine) acquire(call *term.T) (meaning.Meaning, bool) {
	for _, m := range e.reader.Of(call) {
		if m.Role == meaning.Acquire {
			return m, true
		}
	}
	return meaning.Meaning{}, false
}

func (st *site) note(how string, x Effect) {
	st.freed = append(st.freed, x)
	for _, r := range st.release {
		if r == how {
			return
		}
	}
	st.release = append(st.release, how)
}

// gather collects the effects of the region.
func (f *family) gather(st *site, s *Summary, region *world.Region, releases func(ssa.Instruction) int) {
	lists := make(map[*ssa.BasicBlock][]Effect)
	held := make(map[*ssa.BasicBlock]bool)
	except := st.start().Block()
	if st.kept = keptByLoop(region, s.loops, except, releases); st.kept {
		except = nil
	}
	add := func(in ssa.Instruction, list []Effect) {
		b := in.Block()
		held[b] = true
		lists[b] = append(lists[b], f.repeat(list, b, s.loops, except)...)
	}
	for _, in := range region.Held {
		list := s.steps[in]
		if send, ok := in.(*ssa.Send); ok && !isError(send.X.Type()) && len(list) == 0 && !f.replies(send) {
			// Whoever receives works under the lock: "you are leader".
			st.effects = append(st.effects, Effect{Why: lock.ReasonGoroutine, At: f.frame(in, "")})
		}
		if f.signalsCaller(in) {
			st.effects = append(st.effects, Effect{Why: lock.ReasonGoroutine, At: f.frame(in, "")})
		}
		if i := releases(in); i >= 0 {
			switch in.(type) {
			case *ssa.Go, *ssa.Call:
				st.note("explicit", list[i])
				list = carried(list)
			case *ssa.Defer:
				// What a deferred function does before it releases.
				list = f.e.until(st, list, i)
			}
		}
		add(in, list)
	}
	for _, in := range region.Stops {
		i := releases(in)
		list := s.steps[in]
		st.note("explicit", list[i])
		add(in, f.e.until(st, list, i))
	}
	f.e.spine(st.start().Block(), lists, func(b *ssa.BasicBlock) bool { return held[b] })
	for _, b := range st.fn.Blocks {
		st.effects = append(st.effects, lists[b]...)
	}
	for _, in := range region.After {
		st.after = append(st.after, s.steps[in]...)
	}
	st.effects = bound(st.effects)
}

// keptByLoop reports whether a lock that is taken in a loop is given back by a defer in
// there: it is held until the function returns, through all turns that follow.
func keptByLoop(region *world.Region, loops []*loop, taken *ssa.BasicBlock, releases func(ssa.Instruction) int) bool {
	return slices.ContainsFunc(loops, func(l *loop) bool {
		return l.body[taken] && slices.ContainsFunc(region.Held, func(in ssa.Instruction) bool {
			_, deferred := in.(*ssa.Defer)
			return deferred && l.body[in.Block()] && releases(in) >= 0
		})
	})
}

// carried marks what a goroutine does that gives the lock back: the section
// goes on there.
func carried(list []Effect) []Effect {
	list = slices.Clone(list)
	for i := range list {
		list[i].Carried = true
	}
	return list
}

func reaches(region *world.Region, in ssa.Instruction) bool {
	for _, x := range region.Held {
		if x == in {
			return true
		}
	}
	return false
}

// releaseIndex finds the effect that releases the lock, or -1.
func (f *family) releaseIndex(list []Effect, match func(Effect) bool) int {
	for i := range list {
		if match(list[i]) {
			return i
		}
	}
	return -1
}

// matcher reports whether an effect releases the lock taken at st.
func (f *family) matcher(st *site, m meaning.Meaning) func(Effect) bool {
	p := f.e.pool
	ours := func(t *term.T) bool {
		// Something that the wrapper's call returned, in whatever form.
		return t != nil && !st.direct && t.Any(func(x *term.T) bool { return x == st.callTerm })
	}
	same := func(x, y *term.T) bool {
		for _, a := range x.Alts() {
			for _, b := range y.Alts() {
				if p.Alike(a, b) {
					return true
				}
			}
		}
		return false
	}
	// A lock object that keeps its key: taken and released through the same
	// object, with a key that comes from it. What an object has read somewhere comes
	// from it as well, so that the key which was taken has to, too.
	object := func(x Effect, key *term.T) bool {
		if len(x.From) == 0 || len(st.lock.From) == 0 {
			return false
		}
		if key != nil && key.Kind == term.List && len(key.Args) == 1 {
			key = key.Args[0]
		}
		for _, a := range x.From {
			for _, b := range st.lock.From {
				if p.Alike(a, b) && (unknownKey(key) || key.IsZero() || comesFrom(key, a) && (unknownKey(m.Key) || comesFrom(m.Key, b))) {
					return true
				}
			}
		}
		return false
	}
	// Something that lies in a map or slice in which the lock was put, whichever
	// element that is.
	kept := func(t *term.T) bool {
		mine := func(v *term.T) bool {
			return v.Any(func(x *term.T) bool { return x == st.callTerm || x == st.lock.Call || m.Handle != nil && x == m.Handle })
		}
		return t != nil && t.Any(func(x *term.T) bool {
			if x.Kind != term.Elem {
				return false
			}
			for at, values := range f.locations() {
				if at.of == x.Args[0] && at.index != nil && slices.ContainsFunc(values, mine) {
					return true
				}
			}
			return false
		})
	}
	return func(x Effect) bool {
		if x.Call == nil {
			return false
		}
		if x.Open == Value {
			// unlock(): a function that the wrapper returned.
			fn := x.Call.Args[0]
			return ours(fn) || st.direct && fn.Any(func(t *term.T) bool { return t == st.callTerm })
		}
		if x.Open == Dynamic {
			return false
		}
		if m.Scope == "transaction" && f.e.ends(x, m.On) {
			return true // the lock goes with it
		}
		for _, r := range f.e.reader.Of(x.Call) {
			if r.Role != meaning.Release || r.Family != m.Family && m.Row == nil {
				continue
			}
			switch {
			case r.Handle != nil && (same(r.Handle, m.Handle) || ours(r.Handle) || kept(r.Handle)),
				r.Session && r.Handle != nil && (same(r.Handle, m.Parent) || within(m.Parent, r.Handle) || m.Parent != nil && within(r.Handle, m.Parent)),
				r.Session && r.Handle == nil && r.Key == nil && r.Library == m.Library,
				object(x, r.Key),
				m.Kind == lock.Advisory && (unknownKey(r.Key) || unknownKey(m.Key)) && r.Library == m.Library && same(r.On, m.On),
				r.Key != nil && m.Key != nil && (same(r.Key, m.Key) || within(r.Key, m.Key)) && (r.Handle == nil || m.Handle == nil || same(r.Handle, m.Handle)):
				return true
			}
		}
		if m.Row != nil {
			return f.releasesRow(x.Call, m)
		}
		return false
	}
}

func comesFrom(key, object *term.T) bool {
	return key.Any(func(t *term.T) bool { return t == object })
}

// unknownKey reports whether a key could not be read.
func unknownKey(k *term.T) bool { return k == nil || k.Kind == term.Unknown }

// within reports whether list is a List that holds x (DEL of several keys).
func within(list, x *term.T) bool {
	if list == nil || x == nil || list.Kind == term.Unknown || x.Kind == term.Unknown {
		return false
	}
	return list.Any(func(t *term.T) bool { return t == x })
}

// releasesRow reports whether a statement gives a lease row back: it deletes
// it or lets it expire.
func (f *family) releasesRow(call *term.T, m meaning.Meaning) bool {
	for _, w := range f.e.reader.Of(call) {
		if w.Role != meaning.Write || w.Write.Resource != m.Row.Resource {
			continue
		}
		if w.Write.Deletes() {
			return true
		}
		for _, s := range w.Write.Sets {
			for _, a := range m.Row.Sets {
				// Nobody, or no time at all, ends it in the columns for these only.
				told := s.Column == m.Row.Expiry || m.Value != nil && a.Value == m.Value || !isConst(s.Value, "", "0", "false")
				if s.Column == a.Column && s.Value != a.Value && frees(s.Value) && told {
					return true
				}
			}
		}
	}
	return false
}

// opensParam reports whether an effect calls a parameter of fn (or of the
// functions around it): the caller decides what runs.
func opensParam(list []Effect, fn *ssa.Function) bool {
	for _, x := range list {
		if x.Open == Value && !x.Tells && isArgument(x.Call.Args[0]) {
			return true
		}
	}
	return false
}

// isArgument reports whether a function value is a parameter, or part of one: a
// struct of callbacks. Those of a method's receiver are known to whoever made
// that, not to the caller.
func isArgument(fn *term.T) bool {
	part := false
	for fn.Kind == term.Field {
		fn, part = fn.Args[0], true
	}
	return fn.Kind == term.Param && !(part && fn.Index == 0 && strings.HasPrefix(fn.Name, "("))
}

// writes reports whether the section of a lock has writes of its own in view. A
// general command such as a delete is taken for bookkeeping in the lock's store
// only, and where the lock is a record, in what that is kept in.
func (f *family) writes(list []Effect, lock meaning.Meaning) bool {
	for _, x := range list {
		if x.Memory != nil {
			return true
		}
		if x.Call == nil || x.Open != Closed {
			continue
		}
		own, general, write := false, false, false
		elsewhere := false // than the record that is the lock
		for _, m := range f.e.reader.Of(x.Call) {
			switch m.Role {
			case meaning.Acquire, meaning.Release, meaning.Renew:
				own = own || !m.Raw
				general = general || m.Family == lock.Family
			case meaning.Write:
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

// works reports whether a section does what locks are taken for. Log lines,
// reads and the lock's own bookkeeping are not that, and what a goroutine does
// from then on (it keeps the lock alive) is not what its starter took it for.
func (f *family) works(list []Effect, lock meaning.Meaning) bool {
	list = slices.DeleteFunc(slices.Clone(list), func(x Effect) bool { return x.Reach == ByGoroutine })
	return slices.ContainsFunc(list, func(x Effect) bool { return x.Open != Closed }) || f.writes(list, lock)
}

// returnsOwner reports whether fn gives its caller the value that it has stored to tell
// its lock from that of others, be it in an object.
func (f *family) returnsOwner(m meaning.Meaning, fn *ssa.Function) bool {
	if m.Value == nil || m.Value.Kind != term.Call && m.Value.Kind != term.Result && m.Value.Kind != term.Op {
		return false // not made here
	}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if ok && slices.ContainsFunc(ret.Results, func(v ssa.Value) bool {
			t := f.value(v)
			return t != nil && !isError(v.Type()) && t.Any(func(x *term.T) bool { return x == m.Value })
		}) {
			return true
		}
	}
	return false
}

// returnsHandle reports whether fn gives its caller the handle, or a function
// that releases the lock.
func (f *family) returnsHandle(st *site, m meaning.Meaning, fn *ssa.Function, match func(Effect) bool) bool {
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, v := range ret.Results {
			if isError(v.Type()) {
				continue
			}
			if _, basic := v.Type().Underlying().(*types.Basic); basic {
				continue
			}
			t := f.value(v)
			if t == nil {
				continue
			}
			if t.Any(func(x *term.T) bool {
				if x == st.callTerm || m.Handle != nil && x == m.Handle {
					return true
				}
				if x.Kind == term.Closure || x.Kind == term.Func {
					if sum := f.e.named(x.Name); sum != nil {
						effects, _ := f.instantiate(sum.Effects, f.binding(closureBinder(x, nil)), lock.Frame{}, ByCall)
						return f.releaseIndex(effects, match) >= 0
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
