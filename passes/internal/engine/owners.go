package engine

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// owner notes an acquire that lets the present owner in again, under a name that
// others share. A loop is left alone: there, taking the lock again renews it.
func (k *keeping) owner(f *family, r recorded) {
	st, m := r.st, r.lock
	if m.Kind == lock.Election {
		k.identity(r)
	}
	k.session(f, r)
	again := m.Mine || m.Row != nil && m.Row.Mine || k.recognised(f, st, m)
	if !again || m.Kind == lock.Election || len(st.lock.Via) > 0 && !k.names(st, m.Value) || loopBlocks(st.fn)[st.at.Block()] || meaning.Named(rootOf(st.fn).Name(), "elect", "election", "campaign", "leader", "renew", "heartbeat", "refresh", "extend") {
		return
	}
	if m.Value != nil && m.Value.Kind == term.Param || st.heldOut && k.rounds(rootOf(st.fn), 0) {
		return // what callers name is judged there
	}
	name := k.shared(m.Value)
	if name == "" {
		name = k.ofObject(st, m)
	}
	if name != "" {
		k.found.of(r.use, lock.Call{Frame: framed(st.lock.At, name), Call: st.lock.At.Callee, Kind: lock.OwnerShared})
	}
}

// ofObject names an owner value that an object keeps, through which its users take locks of
// many keys: it was made with the object, and is the same for all of them. An object that
// a caller makes for the one acquisition has an owner of its own.
func (k *keeping) ofObject(st *site, m meaning.Meaning) string {
	recv := receiverOf(st.fn)
	if !st.direct || recv == nil || m.Value == nil || !ofArgument(m.Key, rootOf(st.fn)) {
		return ""
	}
	s := constancy{k: k, seen: make(map[*term.T]bool), object: fnName(rootOf(st.fn)), owner: recv}
	if !s.same(m.Value) || s.kept == "" || k.madeForEach(rootOf(st.fn), 0) {
		return ""
	}
	if s.host || s.fixed != "" {
		return k.shown(s)
	}
	if !k.keptByCaller(rootOf(st.fn), 0) {
		return "" // whether users have an object each is not known
	}
	return "what " + recv.Name() + " keeps in " + s.kept
}

// ofArgument reports whether a key has something in it that the caller of a method names,
// other than by the object.
func ofArgument(key *term.T, fn *ssa.Function) bool {
	return asGiven(key) && key.Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == fnName(fn) && t.Index > 0 })
}

// madeForEach reports whether a caller of a method has made the object itself.
func (k *keeping) madeForEach(fn *ssa.Function, depth int) bool {
	return slices.ContainsFunc(k.e.readings().callers[fn], func(c *ssa.CallCommon) bool {
		if len(c.Args) == 0 {
			return true
		}
		f := k.e.readings().family(c.Args[0])
		if f == nil {
			return true
		}
		switch v := f.single(c.Args[0]).(type) {
		case *ssa.Call, *ssa.Extract, *ssa.Alloc, nil:
			return true
		case *ssa.Parameter: // another method of the object, or a function that is given it
			return depth < maxRounds && k.madeForEach(rootOf(v.Parent()), depth+1)
		}
		return false
	})
}

// recognised reports whether a refused acquire reads the record that is there, and
// compares it with what the acquire stores: whoever finds the own name goes on.
func (k *keeping) recognised(f *family, st *site, m meaning.Meaning) bool {
	records := k.e.recordsOf(st.lock.Call)
	if !st.direct || m.Value == nil || m.Value.IsZero() || len(records) == 0 {
		return false
	}
	found := func(t *term.T) bool {
		return t.Any(func(x *term.T) bool { return x.Kind == term.Call && k.e.reads(x, records) })
	}
	for _, b := range st.fn.Blocks {
		for _, in := range b.Instrs {
			var x, y ssa.Value
			switch in := in.(type) {
			case *ssa.BinOp:
				if in.Op == token.EQL || in.Op == token.NEQ {
					x, y = in.X, in.Y
				}
			case *ssa.Call:
				if fn := in.Call.StaticCallee(); fn != nil && len(in.Call.Args) == 2 && fn.String() == "bytes.Equal" {
					x, y = in.Call.Args[0], in.Call.Args[1]
				}
			}
			if x == nil || !canReach(st.at.Block(), b, nil) {
				continue
			}
			a, c := f.get(x), f.get(y)
			if a == m.Value && found(c) || c == m.Value && found(a) {
				return true
			}
		}
	}
	return false
}

// maxRounds bounds the callers among which a loop is looked for.
const maxRounds = 3

// rounds reports whether a function that takes a lock for its callers may be how they
// renew it: one of them calls it in a loop, or none is in view. Who gives it back at the
// end of each turn does not renew it.
func (k *keeping) rounds(fn *ssa.Function, depth int) bool {
	taking := k.e.readings().taking[fn]
	if len(taking) == 0 || depth > maxRounds {
		return depth == 0
	}
	return slices.ContainsFunc(taking, func(call *ssa.Call) bool {
		if k.e.givesBack(call) {
			return false
		}
		return loopBlocks(call.Parent())[call.Block()] || k.rounds(rootOf(call.Parent()), depth+1)
	})
}

// givesBack reports whether the locks that a call takes are all released by the function
// that makes it.
func (e *Engine) givesBack(call *ssa.Call) bool {
	f, found := e.families[rootOf(call.Parent())], false
	if f == nil || f.sums[call.Parent()] == nil {
		return false
	}
	for _, st := range f.sums[call.Parent()].sites {
		if st.at == ssa.CallInstruction(call) {
			found = true
			if len(st.freed) == 0 || st.heldOut && !st.deferred {
				return false
			}
		}
	}
	return found
}

// names reports whether an argument of a wrapper's call says who the owner is. The
// wrapper itself does not, then.
func (k *keeping) names(st *site, owner *term.T) bool {
	return owner != nil && slices.ContainsFunc(meaning.Args(st.callTerm), func(a *term.T) bool { return a == owner })
}

// shared names an owner value that is the same for every acquisition of a process: a
// constant, the name of the host, what else never changes, or made of these.
func (k *keeping) shared(v *term.T) string {
	if v == nil || v.IsZero() {
		return ""
	}
	s := constancy{k: k, seen: make(map[*term.T]bool)}
	if !s.same(v) {
		return ""
	}
	return k.shown(s)
}

// shown names what an owner value is made of.
func (k *keeping) shown(s constancy) string {
	switch {
	case s.host:
		return "the name of the host"
	case s.fixed != "":
		return s.fixed
	case s.constant == nil:
		return ""
	}
	return "the constant " + strconv.Quote(s.constant.Pattern())
}

// constancy follows an owner value to what it is made of.
type constancy struct {
	k        *keeping
	seen     map[*term.T]bool
	host     bool
	fixed    string // what else is the same throughout a process
	object   string // the method in whose receiver what is kept counts; empty: none
	owner    *types.TypeName
	kept     string  // a field of that
	constant *term.T // the value, or a part of it, that is one
}

func (s *constancy) same(t *term.T) bool {
	if s.seen[t] {
		return true
	}
	s.seen[t] = true
	all := func(list []*term.T) bool {
		return !slices.ContainsFunc(list, func(a *term.T) bool { return !s.same(a) })
	}
	switch t.Kind {
	case term.Const:
		s.constant = cmp.Or(s.constant, t)
		return true
	case term.Join:
		return all(t.Args)
	case term.Op:
		if t.Name != "+" && t.Name != "format" && t.Name != "or" {
			return false
		}
		s.constant = cmp.Or(s.constant, t)
		return all(t.Args)
	case term.Call, term.Result:
		if s.k.e.atStart(callIn(t)) {
			s.fixed = cmp.Or(s.fixed, "a value that is made when the process starts")
			return true
		}
		e := s.k.e.reader.Entry(t)
		if e == nil || !e.Fixed {
			return false
		}
		if e.Origin != nil && e.Origin.Kind == "host" {
			s.host = true
		} else {
			s.fixed = cmp.Or(s.fixed, t.Text())
		}
		return true
	case term.Field, term.Param, term.Global:
		if t.Kind == term.Global && s.k.e.setAtStart(t.Name) {
			s.fixed = cmp.Or(s.fixed, "the variable "+t.Name[strings.LastIndexByte(t.Name, '.')+1:])
			return true
		}
		if s.object != "" && t.Kind == term.Field && s.keeps(t) {
			s.kept = cmp.Or(s.kept, t.Name)
			return true
		}
		values := s.k.e.values(t)
		return len(values) > 0 && all(values)
	}
	return false
}

// keeps reports whether a field of the object is set where that is made, and by none of
// its methods.
func (s *constancy) keeps(t *term.T) bool {
	if of := t.Args[0]; of.Kind != term.Param || of.Index != 0 || of.Name != s.object {
		return false
	}
	values := s.k.e.setTo(t)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v ssa.Value) bool { return v.Parent() != nil && receiverOf(v.Parent()) == s.owner })
}

// keptByCaller reports whether a caller of a method keeps the object in one of its own.
func (k *keeping) keptByCaller(fn *ssa.Function, depth int) bool {
	return slices.ContainsFunc(k.e.readings().callers[fn], func(c *ssa.CallCommon) bool {
		f := k.e.readings().family(c.Args[0])
		if f == nil {
			return false
		}
		switch v := f.single(c.Args[0]).(type) {
		case *ssa.UnOp:
			_, field := v.X.(*ssa.FieldAddr)
			_, global := v.X.(*ssa.Global)
			return field || global
		case *ssa.Parameter:
			return depth < maxRounds && k.keptByCaller(rootOf(v.Parent()), depth+1)
		}
		return false
	})
}

// atStart reports whether a call is one that a package makes before anything runs.
func (e *Engine) atStart(call *term.T) bool {
	return slices.ContainsFunc(e.order, func(f *family) bool {
		if name := f.root.Name(); name != "init" && !strings.HasPrefix(name, "init#") || f.root.Signature.Recv() != nil {
			return false
		}
		b, here := f.callBlocks()[call.Site]
		return here && b.Parent() == f.root
	})
}

// setAtStart reports whether a variable of a package that others cannot set is set where
// it is declared only: that happens once in a process, whatever the value is.
func (e *Engine) setAtStart(name string) bool {
	short := name[strings.LastIndexByte(name, '.')+1:]
	values := e.assigned(name)
	return len(values) > 0 && !token.IsExported(short) && !slices.ContainsFunc(values, func(v ssa.Value) bool {
		return v.Parent() == nil || v.Parent().Synthetic != "package initializer" || isConstant(v)
	})
}

// setTo lists what the field that a term reads is set to; nothing where code out of sight
// may set it.
func (e *Engine) setTo(t *term.T) []ssa.Value {
	at, ok := e.slot(t)
	r := e.readings()
	if !ok || at.field < 0 || r.filled[at] != "" || r.decoded[at.owner] != "" {
		return nil
	}
	return r.stored[at]
}

// values lists all that a field, a parameter or a variable is set to in view; nothing
// where other code may set it.
func (e *Engine) values(t *term.T) []*term.T {
	r := e.readings()
	var from []ssa.Value
	switch t.Kind {
	case term.Param:
		fn := e.funcs[t.Name]
		for _, c := range r.callers[fn] {
			if t.Index < len(c.Args) {
				from = append(from, c.Args[t.Index])
			}
		}
	case term.Global:
		from = e.assigned(t.Name)
	case term.Field:
		if whole := e.wholes(t.Args[0]); len(whole) > 0 {
			out := make([]*term.T, len(whole))
			for i, x := range whole {
				out[i] = e.pool.Field(x, t.Name)
			}
			return out
		}
		from = e.setTo(t)
	}
	var out []*term.T
	for _, v := range from {
		f := r.family(v)
		if f == nil {
			f = e.order[0] // a constant: any family can tell its value
		}
		out = append(out, f.settled().get(v))
	}
	return out
}

// wholes lists the structs that a struct with a field can be: what callers pass by its
// value, what a function makes, or the elements of a list that is written down; nothing for
// others.
func (e *Engine) wholes(x *term.T) []*term.T {
	var out []*term.T
	switch x.Kind {
	case term.Param:
		if typ := e.typeOf(x); typ == nil || isPointer(typ) {
			return nil
		}
		for _, v := range e.values(x) {
			made := []*term.T{v}
			if v.Kind == term.Elem || v.Kind == term.Call {
				made = e.wholes(v)
			}
			out = append(out, made...)
		}
	case term.Elem:
		if items, ok := elements(x); ok {
			return items
		}
	case term.Call:
		fn := e.funcs[x.Name]
		if fn == nil || e.families[fn] == nil || fn.Signature.Results().Len() != 1 || isPointer(fn.Signature.Results().At(0).Type()) {
			return nil
		}
		bind := e.binder(x.Name, x.Args)
		for _, b := range fn.Blocks {
			if len(b.Instrs) == 0 {
				continue
			}
			if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				out = append(out, e.pool.Subst(e.families[fn].settled().get(ret.Results[0]), bind))
			}
		}
	}
	return out
}

// slot is the field that a term reads, where only code in view can set it.
func (e *Engine) slot(t *term.T) (slot, bool) {
	owner := e.typeOf(t.Args[0])
	if owner == nil {
		return slot{}, false
	}
	fields, ok := deref(owner).Underlying().(*types.Struct)
	if !ok {
		return slot{}, false
	}
	for i := range fields.NumFields() {
		if v := fields.Field(i); v.Name() == t.Name && !v.Exported() {
			return slotOf(owner, i)
		}
	}
	return slot{}, false
}

// typeOf is the type of a parameter, or of a field of one; nil for other terms.
func (e *Engine) typeOf(t *term.T) types.Type {
	switch t.Kind {
	case term.Param:
		if fn := e.funcs[t.Name]; fn != nil && t.Index < len(fn.Params) {
			return fn.Params[t.Index].Type()
		}
	case term.Field:
		if owner := e.typeOf(t.Args[0]); owner != nil {
			if fields, ok := deref(owner).Underlying().(*types.Struct); ok {
				for v := range fields.Fields() {
					if v.Name() == t.Name {
						return v.Type()
					}
				}
			}
		}
	}
	return nil
}

// assigned lists what a package-level variable is set to.
func (e *Engine) assigned(name string) []ssa.Value {
	var out []ssa.Value
	for _, f := range e.order {
		f.look()
		for _, p := range f.places {
			if g, ok := p.addr.(*ssa.Global); ok && g.RelString(nil) == name {
				out = append(out, p.val)
			}
		}
	}
	return out
}
