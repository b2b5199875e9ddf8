package remarks

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// once notes that a lock whose loser skips the run of a schedule is given back
// when the run ends: a replica whose clock is a little behind runs it again.
func (k *keeping) once(r summary.Recorded) {
	st := r.Site
	// Whoever only tries leaves the run out as well, whatever error is told of it: a
	// schedule does not run again for an error.
	inline := k.inline(r)
	leaves := st.Skips || r.Lock.Try && (st.Direct || st.Closed) && !engine.LoopBlocks(st.Func)[st.At.Block()] || inline > 0
	// At one time everywhere, only a short job is over when a late replica comes. Tickers
	// are hours apart: however long the lease is, and renewed or not, the job is over by then.
	short := (r.Use.TTL.Seconds > 0 || r.Lock.Kind == lock.Advisory) && r.Use.Renewal == "none"
	freed := len(st.Freed) > 0 || st.Closed && len(st.Release) > 0
	if !leaves || !freed || loops(k.e, st, summary.Endless) || !k.constant(r.Lock.Key) {
		return
	}
	if st.Wrapper && r.Lock.Key.Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == code.FuncName(st.Func) }) {
		return // what callers name is judged there
	}
	note := func(fn *ssa.Function, every float64) {
		at := st.Lock.At // of what gives it back itself
		if len(st.Freed) > 0 {
			at = k.e.Families[code.Root(fn)].Within(st.Freed[0])
		}
		k.found.of(r.Use, lock.Call{Frame: framed(at, r.Use.TTL.Text), Call: at.Callee, Kind: lock.OnceFreed, Limit: every})
	}
	if inline > 0 && !tidies(st.Func, r.Use) {
		note(st.Func, inline)
		return
	}
	if k.scheduled == nil {
		k.schedules()
	}
	for fn := st.Func; fn != nil; fn = fn.Parent() {
		if short && k.scheduled[code.FuncName(fn)] {
			note(fn, 0)
			return
		}
		if every := k.ticked[code.FuncName(fn)]; every > 0 && !tidies(fn, r.Use) {
			note(fn, every)
			return
		}
	}
}

// constant reports whether a key is the same in every run, or for every run of one job
// where several jobs are run by one function: one that names the period is neither.
func (k *keeping) constant(key *term.T) bool {
	s := constancy{k: k, seen: make(map[*term.T]bool)}
	return key != nil && s.same(key) && !s.host && s.fixed == ""
}

// inline is the period, in seconds, of the ticker whose loop takes the lock itself, where
// whoever does not get it waits for the next turn; 0 for others.
func (k *keeping) inline(r summary.Recorded) float64 {
	f := k.e.Families[code.Root(r.Site.Func)]
	if !r.Lock.Try || !r.Site.Direct || !r.Site.Guarded || f.Sums[r.Site.Func] == nil {
		return 0
	}
	if period := period(f, r.Site.At); period != nil {
		if secs := k.every(meaning.Args(period)[0]); secs >= oftenest {
			return secs
		}
	}
	return 0
}

// tidies reports whether what a function does may as well be done twice: all that is
// written is deleted, or it says so by its name.
func tidies(fn *ssa.Function, u *lock.Use) bool {
	keeps := func(w lock.Write) bool { return !w.Own && !w.After && w.Operation != "DELETE" && w.Operation != "DEL" }
	if len(u.Unseen) == 0 && !slices.ContainsFunc(u.Writes, keeps) {
		return true
	}
	return meaning.Named(code.Root(fn).Name(), "clean", "cleanup", "purge", "prune", "gc", "sweep", "expire", "evict", "refresh", "renew", "sync", "reconcile", "vacuum", "compact", "rotate", "trim", "collect", "delete", "remove", "check", "update", "reload", "rebuild")
}

// maxDeep bounds the functions through which a schedule is followed.
const maxDeep = 4

// schedules finds the functions that run at set times, once an hour at the most: those
// that a schedule names, and those that these do nothing but call.
func (k *keeping) schedules() {
	k.scheduled, k.ticked = make(map[string]bool), make(map[string]float64)
	for _, c := range k.e.Index.Calls() {
		call := c.Term()
		entry := k.e.Reader.Entry(call)
		if entry == nil || entry.Runs == nil || entry.Runs.How != "later" || len(meaning.Args(call)) == 0 {
			continue
		}
		spec := meaning.Args(call)[0]
		if k.rarely(spec, 0) {
			k.schedule(registered(c.Family, c.Call.Common(), call, entry), 0)
			k.around(call, 0)
		} else if secs := k.apart(spec); secs >= oftenest {
			k.tick(k.e.Functions[registered(c.Family, c.Call.Common(), call, entry)], secs)
		}
	}
	k.e.EachFunction(func(f *engine.Family, fn *ssa.Function) { k.ticks(f, fn) })
}

// around notes the functions that a scheduled job is wrapped in, be it for all jobs of the
// schedule: cron.NewChain(once).Then(job). What those call runs with the job.
func (k *keeping) around(t *term.T, depth int) {
	switch {
	case depth > 2*maxDeep:
	case t.Kind == term.Func || t.Kind == term.Closure:
		k.schedule(t.Name, 0)
	case t.Kind == term.Call || t.Kind == term.List || t.Kind == term.Result:
		for _, a := range t.Args {
			if a != nil {
				k.around(a, depth+1)
			}
		}
	}
}

// rarely reports whether one of the specifications that a value can be, from a list of
// jobs say, is that of a job which runs once an hour at the most.
func (k *keeping) rarely(spec *term.T, depth int) bool {
	if text, ok := spec.Str(); ok {
		return rare(text)
	}
	switch spec.Kind {
	case term.Join:
		return slices.ContainsFunc(spec.Args, func(t *term.T) bool { return k.rarely(t, depth) })
	case term.Field, term.Param, term.Global:
		return depth < maxDeep && slices.ContainsFunc(k.e.Values(spec), func(t *term.T) bool { return k.rarely(t, depth+1) })
	}
	return false
}

// oftenest is the shortest period, in seconds, in which a job is not simply repeated.
const oftenest = 3600

// ticks finds the functions that are all that a loop calls each time that its own ticker
// fires, or that it waits for an hour of the day.
func (k *keeping) ticks(f *engine.Family, fn *ssa.Function) {
	if !waitsLong(fn) {
		return
	}
	if !k.e.Solved[f] {
		k.e.SolveFrom([]*engine.Family{f})
	}
	sum := f.Sums[fn]
	if sum == nil {
		return
	}
	if sum.Steps == nil {
		sum = f.Summarise(fn)
	}
	for _, l := range sum.Loops {
		var only *ssa.Call
		several := false
		for _, b := range fn.Blocks {
			if !l.Body[b] {
				continue
			}
			for _, in := range b.Instrs {
				if slices.ContainsFunc(sum.Steps[in], func(x summary.Effect) bool { return toils(k.e, x) }) {
					call, ok := in.(*ssa.Call)
					several = several || !ok || only != nil || call.Call.StaticCallee() == nil
					only = call
				}
			}
		}
		if only == nil || several {
			continue
		}
		period := period(f, only)
		if period == nil {
			continue
		}
		length := meaning.Args(period)[0]
		name := code.FuncName(code.Origin(only.Call.StaticCallee()))
		switch secs := k.every(length); {
		case secs >= oftenest:
			k.tick(code.Origin(only.Call.StaticCallee()), secs)
		case length.Any(func(t *term.T) bool { return t.Kind == term.Call && t.Name == "time.Date" }):
			k.schedule(name, 0)
		}
	}
}

// tick notes that a function runs each so many seconds since its process began.
func (k *keeping) tick(fn *ssa.Function, secs float64) {
	for ; fn != nil && k.ticked[code.FuncName(fn)] == 0; fn = k.errand(fn) {
		k.ticked[code.FuncName(fn)] = secs
	}
}

// apart is the period, in seconds, of a schedule that counts from when it was begun; 0 for
// others.
func (k *keeping) apart(spec *term.T) float64 {
	text, _ := spec.Str()
	if every, ok := strings.CutPrefix(text, "@every "); ok {
		d, _ := time.ParseDuration(every)
		return d.Seconds()
	}
	return k.every(spec)
}

// every is a period in seconds: a constant, or what is kept in a field or variable that is
// set to constants, of which it is the shortest.
func (k *keeping) every(length *term.T) float64 {
	if secs := meaning.Seconds(length); secs > 0 {
		return secs
	}
	if length.Kind != term.Field && length.Kind != term.Global && length.Kind != term.Param {
		return 0
	}
	shortest := 0.0
	for _, v := range k.e.Values(length) {
		secs := meaning.Seconds(v)
		if secs <= 0 {
			return 0
		}
		if shortest == 0 || secs < shortest {
			shortest = secs
		}
	}
	return shortest
}

// waitsLong reports whether a function makes a ticker or a timer, or sleeps, for what is
// not too short at first sight.
func waitsLong(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.StaticCallee() == nil || len(c.Call.Args) != 1 || !code.IsDuration(c.Call.Args[0].Type()) {
				continue
			}
			if n, known := code.ConstInt(c.Call.Args[0]); strings.HasPrefix(c.Call.StaticCallee().String(), "time.") && (!known || n >= oftenest*1e9) {
				return true
			}
		}
	}
	return false
}

// schedule notes that a function runs at set times.
func (k *keeping) schedule(name string, depth int) {
	if name == "" || depth > maxDeep || k.scheduled[name] {
		return
	}
	k.scheduled[name] = true
	if fn := k.e.Functions[name]; fn != nil {
		if only := k.errand(fn); only != nil {
			k.schedule(code.FuncName(only), depth+1)
		}
	}
}

// registered names the function that a call registers, be it the method of an object:
// the Run of a cron.Job. It is empty where that is not known.
func registered(f *engine.Family, c *ssa.CallCommon, call *term.T, entry *catalog.Call) string {
	if run := f.Engine.Reader.Get(entry.Runs.Func, call, nil); run != nil && (run.Kind == term.Func || run.Kind == term.Closure) {
		return run.Name
	}
	path := entry.Runs.Func.Path
	if len(path) != 1 {
		return ""
	}
	at := entry.Runs.Func
	at.Path = nil
	v := code.Operand(c, at)
	if t := f.Get(v); t.Kind == term.Func || t.Kind == term.Closure {
		return t.Name // a function of a type that has the method: cron.FuncJob(f)
	}
	mi, ok := v.(*ssa.MakeInterface)
	if !ok {
		return ""
	}
	obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, nil, path[0])
	if m, ok := obj.(*types.Func); ok {
		if fn := f.Engine.Program.FuncValue(m.Origin()); fn != nil {
			return code.FuncName(fn)
		}
	}
	return ""
}

// errand is the function that fn calls to do all of its work; nil where fn does some
// of it itself, or calls several.
func (k *keeping) errand(fn *ssa.Function) *ssa.Function {
	f := k.e.Families[code.Root(fn)]
	if f == nil || f.Sums[fn] == nil {
		return nil
	}
	steps := f.Sums[fn].Steps
	if steps == nil {
		steps = f.Summarise(fn).Steps
	}
	var only *ssa.Function
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if !slices.ContainsFunc(steps[in], func(x summary.Effect) bool { return toils(k.e, x) }) {
				continue
			}
			call, ok := in.(*ssa.Call)
			if !ok || only != nil || call.Call.StaticCallee() == nil {
				return nil
			}
			only = code.Origin(call.Call.StaticCallee())
		}
	}
	return only
}

// toils reports whether an effect is work, or what work is done under.
func toils(e *engine.Engine, x summary.Effect) bool {
	switch {
	case x.Memory != nil:
		return e.Keeps(x.Memory)
	case x.Open != summary.Closed:
		return e.Hidden(x) != ""
	case x.Call == nil:
		return false
	}
	return slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write || m.Role == meaning.Acquire
	})
}

// rare reports whether a cron specification names the minute of the hour.
func rare(spec string) bool {
	switch spec {
	case "@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually":
		return true
	}
	fields := strings.Fields(spec)
	if len(fields) == 6 {
		fields = fields[1:] // seconds come first
	}
	if len(fields) != 5 {
		return false
	}
	_, err := strconv.Atoi(fields[0])
	return err == nil
}
