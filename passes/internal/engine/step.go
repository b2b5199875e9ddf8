package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// step says what one call instruction does, and which locks it takes that are
// still held after it.
func (f *family) step(in ssa.CallInstruction) ([]Effect, []*site) {
	c := in.Common()
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil, nil
	}
	if logs(c) {
		return nil, nil
	}
	call := f.callTerm(c, in.Pos())
	at := f.frame(in, "")
	reach := Direct
	if _, ok := in.(*ssa.Go); ok {
		reach = ByGoroutine
	}
	var effects []Effect
	var sites []*site
	if entry := f.e.reader.Entry(call); entry != nil {
		ms := f.e.reader.Of(call)
		if (len(ms) > 0 || f.opensSQL(call)) && !f.timer(call) {
			eff := Effect{Call: call, At: at, Reach: reach}
			eff.Checked, eff.Answer = f.checked(in, ms)
			eff.Silent = f.silent(in, eff)
			effects = append(effects, eff)
		}
		for _, m := range ms {
			if m.Role == meaning.Acquire && f.batchOf(in) == nil && f.asksAge(m.Aged) {
				sites = append(sites, &site{at: in, lock: Acquired{Call: call, At: at, Origin: at.Position}, callTerm: call, direct: true})
				break
			}
		}
		if r := entry.Runs; r != nil && r.How != "later" {
			if fn := f.e.reader.Get(r.Func, call, nil); fn != nil {
				how := ByCallback
				if r.How == "go" {
					how = ByGoroutine
				}
				more, holds := f.apply(fn, f.handles(in, entry), at, max(reach, how))
				for i := range more {
					more[i].Lost = handed(more[i].Lost, erring(c.Signature()))
				}
				effects = append(effects, gathered(more, r, at)...)
				if r.Batch {
					sites = append(sites, f.queuedSites(in)...)
				}
				for i := range holds {
					holds[i].Facts = nil
				}
				if r.How != "go" {
					sites = append(sites, f.held(in, holds, call, at, nil)...)
				}
			}
		}
		if r := entry.Runs; r != nil && r.How == "later" && f.changesLater(r, call, at) {
			effects = append(effects, Effect{Why: lock.ReasonCallback, At: at})
		}
		return effects, sites
	}
	switch {
	case c.IsInvoke():
		impls := f.e.impls.of(c)
		if len(impls) == 0 || len(impls) == 1 && decorates(impls[0], c.Value) {
			return f.unseen(c, call, at, reach), nil
		}
		wide := len(impls) > maxImplementations
		if wide && slices.ContainsFunc(impls, func(m *ssa.Function) bool {
			s := f.e.summary(m)
			return s != nil && f.works(s.Effects, meaning.Meaning{})
		}) {
			effects = append(effects, Effect{Why: lock.ReasonInterface, At: at})
		}
		how := max(reach, ByInterface)
		for _, impl := range impls {
			sum := f.e.summary(impl)
			if sum == nil {
				continue
			}
			bind := f.binding(f.e.binder(fnName(impl), call.Args))
			if !wide || releasesOnly(f.e, sum) {
				more, holds := f.instantiate(sum.Effects, bind, at, how)
				if f.e.impls.decorator(c) >= 0 {
					// The others that it may have there do not come back to one of its kind.
					more = slices.DeleteFunc(more, func(x Effect) bool { return slices.ContainsFunc(way(x)[1:], f.holds) })
				}
				f.asks(in, more)
				effects = append(effects, through(more, call)...)
				sites = append(sites, f.held(in, holds, call, at, nil)...)
			}
			for _, st := range f.sitesOf(in, sum, bind, call, at) {
				st.impl = term.ShortName(fnName(impl))
				sites = append(sites, st)
			}
		}
		if !f.e.impls.complete(c) {
			effects = append(effects, Effect{Why: lock.ReasonInterface, At: at})
		}
		return bound(effects), sites
	case c.StaticCallee() != nil:
		callee := origin(c.StaticCallee())
		if sum := f.e.summary(callee); sum != nil {
			// What a closure captured are the family's own variables.
			bind := f.binding(f.e.binder(fnName(callee), call.Args))
			effects, holds := f.instantiate(sum.Effects, bind, at, max(reach, ByCall))
			f.asks(in, effects)
			sites := append(f.sitesOf(in, sum, bind, call, at), f.emerged(in, effects, call, at)...)
			return through(effects, call), append(sites, f.held(in, holds, call, at, nil)...)
		}
		if len(callee.Blocks) > 0 || f.e.families[callee] != nil {
			return nil, nil // in progress: a cycle
		}
		return f.external(c, call, at, reach), nil
	}
	// A function value.
	fn := f.get(c.Value)
	args := call.Args
	if len(args) > 0 {
		args = args[1:]
	}
	if body := rangeBody(c); body != nil && slices.ContainsFunc(fn.Alts(), func(t *term.T) bool { return t.Kind != term.Func && t.Kind != term.Closure }) {
		return f.ranged(c, f.get(body), at, reach)
	}
	more, holds := f.apply(fn, args, at, max(reach, ByCall))
	for i := range more {
		if more[i].Open == Value {
			more[i].Yields, more[i].Tells = f.e.yields(c.Signature()), tells(c.Signature())
		}
	}
	f.asks(in, more)
	return more, f.held(in, holds, call, at, nil)
}

// rangeBody is the body of a loop over an iterator, where a call is one: the compiler
// makes a function of it, which the iterator calls.
func rangeBody(c *ssa.CallCommon) ssa.Value {
	if len(c.Args) != 1 {
		return nil
	}
	fn, ok := c.Args[0].(*ssa.Function)
	if mc, closure := c.Args[0].(*ssa.MakeClosure); closure {
		fn, ok = mc.Fn.(*ssa.Function), true
	}
	if !ok || fn.Synthetic != "range-over-func yield" {
		return nil
	}
	return c.Args[0]
}

// ranged is what a loop over an iterator does that is out of sight: its body, in each
// turn, and what the iterator may do for the next element. Those of the standard library
// only go through what is in memory.
func (f *family) ranged(c *ssa.CallCommon, body *term.T, at lock.Frame, reach Reach) ([]Effect, []*site) {
	over := f.get(c.Value)
	item := f.e.pool.Elem(over, nil)
	effects, _ := f.apply(body, []*term.T{item, item}, at, reach)
	for i := range effects {
		if via := effects[i].Via; len(via) > 0 && via[0].Position == at.Position {
			effects[i].Via = via[1:] // it stands where it runs
		}
		effects[i].Turns = effects[i].Turns.Within(Turns{Rounds: Each})
	}
	if call, ok := c.Value.(*ssa.Call); !ok || !inMemory(call.Common()) {
		effects = append(effects, f.open(over, []*term.T{body}, at, reach))
	}
	return bound(effects), nil
}

// inMemory reports whether a call makes an iterator over what is in memory.
func inMemory(c *ssa.CallCommon) bool {
	callee := origin(c.StaticCallee())
	return callee != nil && callee.Pkg != nil && slices.Contains([]string{"slices", "maps", "strings", "bytes"}, callee.Pkg.Pkg.Path())
}

// changesLater reports whether a function that a call puts off changes something, other
// than to give a lock back: when that is, and for how long, is not seen.
func (f *family) changesLater(r *catalog.Runs, call *term.T, at lock.Frame) bool {
	fn := f.e.reader.Get(r.Func, call, nil)
	if fn == nil {
		return false
	}
	list, _ := f.apply(fn, nil, at, ByCallback)
	return slices.ContainsFunc(list, func(x Effect) bool {
		if x.Call == nil || x.Open != Closed {
			return false
		}
		writes := false
		for _, m := range f.e.reader.Of(x.Call) {
			if m.Role == meaning.Release || m.Role == meaning.Renew || m.Role == meaning.Acquire {
				return false
			}
			writes = writes || m.Role == meaning.Write
		}
		return writes
	})
}

// decorates reports whether the value whose method is called lies in a field of the
// only implementation: it is another one then, out of sight, to which that adds
// something.
func decorates(impl *ssa.Function, v ssa.Value) bool {
	x, _, ok := fieldRead(v)
	if !ok || impl.Signature.Recv() == nil {
		return false
	}
	owner, self := namedOf(x.Type()), namedOf(impl.Signature.Recv().Type())
	return owner != nil && self != nil && owner.Origin() == self.Origin()
}

// releasesOnly reports whether all that a function does to the world is to
// release locks.
func releasesOnly(e *Engine, sum *Summary) bool {
	released := false
	for _, x := range sum.Effects {
		if x.Open != Closed || x.Memory != nil || x.Call == nil {
			return false
		}
		for _, m := range e.reader.Of(x.Call) {
			switch m.Role {
			case meaning.Release:
				released = true
			case meaning.Write:
				return false
			}
		}
	}
	return released
}

// opensSQL reports whether a call's meaning may appear once its arguments are
// known: statement text from a parameter.
func (f *family) opensSQL(call *term.T) bool { return call.Open() && len(f.e.reader.Of(call)) > 0 }

// sitesOf lists the locks that a callee leaves held, and those it holds while
// it runs a function argument.
func (f *family) sitesOf(in ssa.CallInstruction, sum *Summary, bind *term.Binding, call *term.T, at lock.Frame) []*site {
	sites := f.held(in, sum.Holds, call, at, bind)
	for _, sec := range sum.Sections {
		effects, _ := f.instantiate(sec.Effects, bind, at, ByCall)
		after, _ := f.instantiate(sec.After, bind, at, ByCall)
		st := &site{at: in, callTerm: call, closed: true, effects: effects, after: after, release: sec.Release}
		st.lock = f.wrapped(sec.Lock, bind, at)
		sites = append(sites, st)
	}
	return sites
}

// emerged lists the locks that show only with the arguments put in: the text of
// a statement, the record that is stored.
func (f *family) emerged(in ssa.CallInstruction, effects []Effect, call *term.T, at lock.Frame) []*site {
	var sites []*site
	for _, x := range effects {
		if !x.Emerged {
			continue
		}
		if m, _ := f.e.acquire(x.Call); m.Aged == nil { // of what is aged, the code at hand knows
			via := append([]lock.Frame{x.At}, x.Via[min(1, len(x.Via)):]...)
			sites = append(sites, &site{at: in, callTerm: call, lock: Acquired{Call: x.Call, At: at, Via: via, Origin: x.At.Position}})
		}
	}
	return sites
}

// takes tells how sure it is that a call takes a lock: 0 it does not, 1 it is a
// general command that may, 2 it does.
func (e *Engine) takes(call *term.T) int {
	switch m, ok := e.acquire(call); {
	case !ok:
		return 0
	case m.Raw:
		return 1
	}
	return 2
}

func (f *family) held(in ssa.CallInstruction, holds []Hold, call *term.T, at lock.Frame, bind *term.Binding) []*site {
	_, async := in.(*ssa.Go)
	var sites []*site
	for _, h := range holds {
		st := &site{at: in, lock: f.wrapped(h.Lock, bind, at), callTerm: call, facts: h.Facts}
		if recv := meaning.Receiver(call); recv != nil && len(st.lock.From) < maxFrom {
			st.lock.From = append(st.lock.From[:len(st.lock.From):len(st.lock.From)], recv)
		}
		if async {
			st.facts = []world.Fact{} // its results are lost
		}
		sites = append(sites, st)
	}
	return sites
}

// wrapped is a callee's lock as the caller sees it.
func (f *family) wrapped(a Acquired, bind *term.Binding, at lock.Frame) Acquired {
	if bind != nil {
		if call := bind.Put(a.Call); !f.e.cutShort(call, a.Call) {
			a.Call = call
		}
		a.From = putAll(a.From, bind)
	}
	if f.holds(a.At) {
		return a // a function literal that is run here: its call is in view
	}
	if len(a.Via) < maxVia {
		a.Via = append([]lock.Frame{a.At}, a.Via...)
	}
	a.At = at
	return a
}

// cutShort reports whether a call that takes a lock has become too large with the
// arguments put in, it or the record that it stores. That it takes a lock is known
// still, of what it is not.
func (e *Engine) cutShort(call, before *term.T) bool {
	if call.Kind != term.Call {
		return true
	}
	limit := func(t *term.T) bool { return t.Kind == term.Unknown && t.Name == "limit" }
	return e.takes(call) < e.takes(before) && call.Any(limit)
}

// holds reports whether a call of the family stands at a place.
func (f *family) holds(at lock.Frame) bool {
	return at.Pos.IsValid() && slices.ContainsFunc(f.calling, func(in ssa.CallInstruction) bool { return f.begin(in) == at.Pos })
}

// maxApplied bounds the function values that call each other in one place.
const maxApplied = 10

// apply is the call of a function value with args.
func (f *family) apply(fn *term.T, args []*term.T, at lock.Frame, reach Reach) ([]Effect, []Hold) {
	// A function that calls what it is given may be given itself.
	if f.applied++; f.applied > maxApplied {
		f.applied--
		return []Effect{{Why: lock.ReasonLimit, At: at}}, nil
	}
	defer func() { f.applied-- }()
	var effects []Effect
	var holds []Hold
	for _, t := range fn.Alts() {
		switch t.Kind {
		case term.Func, term.Closure:
			sum := f.e.named(t.Name)
			if sum == nil {
				if target := f.e.funcs[t.Name]; target != nil && f.e.families[rootOf(target)] == nil {
					effects = append(effects, f.foreign(target, args, at, reach)...)
				}
				continue
			}
			bind := f.binding(closureBinder(t, args))
			more, left := f.instantiate(sum.Effects, bind, at, reach)
			effects, holds = append(effects, more...), append(holds, left...)
			for _, h := range sum.Holds {
				h.Lock.Call, h.Lock.From = bind.Put(h.Lock.Call), putAll(h.Lock.From, bind)
				holds = append(holds, h)
			}
		case term.Nil:
		case term.Const:
		case term.Elem:
			items, known := elements(t)
			if !known {
				effects = append(effects, f.open(t, args, at, reach))
				continue
			}
			for _, item := range items {
				more, left := f.apply(item, args, at, reach)
				effects, holds = append(effects, more...), append(holds, left...)
			}
		default:
			effects = append(effects, f.open(t, args, at, reach))
		}
	}
	return effects, holds
}

// open is the call of a function value that is not known.
func (f *family) open(fn *term.T, args []*term.T, at lock.Frame, reach Reach) Effect {
	p, site := f.e.pool, f.e.siteOf(at.Position)
	call := p.Call("call", site, append([]*term.T{fn}, args...)...)
	if call.Kind != term.Call { // too large
		call = p.Call("call", site, p.Unknown("limit"))
	}
	return Effect{Call: call, Open: Value, At: at, Reach: reach}
}

// elements lists what an element of a known list or map can be, whichever it is:
// nothing, where the list has none.
func elements(t *term.T) (items []*term.T, known bool) {
	switch x := t.Args[0]; {
	case x.IsZero():
		return nil, true
	case x.Kind == term.List, x.Kind == term.Struct && x.Type == "map":
		return x.Args, true
	}
	return nil, false
}

// foreign is the call, through a value, of a function without source.
func (f *family) foreign(fn *ssa.Function, args []*term.T, at lock.Frame, reach Reach) []Effect {
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	f.e.register(obj)
	call := f.e.pool.Call(obj.Origin().FullName(), f.e.siteOf(at.Position), args...)
	if f.e.reader.Entry(call) != nil {
		if len(f.e.reader.Of(call)) > 0 {
			return []Effect{{Call: call, At: at, Reach: reach}}
		}
		return nil
	}
	if Standard(obj.Pkg().Path()) || !worldly(fn.Signature) {
		return nil
	}
	return []Effect{{Call: call, Open: Dynamic, Why: lock.ReasonNoSource, At: at, Reach: reach}}
}

func rootOf(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// closureBinder binds a function value's parameters to args and what it
// captured to what it captured it as.
func closureBinder(fn *term.T, args []*term.T) func(*term.T) *term.T {
	captured := make(map[*term.T]*term.T)
	bound := 0 // parameters of its own that are bound: a method value's receiver
	for i := 0; i+1 < len(fn.Args); i += 2 {
		captured[fn.Args[i]] = fn.Args[i+1]
		if fn.Args[i].Name == fn.Name {
			bound++
		}
	}
	return func(p *term.T) *term.T {
		if p.Name == fn.Name && p.Index >= bound {
			if i := p.Index - bound; i < len(args) {
				return args[i]
			}
			return nil
		}
		return captured[p]
	}
}

// instantiate puts a caller's arguments into a callee's effects. Function
// parameters that become known are run; the locks that they leave held come
// with the effects.
func (f *family) instantiate(list []Effect, bind *term.Binding, at lock.Frame, reach Reach) ([]Effect, []Hold) {
	var holds []Hold
	out := make([]Effect, 0, len(list))
	for _, x := range list {
		if x.Reach < reach {
			x.Reach = reach
		}
		if x.Memory != nil {
			x = f.passMemory(x, bind, at)
		} else if len(x.Via) < maxVia {
			x.Via = append([]lock.Frame{at}, x.Via...)
		}
		x.From, x.Until = putAll(x.From, bind), putAll(x.Until, bind)
		x.Asked, x.Won = passAsked(x.Asked, bind), passClaims(x.Won, bind)
		x.Chosen = passChosen(x.Chosen, bind)
		if x.Call != nil {
			before := x.Call
			x.Call = bind.Put(x.Call)
			x.Emerged = x.Call != before && x.Open == Closed && f.e.takes(x.Call) > f.e.takes(before)
			if x.Call.Kind != term.Call {
				// Too large with the arguments put in: what it does is known
				// still, on what it does it is not.
				x.Call = before
			}
			if x.Open == Value && x.Call != before {
				fn := x.Call.Args[0]
				if fn.Kind != term.Param {
					more, left := f.apply(fn, x.Call.Args[1:], x.At, max(ByCallback, x.Reach))
					for _, h := range left {
						h.Facts = nil // they were of the callback's results
						holds = append(holds, h)
					}
					for _, m := range more {
						m.Answer = 0 // to whoever runs the callback
						m.Lost, m.Won = handed(m.Lost, x.Lost), joined(x.Won, m.Won...)
						m.Chosen = slices.Concat(x.Chosen, m.Chosen)
						m.Turns, m.Until = m.Turns.Within(x.Turns), union(m.Until, x.Until)
						m.Aside = m.Aside || x.Aside
						if m.Open == Value && slices.Contains(fn.Alts(), m.Call.Args[0]) { // the same value, under its caller's name
							m.Yields, m.Tells, m.Via = x.Yields, x.Tells, x.Via
						}
						out = append(out, m)
					}
					continue
				}
			}
		}
		out = append(out, x)
	}
	return bound(out), holds
}

// through remembers the receiver of the call that led to effects.
func through(effects []Effect, call *term.T) []Effect {
	recv := meaning.Receiver(call)
	if recv == nil {
		return effects
	}
	for i := range effects {
		if from := effects[i].From; len(from) < maxFrom {
			effects[i].From = append(from[:len(from):len(from)], recv)
		}
	}
	return effects
}

func putAll(list []*term.T, bind *term.Binding) []*term.T {
	if len(list) == 0 {
		return nil
	}
	out := make([]*term.T, len(list))
	for i, t := range list {
		out[i] = bind.Put(t)
	}
	return out
}

// unseen is the call of a method whose implementation is out of sight.
func (f *family) unseen(c *ssa.CallCommon, call *term.T, at lock.Frame, reach Reach) []Effect {
	if !worldly(c.Signature()) {
		return f.callbacks(c, call, at, reach)
	}
	return append(f.callbacks(c, call, at, reach), Effect{Call: call, Open: Dynamic, Why: lock.ReasonInterface, At: at, Reach: reach})
}

// external is the call of a function without source.
func (f *family) external(c *ssa.CallCommon, call *term.T, at lock.Frame, reach Reach) []Effect {
	effects := f.callbacks(c, call, at, reach)
	if fn, ok := c.StaticCallee().Object().(*types.Func); ok && fn.Pkg() != nil && !Standard(fn.Pkg().Path()) && worldly(c.Signature()) {
		effects = append(effects, Effect{Call: call, Open: Dynamic, Why: lock.ReasonNoSource, At: at, Reach: reach})
	}
	return effects
}

// callbacks runs the function arguments of a call that is not understood: it
// most likely calls them. A pool of goroutines, told by the name of its method,
// does so later, and what the caller handed over for such a pool is the caller's to tell.
func (f *family) callbacks(c *ssa.CallCommon, call *term.T, at lock.Frame, reach Reach) []Effect {
	var effects []Effect
	if meaning.Named(call.Name[strings.LastIndexByte(call.Name, '.')+1:], "go", "submit", "invoke", "schedule", "spawn") {
		reach = ByGoroutine
		for _, a := range c.Args {
			if sig, ok := a.Type().Underlying().(*types.Signature); ok && sig.Params().Len() == 0 {
				if t := f.get(a); t.Kind == term.Param {
					effects = append(effects, f.open(t, nil, at, reach))
				}
			}
		}
	}
	for _, a := range meaning.Args(call) {
		items := []*term.T{a}
		if a.Kind == term.List {
			items = a.Args
		}
		for _, x := range items {
			if x.Kind == term.Func || x.Kind == term.Closure {
				more, _ := f.apply(x, nil, at, max(reach, ByCallback))
				for i := range more {
					more[i].Lost = nil // what becomes of its error is out of sight
				}
				effects = append(effects, more...)
			}
		}
	}
	return effects
}

// worldly reports whether a function looks as if it left the process: it takes
// a context. Loggers, encoders and the like do not, or return no error; what is given
// a context alone and returns nothing runs until that ends.
func worldly(sig *types.Signature) bool {
	n := sig.Params().Len()
	if n == 0 {
		return false
	}
	if !isContext(sig.Params().At(0).Type()) {
		return false
	}
	if sig.Results().Len() == 0 {
		return n == 1
	}
	last := sig.Results().At(sig.Results().Len() - 1).Type()
	return isError(last)
}

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

// tells reports whether a function is given values, but nothing that could stop
// it (a context, a channel to receive from), and answers nothing: an observer,
// not the work that a lock is taken for.
func tells(sig *types.Signature) bool {
	for p := range sig.Params().Variables() {
		c, channel := p.Type().Underlying().(*types.Chan)
		if isContext(p.Type()) || channel && c.Dir() != types.SendOnly {
			return false
		}
	}
	return sig.Results().Len() == 0 && sig.Params().Len() > 0
}

// factsOf lists what is known of a function's results on the ways out that r
// reaches. Where nothing is known of an error it is nil, and of a bool it is
// true: that is what callers take for success. A bool whose name says that
// somebody else has the lock is left alone.
func factsOf(fn *ssa.Function, r *world.Region) []world.Fact {
	facts := r.Results()
	if facts == nil {
		facts = make([]world.Fact, fn.Signature.Results().Len())
	}
	for i := range facts {
		v := fn.Signature.Results().At(i)
		b, basic := v.Type().Underlying().(*types.Basic)
		switch {
		case facts[i].Definite():
		case isError(v.Type()):
			facts[i] = world.Nil
		case basic && b.Kind() == types.Bool && !slices.Contains([]string{"busy", "held", "exists", "taken", "conflict", "skip", "skipped", "running"}, v.Name()):
			facts[i] = world.True
		}
	}
	return facts
}
