package engine

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// A function can take its lock for the sake of its caller and give it back too early:
// it reads under the lock, returns what it read, and the caller stores what it makes of
// that where it was read.

// maxCarried bounds how many callers up what was read is followed.
const maxCarried = 3

// It can also give its lock back where only the decision was made: the record is looked
// at under the lock, and changed after it.

// A carrying is what the section of a site read, by the place of the query, and the
// tables that were read there.
type carrying struct {
	e     *Engine
	reads map[string][]string
	args  map[*term.T]bool // what the queries were given
}

// CarriedOut lists the writes of callers that store what the section of a site read
// where reading is all that it did.
func (e *Engine) CarriedOut(st *summary.Site) []summary.Effect {
	if st.Region == nil || st.Wrapper || st.HeldOut || len(st.Freed) == 0 || st.Func.Parent() != nil {
		return nil
	}
	if c := e.onlyReads(st); c != nil {
		return c.callers(st.Func, 0)
	}
	return nil
}

// onlyReads says what the section of a site reads, where it does nothing else: nil where
// it may have claimed what it read.
func (e *Engine) onlyReads(st *summary.Site) *carrying {
	c := &carrying{e: e, reads: make(map[string][]string), args: make(map[*term.T]bool)}
	for _, x := range st.Effects {
		if x.Memory != nil || x.Open != summary.Closed || x.Call == nil {
			return nil
		}
		for _, m := range e.Reader.Of(x.Call) {
			_, tables, _ := strings.Cut(m.Store, ":")
			switch {
			case m.Role == meaning.Write || m.Role == meaning.Queued:
				return nil
			case m.Role == meaning.Query && tables != "":
				c.reads[x.Call.Site] = strings.Split(tables, ",")
			case m.Role == meaning.Query && m.Store == "sql":
				if table := e.modelled(x); table != "" {
					c.reads[x.Call.Site] = []string{table}
				}
			}
			if m.Role == meaning.Query {
				c.given(x.Call)
			}
		}
	}
	if len(c.reads) == 0 {
		return nil
	}
	return c
}

// given notes what a query is given, by the links of a builder as well: which record it reads.
func (c *carrying) given(query *term.T) {
	var note func(args []*term.T)
	note = func(args []*term.T) {
		for _, a := range args {
			switch {
			case a.Kind == term.List:
				note(a.Args)
			case a.Kind != term.Const && a.Kind != term.Nil && a.Kind != term.Unknown && !c.e.Carrier(a) && !a.Any(func(t *term.T) bool { return t == query }):
				c.args[a] = true
			}
		}
	}
	note(meaning.Args(query))
	for link := meaning.Receiver(query); ; link = meaning.Receiver(link) {
		if entry := c.e.Reader.Entry(link); entry == nil || entry.Part == nil {
			return
		}
		note(meaning.Args(link))
	}
}

// modelled names the table that a query reads into a model, by the model's type.
func (e *Engine) modelled(x summary.Effect) string {
	entry := e.Reader.Entry(x.Call)
	if entry == nil || entry.Query == nil {
		return ""
	}
	_, in := e.Index.CallOf(x.Call)
	if in == nil {
		return ""
	}
	into, _ := code.Operand(in.Common(), entry.Query.Out).(*ssa.MakeInterface)
	if into == nil {
		return ""
	}
	t := code.Deref(into.X.Type())
	if list, ok := t.Underlying().(*types.Slice); ok {
		t = code.Deref(list.Elem())
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return meaning.TableOf(n.Obj().Name())
	}
	return ""
}

// of lists the tables that a value was read from under the lock.
func (c *carrying) of(v *term.T) []string {
	var tables []string
	v.Any(func(y *term.T) bool {
		if y.Kind == term.Call {
			tables = append(tables, c.reads[y.Site]...)
		}
		return false
	})
	return tables
}

// callers lists the writes of the callers of a function that returns what was read.
func (c *carrying) callers(fn *ssa.Function, depth int) []summary.Effect {
	sum := c.e.Summary(fn)
	if sum == nil || depth >= maxCarried || !slices.ContainsFunc(sum.Results, func(t *term.T) bool { return len(c.of(t)) > 0 }) {
		return nil
	}
	var out []summary.Effect
	for _, call := range c.e.Readings().Taking[fn] {
		caller := call.Parent()
		f := c.e.Families[code.Origin(code.Root(caller))]
		if f == nil || f.Sums[caller] == nil || len(f.Sums[caller].Sites) > 0 {
			continue // it may hold a lock of its own
		}
		steps := f.Sums[caller].Steps
		if steps == nil {
			steps = f.Summarise(caller).Steps
		}
		for _, b := range caller.Blocks {
			for _, in := range b.Instrs {
				if code.Before(call, in) {
					out = append(out, slices.DeleteFunc(slices.Clone(steps[in]), func(x summary.Effect) bool { return !c.stores(x) })...)
				}
			}
		}
		if caller.Parent() == nil {
			out = append(out, c.callers(caller, depth+1)...)
		}
	}
	return out
}

// stores reports whether an effect writes what was read where it was read. One that
// compares what was read is refused where it has changed since.
func (c *carrying) stores(x summary.Effect) bool {
	if x.Call == nil || x.Open != summary.Closed || x.Reach == summary.ByGoroutine {
		return false
	}
	return slices.ContainsFunc(c.e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		if m.Role != meaning.Write || m.Write.Unknown != "" || slices.ContainsFunc(m.Write.Guards, func(g meaning.Guard) bool { return len(c.of(g.Value)) > 0 }) {
			return false
		}
		_, table, _ := strings.Cut(m.Write.Resource, ":")
		there := func(v *term.T) bool { return slices.Contains(c.of(v), table) }
		return there(m.Write.Value) || slices.ContainsFunc(m.Write.Sets, func(s meaning.Setting) bool { return there(s.Value) })
	})
}

// DecidedOn lists the writes after the release that change, or make, the very record which the
// section looked at, where to look was all that it did. A write that names more than the
// record may be refused where that has changed since, and so nothing is said of one that
// comes after another look.
func (e *Engine) DecidedOn(st *summary.Site) []summary.Effect {
	if st.Wrapper {
		return nil
	}
	after := st.After
	if st.Closed {
		after = e.following(st)
	} else if st.Region == nil || (st.HeldOut || st.Deferred) && len(st.Region.Stops) == 0 {
		return nil
	}
	if len(after) == 0 {
		return nil
	}
	c := e.onlyReads(st)
	if c == nil {
		return nil
	}
	var out []summary.Effect
	for _, x := range after {
		if x.Call == nil || x.Open != summary.Closed || x.Reach == summary.ByGoroutine {
			continue
		}
		for _, m := range e.Reader.Of(x.Call) {
			switch {
			case m.Role == meaning.Acquire, m.Role == meaning.Query && c.overlaps(m.Store):
				return out // of another lock, or after another look
			case m.Role == meaning.Write && c.changes(m.Write):
				out = append(out, x)
			}
		}
	}
	return out
}

// following lists what is done after a call that holds the lock itself.
func (e *Engine) following(st *summary.Site) []summary.Effect {
	sum := e.Summary(st.Func)
	if sum == nil {
		return nil
	}
	var out []summary.Effect
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			if code.Before(st.At, in) {
				out = append(out, sum.Steps[in]...)
			}
		}
	}
	return out
}

// overlaps reports whether a store is one that was read.
func (c *carrying) overlaps(store string) bool {
	_, tables, _ := strings.Cut(store, ":")
	for _, read := range c.reads {
		if slices.ContainsFunc(strings.Split(tables, ","), func(t string) bool { return slices.Contains(read, t) }) {
			return true
		}
	}
	return false
}

// changes reports whether a write names a record that was read, and nothing besides: by
// what the query was given as well, or by what it found.
func (c *carrying) changes(w *meaning.Change) bool {
	_, table, named := strings.Cut(w.Resource, ":")
	if !named || w.Unknown != "" || !c.overlaps(w.Resource) {
		return false
	}
	if w.Operation == "INSERT" {
		return len(w.Guards) == 0 && c.makes(w)
	}
	if len(w.Guards) == 0 {
		return w.Store != "sql" && w.Key != nil && w.Key.Any(func(t *term.T) bool { return c.args[t] })
	}
	for _, g := range w.Guards {
		found := g.Value != nil && len(w.Guards) == 1 && slices.Contains(c.of(g.Value), table)
		if g.Op != "=" || !found && !c.args[g.Value] {
			return false
		}
	}
	return true
}

// makes reports whether an insert stores what the queries were given, all of it or two values: it
// makes the record, or one of those, that was looked for.
func (c *carrying) makes(w *meaning.Change) bool {
	stored := 0
	for arg := range c.args {
		if slices.ContainsFunc(w.Sets, func(s meaning.Setting) bool { return s.Value == arg }) {
			stored++
		}
	}
	return stored > 0 && stored >= min(len(c.args), 2)
}

// Carries reports whether a write stores what a query of the section read.
func (e *Engine) Carries(st *summary.Site, x summary.Effect) bool {
	if x.Call == nil || x.Open != summary.Closed {
		return false
	}
	reads := make(map[*term.T]bool)
	for _, y := range st.Effects {
		if y.Call != nil && y.Open == summary.Closed && slices.ContainsFunc(e.Reader.Of(y.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query }) {
			reads[y.Call] = true
		}
	}
	read := func(v *term.T) bool { return v.Any(func(y *term.T) bool { return reads[y] }) }
	return slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool {
		return m.Role == meaning.Write && (read(m.Write.Value) || slices.ContainsFunc(m.Write.Sets, func(s meaning.Setting) bool { return read(s.Value) }))
	})
}
