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
	leaves := st.skips || r.lock.Try && (st.direct || st.closed) && !loopBlocks(st.fn)[st.at.Block()]
	short := r.use.TTL.Seconds > 0 || r.lock.Kind == lock.Advisory
	freed := len(st.freed) > 0 || st.closed && len(st.release) > 0
	if !leaves || !short || !freed || r.use.Renewal != "none" || k.e.loops(st, Endless) || !k.constant(r.lock.Key) {
		return
	}
	if st.wrapper && r.lock.Key.Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == fnName(st.fn) }) {
		return // what callers name is judged there
	}
	if k.scheduled == nil {
		k.schedules()
	}
	for fn := st.fn; fn != nil; fn = fn.Parent() {
		if k.scheduled[fnName(fn)] {
			at := st.lock.At // of what gives it back itself
			if len(st.freed) > 0 {
				at = k.e.families[rootOf(fn)].within(st.freed[0])
			}
			k.found.of(r.use, lock.Call{Frame: framed(at, r.use.TTL.Text), Call: at.Callee, Kind: lock.OnceFreed})
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
	k.scheduled = make(map[string]bool)
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
	var only *ssa.Function
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if !slices.ContainsFunc(f.sums[fn].steps[in], k.e.toils) {
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
