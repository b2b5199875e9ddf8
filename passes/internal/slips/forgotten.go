package slips

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// What a lock leaves behind when its section is over: an object that has to be
// released before it can be taken again, and the session that was made for it.

// forgets finds a loop that takes a lock again through an object which still holds
// it. That the lock was lost does not help: the object knows that when it is released,
// and refuses until then.
func forgets(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || !t.st.Direct || !t.m.Sticky || !t.st.Region.Again || len(t.st.Freed) > 0 || t.st.Returned || t.m.Handle == nil {
		return nil
	}
	switch made := t.f.CallOf(t.m.Handle); {
	case made != nil:
		if slices.ContainsFunc(t.f.Sums[t.st.Func].Loops, func(l *summary.Loop) bool { return l.Body[t.st.At.Block()] && l.Body[made.Block()] }) || t.lends(t.m.Handle) ||
			slices.ContainsFunc(t.f.Places, func(p engine.Placed) bool { return t.f.Get(p.Val) == t.m.Handle }) {
			return nil
		}
	case t.m.Handle.Kind != term.Field || freesField(e, t, t.m.Handle.Name):
		return nil
	}
	return []lock.Slip{{Frame: t.u.Acquire, Kind: lock.SlipLeft, Detail: "again", Other: t.u.Acquire}}
}

// lends reports whether an object is given to code that may release it.
func (t *taking) lends(object *term.T) bool {
	return slices.ContainsFunc(t.f.Calling, func(in ssa.CallInstruction) bool {
		c := in.Common()
		return t.f.Engine.Reader.Entry(t.f.CallTerm(c, in.Pos())) == nil && slices.ContainsFunc(c.Args, func(v ssa.Value) bool { return t.f.Get(v) == object })
	})
}

// freesField reports whether a function of the package releases a lock that it finds in
// a field of a name, or gives what is in there away.
func freesField(e *engine.Engine, t *taking, name string) bool {
	found := false
	e.EachIn(code.PackagePath(t.st.Func), func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		if found {
			return
		}
		field := func(x *term.T) bool { return x.Kind == term.Field && x.Name == name }
		for in, list := range s.Steps {
			found = found || slices.ContainsFunc(list, func(x summary.Effect) bool {
				r, ok := e.Release(x)
				return ok && r.Family == t.m.Family && r.Handle != nil && r.Handle.Any(field)
			})
			c, ok := in.(ssa.CallInstruction)
			found = found || ok && e.Reader.Entry(f.CallTerm(c.Common(), c.Pos())) == nil && slices.ContainsFunc(c.Common().Args, func(a ssa.Value) bool { return field(f.Get(a)) })
		}
	})
	return found
}

// forsakes finds a session that is made for one lock and kept beside it, and that
// whoever releases the lock forgets: it is renewed as long as the process lives.
func forsakes(e *engine.Engine, t *taking) []lock.Slip {
	if t.st.Region == nil || !t.st.Direct || !t.st.Wrapper || !t.st.HeldOut || t.m.Parent == nil {
		return nil
	}
	stores := t.ownSession()
	if len(stores) != 1 {
		return nil
	}
	a, made := stores[0].Addr.(*ssa.FieldAddr), code.MakerOf(t.f.Single(stores[0].Val))
	at, ok := code.SlotOf(a.X.Type(), a.Field)
	name := code.FieldName(a.X.Type(), a.Field)
	if !ok || made == nil || token.IsExported(name) || at.Owner.Pkg().Path() != code.PackagePath(t.st.Func) || t.lends(t.f.Get(stores[0].Val)) {
		return nil
	}
	freed := withoutSession(e, t, at, name)
	if !freed.IsValid() {
		return nil
	}
	return []lock.Slip{{Frame: t.f.Frame(made, ""), Kind: lock.SlipAbandoned, Detail: "kept", Other: freed}}
}

// ownSession lists where the function of the acquire puts the session that it has made for
// the lock into an object.
func (t *taking) ownSession() []*ssa.Store {
	var out []*ssa.Store
	for _, b := range t.st.Func.Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok {
				continue
			}
			_, field := st.Addr.(*ssa.FieldAddr)
			session := t.f.Get(st.Val)
			if session.Kind == term.Result {
				session = session.Args[0]
			}
			if !field || session.Kind != term.Call || !t.m.Parent.Any(func(x *term.T) bool { return x == session }) {
				continue
			}
			entry := t.f.Engine.Reader.Entry(session)
			if entry != nil && entry.New != nil && entry.New.Leaks && !(entry.New.Lapses && t.u.TTL.Source != "none" && !renewed(t.f, session)) {
				out = append(out, st)
			}
		}
	}
	return out
}

// withoutSession returns the release of the lock by the object that also keeps its session,
// or in a method of that, if nothing in view closes the session, or hands it out.
func withoutSession(e *engine.Engine, t *taking, at code.Slot, name string) lock.Frame {
	var freed lock.Frame
	closed := false
	e.EachIn(code.PackagePath(t.st.Func), func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		if closed {
			return
		}
		method := code.ReceiverOf(fn) == at.Owner
		field := func(x *term.T) bool { return x.Kind == term.Field && x.Name == name }
		for in, list := range s.Steps {
			own := method || fromObject(in, at.Owner)
			for _, x := range list {
				r, ok := e.Release(x)
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
				if !ok || a.Field != at.Field {
					continue
				}
				if of, ok := code.SlotOf(a.X.Type(), a.Field); ok && of == at {
					closed = closed || handsOut(f, a)
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

// fromObject reports whether a call is made on what a field of an object of a type holds.
func fromObject(in ssa.Instruction, owner *types.TypeName) bool {
	c, ok := in.(ssa.CallInstruction)
	if !ok || len(c.Common().Args) == 0 {
		return false
	}
	load, ok := c.Common().Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	a, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	s, ok := code.SlotOf(a.X.Type(), a.Field)
	return ok && s.Owner == owner
}

// handsOut reports whether what a field holds goes to code that may close it: anything
// but a call of the catalogue.
func handsOut(f *engine.Family, field *ssa.FieldAddr) bool {
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
				call := f.CallTerm(c.Common(), c.Pos())
				entry := f.Engine.Reader.Entry(call)
				return entry == nil || slices.ContainsFunc(f.Engine.Reader.Of(call), func(m meaning.Meaning) bool { return m.Session }) || strings.HasSuffix(call.Name, ".Orphan")
			})
		}
		return true
	})
}
