package engine

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Counters are where a section draws its tokens from: a Redis INCR, an insert
// into a table of grants. Drawing one is no write of the protected resource,
// and neither is what keeps the counter's key alive.
type Counters struct {
	Calls []*term.T // that draw
	Keys  []*term.T // of what is counted
	// versions are keys of etcd that are counted by how often they were written.
	Versions []string
	Numbered []*term.T // the calls that their numbers came from
}

// Add notes where the token v was drawn, if it is one.
func (c *Counters) Add(e *Engine, v *term.T) {
	tok, ok := e.Reader.Token(v)
	if !ok || !tok.Ordered || tok.Handle != nil || tok.Call == nil {
		return
	}
	if tok.Counter != nil {
		c.Keys = append(c.Keys, tok.Counter)
	}
	if tok.Resets != "" {
		c.Numbered = append(c.Numbered, tok.Call)
		for _, m := range e.Reader.Of(tok.Call) {
			at := m.Store
			if m.Role == meaning.Write {
				at = m.Write.Resource
			}
			if strings.HasPrefix(at, "etcd:") {
				c.Versions = append(c.Versions, at)
			}
		}
	}
	calls := []*term.T{tok.Call}
	if recv := meaning.Receiver(tok.Call); recv != nil && recv.Kind == term.Call {
		calls = append(calls, recv) // res.LastInsertId: the insert
	}
	for _, call := range calls {
		if ms := e.Reader.Of(call); len(ms) < 2 || ms[0].Role == meaning.Acquire || ms[0].Role == meaning.Renew {
			c.Calls = append(c.Calls, call) // a script that does more besides is a write
		}
		for _, m := range e.Reader.Of(call) {
			if m.Role == meaning.Write && m.Write.Store == "redis" && m.Write.Key != nil {
				c.Keys = append(c.Keys, m.Write.Key)
			}
		}
	}
}

// give notes where the tokens were drawn that are handed on with a value: it may be a
// context which carries one, in a struct or not.
func (c *Counters) give(e *Engine, v *term.T) {
	c.Add(e, v)
	for _, x := range v.Carries() {
		c.Add(e, x)
		if x.Kind == term.Struct {
			for _, part := range x.Args {
				c.Add(e, part)
			}
		}
	}
}

// numbers leaves out of a section what draws the tokens that its function hands on,
// to a callback, as a result or in an object: whoever takes the lock by it gets them with
// the lock.
func (e *Engine) numbers(s *summary.Summary, section []summary.Effect) []summary.Effect {
	return slices.DeleteFunc(slices.Clone(section), e.drawing(s, section))
}

// section is what a site is to those whose function runs in it. Whether that compares the
// token that it is given or not, drawing one is no write of theirs.
func (e *Engine) section(s *summary.Summary, st *summary.Site) summary.Section {
	sec := st.Section()
	draws := e.drawing(s, sec.Effects)
	sec.Effects = slices.Clone(sec.Effects)
	for i, x := range sec.Effects {
		sec.Effects[i].Own = x.Own || draws(x)
	}
	return sec
}

// drawing tells the effects of a section that draw the tokens which its function hands on.
func (e *Engine) drawing(s *summary.Summary, section []summary.Effect) func(summary.Effect) bool {
	var c Counters
	for _, set := range s.Sets {
		c.give(e, set.Value)
	}
	for _, r := range s.Results {
		if r != nil {
			c.give(e, r)
		}
	}
	for _, x := range section {
		if x.Open == summary.Value {
			for _, a := range x.Call.Args[1:] {
				c.give(e, a)
			}
		}
	}
	return func(x summary.Effect) bool {
		return x.Call != nil && x.Open == summary.Closed && e.Draws(c, x.Call, e.Reader.Of(x.Call))
	}
}

// Drawn finds the counters whose values the writes of a section compare or store, or
// a callback gets.
func (e *Engine) Drawn(effects []summary.Effect) Counters {
	var c Counters
	look := func(v *term.T) { c.Add(e, v) }
	var guards func(gs []meaning.Guard)
	guards = func(gs []meaning.Guard) {
		for _, g := range gs {
			look(g.Value)
			guards(g.Alts)
		}
	}
	for _, x := range effects {
		switch {
		case x.Memory != nil:
			look(x.Memory.Token)
		case x.Open == summary.Value:
			for _, a := range x.Call.Args[1:] {
				c.give(e, a)
			}
		case x.Call != nil && x.Open == summary.Closed:
			for _, m := range e.Reader.Of(x.Call) {
				if m.Role == meaning.Write {
					guards(m.Write.Guards)
					for _, s := range m.Write.Sets {
						look(s.Value)
					}
				}
			}
		}
	}
	return c
}

// Draws reports whether a call draws a token or tends its counter. A counter
// whose value goes where it cannot be followed is known by its name.
func (e *Engine) Draws(c Counters, call *term.T, ms []meaning.Meaning) bool {
	if slices.ContainsFunc(c.Calls, call.SameCall) {
		return true
	}
	if column, ok := e.Reader.Counted(call); ok && FenceName(column) {
		return true
	}
	tends := false
	var key *term.T
	for _, m := range ms {
		tends = tends || m.Role == meaning.Renew
		if m.Role == meaning.Write {
			key = m.Write.Key
		}
	}
	tok, ok := e.Reader.Token(call)
	counts := ok && tok.Call == call && tok.Ordered && tok.Handle == nil
	if key == nil || !tends && !counts {
		return false
	}
	if counts && FenceName(key.Pattern()) {
		return true
	}
	return slices.ContainsFunc(c.Keys, func(k *term.T) bool { return e.Pool.Alike(k, key) })
}

// early are the calls of a function that draw a token and always run before it takes the lock.
func (f *Family) early(s *summary.Summary, st *summary.Site) []*term.T {
	var out []*term.T
	for _, b := range st.Func.Blocks {
		for _, in := range b.Instrs {
			if in == ssa.Instruction(st.At) || !code.Before(in, st.Start()) {
				continue
			}
			for _, x := range s.Steps[in] {
				if x.Call == nil || x.Open != summary.Closed || x.Call == st.Lock.Call {
					continue
				}
				if f.Engine.Reader.Numbers(x.Call) {
					out = append(out, f.Engine.Pool.Call(x.Call.Name, x.Call.Site))
				}
			}
		}
	}
	return out
}

// DrawnBefore reports whether a token was drawn before the lock was taken, and not again
// in its section.
func (e *Engine) DrawnBefore(st *summary.Site, call *term.T) bool {
	if call == nil || call.Site == "" {
		return false
	}
	return slices.ContainsFunc(st.Lock.Early, call.SameCall) && !call.SameCall(st.Lock.Call) &&
		!slices.ContainsFunc(st.Effects, func(x summary.Effect) bool { return x.Call != nil && call.SameCall(x.Call) })
}

// FenceName reports whether a key or column is named like a fence.
func FenceName(name string) bool {
	l := strings.ToLower(name)
	for _, w := range []string{"token", "fence", "fencing", "epoch"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}
