package engine

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// What a lock leaves behind when its section is over: an object that has to be
// released before it can be taken again, and the session that was made for it.

// forgets finds a loop that takes a lock again through an object which still holds
// it. That the lock was lost does not help: the object knows that when it is released,
// and refuses until then.
func (e *Engine) forgets(t *taking) []lock.Slip {
	if t.st.region == nil || !t.st.direct || !t.m.Sticky || !t.st.region.Again || len(t.st.freed) > 0 || t.st.returned || t.m.Handle == nil {
		return nil
	}
	switch made := t.f.callOf(t.m.Handle); {
	case made != nil:
		if slices.ContainsFunc(t.f.sums[t.st.fn].loops, func(l *loop) bool { return l.body[t.st.at.Block()] && l.body[made.Block()] }) || t.lends(t.m.Handle) ||
			slices.ContainsFunc(t.f.places, func(p placed) bool { return t.f.get(p.val) == t.m.Handle }) {
			return nil
		}
	case t.m.Handle.Kind != term.Field || e.freesField(t, t.m.Handle.Name):
		return nil
	}
	return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "again", Other: t.u.Acquire}}
}

// lends reports whether an object is given to code that may release it.
func (t *taking) lends(object *term.T) bool {
	return slices.ContainsFunc(t.f.calling, func(in ssa.CallInstruction) bool {
		c := in.Common()
		return t.f.e.reader.Entry(t.f.callTerm(c, in.Pos())) == nil && slices.ContainsFunc(c.Args, func(v ssa.Value) bool { return t.f.get(v) == object })
	})
}

// freesField reports whether a function of the package releases a lock that it finds in
// a field of a name, or gives what is in there away.
func (e *Engine) freesField(t *taking, name string) bool {
	found := false
	e.eachIn(pkgOf(t.st.fn), func(f *family, fn *ssa.Function, s *Summary) {
		if found {
			return
		}
		field := func(x *term.T) bool { return x.Kind == term.Field && x.Name == name }
		for in, list := range s.steps {
			found = found || slices.ContainsFunc(list, func(x Effect) bool {
				r, ok := e.release(x)
				return ok && r.Family == t.m.Family && r.Handle != nil && r.Handle.Any(field)
			})
			c, ok := in.(ssa.CallInstruction)
			found = found || ok && e.reader.Entry(f.callTerm(c.Common(), c.Pos())) == nil && slices.ContainsFunc(c.Common().Args, func(a ssa.Value) bool { return field(f.get(a)) })
		}
	})
	return found
}

// forsakes finds a session that is made for one lock and kept beside it, and that
// whoever releases the lock forgets: it is renewed as long as the process lives.
func (e *Engine) forsakes(t *taking) []lock.Slip {
	if t.st.region == nil || !t.st.direct || !t.st.wrapper || !t.st.heldOut || t.m.Parent == nil {
		return nil
	}
	stores := t.ownSession()
	if len(stores) != 1 {
		return nil
	}
	a, made := stores[0].Addr.(*ssa.FieldAddr), makerOf(t.f.single(stores[0].Val))
	at, ok := slotOf(a.X.Type(), a.Field)
	name := fieldName(a.X.Type(), a.Field)
	if !ok || made == nil || token.IsExported(name) || at.owner.Pkg().Path() != pkgOf(t.st.fn) || t.lends(t.f.get(stores[0].Val)) {
		return nil
	}
	freed := e.withoutSession(t, at, name)
	if !freed.IsValid() {
		return nil
	}
	return []lock.Slip{{Frame: t.f.frame(made, ""), Kind: lock.SlipAbandoned, Detail: "kept", Other: freed}}
}

// ownSession lists where the function of the acquire puts the session that it has made for
// the lock into an object.
func (t *taking) ownSession() []*ssa.Store {
	var out []*ssa.Store
	for _, b := range t.st.fn.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			_, field := st.Addr.(*ssa.FieldAddr)
			session := t.f.get(st.Val)
			if session.Kind == term.Result {
				session = session.Args[0]
			}
			if !field || session.Kind != term.Call || !t.m.Parent.Any(func(x *term.T) bool { return x == session }) {
				continue
			}
			entry := t.f.e.reader.Entry(session)
			if entry != nil && entry.New != nil && entry.New.Leaks && !(entry.New.Lapses && t.u.TTL.Source != "none" && !t.f.renewed(session)) {
				out = append(out, st)
			}
		}
	}
	return out
}

// withoutSession returns the release of the lock in a method of the object that also
// keeps its session, if nothing in view closes that, or hands it out.
func (e *Engine) withoutSession(t *taking, at slot, name string) lock.Frame {
	var freed lock.Frame
	closed := false
	e.eachIn(pkgOf(t.st.fn), func(f *family, fn *ssa.Function, s *Summary) {
		if closed {
			return
		}
		own := receiverOf(fn) == at.owner
		field := func(x *term.T) bool { return x.Kind == term.Field && x.Name == name }
		for _, list := range s.steps {
			for _, x := range list {
				r, ok := e.release(x)
				switch {
				case !ok || r.Family != t.m.Family:
				case r.Session:
					closed = closed || own || r.Handle == nil || r.Handle.Any(field)
				case own && (!freed.IsValid() || x.At.Compare(freed.Position) < 0):
					freed = x.At
				}
			}
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				a, ok := in.(*ssa.FieldAddr)
				if !ok || a.Field != at.field {
					continue
				}
				if of, ok := slotOf(a.X.Type(), a.Field); ok && of == at {
					closed = closed || f.handsOut(a)
				}
			}
		}
	})
	if closed || !freed.IsValid() {
		return lock.Frame{}
	}
	freed.Text = "the lock is released here"
	return freed
}

// handsOut reports whether what a field holds goes to code that may close it: anything
// but a call of the catalogue.
func (f *family) handsOut(field *ssa.FieldAddr) bool {
	return slices.ContainsFunc(*field.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.Store:
			return r.Val == ssa.Value(field)
		case *ssa.DebugRef:
			return false
		case *ssa.UnOp:
			return slices.ContainsFunc(*r.Referrers(), func(r ssa.Instruction) bool {
				c, ok := r.(ssa.CallInstruction)
				if !ok {
					_, debug := r.(*ssa.DebugRef)
					_, asked := r.(*ssa.BinOp)
					return !debug && !asked
				}
				call := f.callTerm(c.Common(), c.Pos())
				entry := f.e.reader.Entry(call)
				return entry == nil || slices.ContainsFunc(f.e.reader.Of(call), func(m meaning.Meaning) bool { return m.Session }) || strings.HasSuffix(call.Name, ".Orphan")
			})
		}
		return true
	})
}
