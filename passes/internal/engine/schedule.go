package engine

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// once notes that a lock whose loser skips the run of a schedule is given back
// when the run ends: a replica whose clock is a little behind runs it again.
func (k *keeping) once(r recorded) {
	st := r.st
	// Whoever only tries leaves the run out as well, whatever error is told of it: a
	// schedule does not run again for an error.
	inline := k.inline(r)
	leaves := st.skips || r.lock.Try && (st.direct || st.closed) && !loopBlocks(st.fn)[st.at.Block()] || inline > 0
	short := r.use.TTL.Seconds > 0 || r.lock.Kind == lock.Advisory
	freed := len(st.freed) > 0 || st.closed && len(st.release) > 0
	if !leaves || !short || !freed || r.use.Renewal != "none" || k.e.loops(st, Endless) || !k.constant(r.lock.Key) {
		return
	}
	if st.wrapper && r.lock.Key.Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == fnName(st.fn) }) {
		return // what callers name is judged there
	}
	note := func(fn *ssa.Function, every float64) {
		at := st.lock.At // of what gives it back itself
		if len(st.freed) > 0 {
			at = k.e.families[rootOf(fn)].within(st.freed[0])
		}
		k.found.of(r.use, lock.Call{Frame: framed(at, r.use.TTL.Text), Call: at.Callee, Kind: lock.OnceFreed, Limit: every})
	}
	if inline > 0 && !tidies(st.fn, r.use) {
		note(st.fn, inline)
		return
	}
	if k.scheduled == nil {
		k.schedules()
	}
	for fn := st.fn; fn != nil; fn = fn.Parent() {
		if k.scheduled[fnName(fn)] {
			note(fn, 0)
			return
		}
		if every := k.ticked[fnName(fn)]; every > 0 && !tidies(fn, r.use) {
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
func (k *keeping) inline(r recorded) float64 {
	f := k.e.families[rootOf(r.st.fn)]
	if !r.lock.Try || !r.st.direct || !r.st.guarded || f.sums[r.st.fn] == nil {
		return 0
	}
	if period := f.period(r.st.at); period != nil {
		if secs := meaning.Seconds(meaning.Args(period)[0]); secs >= oftenest {
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
	return meaning.Named(rootOf(fn).Name(), "clean", "cleanup", "purge", "prune", "gc", "sweep", "expire", "evict", "refresh", "renew", "sync", "reconcile", "vacuum", "compact", "rotate", "trim", "collect", "delete", "remove", "check", "update", "reload", "rebuild")
}

// within is the call of the family by which an effect happens: in a closure, the one
// that the closure makes.
func (f *family) within(x Effect) lock.Frame {
	for _, at := range slices.Backward(way(x)) {
		if f.holds(at) {
			return at
		}
	}
	return happens(x)
}

// maxDeep bounds the functions through which a schedule is followed.
const maxDeep = 4

// schedules finds the functions that run at set times, once an hour at the most: those
// that a schedule names, and those that these do nothing but call.
func (k *keeping) schedules() {
	k.scheduled, k.ticked = make(map[string]bool), make(map[string]float64)
	for _, c := range k.e.index.calls() {
		call := c.term()
		entry := k.e.reader.Entry(call)
		if entry == nil || entry.Runs == nil || entry.Runs.How != "later" || len(meaning.Args(call)) == 0 {
			continue
		}
		if k.rarely(meaning.Args(call)[0], 0) {
			k.schedule(c.f.registered(c.in.Common(), call, entry), 0)
		}
	}
	k.e.functions(func(f *family, fn *ssa.Function) { k.ticks(f, fn) })
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
		return depth < maxDeep && slices.ContainsFunc(k.e.values(spec), func(t *term.T) bool { return k.rarely(t, depth+1) })
	}
	return false
}

// oftenest is the shortest period, in seconds, in which a job is not simply repeated.
const oftenest = 3600

// ticks finds the functions that are all that a loop calls each time that its own ticker
// fires, or that it waits for an hour of the day.
func (k *keeping) ticks(f *family, fn *ssa.Function) {
	if !waitsLong(fn) {
		return
	}
	if !k.e.solved[f] {
		k.e.solveFrom([]*family{f})
	}
	sum := f.sums[fn]
	if sum == nil {
		return
	}
	if sum.steps == nil {
		sum = f.summarise(fn)
	}
	for _, l := range sum.loops {
		var only *ssa.Call
		several := false
		for _, b := range fn.Blocks {
			if !l.body[b] {
				continue
			}
			for _, in := range b.Instrs {
				if slices.ContainsFunc(sum.steps[in], k.e.toils) {
					call, ok := in.(*ssa.Call)
					several = several || !ok || only != nil || call.Call.StaticCallee() == nil
					only = call
				}
			}
		}
		if only == nil || several {
			continue
		}
		period := f.period(only)
		if period == nil {
			continue
		}
		length := meaning.Args(period)[0]
		name := fnName(origin(only.Call.StaticCallee()))
		switch secs := meaning.Seconds(length); {
		case secs >= oftenest:
			for fn := origin(only.Call.StaticCallee()); fn != nil && k.ticked[fnName(fn)] == 0; fn = k.errand(fn) {
				k.ticked[fnName(fn)] = secs
			}
		case length.Any(func(t *term.T) bool { return t.Kind == term.Call && t.Name == "time.Date" }):
			k.schedule(name, 0)
		}
	}
}

// waitsLong reports whether a function makes a ticker or a timer, or sleeps, for what is
// not too short at first sight.
func waitsLong(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			c, ok := in.(*ssa.Call)
			if !ok || c.Call.StaticCallee() == nil || len(c.Call.Args) != 1 || !isDuration(c.Call.Args[0].Type()) {
				continue
			}
			if n, known := constInt(c.Call.Args[0]); strings.HasPrefix(c.Call.StaticCallee().String(), "time.") && (!known || n >= oftenest*1e9) {
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
	if fn := k.e.funcs[name]; fn != nil {
		if only := k.errand(fn); only != nil {
			k.schedule(fnName(only), depth+1)
		}
	}
}

// registered names the function that a call registers, be it the method of an object:
// the Run of a cron.Job. It is empty where that is not known.
func (f *family) registered(c *ssa.CallCommon, call *term.T, entry *catalog.Call) string {
	if run := f.e.reader.Get(entry.Runs.Func, call, nil); run != nil && (run.Kind == term.Func || run.Kind == term.Closure) {
		return run.Name
	}
	path := entry.Runs.Func.Path
	if len(path) != 1 {
		return ""
	}
	at := entry.Runs.Func
	at.Path = nil
	v := operand(c, at)
	if t := f.get(v); t.Kind == term.Func || t.Kind == term.Closure {
		return t.Name // a function of a type that has the method: cron.FuncJob(f)
	}
	mi, ok := v.(*ssa.MakeInterface)
	if !ok {
		return ""
	}
	obj, _, _ := types.LookupFieldOrMethod(mi.X.Type(), true, nil, path[0])
	if m, ok := obj.(*types.Func); ok {
		if fn := f.e.prog.FuncValue(m.Origin()); fn != nil {
			return fnName(fn)
		}
	}
	return ""
}

// errand is the function that fn calls to do all of its work; nil where fn does some
// of it itself, or calls several.
func (k *keeping) errand(fn *ssa.Function) *ssa.Function {
	f := k.e.families[rootOf(fn)]
	if f == nil || f.sums[fn] == nil {
		return nil
	}
	steps := f.sums[fn].steps
	if steps == nil {
		steps = f.summarise(fn).steps
	}
	var only *ssa.Function
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if !slices.ContainsFunc(steps[in], k.e.toils) {
				continue
			}
			call, ok := in.(*ssa.Call)
			if !ok || only != nil || call.Call.StaticCallee() == nil {
				return nil
			}
			only = origin(call.Call.StaticCallee())
		}
	}
	return only
}

// toils reports whether an effect is work, or what work is done under.
func (e *Engine) toils(x Effect) bool {
	switch {
	case x.Memory != nil:
		return true
	case x.Open != Closed:
		return e.hidden(x) != ""
	case x.Call == nil:
		return false
	}
	return slices.ContainsFunc(e.reader.Of(x.Call), func(m meaning.Meaning) bool {
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
