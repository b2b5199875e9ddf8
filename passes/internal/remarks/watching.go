package remarks

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// use judges how one lock is kept.
func (k *keeping) use(f *engine.Family, r summary.Recorded) {
	k.loss(f, r)
	k.units(f, r)
	k.pace(f, r)
	k.circumstances(f, r)
	if r.Lock.Row != nil && r.Lock.Row.Mine && len(r.Site.Lock.Via) == 0 {
		k.interval(f, r.Site.At, r.Lock) // taking the row again renews it
	}
}

// loss notes that a long section does not learn when its lease is gone. Only
// signals that arise in view count as missed: a session from elsewhere may be
// watched there.
func (k *keeping) loss(f *engine.Family, r summary.Recorded) {
	st, m := r.Site, r.Lock
	told := m.Kind == lock.Election && st.Func.Parent() != nil && slices.ContainsFunc(st.Effects, func(x summary.Effect) bool { return x.Signal != "" })
	if r.Use.Verdict == lock.Fenced || st.Wrapper && st.HeldOut && !told || st.Returned {
		return // judged at the callers, but for a goroutine that tells by a flag that it leads
	}
	if m.Section != nil {
		k.callbacks(f, r) // what leads does so until it is told to stop
		return
	}
	signal := ""
	switch {
	case m.Kind == lock.Advisory:
		if loops(k.e, st, summary.Endless) && r.Use.Handle == "conn" && !k.pinged(f, st, m.On) {
			signal = "the session that owns the lock is asked nothing until the end"
		}
	case m.Renewal != "library" || !told && !lasts(k.e, st) && !attends(f, st) || k.tended(st, m):
	case attends(f, st): // which is its part
		k.lent(r)
	case len(st.Lock.Via) > 0:
		if signal = k.unasked(r); signal == "" {
			k.lent(r)
		}
	default:
		signal = k.unwatched(f, st, m)
	}
	if signal != "" {
		k.found.of(r.Use, lock.Call{Frame: framed(st.Lock.At, signal), Call: st.Lock.At.Callee, Kind: lock.LossUnwatched})
	}
}

// tended reports whether the section itself renews a lease that the library could keep:
// whether that succeeds tells of the loss, and is judged there.
func (k *keeping) tended(st *summary.Site, m meaning.Meaning) bool {
	here, aside := k.e.Renews(st.Effects, m)
	return here || aside
}

// lent judges a long section by the wrapper that took its lock and left it held:
// what the wrapper does with the signal of loss, if it hands it to nobody, is all that
// is ever done with it. The place is where it gets the signal.
func (k *keeping) lent(r summary.Recorded) {
	if len(r.Site.Lock.Chain) == 0 {
		return // it shows only with the arguments put in
	}
	taken := r.Site.Lock.Chain[0]
	if taken.Func == nil || !taken.HeldOut || k.watched[code.PackagePath(r.Site.Func)+" "+r.Lock.Library] {
		return // in another package, or judged there
	}
	g := k.e.Families[code.Root(taken.Func)]
	own, ok := k.e.Acquire(taken.Lock.Call)
	if g == nil || !ok {
		return
	}
	if signal := k.unwatched(g, taken, own); signal != "" {
		k.found.add(g, taken.Func, lock.Call{Frame: framed(taken.Lock.At, signal), Call: taken.Lock.At.Callee, Kind: lock.LossUnwatched})
	}
}

func framed(at lock.Frame, text string) lock.Frame {
	at.Text = text
	return at
}

// lasts reports whether a section whose lease the library keeps may go on for long:
// it runs code of its caller, or a loop without end, or for each of a list something
// out of sight that takes a context.
func lasts(e *engine.Engine, st *summary.Site) bool {
	return loops(e, st, summary.Each) || slices.ContainsFunc(st.Effects, func(x summary.Effect) bool {
		return x.Open == summary.Value && !x.Tells && !x.Yields && e.Hidden(x) == lock.ReasonCallback
	})
}

// attends reports whether a function waits for something that the object tells which a
// wrapper has returned with the lock: the section is long enough to be told of the loss.
func attends(f *engine.Family, st *summary.Site) bool {
	if len(st.Lock.Via) == 0 {
		return false
	}
	tells := func(ch ssa.Value) bool { return toldBy(f, ch, st.At, 0) }
	return slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
		return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool {
				switch in := in.(type) {
				case *ssa.UnOp:
					return in.Op == token.ARROW && tells(in.X)
				case *ssa.Select:
					return slices.ContainsFunc(in.States, func(s *ssa.SelectState) bool { return s.Dir == types.RecvOnly && tells(s.Chan) })
				}
				return false
			})
		})
	})
}

// toldBy reports whether a value is a result of a call, or what one of it tells when it is
// asked without anything else: lease.Lost(), lease.Context().Done().
func toldBy(f *engine.Family, v ssa.Value, call ssa.Instruction, depth int) bool {
	v = f.Single(v)
	made := callOf(v)
	switch {
	case depth > 2:
		return false
	case made == nil:
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return false
		}
		field, ok := load.X.(*ssa.FieldAddr)
		return ok && toldBy(f, field.X, call, depth+1)
	case ssa.Instruction(made) == call:
		return true
	}
	asked := code.Operand(made.Common(), catalog.Ref{Base: catalog.Receiver})
	return asked != nil && made.Call.Signature().Params().Len() == 0 && toldBy(f, asked, call, depth+1)
}

// loops reports whether a section works in a loop without end, or in one over a list
// if that is enough: then only what is out of sight counts, since what is in sight can
// be seen to be short.
func loops(e *engine.Engine, st *summary.Site, least summary.Rounds) bool {
	return slices.ContainsFunc(st.Effects, func(x summary.Effect) bool {
		if x.Turns.Rounds < least || x.Reach == summary.ByGoroutine || x.Call == nil {
			return false
		}
		if x.Open != summary.Closed {
			return x.Open == summary.Dynamic || !x.Tells && e.Hidden(x) != ""
		}
		return x.Turns.Rounds == summary.Endless && slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
			return m.Role == meaning.Write && m.Write.Store != "file"
		})
	})
}

// unwatched names the signal of loss that nobody looks at.
func (k *keeping) unwatched(f *engine.Family, st *summary.Site, m meaning.Meaning) string {
	if !st.Direct || k.listens(st.Func, m) {
		return ""
	}
	entry := k.e.Reader.Entry(st.Lock.Call)
	if entry == nil || entry.Acquire == nil {
		return ""
	}
	if l := entry.Loss; l != nil {
		call := callOn(st.At)
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
		options := k.e.Reader.Get(entry.Acquire.Options, st.Lock.Call, nil)
		if !options.IsZero() && (options.Kind != term.List || slices.ContainsFunc(options.Args, func(o *term.T) bool {
			e := k.e.Reader.Entry(o)
			return !o.IsZero() && (e == nil || e.Loss != nil && !k.logs(e.Loss, o))
		})) {
			return ""
		}
		if options.Kind == term.List && slices.ContainsFunc(options.Args, func(o *term.T) bool {
			e := k.e.Reader.Entry(o)
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
	pkg := code.PackagePath(fn) + " "
	return k.watched[pkg+m.Library] || m.Parent.Any(func(x *term.T) bool {
		entry := k.e.Reader.Entry(x)
		return entry != nil && k.watched[pkg+entry.Library.Library]
	})
}

// logs reports whether the function that is called when a lease is lost does nothing
// but write a log line.
func (k *keeping) logs(l *catalog.Loss, option *term.T) bool {
	told := k.e.Reader.Get(l.Result, option, nil)
	if told == nil {
		return false
	}
	fn := k.e.Functions[told.Name]
	return fn != nil && len(fn.Blocks) > 0 && onlyLogs(k.e.Families[code.Root(fn)], fn)
}

// callOn is a call whose results can be looked at, or nil.
func callOn(in ssa.CallInstruction) *ssa.Call {
	call, _ := in.(*ssa.Call)
	return call
}

// unwatchedSession names the signal of the session that a lock was made from,
// where the session is made here or kept in a field of the package's own, and not
// watched.
func (k *keeping) unwatchedSession(f *engine.Family, m meaning.Meaning) string {
	for t := m.Parent; t != nil; {
		entry := k.e.Reader.Entry(t)
		if entry == nil {
			if f, t = k.kept(f, m); t == nil {
				return ""
			}
			entry = k.e.Reader.Entry(t)
		}
		if entry == nil || entry.New == nil {
			return ""
		}
		made := callOn(f.CallOf(t))
		if made == nil {
			return ""
		}
		list, escapes := f.Carriers(engine.ResultOf(made, 0))
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
		t = k.e.Reader.Get(entry.New.Parent, t, nil)
	}
	return ""
}

// kept is the session that a lock was made from, where it comes out of a field
// which is set once, and the family that sets it.
func (k *keeping) kept(f *engine.Family, m meaning.Meaning) (*engine.Family, *term.T) {
	made := f.CallOf(m.Handle)
	if made == nil {
		return nil, nil
	}
	entry := k.e.Reader.Entry(f.CallTerm(made.Common(), made.Pos()))
	if entry == nil || entry.New == nil {
		return nil, nil
	}
	v := k.e.Readings().Only(code.Operand(made.Common(), entry.New.Parent))
	if v == nil {
		return nil, nil
	}
	g := k.e.Readings().Family(v)
	if g == nil {
		return nil, nil
	}
	return g, g.Get(v)
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
			g := k.e.Families[code.Origin(code.Root(r.Parent()))]
			if g != nil && slices.ContainsFunc(g.Entries(c.Common()), func(e *catalog.Call) bool { return e.Loss != nil && e.Acquire == nil && e.New == nil }) {
				name, heeded = code.MethodOf(c.Common()), heeded || !k.onlyLogged(g, c)
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
	if n := code.NamedOf(list[0].Type()); n != nil {
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
			if strings.HasSuffix(code.ReceiverType(name), "."+typ) {
				names = append(names, name[strings.LastIndexByte(name, '.')+1:])
			}
		}
	}
	return strings.Join(names, " or ")
}

// pinged reports whether the session that owns a lock is used while the lock is
// held, in a loop or beside the work, or handed to other code.
func (k *keeping) pinged(f *engine.Family, st *summary.Site, on *term.T) bool {
	if on == nil || on.Kind == term.Unknown {
		return true
	}
	if len(st.Lock.Via) > 0 {
		return !k.silent(on)
	}
	has := func(t *term.T) bool { return t.Any(func(x *term.T) bool { return x == on }) }
	for _, fn := range f.Members {
		loops := engine.LoopBlocks(fn)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				c, ok := in.(ssa.CallInstruction)
				if !ok {
					continue
				}
				call := f.CallTerm(c.Common(), c.Pos())
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
	made := k.e.HandleMaker(on)
	if made == nil {
		return false
	}
	for _, g := range k.e.Order {
		call := callOn(g.CallOf(made))
		if call == nil {
			continue
		}
		list, escapes := g.Carriers(engine.ResultOf(call, 0))
		if escapes {
			return false
		}
		for _, v := range list {
			for _, r := range *v.Referrers() {
				if c, ok := r.(ssa.CallInstruction); ok && !acquireOf(k.e.Families[code.Origin(code.Root(r.Parent()))], c) {
					return false
				}
			}
		}
		return true
	}
	return false
}

// acquireOf reports whether a call on a connection takes or gives back a lock, or
// closes the connection.
func acquireOf(f *engine.Family, in ssa.CallInstruction) bool {
	call := f.Settled().CallTerm(in.Common(), in.Pos())
	entry := f.Engine.Reader.Entry(call)
	return entry != nil && (!entry.Hands.IsZero() || slices.ContainsFunc(f.Engine.Reader.Of(call), func(m meaning.Meaning) bool {
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
func (k *keeping) callbacks(f *engine.Family, r summary.Recorded) {
	var stopped *term.T
	for _, t := range []*term.T{r.Site.Lock.Call, r.Lock.Handle} {
		for _, a := range t.Alts() {
			if e := k.e.Reader.Entry(a); e != nil && e.Loss != nil && e.Loss.How == "callback" {
				stopped = k.e.Reader.Get(e.Loss.Result, a, nil)
			}
		}
	}
	section, direct := r.Lock.Section, len(r.Site.Lock.Via) == 0
	if stopped == nil || section == nil || section.Kind != term.Func && section.Kind != term.Closure || direct && code.Root(r.Site.Func).Name() == "main" {
		return
	}
	work := k.e.Functions[section.Name]
	if work == nil || len(work.Blocks) == 0 || usesContext(work) || !direct && k.e.Families[code.Root(work)] != f {
		return
	}
	at := r.Site.Lock.At
	if end := k.e.Functions[stopped.Name]; direct && end != nil && len(end.Blocks) > 0 {
		does := ""
		switch {
		case onlyLogs(k.e.Families[code.Root(end)], end):
			does = "only writes a log line"
		case k.unheardFlag(end):
			does = "only sets what nobody goes by"
		}
		if does != "" {
			if end.Parent() != nil && k.e.Families[code.Root(end)] == f {
				at = lock.Frame{Position: k.e.Position(end.Pos()), Function: code.Shown(end)}
			} else {
				at = k.setAt(code.PackagePath(r.Site.Func), "OnStoppedLeading", stopped, at)
			}
			k.found.of(r.Use, lock.Call{Frame: framed(at, "the callback "+does+", and the work does not run on the context of the leader"), Call: r.Site.Lock.At.Callee, Kind: lock.LossUnwatched})
			return
		}
	}
	if ended := k.cancels(stopped); len(ended) > 0 && loops(k.e, r.Site, summary.Endless) && !k.runsOn(work, ended) {
		k.found.of(r.Use, lock.Call{Frame: framed(at, "the work does not run on the context of the leader, nor on the one that the callback cancels"), Call: r.Site.Lock.At.Callee, Kind: lock.LossUnwatched})
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
	end := k.e.Functions[callback.Name]
	if callback.Kind != term.Func && callback.Kind != term.Closure || end == nil {
		return nil
	}
	var out []*term.T
	f := k.e.Families[code.Root(end)]
	for _, b := range end.Blocks {
		for _, in := range b.Instrs {
			if _, ret := in.(*ssa.Return); ret || !tellsSomebody(f, in) {
				continue
			}
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.IsInvoke() {
				return nil
			}
			call := made(f.Get(c.Call.Value))
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
		f, in := k.e.Index.CallOf(t)
		call, ok := in.(*ssa.Call)
		if !ok {
			return true
		}
		for list, depth := engine.ResultOf(call, 0), 0; len(list) > 0; depth++ {
			same, escapes := f.Carriers(list)
			if escapes || depth > engine.MaxLooks {
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
					case code.MethodOf(c.Common()) == "Done", strings.HasPrefix(code.CalleeName(c.Common()), "context.With"):
						list = append(list, engine.ResultOf(c, 0)...)
					case code.MethodOf(c.Common()) == "AfterFunc":
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
		if !code.IsContext(p.Type()) {
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
func onlyLogs(f *engine.Family, fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if _, ret := in.(*ssa.Return); !ret && tellsSomebody(f, in) {
				return false
			}
		}
	}
	return true
}
