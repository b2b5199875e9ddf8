package engine

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// step says what one call instruction does, and which locks it takes that are
// still held after it.
func (f *Family) step(in ssa.CallInstruction) ([]summary.Effect, []*summary.Site) {
	c := in.Common()
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil, nil
	}
	if code.Logs(c) {
		return f.logged(in), nil
	}
	call := f.CallTerm(c, in.Pos())
	at := f.Frame(in, "")
	reach := summary.Direct
	if _, ok := in.(*ssa.Go); ok {
		reach = summary.ByGoroutine
	}
	var effects []summary.Effect
	var sites []*summary.Site
	if entry := f.Engine.Reader.Entry(call); entry != nil {
		ms := f.Engine.Reader.Of(call)
		if (len(ms) > 0 || f.opensSQL(call)) && !f.Timer(call) {
			eff := summary.Effect{Call: call, At: at, Reach: reach}
			eff.Checked, eff.Answer = f.checked(in, ms)
			eff.Silent = f.silent(in, eff)
			effects = append(effects, eff)
		}
		for _, m := range ms {
			if m.Role == meaning.Acquire && f.batchOf(in) == nil && f.asksAge(m.Aged) && f.asksHolder(m.Held) {
				sites = append(sites, &summary.Site{At: in, Lock: summary.Acquired{Call: call, At: at, Origin: at.Position}, Term: call, Direct: true})
				break
			}
		}
		if !entry.Into.IsZero() {
			effects = append(effects, f.into(in, entry.Into, at, reach)...)
		}
		if len(entry.Hooks) > 0 {
			effects = append(effects, f.runHooks(in, call, at, reach)...)
		}
		if r := entry.Runs; r != nil && r.How != "later" {
			if fn := f.Engine.Reader.Get(r.Func, call, nil); fn != nil {
				how := summary.ByCallback
				if r.How == "go" {
					how = summary.ByGoroutine
				}
				more, holds := f.Apply(fn, f.handles(in, entry), at, max(reach, how))
				for i := range more {
					more[i].Lost = handed(more[i].Lost, erring(c.Signature()))
				}
				effects = append(effects, f.gathered(more, r, call, at)...)
				if r.Batch {
					sites = append(sites, f.queuedSites(in)...)
				}
				for i := range holds {
					holds[i].Facts = nil
				}
				if r.How != "go" {
					sites = append(sites, f.held(in, holds, call, at, nil)...)
					sites = append(sites, f.sectionsIn(in, fn, f.handles(in, entry), call, at)...)
				}
			}
		}
		if r := entry.Runs; r != nil && r.How == "later" && f.changesLater(r, call, at) {
			effects = append(effects, summary.Effect{Why: lock.ReasonCallback, At: at})
		}
		return effects, sites
	}
	switch {
	case c.IsInvoke() && call.Name == "(net/http.Handler).ServeHTTP" && runnable(call.Args[0]):
		more, holds := f.Apply(call.Args[0], call.Args[1:], at, max(reach, summary.ByCall))
		f.asks(in, more)
		return more, f.held(in, holds, call, at, nil)
	case c.IsInvoke():
		impls := f.Engine.Implementations.Of(c)
		if len(impls) == 0 || len(impls) == 1 && decorates(impls[0], c.Value) {
			effects = f.unseen(c, call, at, reach)
			if writesBytes(c.Method) {
				effects = append(effects, f.into(in, catalog.Ref{Base: catalog.Receiver}, at, reach)...)
			}
			return effects, nil
		}
		wide := len(impls) > MaxImplementations
		if wide && slices.ContainsFunc(impls, func(m *ssa.Function) bool {
			s := f.Engine.Summary(m)
			return s != nil && f.Works(s.Effects, meaning.Meaning{})
		}) {
			effects = append(effects, summary.Effect{Why: lock.ReasonInterface, At: at})
		}
		how := max(reach, summary.ByInterface)
		for _, impl := range impls {
			sum := f.Engine.Summary(impl)
			if sum == nil {
				continue
			}
			bind := f.bindingAt(in, f.Engine.binder(f.Engine.Name(impl), call.Args))
			if !wide || releasesOnly(f.Engine, sum) {
				more, holds := f.instantiate(sum.Effects, bind, at, how)
				if f.Engine.Implementations.decorator(c) >= 0 {
					// The others that it may have there do not come back to one of its kind.
					more = slices.DeleteFunc(more, func(x summary.Effect) bool { return slices.ContainsFunc(summary.Way(x)[1:], f.holds) })
				}
				f.asks(in, more)
				for _, st := range f.emerged(in, more, call, at) {
					st.Impl = term.ShortName(f.Engine.Name(impl))
					sites = append(sites, st)
				}
				effects = append(effects, through(more, call)...)
				sites = append(sites, f.held(in, holds, call, at, nil)...)
			}
			for _, st := range f.sitesOf(in, sum, bind, call, at) {
				st.Impl = term.ShortName(f.Engine.Name(impl))
				sites = append(sites, st)
			}
		}
		if !f.Engine.Implementations.complete(c) {
			effects = append(effects, summary.Effect{Why: lock.ReasonInterface, At: at})
		}
		return bound(effects), sites
	case c.StaticCallee() != nil && inC(c):
		return append(f.callbacks(c, call, at, reach), summary.Effect{Call: call, Open: summary.Dynamic, Why: lock.ReasonCgo, At: at, Reach: reach}), nil
	case c.StaticCallee() != nil:
		callee := code.Origin(c.StaticCallee())
		if sum := f.Engine.Summary(callee); sum != nil {
			// What a closure captured are the family's own variables.
			bind := f.bindingAt(in, f.Engine.binder(f.Engine.Name(callee), call.Args))
			list, landed := f.handedWriters(c, callee, sum.Effects, at, max(reach, summary.ByCall))
			effects, holds := f.instantiate(list, bind, at, max(reach, summary.ByCall))
			effects = append(effects, landed...)
			if f.Engine.opensPool(callee) {
				for i := range effects {
					effects[i].Setup = true
				}
			}
			f.asks(in, effects)
			sites := append(f.sitesOf(in, sum, bind, call, at), f.emerged(in, effects, call, at)...)
			return through(effects, call), append(sites, f.held(in, holds, call, at, nil)...)
		}
		if len(callee.Blocks) > 0 || f.Engine.Families[callee] != nil {
			return nil, nil // in progress: a cycle
		}
		return f.external(c, call, at, reach), nil
	}
	// A function value.
	fn := f.Get(c.Value)
	args := call.Args
	if len(args) > 0 {
		args = args[1:]
	}
	if body := RangeBody(c); body != nil && slices.ContainsFunc(fn.Alts(), func(t *term.T) bool { return t.Kind != term.Func && t.Kind != term.Closure }) {
		return f.ranged(c, f.Get(body), at, reach)
	}
	if fn.Kind == term.Field {
		if target := f.Engine.injectedIn(c); target != nil {
			if sum := f.Engine.Summary(target); sum != nil && len(sum.Holds)+len(sum.Sections) > 0 {
				bind := f.binding(closureBinder(f.Engine.injectedValue(target), args))
				effects, holds := f.instantiate(sum.Effects, bind, at, max(reach, summary.ByCallback))
				f.asks(in, effects)
				return effects, append(f.sitesOf(in, sum, bind, call, at), f.held(in, holds, call, at, nil)...)
			}
		}
	}
	more, holds := f.Apply(fn, args, at, max(reach, summary.ByCall))
	for i := range more {
		if more[i].Open == summary.Value {
			more[i].Yields, more[i].Tells = f.Engine.yields(c.Signature()), tells(c.Signature())
		}
	}
	f.asks(in, more)
	return more, f.held(in, holds, call, at, nil)
}

// runnable reports whether a handler is a function that was made one, or may be: whoever
// gives it says so.
func runnable(t *term.T) bool {
	return t.Kind == term.Func || t.Kind == term.Closure || t.Kind == term.Param
}

// RangeBody is the body of a loop over an iterator, where a call is one: the compiler
// makes a function of it, which the iterator calls.
func RangeBody(c *ssa.CallCommon) ssa.Value {
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
func (f *Family) ranged(c *ssa.CallCommon, body *term.T, at lock.Frame, reach summary.Reach) ([]summary.Effect, []*summary.Site) {
	over := f.Get(c.Value)
	item := f.Engine.Pool.Elem(over, nil)
	effects, _ := f.Apply(body, []*term.T{item, item}, at, reach)
	for i := range effects {
		if via := effects[i].Via; len(via) > 0 && via[0].Position == at.Position {
			effects[i].Via = via[1:] // it stands where it runs
		}
		effects[i].Turns = effects[i].Turns.Within(summary.Turns{Rounds: summary.Each})
	}
	if call, ok := c.Value.(*ssa.Call); !ok || !InMemory(call.Common()) {
		effects = append(effects, f.open(over, []*term.T{body}, at, reach))
	}
	return bound(effects), nil
}

// InMemory reports whether a call makes an iterator over what is in memory.
func InMemory(c *ssa.CallCommon) bool {
	callee := code.Origin(c.StaticCallee())
	return callee != nil && callee.Pkg != nil && slices.Contains([]string{"slices", "maps", "strings", "bytes"}, callee.Pkg.Pkg.Path())
}

// changesLater reports whether a function that a call puts off changes something, other
// than to give a lock back: when that is, and for how long, is not seen.
func (f *Family) changesLater(r *catalog.Runs, call *term.T, at lock.Frame) bool {
	fn := f.Engine.Reader.Get(r.Func, call, nil)
	if fn == nil {
		return false
	}
	list, _ := f.Apply(fn, nil, at, summary.ByCallback)
	return slices.ContainsFunc(list, func(x summary.Effect) bool {
		if x.Call == nil || x.Open != summary.Closed {
			return false
		}
		writes := false
		for _, m := range f.Engine.Reader.Of(x.Call) {
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
	x, _, ok := code.FieldRead(v)
	if !ok || impl.Signature.Recv() == nil {
		return false
	}
	owner, self := code.NamedOf(x.Type()), code.NamedOf(impl.Signature.Recv().Type())
	return owner != nil && self != nil && owner.Origin() == self.Origin()
}

// releasesOnly reports whether all that a function does to the world is to
// release locks.
func releasesOnly(e *Engine, sum *summary.Summary) bool {
	released := false
	for _, x := range sum.Effects {
		if x.Open != summary.Closed || x.Memory != nil || x.Call == nil {
			return false
		}
		for _, m := range e.Reader.Of(x.Call) {
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
func (f *Family) opensSQL(call *term.T) bool { return call.Open() && len(f.Engine.Reader.Of(call)) > 0 }

// sitesOf lists the locks that a callee leaves held, and those it holds while
// it runs a function argument.
func (f *Family) sitesOf(in ssa.CallInstruction, sum *summary.Summary, bind *term.Binding, call *term.T, at lock.Frame) []*summary.Site {
	return append(f.held(in, sum.Holds, call, at, bind), f.sections(in, sum, bind, call, at)...)
}

// sectionsIn lists the locks that function values hold while they run a function which
// they were given, or which they have captured.
func (f *Family) sectionsIn(in ssa.CallInstruction, fn *term.T, args []*term.T, call *term.T, at lock.Frame) []*summary.Site {
	var sites []*summary.Site
	for _, t := range fn.Alts() {
		if t.Kind != term.Func && t.Kind != term.Closure {
			continue
		}
		if sum := f.Engine.named(t.Name); sum != nil {
			sites = append(sites, f.sections(in, sum, f.binding(closureBinder(t, args)), call, at)...)
		}
	}
	return sites
}

// sections lists the locks that a callee holds while it runs a function argument.
func (f *Family) sections(in ssa.CallInstruction, sum *summary.Summary, bind *term.Binding, call *term.T, at lock.Frame) []*summary.Site {
	var sites []*summary.Site
	for _, sec := range sum.Sections {
		effects, _ := f.instantiate(sec.Effects, bind, at, summary.ByCall)
		after, _ := f.instantiate(sec.After, bind, at, summary.ByCall)
		st := &summary.Site{At: in, Term: call, Closed: true, Effects: effects, After: after, Release: sec.Release}
		st.Lock = f.wrapped(sec.Lock, bind, at)
		sites = append(sites, st)
	}
	return sites
}

// emerged lists the locks that show only with the arguments put in: the text of
// a statement, the record that is stored.
func (f *Family) emerged(in ssa.CallInstruction, effects []summary.Effect, call *term.T, at lock.Frame) []*summary.Site {
	var sites []*summary.Site
	for _, x := range effects {
		if !x.Emerged {
			continue
		}
		if m, _ := f.Engine.Acquire(x.Call); m.Aged == nil { // of what is aged, the code at hand knows
			via := append([]lock.Frame{x.At}, x.Via[min(1, len(x.Via)):]...)
			sites = append(sites, &summary.Site{At: in, Term: call, Lock: summary.Acquired{Call: x.Call, At: at, Via: via, Origin: x.At.Position}})
		}
	}
	return sites
}

// takes tells how sure it is that a call takes a lock: 0 it does not, 1 it is a
// general command that may, 2 it does.
func (e *Engine) takes(call *term.T) int {
	switch m, ok := e.Acquire(call); {
	case !ok:
		return 0
	case m.Raw:
		return 1
	}
	return 2
}

func (f *Family) held(in ssa.CallInstruction, holds []summary.Hold, call *term.T, at lock.Frame, bind *term.Binding) []*summary.Site {
	_, async := in.(*ssa.Go)
	var sites []*summary.Site
	for _, h := range holds {
		st := &summary.Site{At: in, Lock: f.wrapped(h.Lock, bind, at), Term: call, Facts: h.Facts}
		if recv := meaning.Receiver(call); recv != nil && len(st.Lock.From) < maxFrom {
			st.Lock.From = append(st.Lock.From[:len(st.Lock.From):len(st.Lock.From)], recv)
		}
		if async {
			st.Facts = []world.Fact{} // its results are lost
		}
		sites = append(sites, st)
	}
	return sites
}

// wrapped is a callee's lock as the caller sees it.
func (f *Family) wrapped(a summary.Acquired, bind *term.Binding, at lock.Frame) summary.Acquired {
	if bind != nil {
		if call := bind.Put(a.Call); !f.Engine.cutShort(call, a.Call) {
			a.Call = call
		}
		a.From = putAll(a.From, bind)
	}
	if f.holds(a.At) {
		return a // a function literal that is run here: its call is in view
	}
	if len(a.Via) < summary.MaxVia {
		a.Via = slices.Concat([]lock.Frame{a.At}, a.Via)
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
func (f *Family) holds(at lock.Frame) bool {
	return at.Pos.IsValid() && slices.ContainsFunc(f.Calling, func(in ssa.CallInstruction) bool { return f.begin(in) == at.Pos })
}

// maxApplied bounds the function values that call each other in one place.
const maxApplied = 10

// Apply is the call of a function value with args.
func (f *Family) Apply(fn *term.T, args []*term.T, at lock.Frame, reach summary.Reach) ([]summary.Effect, []summary.Hold) {
	// A function that calls what it is given may be given itself.
	if f.applied++; f.applied > maxApplied {
		f.applied--
		return []summary.Effect{{Why: lock.ReasonLimit, At: at}}, nil
	}
	defer func() { f.applied-- }()
	var effects []summary.Effect
	var holds []summary.Hold
	for _, t := range fn.Alts() {
		switch t.Kind {
		case term.Func, term.Closure:
			sum := f.Engine.named(t.Name)
			if sum == nil {
				if target := f.Engine.Functions[t.Name]; target != nil && f.Engine.Families[code.Root(target)] == nil {
					effects = append(effects, f.foreign(target, append(receivers(t), args...), at, reach)...)
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
				more, left := f.Apply(item, args, at, reach)
				effects, holds = append(effects, more...), append(holds, left...)
			}
		default:
			effects = append(effects, f.open(t, args, at, reach))
		}
	}
	return effects, holds
}

// open is the call of a function value that is not known.
func (f *Family) open(fn *term.T, args []*term.T, at lock.Frame, reach summary.Reach) summary.Effect {
	p, site := f.Engine.Pool, f.Engine.siteOf(at.Position)
	call := p.Call(dynamic, site, append([]*term.T{fn}, args...)...)
	if call.Kind != term.Call { // too large
		call = p.Call(dynamic, site, p.Unknown("limit"))
	}
	return summary.Effect{Call: call, Open: summary.Value, At: at, Reach: reach}
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

// receivers lists what a function value has bound of its own parameters: the receiver of a
// method value.
func receivers(fn *term.T) []*term.T {
	var list []*term.T
	for i := 0; i+1 < len(fn.Args); i += 2 {
		if fn.Args[i].Name == fn.Name {
			list = append(list, fn.Args[i+1])
		}
	}
	return list
}

// instantiate puts a caller's arguments into a callee's effects. Function
// parameters that become known are run; the locks that they leave held come
// with the effects.
func (f *Family) instantiate(list []summary.Effect, bind *term.Binding, at lock.Frame, reach summary.Reach) ([]summary.Effect, []summary.Hold) {
	if len(list) > 0 && f.Engine.spent() {
		return []summary.Effect{{Why: lock.ReasonLimit, At: at}}, nil
	}
	var holds []summary.Hold
	out := make([]summary.Effect, 0, len(list))
	for _, x := range list {
		if x.Reach < reach {
			x.Reach = reach
		}
		if x.Memory != nil {
			x = f.passMemory(x, bind, at)
		} else if len(x.Via) < summary.MaxVia {
			x.Via = slices.Concat([]lock.Frame{at}, x.Via)
		}
		x.From, x.Until, x.Watched = putAll(x.From, bind), putAll(x.Until, bind), putAll(x.Watched, bind)
		x.Asked, x.Won = passAsked(x.Asked, bind), passClaims(x.Won, bind)
		x.Chosen = passChosen(x.Chosen, bind)
		if x.Call != nil {
			before := x.Call
			x.Call = bind.Put(x.Call)
			x.Emerged = x.Call != before && x.Open == summary.Closed && f.Engine.takes(x.Call) > f.Engine.takes(before)
			if x.Call.Kind != term.Call {
				// Too large with the arguments put in: what it does is known
				// still, on what it does it is not.
				x.Call = before
			}
			if x.Open == summary.Value && x.Call != before {
				fn := x.Call.Args[0]
				if fn.Kind != term.Param {
					more, left := f.Apply(fn, x.Call.Args[1:], x.At, max(summary.ByCallback, x.Reach))
					for _, h := range left {
						h.Facts = nil // they were of the callback's results
						holds = append(holds, h)
					}
					out = append(out, ran(x, fn, more)...)
					continue
				}
			}
		}
		out = append(out, x)
	}
	return bound(out), holds
}

// ran is what a function does, in the place of the open call of it.
func ran(x summary.Effect, fn *term.T, more []summary.Effect) []summary.Effect {
	for i := range more {
		m := &more[i]
		m.Answer = 0 // to whoever runs the callback
		m.Lost, m.Won = handed(m.Lost, x.Lost), joined(x.Won, m.Won...)
		m.Chosen = slices.Concat(x.Chosen, m.Chosen)
		m.Turns, m.Until = m.Turns.Within(x.Turns), union(m.Until, x.Until)
		m.Aside = m.Aside || x.Aside
		if m.Open == summary.Value && slices.Contains(fn.Alts(), m.Call.Args[0]) { // the same value, under its caller's name
			m.Yields, m.Tells, m.Via = x.Yields, x.Tells, x.Via
		}
	}
	return more
}

// through remembers the receiver of the call that led to effects.
func through(effects []summary.Effect, call *term.T) []summary.Effect {
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
