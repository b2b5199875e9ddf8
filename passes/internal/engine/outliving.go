package engine

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// late finds the write that a lock was taken for after its release: the section
// does nothing, or what it read is written afterwards. Writing the same table
// again is no sign; to claim a job under the lock and to finish it later is sound.
func (e *Engine) late(t *taking) []lock.Slip {
	freed := t.st.lock.At
	if len(t.st.freed) > 0 {
		freed = t.st.freed[0].At
	}
	if at := t.st.late; at.IsValid() {
		return []lock.Slip{{Frame: at, Kind: lock.SlipAfter, Detail: "commit", Other: freed}}
	}
	if list := e.carriedOut(t.st); len(list) > 0 {
		return []lock.Slip{{Frame: list[0].At, Kind: lock.SlipAfter, Other: freed}}
	}
	if list := e.decidedOn(t.st); len(list) > 0 {
		return []lock.Slip{{Frame: list[0].At, Kind: lock.SlipAfter, Other: freed}}
	}
	// A transaction that is over is rolled back once more by a defer: that frees nothing.
	if t.st.region == nil || t.st.wrapper || t.st.heldOut || t.st.deferred && t.m.Scope != "transaction" {
		return nil
	}
	idle := e.idle(t.st)
	for _, x := range t.st.after {
		if x.Reach == ByGoroutine || !t.guarded(x) || x.Memory == nil && x.Open != Closed || t.inAnother(x) {
			continue
		}
		if idle || e.carries(t.st, x) {
			return []lock.Slip{{Frame: x.At, Kind: lock.SlipAfter, Other: t.st.freed[0].At}}
		}
	}
	return nil
}

// inAnother reports whether an effect lies in the section of another lock that
// the function takes.
func (t *taking) inAnother(x Effect) bool {
	for _, other := range t.f.sums[t.st.fn].sites {
		if other == t.st || other.at == t.st.at {
			continue
		}
		if other.lock.At.Position == x.At.Position || slices.ContainsFunc(other.effects, func(y Effect) bool { return y.At.Position == x.At.Position }) {
			return true
		}
	}
	return false
}

// carries reports whether a write stores what a query of the section read.
func (e *Engine) carries(st *site, x Effect) bool {
	if x.Call == nil || x.Open != Closed {
		return false
	}
	reads := make(map[*term.T]bool)
	for _, y := range st.effects {
		if y.Call != nil && y.Open == Closed && slices.ContainsFunc(e.reader.Of(y.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query }) {
			reads[y.Call] = true
		}
	}
	read := func(v *term.T) bool { return v.Any(func(y *term.T) bool { return reads[y] }) }
	return slices.ContainsFunc(e.reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && (read(m.Write.Value) || slices.ContainsFunc(m.Write.Sets, func(s meaning.Setting) bool { return read(s.Value) }))
	})
}

// outlives finds work that the section starts and does not wait for, so that it
// goes on after the release. It counts where it is the section's only work, or
// writes what the section writes. A function that returns with the lock held may
// leave it to what it has started.
func (e *Engine) outlives(t *taking) []lock.Slip {
	if slip, ok := e.onCancel(t); ok {
		return []lock.Slip{slip}
	}
	if t.st.heldOut || t.m.Kind == lock.Election {
		return nil // what a leader starts runs as long as it leads
	}
	var bodies []body
	switch {
	case t.st.region != nil && len(t.st.freed) > 0:
		bodies = append(bodies, t.inline())
	case t.st.closed && !t.f.e.staysOn(t.st.at.Common().StaticCallee()):
		bodies = t.callbacks()
	}
	for _, b := range bodies {
		if b.f.waitsAnywhere() {
			continue
		}
		for _, in := range b.held {
			if slip, ok := t.timed(b, in); ok {
				return []lock.Slip{slip}
			}
			if slip, ok := t.leftRunning(b, in); ok {
				return []lock.Slip{slip}
			}
			c, ok := in.(ssa.CallInstruction)
			if !ok || !b.f.starts(c) || t.st.match != nil && t.f.releaseIndex(b.steps[in], t.st.match) >= 0 {
				continue
			}
			ctxs := contextsGiven(b.f, c)
			if b.run != nil && slices.ContainsFunc(ctxs, b.bound) {
				continue
			}
			for _, x := range b.steps[in] {
				if t.goesOn(b, x) && (x.Open == Closed || !slices.ContainsFunc(ctxs, b.f.ends)) {
					at := b.f.frame(c, "")
					if g, ok := c.(*ssa.Go); ok {
						at.Position = e.position(g.Pos()) // of the word go, not of the call
					}
					return []lock.Slip{{Frame: at, Kind: lock.SlipOutlives, Other: x.At}}
				}
			}
		}
	}
	return nil
}

// goesOn reports whether what a goroutine does is what the section is for.
func (t *taking) goesOn(b body, x Effect) bool {
	return x.Reach == ByGoroutine && x.Memory == nil &&
		(x.Open == Closed && t.guarded(x) && t.mainly(x) || x.Open != Closed && t.f.e.labours(x) && t.alone() && !b.f.lingers(b.held, 0))
}

// leftRunning finds work that a function of the package starts for the section, which
// calls it, and gives nobody anything to wait for. What an object keeps count of is
// waited for by whoever closes it.
func (t *taking) leftRunning(b body, in ssa.Instruction) (lock.Slip, bool) {
	call, ok := in.(*ssa.Call)
	if !ok || t.st.match != nil && t.f.releaseIndex(b.steps[in], t.st.match) >= 0 || !slices.ContainsFunc(b.steps[in], func(x Effect) bool { return x.Reach == ByGoroutine }) {
		return lock.Slip{}, false
	}
	fn := origin(call.Call.StaticCallee())
	if fn == nil || fn.Parent() != nil || pkgOf(fn) != pkgOf(t.st.fn) || t.f.e.families[fn] == nil || t.f.e.families[fn].waitsAnywhere() {
		return lock.Slip{}, false
	}
	for r := range fn.Signature.Results().Variables() {
		if !isError(r.Type()) {
			return lock.Slip{}, false
		}
	}
	g := t.f.e.families[fn]
	if slices.ContainsFunc(g.calling, func(c ssa.CallInstruction) bool {
		if name := methodOf(c.Common()); name != "Add" && name != "Go" || len(c.Common().Args) == 0 {
			return false
		}
		_, kept := g.base(c.Common().Args[0]).(*ssa.FieldAddr)
		return kept
	}) {
		return lock.Slip{}, false
	}
	for _, c := range g.calling {
		start, ok := c.(*ssa.Go)
		if !ok || start.Parent() != fn {
			continue
		}
		ctxs := contextsGiven(g, start)
		if slices.ContainsFunc(ctxs, g.ends) || slices.ContainsFunc(contextsGiven(b.f, call), func(ctx ssa.Value) bool { return b.f.ends(ctx) || b.run != nil && b.bound(ctx) }) {
			continue
		}
		at := g.frame(start, "")
		for _, x := range b.steps[in] {
			if slices.ContainsFunc(way(x), func(fr lock.Frame) bool { return fr.Position == at.Position }) && t.goesOn(b, x) {
				at.Position = t.f.e.position(start.Pos())
				return lock.Slip{Frame: at, Kind: lock.SlipOutlives, Other: x.At}, true
			}
		}
	}
	return lock.Slip{}, false
}

// labours reports whether an open call may be work: what is only told something, or
// computes, is not.
func (e *Engine) labours(x Effect) bool {
	return x.Open == Dynamic || x.Open == Value && !x.Tells && !x.Yields && e.hidden(x) != ""
}

// A body is code that runs in a section.
type body struct {
	f     *family
	run   *ssa.Function // what the wrapper runs; nil where the function takes the lock itself
	steps map[ssa.Instruction][]Effect
	held  []ssa.Instruction
}

// inline is the section of a function that takes the lock itself, with the closures that
// run where they stand: the bodies of loops over iterators, and what is called at once.
func (t *taking) inline() body {
	b := body{f: t.f, steps: t.f.sums[t.st.fn].steps, held: t.st.region.Held}
	for i := 0; i < len(b.held); i++ {
		call, ok := b.held[i].(*ssa.Call)
		if !ok {
			continue
		}
		within := call.Call.StaticCallee()
		if v := rangeBody(call.Common()); v != nil {
			within, _ = v.(*ssa.Function)
			if mc, ok := v.(*ssa.MakeClosure); ok {
				within = mc.Fn.(*ssa.Function)
			}
		}
		if within == nil || within.Parent() == nil || t.f.sums[within] == nil || slices.ContainsFunc(b.held, func(in ssa.Instruction) bool { return in.Parent() == within }) {
			continue
		}
		if !slices.ContainsFunc(within.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, starting) }) {
			continue
		}
		b.steps = maps.Clone(b.steps)
		maps.Copy(b.steps, t.f.summarise(within).steps)
		b.held = slices.Clip(b.held)
		for _, block := range within.Blocks {
			b.held = append(b.held, block.Instrs...)
		}
	}
	return b
}

// starting reports whether an instruction may start something that goes on.
func starting(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Go:
		return true
	case *ssa.Call:
		return methodOf(in.Common()) == "Go" || rangeBody(in.Common()) != nil || in.Call.StaticCallee() != nil && in.Call.StaticCallee().Parent() != nil
	}
	return false
}

// bound reports whether a context is the one that the wrapper gives: what it ends with
// is the wrapper's affair.
func (b body) bound(ctx ssa.Value) bool {
	line := b.f.lineage(ctx)
	if len(line) == 0 {
		return true // not known
	}
	p, ok := line[len(line)-1].(*ssa.Parameter)
	return ok && p.Parent() == b.run
}

// callbacks lists the functions of this package that a wrapper is given to run while
// it holds the lock.
func (t *taking) callbacks() []body {
	var out []body
	for _, a := range t.st.at.Common().Args {
		if _, ok := a.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		for _, fn := range t.f.get(a).Alts() {
			run := t.f.e.funcs[fn.Name]
			if fn.Kind != term.Func && fn.Kind != term.Closure || run == nil || pkgOf(run) != pkgOf(t.st.fn) {
				continue
			}
			g := t.f.e.families[origin(rootOf(run))]
			if g == nil || g.sums[run] == nil {
				continue
			}
			b := body{f: g, run: run}
			for _, block := range run.Blocks {
				b.held = append(b.held, block.Instrs...)
			}
			if slices.ContainsFunc(b.held, func(in ssa.Instruction) bool {
				c, ok := in.(ssa.CallInstruction)
				return ok && (g.starts(c) || calleeName(c.Common()) == "time.AfterFunc")
			}) {
				b.steps = g.summarise(run).steps // those of most functions are not kept
				out = append(out, b)
			}
		}
	}
	return out
}

// starts reports whether a call starts a goroutine by itself: what functions that
// it calls start is theirs to end.
func (f *family) starts(c ssa.CallInstruction) bool {
	if _, ok := c.(*ssa.Go); ok {
		return true
	}
	entry := f.e.reader.Entry(f.callTerm(c.Common(), c.Pos()))
	return entry != nil && entry.Runs != nil && entry.Runs.How == "go"
}

// alone reports whether all work of a section, as far as it shows, is done by what it
// starts.
func (t *taking) alone() bool {
	return !slices.ContainsFunc(t.st.effects, func(y Effect) bool {
		return y.Reach != ByGoroutine && !y.Own && (t.guarded(y) || y.Open != Closed && !y.Tells && t.f.e.hidden(y) != "")
	})
}

// maxLinger bounds how deep lingers looks into what is called.
const maxLinger = 3

// lingers reports whether instructions call something that may take its time out of
// sight: a server that runs until it is stopped is what keeps a program in its section.
func (f *family) lingers(list []ssa.Instruction, depth int) bool {
	return slices.ContainsFunc(list, func(in ssa.Instruction) bool {
		call, ok := in.(*ssa.Call)
		if !ok {
			return false
		}
		c := call.Common()
		entries := f.entries(c)
		if slices.ContainsFunc(entries, func(e *catalog.Call) bool { return e.Blocks != nil && e.Blocks.Kind != "remote" }) {
			return true
		}
		if _, builtin := c.Value.(*ssa.Builtin); builtin || len(entries) > 0 || f.quietCall(c) || worldly(c.Signature()) || inMemory(c) || rangeBody(c) != nil {
			return false // nothing to wait for, or among the effects
		}
		callee := origin(c.StaticCallee())
		if callee == nil || depth > maxLinger {
			return true
		}
		g := f.e.families[origin(rootOf(callee))]
		return g == nil || slices.ContainsFunc(callee.Blocks, func(b *ssa.BasicBlock) bool { return g.lingers(b.Instrs, depth+1) })
	})
}

// contextsGiven lists the contexts that a call gives to a goroutine, as arguments or
// as what its closure captures.
func contextsGiven(f *family, start ssa.CallInstruction) []ssa.Value {
	given := slices.Clone(start.Common().Args)
	if mc, ok := start.Common().Value.(*ssa.MakeClosure); ok {
		given = append(given, captured(f, mc)...)
	}
	return slices.DeleteFunc(given, func(v ssa.Value) bool { return !isContext(v.Type()) })
}

// captured lists what a closure captures; of a variable with a context, what is in it.
func captured(f *family, mc *ssa.MakeClosure) []ssa.Value {
	var out []ssa.Value
	for _, v := range mc.Bindings {
		if p, ok := v.Type().Underlying().(*types.Pointer); ok && isContext(p.Elem()) {
			out = append(out, f.stores[f.base(v)]...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// ends reports whether the family ends a context: a goroutine on it may well be over
// with the section.
func (f *family) ends(ctx ssa.Value) bool {
	line := f.lineage(ctx)
	return slices.ContainsFunc(f.calling, func(in ssa.CallInstruction) bool { return f.cancels(in, line) })
}

// staysOn reports whether a wrapper waits for something once it has called a function
// that it was given, before it ends anything: a leader that is told to start works until
// then.
func (e *Engine) staysOn(wrapper *ssa.Function) bool {
	wrapper = origin(wrapper)
	if wrapper == nil || e.families[rootOf(wrapper)] == nil {
		return false
	}
	f := e.families[rootOf(wrapper)]
	for _, b := range wrapper.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.IsInvoke() || !isArgument(f.get(c.Call.Value)) {
				continue
			}
			region := world.Explore(c, nothing{}, func(in ssa.Instruction) world.Verb {
				if c, ok := in.(*ssa.Call); ok && c.Call.StaticCallee() == nil && isCancel(c.Common()) {
					return world.Kill // what is waited for from here on is told to end
				}
				return world.Go
			})
			if slices.ContainsFunc(region.Held, f.waitsFor) {
				return true
			}
		}
	}
	return false
}

// mainly reports whether a goroutine's write is what the section is for.
func (t *taking) mainly(x Effect) bool {
	resources := func(x Effect) []string {
		var out []string
		for _, m := range t.f.e.reader.Of(x.Call) {
			if m.Role == meaning.Write && !m.Write.Cache {
				out = append(out, m.Write.Resource)
			}
		}
		return out
	}
	mine := resources(x)
	alone := len(mine) > 0
	for _, y := range t.st.effects {
		if y.Reach == ByGoroutine || !t.guarded(y) {
			continue
		}
		alone = false
		if y.Call != nil && y.Open == Closed && slices.ContainsFunc(resources(y), func(r string) bool { return strings.Contains(r, ":") && slices.Contains(mine, r) }) {
			return true
		}
	}
	return alone
}

// waitsAnywhere reports whether the function or a closure in it waits for anything:
// that may be the work. Which of several is waited for is not asked.
func (f *family) waitsAnywhere() bool {
	return slices.ContainsFunc(f.members, func(fn *ssa.Function) bool {
		return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, f.waitsFor) })
	})
}

// waitsFor reports whether an instruction waits for a channel or a group.
func (f *family) waitsFor(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.ARROW
	case *ssa.Select:
		return true
	case ssa.CallInstruction:
		d := declared(in.Common())
		return d != nil && d.Name() == "Wait"
	}
	return false
}

// onCancel finds an election that gives the lease back as soon as its context
// ends (ReleaseOnCancel of client-go): the leader's work runs in a goroutine of
// the library, which does not wait for it. Where the work itself ends a context that
// nobody else ends, it is over by then.
func (e *Engine) onCancel(t *taking) (lock.Slip, bool) {
	if !t.st.direct || t.m.Kind != lock.Election {
		return lock.Slip{}, false
	}
	const name = "ReleaseOnCancel"
	config := ""
	if !t.st.lock.Call.Any(func(x *term.T) bool {
		i := slices.Index(x.Names, name)
		if x.Kind != term.Struct || i < 0 || !isConst(x.Args[i], "true") {
			return false
		}
		config = x.Site
		return true
	}) || t.resigns() {
		return lock.Slip{}, false
	}
	at := t.u.Acquire
	for _, g := range e.index.inPackage(pkgOf(t.st.fn)) {
		if set, ok := g.setIn(config, name); ok {
			at = set
			break
		}
	}
	return lock.Slip{Frame: at, Kind: lock.SlipOutlives, Detail: name, Other: t.u.Acquire}, true
}

// resigns reports whether the context of an election is ended by the work that the
// election starts, and by no caller's context.
func (t *taking) resigns() bool {
	entry := t.f.e.reader.Entry(t.st.lock.Call)
	if entry == nil || entry.Acquire == nil || t.m.Section == nil {
		return false
	}
	line := t.f.lineage(operand(t.st.at.Common(), entry.Acquire.Context))
	if len(line) == 0 || fromCaller(line) {
		return false
	}
	work := t.f.e.funcs[t.m.Section.Name]
	return slices.ContainsFunc(t.f.calling, func(in ssa.CallInstruction) bool {
		fn := in.Parent()
		for fn != work && fn.Parent() != nil {
			fn = fn.Parent()
		}
		return fn == work && t.f.cancels(in, line)
	})
}

// setIn is the place where the family sets a field of the struct to true that it makes
// at a site.
func (f *family) setIn(site, name string) (at lock.Frame, ok bool) {
	makes := false
	for _, fn := range f.members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Alloc:
					makes = makes || f.e.site(in.Pos()) == site
				case *ssa.Store:
					if a, field := in.Addr.(*ssa.FieldAddr); field && a.Pos().IsValid() && fieldName(a.X.Type(), a.Field) == name && isConst(f.get(in.Val), "true") {
						at = lock.Frame{Position: f.e.position(a.Pos()), Function: shown(fn)}
					}
				}
			}
		}
	}
	return at, makes && at.IsValid()
}
