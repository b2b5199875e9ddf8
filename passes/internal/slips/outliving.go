package slips

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// late finds the write that a lock was taken for after its release: the section
// does nothing, or what it read is written afterwards. Writing the same table
// again is no sign; to claim a job under the lock and to finish it later is sound.
func late(e *engine.Engine, t *taking) []lock.Slip {
	freed := t.st.Lock.At
	if len(t.st.Freed) > 0 {
		freed = t.st.Freed[0].At
	}
	if at := t.st.Late; at.IsValid() {
		return []lock.Slip{{Frame: at, Kind: lock.SlipAfter, Detail: "commit", Other: freed}}
	}
	if at := t.st.LeftOut; at.IsValid() {
		return []lock.Slip{{Frame: at, Kind: lock.SlipAfter, Other: freed}}
	}
	if list := e.CarriedOut(t.st); len(list) > 0 {
		return []lock.Slip{{Frame: list[0].At, Kind: lock.SlipAfter, Other: freed}}
	}
	if list := e.DecidedOn(t.st); len(list) > 0 {
		return []lock.Slip{{Frame: list[0].At, Kind: lock.SlipAfter, Other: freed}}
	}
	// A transaction that is over is rolled back once more by a defer: that frees nothing.
	if t.st.Region == nil || t.st.Wrapper || t.st.HeldOut || t.st.Deferred && t.m.Scope != "transaction" {
		return nil
	}
	idle := e.Idle(t.st)
	for _, x := range t.st.After {
		if x.Reach == summary.ByGoroutine || !t.guarded(x) || x.Memory == nil && x.Open != summary.Closed || t.inAnother(x) {
			continue
		}
		if idle || e.Carries(t.st, x) {
			return []lock.Slip{{Frame: x.At, Kind: lock.SlipAfter, Other: t.st.Freed[0].At}}
		}
	}
	return nil
}

// inAnother reports whether an effect lies in the section of another lock that
// the function takes.
func (t *taking) inAnother(x summary.Effect) bool {
	for _, other := range t.f.Sums[t.st.Func].Sites {
		if other == t.st || other.At == t.st.At {
			continue
		}
		if other.Lock.At.Position == x.At.Position || slices.ContainsFunc(other.Effects, func(y summary.Effect) bool { return y.At.Position == x.At.Position }) {
			return true
		}
	}
	return false
}

// outlives finds work that the section starts and does not wait for, so that it
// goes on after the release. It counts where it is the section's only work, or
// writes what the section writes. A function that returns with the lock held may
// leave it to what it has started.
func outlives(e *engine.Engine, t *taking) []lock.Slip {
	if slip, ok := onCancel(e, t); ok {
		return []lock.Slip{slip}
	}
	if t.st.HeldOut || t.m.Kind == lock.Election {
		return nil // what a leader starts runs as long as it leads
	}
	var bodies []body
	switch {
	case t.st.Region != nil && len(t.st.Freed) > 0:
		bodies = append(bodies, t.inline())
	case t.st.Closed && !staysOn(t.f.Engine, t.st.At.Common().StaticCallee()):
		bodies = t.callbacks()
	}
	for _, b := range bodies {
		if b.f.WaitsAnywhere() && (b.run != nil || !t.waitsLate()) {
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
			if !ok || !b.f.Starts(c) || t.st.Match != nil && t.f.ReleaseIndex(b.steps[in], t.st.Match) >= 0 {
				continue
			}
			ctxs := contextsGiven(b.f, c)
			if b.run != nil && slices.ContainsFunc(ctxs, b.bound) {
				continue
			}
			for i, x := range b.steps[in] {
				if !e.TakenAnew(t.st, b.steps[in], i) && t.goesOn(b, x) && (x.Open == summary.Closed || !slices.ContainsFunc(ctxs, func(ctx ssa.Value) bool { return ends(b.f, ctx) })) {
					at := b.f.Frame(c, "")
					if g, ok := c.(*ssa.Go); ok {
						at.Position = e.Position(g.Pos()) // of the word go, not of the call
					}
					return []lock.Slip{{Frame: at, Kind: lock.SlipOutlives, Other: x.At}}
				}
			}
		}
	}
	return nil
}

// waitsLate reports whether all that a function waits for, it waits for after the release:
// what goes on until then does so without the lock.
func (t *taking) waitsLate() bool {
	after := make(map[ssa.Instruction]bool)
	for _, in := range t.st.Region.After {
		after[in] = true
	}
	return !slices.ContainsFunc(t.f.Members, func(fn *ssa.Function) bool {
		return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
			return slices.ContainsFunc(b.Instrs, func(in ssa.Instruction) bool { return t.f.WaitsFor(in) && !after[in] })
		})
	})
}

// goesOn reports whether what a goroutine does is what the section is for.
func (t *taking) goesOn(b body, x summary.Effect) bool {
	return x.Reach == summary.ByGoroutine && x.Memory == nil &&
		(x.Open == summary.Closed && t.guarded(x) && t.mainly(x) || x.Open != summary.Closed && labours(t.f.Engine, x) && (t.alone() || t.prepared(b, x)) && !lingers(b.f, b.held, 0))
}

// leftRunning finds work that a function of the package starts for the section, which
// calls it, and gives nobody anything to wait for. What an object keeps count of is
// waited for by whoever closes it.
func (t *taking) leftRunning(b body, in ssa.Instruction) (lock.Slip, bool) {
	call, ok := in.(*ssa.Call)
	if !ok || t.st.Match != nil && t.f.ReleaseIndex(b.steps[in], t.st.Match) >= 0 || !slices.ContainsFunc(b.steps[in], func(x summary.Effect) bool { return x.Reach == summary.ByGoroutine }) {
		return lock.Slip{}, false
	}
	fn := code.Origin(call.Call.StaticCallee())
	if fn == nil || fn.Parent() != nil || code.PackagePath(fn) != code.PackagePath(t.st.Func) || t.f.Engine.Families[fn] == nil || t.f.Engine.Families[fn].WaitsAnywhere() {
		return lock.Slip{}, false
	}
	for r := range fn.Signature.Results().Variables() {
		if !code.IsError(r.Type()) {
			return lock.Slip{}, false
		}
	}
	g := t.f.Engine.Families[fn]
	if slices.ContainsFunc(g.Calling, func(c ssa.CallInstruction) bool {
		if name := code.MethodOf(c.Common()); name != "Add" && name != "Go" || len(c.Common().Args) == 0 {
			return false
		}
		_, kept := g.Base(c.Common().Args[0]).(*ssa.FieldAddr)
		return kept
	}) {
		return lock.Slip{}, false
	}
	for _, c := range g.Calling {
		start, ok := c.(*ssa.Go)
		if !ok || start.Parent() != fn {
			continue
		}
		ctxs := contextsGiven(g, start)
		if slices.ContainsFunc(ctxs, func(ctx ssa.Value) bool { return ends(g, ctx) }) || slices.ContainsFunc(contextsGiven(b.f, call), func(ctx ssa.Value) bool { return ends(b.f, ctx) || b.run != nil && b.bound(ctx) }) {
			continue
		}
		at := g.Frame(start, "")
		for _, x := range b.steps[in] {
			if slices.ContainsFunc(summary.Way(x), func(fr lock.Frame) bool { return fr.Position == at.Position }) && t.goesOn(b, x) {
				at.Position = t.f.Engine.Position(start.Pos())
				return lock.Slip{Frame: at, Kind: lock.SlipOutlives, Other: x.At}, true
			}
		}
	}
	return lock.Slip{}, false
}

// labours reports whether an open call may be work: what is only told something, or
// computes, is not.
func labours(e *engine.Engine, x summary.Effect) bool {
	return x.Open == summary.Dynamic || x.Open == summary.Value && !x.Tells && !x.Yields && e.Hidden(x) != ""
}

// A body is code that runs in a section.
type body struct {
	f     *engine.Family
	run   *ssa.Function // what the wrapper runs; nil where the function takes the lock itself
	steps map[ssa.Instruction][]summary.Effect
	held  []ssa.Instruction
}

// inline is the section of a function that takes the lock itself, with the closures that
// run where they stand: the bodies of loops over iterators, and what is called at once.
func (t *taking) inline() body {
	b := body{f: t.f, steps: t.f.Sums[t.st.Func].Steps, held: t.st.Region.Held}
	for i := 0; i < len(b.held); i++ {
		call, ok := b.held[i].(*ssa.Call)
		if !ok {
			continue
		}
		within := call.Call.StaticCallee()
		if v := engine.RangeBody(call.Common()); v != nil {
			within, _ = v.(*ssa.Function)
			if mc, ok := v.(*ssa.MakeClosure); ok {
				within = mc.Fn.(*ssa.Function)
			}
		}
		if within == nil || within.Parent() == nil || t.f.Sums[within] == nil || slices.ContainsFunc(b.held, func(in ssa.Instruction) bool { return in.Parent() == within }) {
			continue
		}
		if !slices.ContainsFunc(within.Blocks, func(b *ssa.BasicBlock) bool { return slices.ContainsFunc(b.Instrs, starting) }) {
			continue
		}
		b.steps = maps.Clone(b.steps)
		maps.Copy(b.steps, t.f.Summarise(within).Steps)
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
		return code.MethodOf(in.Common()) == "Go" || engine.RangeBody(in.Common()) != nil || in.Call.StaticCallee() != nil && in.Call.StaticCallee().Parent() != nil
	}
	return false
}

// bound reports whether a context is the one that the wrapper gives: what it ends with
// is the wrapper's affair.
func (b body) bound(ctx ssa.Value) bool {
	line := b.f.Lineage(ctx)
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
	for _, a := range t.st.At.Common().Args {
		if _, ok := a.Type().Underlying().(*types.Signature); !ok {
			continue
		}
		for _, fn := range t.f.Get(a).Alts() {
			run := t.f.Engine.Functions[fn.Name]
			if fn.Kind != term.Func && fn.Kind != term.Closure || run == nil || code.PackagePath(run) != code.PackagePath(t.st.Func) {
				continue
			}
			g := t.f.Engine.Families[code.Origin(code.Root(run))]
			if g == nil || g.Sums[run] == nil {
				continue
			}
			b := body{f: g, run: run}
			for _, block := range run.Blocks {
				b.held = append(b.held, block.Instrs...)
			}
			if slices.ContainsFunc(b.held, func(in ssa.Instruction) bool {
				c, ok := in.(ssa.CallInstruction)
				return ok && (g.Starts(c) || code.CalleeName(c.Common()) == "time.AfterFunc")
			}) {
				b.steps = g.Summarise(run).Steps // those of most functions are not kept
				out = append(out, b)
			}
		}
	}
	return out
}

// alone reports whether all work of a section, as far as it shows, is done by what it
// starts.
func (t *taking) alone() bool {
	return !slices.ContainsFunc(t.st.Effects, func(y summary.Effect) bool {
		return y.Reach != summary.ByGoroutine && !y.Own && (t.guarded(y) || y.Open != summary.Closed && !y.Tells && t.f.Engine.Hidden(y) != "")
	})
}

// maxLinger bounds how deep lingers looks into what is called.
const maxLinger = 3

// lingers reports whether instructions call something that may take its time out of
// sight: a server that runs until it is stopped is what keeps a program in its section.
func lingers(f *engine.Family, list []ssa.Instruction, depth int) bool {
	return slices.ContainsFunc(list, func(in ssa.Instruction) bool {
		call, ok := in.(*ssa.Call)
		if !ok {
			return false
		}
		c := call.Common()
		entries := f.Entries(c)
		if slices.ContainsFunc(entries, func(e *catalog.Call) bool { return e.Blocks != nil && e.Blocks.Kind != "remote" }) {
			return true
		}
		if _, builtin := c.Value.(*ssa.Builtin); builtin || len(entries) > 0 || f.QuietCall(c) || code.Worldly(c.Signature()) || engine.InMemory(c) || engine.RangeBody(c) != nil {
			return false // nothing to wait for, or among the effects
		}
		callee := code.Origin(c.StaticCallee())
		if callee == nil || depth > maxLinger {
			return true
		}
		g := f.Engine.Families[code.Origin(code.Root(callee))]
		return g == nil || slices.ContainsFunc(callee.Blocks, func(b *ssa.BasicBlock) bool { return lingers(g, b.Instrs, depth+1) })
	})
}

// contextsGiven lists the contexts that a call gives to a goroutine, as arguments or
// as what its closure captures.
func contextsGiven(f *engine.Family, start ssa.CallInstruction) []ssa.Value {
	given := slices.Clone(start.Common().Args)
	if mc, ok := start.Common().Value.(*ssa.MakeClosure); ok {
		given = append(given, captured(f, mc)...)
	}
	return slices.DeleteFunc(given, func(v ssa.Value) bool { return !code.IsContext(v.Type()) })
}

// captured lists what a closure captures; of a variable with a context, what is in it.
func captured(f *engine.Family, mc *ssa.MakeClosure) []ssa.Value {
	var out []ssa.Value
	for _, v := range mc.Bindings {
		if p, ok := v.Type().Underlying().(*types.Pointer); ok && code.IsContext(p.Elem()) {
			out = append(out, f.Stores[f.Base(v)]...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// ends reports whether the family ends a context: a goroutine on it may well be over
// with the section.
func ends(f *engine.Family, ctx ssa.Value) bool {
	line := f.Lineage(ctx)
	return slices.ContainsFunc(f.Calling, func(in ssa.CallInstruction) bool { return f.Cancels(in, line) })
}

// staysOn reports whether a wrapper waits for something once it has called a function
// that it was given, before it ends anything: a leader that is told to start works until
// then.
func staysOn(e *engine.Engine, wrapper *ssa.Function) bool {
	wrapper = code.Origin(wrapper)
	if wrapper == nil || e.Families[code.Root(wrapper)] == nil {
		return false
	}
	f := e.Families[code.Root(wrapper)]
	for _, b := range wrapper.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.IsInvoke() || !engine.IsArgument(f.Get(c.Call.Value)) {
				continue
			}
			region := world.Explore(c, nothing{}, func(in ssa.Instruction) world.Verb {
				if c, ok := in.(*ssa.Call); ok && c.Call.StaticCallee() == nil && code.IsCancel(c.Common()) {
					return world.Kill // what is waited for from here on is told to end
				}
				return world.Go
			})
			if slices.ContainsFunc(region.Held, f.WaitsFor) {
				return true
			}
		}
	}
	return false
}

// mainly reports whether a goroutine's write is what the section is for.
func (t *taking) mainly(x summary.Effect) bool {
	resources := func(x summary.Effect) []string {
		var out []string
		for _, m := range t.f.Engine.Reader.Of(x.Call) {
			if m.Role == meaning.Write && !m.Write.Cache && !m.Write.Counts() {
				out = append(out, m.Write.Resource)
			}
		}
		return out
	}
	mine := resources(x)
	alone := len(mine) > 0
	for _, y := range t.st.Effects {
		if y.Reach == summary.ByGoroutine || !t.guarded(y) {
			continue
		}
		alone = false
		if y.Call != nil && y.Open == summary.Closed && slices.ContainsFunc(resources(y), func(r string) bool { return strings.Contains(r, ":") && slices.Contains(mine, r) }) {
			return true
		}
	}
	return alone
}

// onCancel finds an election that gives the lease back as soon as its context
// ends (ReleaseOnCancel of client-go): the leader's work runs in a goroutine of
// the library, which does not wait for it. Where the work itself ends a context that
// nobody else ends, it is over by then.
func onCancel(e *engine.Engine, t *taking) (lock.Slip, bool) {
	if !t.st.Direct || t.m.Kind != lock.Election {
		return lock.Slip{}, false
	}
	const name = "ReleaseOnCancel"
	config := ""
	if !t.st.Lock.Call.Any(func(x *term.T) bool {
		i := slices.Index(x.Names, name)
		if x.Kind != term.Struct || i < 0 || !engine.IsConst(x.Args[i], "true") {
			return false
		}
		config = x.Site
		return true
	}) || t.resigns() {
		return lock.Slip{}, false
	}
	at := t.u.Acquire
	for _, g := range e.Index.InPackage(code.PackagePath(t.st.Func)) {
		if set, ok := setIn(g, config, name); ok {
			at = set
			break
		}
	}
	return lock.Slip{Frame: at, Kind: lock.SlipOutlives, Detail: name, Other: t.u.Acquire}, true
}

// resigns reports whether the context of an election is ended by the work that the
// election starts, and by no caller's context.
func (t *taking) resigns() bool {
	entry := t.f.Engine.Reader.Entry(t.st.Lock.Call)
	if entry == nil || entry.Acquire == nil || t.m.Section == nil {
		return false
	}
	line := t.f.Lineage(code.Operand(t.st.At.Common(), entry.Acquire.Context))
	if len(line) == 0 || fromCaller(line) {
		return false
	}
	work := t.f.Engine.Functions[t.m.Section.Name]
	return slices.ContainsFunc(t.f.Calling, func(in ssa.CallInstruction) bool {
		fn := in.Parent()
		for fn != work && fn.Parent() != nil {
			fn = fn.Parent()
		}
		return fn == work && t.f.Cancels(in, line)
	})
}

// setIn is the place where the family sets a field of the struct to true that it makes
// at a site.
func setIn(f *engine.Family, site, name string) (at lock.Frame, ok bool) {
	makes := false
	for _, fn := range f.Members {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Alloc:
					makes = makes || f.Engine.CallSite(in.Pos()) == site
				case *ssa.Store:
					if a, field := in.Addr.(*ssa.FieldAddr); field && a.Pos().IsValid() && code.FieldName(a.X.Type(), a.Field) == name && engine.IsConst(f.Get(in.Val), "true") {
						at = lock.Frame{Position: f.Engine.Position(a.Pos()), Function: code.Shown(fn)}
					}
				}
			}
		}
	}
	return at, makes && at.IsValid()
}
