package engine

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
)

// Counters are where a section draws its tokens from: a Redis INCR, an insert
// into a table of grants. Drawing one is no write of the protected resource,
// and neither is what keeps the counter's key alive.
type counters struct {
	calls []*term.T
	keys  []*term.T
	// versions are keys of etcd that are counted by how often they were written.
	versions []string
	numbered []*term.T // the calls that their numbers came from
}

// add notes where the token v was drawn, if it is one.
func (c *counters) add(e *Engine, v *term.T) {
	tok, ok := e.reader.Token(v)
	if !ok || !tok.Ordered || tok.Handle != nil || tok.Call == nil {
		return
	}
	if tok.Counter != nil {
		c.keys = append(c.keys, tok.Counter)
	}
	if tok.Resets != "" {
		c.numbered = append(c.numbered, tok.Call)
		for _, m := range e.reader.Of(tok.Call) {
			at := m.Store
			if m.Role == meaning.Write {
				at = m.Write.Resource
			}
			if strings.HasPrefix(at, "etcd:") {
				c.versions = append(c.versions, at)
			}
		}
	}
	calls := []*term.T{tok.Call}
	if recv := meaning.Receiver(tok.Call); recv != nil && recv.Kind == term.Call {
		calls = append(calls, recv) // res.LastInsertId: the insert
	}
	for _, call := range calls {
		if ms := e.reader.Of(call); len(ms) < 2 || ms[0].Role == meaning.Acquire || ms[0].Role == meaning.Renew {
			c.calls = append(c.calls, call) // a script that does more besides is a write
		}
		for _, m := range e.reader.Of(call) {
			if m.Role == meaning.Write && m.Write.Store == "redis" && m.Write.Key != nil {
				c.keys = append(c.keys, m.Write.Key)
			}
		}
	}
}

// numbers leaves out of a section what draws the tokens that its function hands on,
// to a callback, as a result or in an object: whoever takes the lock by it gets them with
// the lock.
func (e *Engine) numbers(s *Summary, section []Effect) []Effect {
	var c counters
	for _, set := range s.Sets {
		c.add(e, set.Value)
	}
	for _, r := range s.Results {
		if r != nil {
			c.add(e, r)
		}
	}
	for _, x := range section {
		if x.Open == Value {
			for _, a := range x.Call.Args[1:] {
				c.add(e, a)
			}
		}
	}
	if len(c.calls) == 0 {
		return section
	}
	return slices.DeleteFunc(slices.Clone(section), func(x Effect) bool {
		return x.Call != nil && x.Open == Closed && e.draws(c, x.Call, e.reader.Of(x.Call))
	})
}

// drawn finds the counters whose values the writes of a section compare or store, or
// a callback gets.
func (e *Engine) drawn(effects []Effect) counters {
	var c counters
	look := func(v *term.T) { c.add(e, v) }
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
		case x.Open == Value:
			for _, a := range x.Call.Args[1:] {
				look(a)
			}
		case x.Call != nil && x.Open == Closed:
			for _, m := range e.reader.Of(x.Call) {
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

// draws reports whether a call draws a token or tends its counter. A counter
// whose value goes where it cannot be followed is known by its name.
func (e *Engine) draws(c counters, call *term.T, ms []meaning.Meaning) bool {
	// A call far inside of a value has lost its arguments, but not its place.
	if slices.ContainsFunc(c.calls, func(x *term.T) bool { return x == call || x.Name == call.Name && x.Site == call.Site && x.Site != "" }) {
		return true
	}
	if column, ok := e.reader.Counted(call); ok && fenceName(column) {
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
	tok, ok := e.reader.Token(call)
	counts := ok && tok.Call == call && tok.Ordered && tok.Handle == nil
	if key == nil || !tends && !counts {
		return false
	}
	if counts && fenceName(key.Pattern()) {
		return true
	}
	return slices.ContainsFunc(c.keys, func(k *term.T) bool { return e.pool.Alike(k, key) })
}

// fenceName reports whether a key or column is named like a fence.
func fenceName(name string) bool {
	l := strings.ToLower(name)
	for _, w := range []string{"token", "fence", "fencing", "epoch"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}
