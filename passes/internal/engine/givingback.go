package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// ReleaseIndex finds the effect that releases the lock, or -1.
func (f *Family) ReleaseIndex(list []summary.Effect, match func(summary.Effect) bool) int {
	for i := range list {
		if match(list[i]) {
			return i
		}
	}
	return -1
}

// afterLoss reports whether a goroutine gives the lock back only once the channel that the
// acquire has answered with tells that it is lost: it clears up, and ends no section.
func (f *Family) afterLoss(st *summary.Site, run *ssa.Go) bool {
	mc, ok := run.Call.Value.(*ssa.MakeClosure)
	if !ok || st.At == nil {
		return false
	}
	fn := mc.Fn.(*ssa.Function)
	sum := f.Sums[fn]
	if sum == nil {
		return false
	}
	var lost ssa.Instruction
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if rx, ok := in.(*ssa.UnOp); ok && rx.Op == token.ARROW && lost == nil {
				if x, ok := f.Single(rx.X).(*ssa.Extract); ok && x.Tuple == st.At.Value() {
					lost = rx
				}
			}
		}
	}
	m, _ := f.Engine.Acquire(st.Lock.Call)
	match := f.matcher(st, m)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if f.ReleaseIndex(sum.Steps[in], match) >= 0 && (lost == nil || !code.Before(lost, in)) {
				return false
			}
		}
	}
	return lost != nil
}

// matcher reports whether an effect releases the lock taken at st.
func (f *Family) matcher(st *summary.Site, m meaning.Meaning) func(summary.Effect) bool {
	p := f.Engine.Pool
	ours := func(t *term.T) bool {
		// Something that the wrapper's call returned, in whatever form.
		return t != nil && !st.Direct && t.Any(func(x *term.T) bool { return x == st.Term })
	}
	same := func(x, y *term.T) bool {
		for _, a := range x.Alts() {
			for _, b := range y.Alts() {
				if p.Alike(a, b) {
					return true
				}
			}
		}
		return false
	}
	// A lock object that keeps its key: taken and released through the same
	// object, with a key that comes from it. What an object has read somewhere comes
	// from it as well, so that the key which was taken has to, too. A general command works on
	// all that the object keeps, so that a key which is known has to be named like a lock's.
	object := func(x summary.Effect, key *term.T, general bool) bool {
		if len(x.From) == 0 || len(st.Lock.From) == 0 || general && key != nil && key.Kind == term.Op && !NamesLock(key.Pattern()) && endsElse(key, m.Key) {
			return false
		}
		if key != nil && key.Kind == term.List && len(key.Args) == 1 {
			key = key.Args[0]
		}
		for _, a := range x.From {
			for _, b := range st.Lock.From {
				if p.Alike(a, b) && (UnknownKey(key) || key.IsZero() || comesFrom(key, a) && (UnknownKey(m.Key) || comesFrom(m.Key, b))) {
					return true
				}
			}
		}
		return false
	}
	// Something that lies in a map or slice in which the lock was put, or the object
	// that it was taken through, whichever element that is.
	kept := func(t *term.T) bool {
		mine := func(v *term.T) bool {
			return v.Any(func(x *term.T) bool {
				return x == st.Term || x == st.Lock.Call || m.Handle != nil && x == m.Handle || takenThrough(st.Lock.From, x)
			})
		}
		return t != nil && t.Any(func(x *term.T) bool {
			if x.Kind != term.Elem {
				return false
			}
			for at, values := range f.locations() {
				if at.of == x.Args[0] && at.index != nil && slices.ContainsFunc(values, mine) {
					return true
				}
			}
			return false
		})
	}
	alone := f.Engine.Autocommits(st, m)
	return func(x summary.Effect) bool {
		if x.Call == nil {
			return false
		}
		if x.Open == summary.Value {
			// unlock(): a function that the wrapper returned.
			fn := x.Call.Args[0]
			return ours(fn) || st.Direct && fn.Any(func(t *term.T) bool { return t == st.Term })
		}
		if x.Open == summary.Dynamic {
			return false
		}
		if m.Scope == "transaction" && f.Engine.ends(x, m.On) {
			return !alone // the lock goes with it
		}
		if entry := f.Engine.Reader.Entry(x.Call); m.Scope != "transaction" && entry != nil && EndsTransaction(entry) {
			return false // the lock outlives it, be it begun through the same object
		}
		ms := f.Engine.Reader.Of(x.Call)
		for _, r := range ms {
			if r.Role != meaning.Release || r.Family != m.Family && m.Row == nil {
				continue
			}
			switch {
			case r.Handle != nil && (same(r.Handle, m.Handle) || ours(r.Handle) || kept(r.Handle)),
				r.Session && r.Handle != nil && (same(r.Handle, m.Parent) || within(m.Parent, r.Handle) || m.Parent != nil && within(r.Handle, m.Parent)),
				r.Session && r.Handle == nil && r.Key == nil && r.Library == m.Library,
				object(x, r.Key, r.General(ms)) && !f.Engine.apart(r.Handle, m.Handle),
				r.Handle == nil && m.Handle == nil && kept(r.Key),
				m.Kind == lock.Advisory && (UnknownKey(r.Key) || UnknownKey(m.Key)) && r.Library == m.Library && same(r.On, m.On),
				r.Key != nil && m.Key != nil && (same(r.Key, m.Key) || within(r.Key, m.Key)) && (r.Handle == nil || m.Handle == nil || same(r.Handle, m.Handle)):
				return true
			}
		}
		if m.Row != nil {
			return f.releasesRow(x.Call, m)
		}
		return false
	}
}

// apart reports whether two lock objects were made, or taken, by calls of their own, or by
// one call for keys that are told apart: an object that makes one for each key gives back
// by one of them no other.
func (e *Engine) apart(a, b *term.T) bool {
	if a == nil || b == nil {
		return false
	}
	for _, x := range a.Alts() {
		for _, y := range b.Alts() {
			k, mine := e.madeFor(x)
			l, other := e.madeFor(y)
			if !mine || !other || x.Site == y.Site && !e.differ(k, l) {
				return false
			}
		}
	}
	return true
}

// madeFor reports whether a value is the lock object that a call makes or takes, and for
// which key where the call tells.
func (e *Engine) madeFor(t *term.T) (key *term.T, ok bool) {
	if t.Kind != term.Call {
		return nil, false
	}
	switch entry := e.Reader.Entry(t); {
	case entry == nil:
		return nil, false
	case entry.New != nil:
		return e.Reader.Get(entry.New.Key, t, nil), true
	case entry.Acquire != nil:
		return e.Reader.Get(entry.Acquire.Key, t, nil), true
	}
	return nil, false
}

// differ reports whether two keys are told apart: they are known in all of their parts and
// are not made alike, or begin with texts of which neither is how the other goes on.
func (e *Engine) differ(a, b *term.T) bool {
	if UnknownKey(a) || UnknownKey(b) {
		return false
	}
	vague := func(t *term.T) bool { return t.Kind == term.Unknown }
	if !a.Any(vague) && !b.Any(vague) {
		return !e.Pool.Alike(a, b)
	}
	x, _, _ := strings.Cut(a.Pattern(), "%")
	y, _, _ := strings.Cut(b.Pattern(), "%")
	return a.Kind == term.Op && b.Kind == term.Op && !strings.HasPrefix(x, y) && !strings.HasPrefix(y, x)
}

// endsElse reports whether two keys that are made in the same way end in different names.
func endsElse(key, other *term.T) bool {
	if other == nil || other.Kind != key.Kind || len(key.Args) == 0 || len(other.Args) == 0 {
		return false
	}
	x, y := key.Args[len(key.Args)-1], other.Args[len(other.Args)-1]
	return x.Kind == term.Const && y.Kind == term.Const && x != y
}

// takenThrough reports whether x is an object that a lock was taken through, which may be
// one of several. What is in it can look different on two ways, but not where it was made.
func takenThrough(objects []*term.T, x *term.T) bool {
	return x.Kind == term.Struct && x.Site != "" && slices.ContainsFunc(objects, func(o *term.T) bool {
		return slices.ContainsFunc(o.Alts(), func(a *term.T) bool { return a.Kind == term.Struct && a.Site == x.Site && a.Type == x.Type })
	})
}

func comesFrom(key, object *term.T) bool {
	return key.Any(func(t *term.T) bool { return t == object })
}

// UnknownKey reports whether a key could not be read.
func UnknownKey(k *term.T) bool { return k == nil || k.Kind == term.Unknown }

// within reports whether list is a List that holds x (DEL of several keys).
func within(list, x *term.T) bool {
	if list == nil || x == nil || list.Kind == term.Unknown || x.Kind == term.Unknown {
		return false
	}
	return list.Any(func(t *term.T) bool { return t == x })
}

// releasesRow reports whether a statement gives a lease row back: it deletes
// it or lets it expire.
func (f *Family) releasesRow(call *term.T, m meaning.Meaning) bool {
	for _, w := range f.Engine.Reader.Of(call) {
		if w.Role != meaning.Write || w.Write.Resource != m.Row.Resource {
			continue
		}
		if w.Write.Deletes() {
			return true
		}
		for _, s := range w.Write.Sets {
			for _, a := range m.Row.Sets {
				// Nobody, or no time at all, ends it in the columns for these only.
				told := s.Column == m.Row.Expiry || m.Value != nil && a.Value == m.Value || !IsConst(s.Value, "", "0", "false")
				if s.Column == a.Column && s.Value != a.Value && Frees(s.Value) && told {
					return true
				}
			}
		}
	}
	return false
}

// Release returns what an effect's call means as a release, if it is one.
func (e *Engine) Release(x summary.Effect) (meaning.Meaning, bool) {
	if x.Call == nil || x.Open != summary.Closed {
		return meaning.Meaning{}, false
	}
	for _, m := range e.Reader.Of(x.Call) {
		if m.Role == meaning.Release {
			return m, true
		}
	}
	return meaning.Meaning{}, false
}
