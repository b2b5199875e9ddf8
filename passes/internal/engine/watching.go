package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// use judges how one lock is kept.
func (k *keeping) use(f *family, r recorded) {
	k.loss(f, r)
	k.units(f, r)
	k.pace(f, r)
	k.circumstances(f, r)
	if r.lock.Row != nil && r.lock.Row.Mine && len(r.st.lock.Via) == 0 {
		k.interval(f, r.st.at, r.lock) // taking the row again renews it
	}
}

// loss notes that a long section does not learn when its lease is gone. Only
// signals that arise in view count as missed: a session from elsewhere may be
// watched there.
func (k *keeping) loss(f *family, r recorded) {
	st, m := r.st, r.lock
	if r.use.Verdict == lock.Fenced || st.wrapper && st.heldOut || st.returned {
		return
	}
	if m.Section != nil {
		k.callbacks(f, r) // what leads does so until it is told to stop
		return
	}
	signal := ""
	switch {
	case m.Kind == lock.Advisory:
		if k.e.loops(st, Endless) && r.use.Handle == "conn" && !k.pinged(f, st, m.On) {
			signal = "the session that owns the lock is asked nothing until the end"
		}
	case m.Renewal != "library" || !k.e.lasts(st) || k.tended(st, m):
	case len(st.lock.Via) > 0:
		k.lent(r)
	default:
		signal = k.unwatched(f, st, m)
	}
	if signal != "" {
		k.found.of(r.use, lock.Call{Frame: framed(st.lock.At, signal), Call: st.lock.At.Callee, Kind: lock.LossUnwatched})
	}
}

// tended reports whether the section itself renews a lease that the library could keep:
// whether that succeeds tells of the loss, and is judged there.
func (k *keeping) tended(st *site, m meaning.Meaning) bool {
	here, aside := k.e.renews(st.effects, m)
	return here || aside
}

// lent judges a long section by the wrapper that took its lock and left it held:
// what the wrapper does with the signal of loss, if it hands it to nobody, is all that
// is ever done with it. The place is where it gets the signal.
func (k *keeping) lent(r recorded) {
	if len(r.st.lock.chain) == 0 {
		return // it shows only with the arguments put in
	}
	taken := r.st.lock.chain[0]
	if taken.fn == nil || !taken.heldOut || k.watched[pkgOf(r.st.fn)+" "+r.lock.Library] {
		return // in another package, or judged there
	}
	g := k.e.families[rootOf(taken.fn)]
	own, ok := k.e.acquire(taken.lock.Call)
	if g == nil || !ok {
		return
	}
	if signal := k.unwatched(g, taken, own); signal != "" {
		k.found.add(g, taken.fn, lock.Call{Frame: framed(taken.lock.At, signal), Call: taken.lock.At.Callee, Kind: lock.LossUnwatched})
	}
}

func framed(at lock.Frame, text string) lock.Frame {
	at.Text = text
	return at
}

// lasts reports whether a section whose lease the library keeps may go on for long:
// it runs code of its caller, or a loop without end, or for each of a list something
// out of sight that takes a context.
func (e *Engine) lasts(st *site) bool {
	return e.loops(st, Each) || slices.ContainsFunc(st.effects, func(x Effect) bool {
		return x.Open == Value && !x.Tells && !x.Yields && e.hidden(x) == lock.ReasonCallback
	})
}

// loops reports whether a section works in a loop without end, or in one over a list
// if that is enough: then only what is out of sight counts, since what is in sight can
// be seen to be short.
func (e *Engine) loops(st *site, least Rounds) bool {
	return slices.ContainsFunc(st.effects, func(x Effect) bool {
		if x.Turns.Rounds < least || x.Reach == ByGoroutine || x.Call == nil {
			return false
		}
		if x.Open != Closed {
			return x.Open == Dynamic || !x.Tells && e.hidden(x) != ""
		}
		return x.Turns.Rounds == Endless && slices.ContainsFunc(e.reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Write && m.Write.Store != "file"
		})
	})
}

// unwatched names the signal of loss that nobody looks at.
func (k *keeping) unwatched(f *family, st *site, m meaning.Meaning) string {
	if !st.direct || k.listens(st.fn, m) {
		return ""
	}
	entry := k.e.reader.Entry(st.lock.Call)
	if entry == nil || entry.Acquire == nil {
		return ""
	}
	if l := entry.Loss; l != nil {
		call := callOn(st.at)
		if call == nil {
			return ""
		}
		return k.ignored(f, call, l)
	}
	if why := k.unwatchedSession(f, m); why != "" {
		return why
	}
	// An option that registers a function.
	for _, c := range entry.Library.Calls {
		if c.Loss == nil || c.Loss.How != "callback" || !c.Loss.Handle.IsZero() || entry.Acquire.Options.IsZero() {
			continue
		}
		options := k.e.reader.Get(entry.Acquire.Options, st.lock.Call, nil)
		if !options.IsZero() && (options.Kind != term.List || slices.ContainsFunc(options.Args, func(o *term.T) bool {
			e := k.e.reader.Entry(o)
			return !o.IsZero() && (e == nil || e.Loss != nil && !k.logs(e.Loss, o))
		})) {
			return ""
		}
		if options.Kind == term.List && slices.ContainsFunc(options.Args, func(o *term.T) bool {
			e := k.e.reader.Entry(o)
			return e != nil && e.Loss != nil
		}) {
			return "the function given to " + c.Func[0][strings.LastIndexByte(c.Func[0], '.')+1:] + " only writes a log line"
		}
		return c.Func[0][strings.LastIndexByte(c.Func[0], '.')+1:] + " is not set"
	}
	return ""
}

// listens reports whether a package looks at the loss of locks like this one: by
// what their library offers, or by that of the session they were made from, which
// is another where the lock is known as a sync.Locker.
func (k *keeping) listens(fn *ssa.Function, m meaning.Meaning) bool {
	pkg := pkgOf(fn) + " "
	return k.watched[pkg+m.Library] || m.Parent.Any(func(x *term.T) bool {
		entry := k.e.reader.Entry(x)
		return entry != nil && k.watched[pkg+entry.Library.Library]
	})
}

// logs reports whether the function that is called when a lease is lost does nothing
// but write a log line.
func (k *keeping) logs(l *catalog.Loss, option *term.T) bool {
	told := k.e.reader.Get(l.Result, option, nil)
	if told == nil {
		return false
	}
	fn := k.e.funcs[told.Name]
	return fn != nil && len(fn.Blocks) > 0 && k.e.families[rootOf(fn)].onlyLogs(fn)
}

// callOn is a call whose results can be looked at, or nil.
func callOn(in ssa.CallInstruction) *ssa.Call {
	call, _ := in.(*ssa.Call)
	return call
}

// unwatchedSession names the signal of the session that a lock was made from,
// where the session is made here or kept in a field of the package's own, and not
// watched.
func (k *keeping) unwatchedSession(f *family, m meaning.Meaning) string {
	for t := m.Parent; t != nil; {
		entry := k.e.reader.Entry(t)
		if entry == nil {
			if f, t = k.kept(f, m); t == nil {
				return ""
			}
			entry = k.e.reader.Entry(t)
		}
		if entry == nil || entry.New == nil {
			return ""
		}
		made := callOn(f.callOf(t))
		if made == nil {
			return ""
		}
		list, escapes := f.carriers(resultOf(made, 0))
		switch {
		case escapes:
			return ""
		case entry.Loss != nil:
			return k.ignored(f, made, entry.Loss)
		}
		switch name, heeded := k.asks(list); {
		case heeded:
			return ""
		case name != "":
			return "what " + name + " of the session tells only leads to a log line"
		}
		if names := signals(entry.Library, typeOf(list)); names != "" {
			return "nobody asks " + names + " of the session"
		}
		t = k.e.reader.Get(entry.New.Parent, t, nil)
	}
	return ""
}

// kept is the session that a lock was made from, where it comes out of a field
// which is set once, and the family that sets it.
func (k *keeping) kept(f *family, m meaning.Meaning) (*family, *term.T) {
	made := f.callOf(m.Handle)
	if made == nil {
		return nil, nil
	}
	entry := k.e.reader.Entry(f.callTerm(made.Common(), made.Pos()))
	if entry == nil || entry.New == nil {
		return nil, nil
	}
	v := k.e.readings().only(operand(made.Common(), entry.New.Parent))
	if v == nil {
		return nil, nil
	}
	g := k.e.readings().family(v)
	if g == nil {
		return nil, nil
	}
	return g, g.get(v)
}

// asks names a signal that a session is asked for somewhere along its way, and says
// whether anything comes of it.
func (k *keeping) asks(list []ssa.Value) (name string, heeded bool) {
	for _, v := range list {
		for _, r := range *v.Referrers() {
			c, ok := r.(ssa.CallInstruction)
			if !ok {
				continue
			}
			g := k.e.families[origin(rootOf(r.Parent()))]
			if g != nil && slices.ContainsFunc(g.entries(c.Common()), func(e *catalog.Call) bool { return e.Loss != nil && e.Acquire == nil && e.New == nil }) {
				name, heeded = methodOf(c.Common()), heeded || !g.onlyLogged(c)
			}
		}
	}
	return name, heeded
}

// typeOf names the type of values without its package: *Session.
func typeOf(list []ssa.Value) string {
	if len(list) == 0 {
		return ""
	}
	if n := namedOf(list[0].Type()); n != nil {
		return n.Obj().Name()
	}
	return ""
}

// signals names the methods by which a type tells that a lease is gone.
func signals(lib *catalog.Library, typ string) string {
	var names []string
	for _, c := range lib.Calls {
		if c.Loss == nil || c.Loss.Handle.Base != catalog.Receiver || c.Loss.How == "poll" {
			continue
		}
		for _, name := range c.Func {
			if strings.HasSuffix(receiverType(name), "."+typ) {
				names = append(names, name[strings.LastIndexByte(name, '.')+1:])
			}
		}
	}
	return strings.Join(names, " or ")
}

// callOf finds the call of the family that a term stands for, or nil.
func (f *family) callOf(t *term.T) ssa.CallInstruction {
	site := siteOfCall(t)
	if site == "" {
		return nil
	}
	b, ok := f.callBlocks()[site]
	if !ok {
		return nil
	}
	for _, in := range b.Instrs {
		if c, ok := in.(ssa.CallInstruction); ok && f.e.site(c.Common().Pos()) == site {
			return c
		}
	}
	return nil
}

// siteOfCall is the place of the call whose result a term is; it is empty for others.
func siteOfCall(t *term.T) string {
	for t != nil && (t.Kind == term.Result || t.Kind == term.Field) {
		t = t.Args[0]
	}
	if t == nil || t.Kind != term.Call {
		return ""
	}
	return t.Site
}

// pinged reports whether the session that owns a lock is used while the lock is
// held, in a loop or beside the work, or handed to other code.
func (k *keeping) pinged(f *family, st *site, on *term.T) bool {
	if on == nil || on.Kind == term.Unknown {
		return true
	}
	if len(st.lock.Via) > 0 {
		return !k.silent(on)
	}
	has := func(t *term.T) bool { return t.Any(func(x *term.T) bool { return x == on }) }
	for _, fn := range f.members {
		loops := loopBlocks(fn)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := f.callTerm(c.Common(), c.Pos())
				if !slices.ContainsFunc(call.Args, has) {
					continue
				}
				if loops[b] || started(fn) {
					return true
				}
				if _, dynamic := c.Common().Value.(*ssa.Function); !dynamic && !c.Common().IsInvoke() {
					return true
				}
				if fn := c.Common().StaticCallee(); fn != nil && len(fn.Blocks) > 0 && fn.Parent() == nil {
					return true
				}
			}
		}
	}
	return false
}

// silent reports whether nothing is done with a connection, which a wrapper opened
// and keeps in a private field, but to take and give back its lock and to close it.
func (k *keeping) silent(on *term.T) bool {
	made := k.e.handleMaker(on)
	if made == nil {
		return false
	}
	for _, g := range k.e.order {
		call := callOn(g.callOf(made))
		if call == nil {
			continue
		}
		list, escapes := g.carriers(resultOf(call, 0))
		if escapes {
			return false
		}
		for _, v := range list {
			for _, r := range *v.Referrers() {
				if c, ok := r.(ssa.CallInstruction); ok && !k.e.families[origin(rootOf(r.Parent()))].locking(c) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// locking reports whether a call on a connection takes or gives back a lock, or
// closes the connection.
func (f *family) locking(in ssa.CallInstruction) bool {
	call := f.settled().callTerm(in.Common(), in.Pos())
	entry := f.e.reader.Entry(call)
	return entry != nil && (!entry.Hands.IsZero() || slices.ContainsFunc(f.e.reader.Of(call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Acquire || m.Role == meaning.Release
	}))
}

// started reports whether a closure is started as a goroutine.
func started(fn *ssa.Function) bool {
	if fn.Parent() == nil {
		return false
	}
	for _, b := range fn.Parent().Blocks {
		for _, in := range b.Instrs {
			if g, ok := in.(*ssa.Go); ok {
				if mc, ok := g.Call.Value.(*ssa.MakeClosure); ok && mc.Fn == ssa.Value(fn) || g.Call.Value == ssa.Value(fn) {
					return true
				}
			}
		}
	}
	return false
}

// callbacks notes the callback of an election that only logs the end of
// leadership, where the work is not bound to the context of the leader.
func (k *keeping) callbacks(f *family, r recorded) {
	var stopped *term.T
	for _, t := range []*term.T{r.st.lock.Call, r.lock.Handle} {
		for _, a := range t.Alts() {
			if e := k.e.reader.Entry(a); e != nil && e.Loss != nil && e.Loss.How == "callback" {
				stopped = k.e.reader.Get(e.Loss.Result, a, nil)
			}
		}
	}
	section, direct := r.lock.Section, len(r.st.lock.Via) == 0
	if stopped == nil || section == nil || section.Kind != term.Func && section.Kind != term.Closure || direct && rootOf(r.st.fn).Name() == "main" {
		return
	}
	work := k.e.funcs[section.Name]
	if work == nil || len(work.Blocks) == 0 || usesContext(work) || !direct && k.e.families[rootOf(work)] != f {
		return
	}
	at := r.st.lock.At
	if end := k.e.funcs[stopped.Name]; direct && end != nil && len(end.Blocks) > 0 && k.e.families[rootOf(end)].onlyLogs(end) {
		if end.Parent() != nil && k.e.families[rootOf(end)] == f {
			at = lock.Frame{Position: k.e.position(end.Pos()), Function: shown(end)}
		}
		k.found.of(r.use, lock.Call{Frame: framed(at, "the callback only writes a log line, and the work does not run on the context of the leader"), Call: r.st.lock.At.Callee, Kind: lock.LossUnwatched})
		return
	}
	if ended := k.cancels(stopped); len(ended) > 0 && k.e.loops(r.st, Endless) && !k.runsOn(work, ended) {
		k.found.of(r.use, lock.Call{Frame: framed(at, "the work does not run on the context of the leader, nor on the one that the callback cancels"), Call: r.st.lock.At.Callee, Kind: lock.LossUnwatched})
	}
}

// cancels lists the contexts, by the calls that make them, that a callback ends; nothing
// where it does more than that and a log line.
func (k *keeping) cancels(callback *term.T) []*term.T {
	made := func(fn *term.T) *term.T {
		if fn.Kind == term.Result && fn.Args[0].Kind == term.Call && strings.HasPrefix(fn.Args[0].Name, "context.With") {
			return fn.Args[0]
		}
		return nil
	}
	if call := made(callback); call != nil {
		return []*term.T{call}
	}
	end := k.e.funcs[callback.Name]
	if callback.Kind != term.Func && callback.Kind != term.Closure || end == nil {
		return nil
	}
	var out []*term.T
	f := k.e.families[rootOf(end)]
	for _, b := range end.Blocks {
		for _, in := range b.Instrs {
			if _, ret := in.(*ssa.Return); ret || !f.tellsSomebody(in) {
				continue
			}
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.IsInvoke() {
				return nil
			}
			call := made(f.get(c.Call.Value))
			if call == nil {
				return nil
			}
			out = append(out, call)
		}
	}
	return out
}

// runsOn reports whether a function, or a closure in it, uses a context that one of the
// calls makes, or what comes of one. Where a context goes out of sight, it may.
func (k *keeping) runsOn(work *ssa.Function, made []*term.T) bool {
	for _, t := range made {
		f, in := k.e.index.callOf(t)
		call, ok := in.(*ssa.Call)
		if !ok {
			return true
		}
		for list, depth := resultOf(call, 0), 0; len(list) > 0; depth++ {
			same, escapes := f.carriers(list)
			if escapes || depth > maxLooks {
				return true
			}
			list = nil
			for _, v := range same {
				for fn := v.Parent(); fn != nil; fn = fn.Parent() {
					if fn == work {
						return true
					}
				}
				for _, r := range *v.Referrers() {
					c, ok := r.(*ssa.Call)
					switch {
					case !ok:
					case methodOf(c.Common()) == "Done", strings.HasPrefix(calleeName(c.Common()), "context.With"):
						list = append(list, resultOf(c, 0)...)
					case methodOf(c.Common()) == "AfterFunc":
						return true
					}
				}
			}
		}
	}
	return false
}

// usesContext reports whether a function looks at a context that it is given.
func usesContext(fn *ssa.Function) bool {
	for _, p := range fn.Params {
		if !isContext(p.Type()) {
			continue
		}
		for _, r := range *p.Referrers() {
			if _, debug := r.(*ssa.DebugRef); !debug {
				return true
			}
		}
	}
	return false
}

// onlyLogs reports whether a function does nothing that other code can notice.
func (f *family) onlyLogs(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ret := in.(*ssa.Return); !ret && f.tellsSomebody(in) {
				return false
			}
		}
	}
	return true
}
