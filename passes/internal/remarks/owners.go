package remarks

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// owner notes an acquire that lets the present owner in again, under a name that
// others share. A loop is left alone: there, taking the lock again renews it.
func (k *keeping) owner(f *engine.Family, r summary.Recorded) {
	st, m := r.Site, r.Lock
	if m.Kind == lock.Election {
		k.identity(r)
	}
	k.session(f, r)
	again := m.Mine || m.Row != nil && m.Row.Mine || k.recognised(f, st, m)
	if !again || m.Kind == lock.Election || len(st.Lock.Via) > 0 && !k.names(st, m.Value) || engine.LoopBlocks(st.Func)[st.At.Block()] || meaning.Named(code.Root(st.Func).Name(), "elect", "election", "campaign", "leader", "renew", "heartbeat", "refresh", "extend") {
		return
	}
	if m.Value != nil && m.Value.Kind == term.Param || st.HeldOut && k.rounds(code.Root(st.Func), 0) {
		return // what callers name is judged there
	}
	name := k.shared(m.Value)
	if name == "" {
		name = k.ofObject(st, m)
	}
	if name != "" {
		k.found.of(r.Use, lock.Call{Frame: framed(st.Lock.At, name), Call: st.Lock.At.Callee, Kind: lock.OwnerShared})
	}
}

// A Sharing says who else has the value by which a holder is told from others.
type Sharing int

const (
	Unshared    Sharing = iota
	OfProcess           // all who take the lock in one process, or on one host
	OfMoment            // all who take it at a time
	OfEverybody         // all who take it
)

// Owners knows who is told from others by what.
type Owners struct{ k *keeping }

// NewOwners returns Owners.
func NewOwners(e *engine.Engine) *Owners { return &Owners{&keeping{e: e}} }

// SharedBy tells for whom the owner value of a lock is the same. What an object keeps, whose
// methods take the locks that callers name, is the same for all of these; not where a caller
// makes the object for the one lock.
func (o *Owners) SharedBy(st *summary.Site, m meaning.Meaning) Sharing {
	if m.Value == nil || m.Value.IsZero() {
		return Unshared
	}
	if afterLock(m.Value, m.Key) {
		return OfEverybody
	}
	if tok, ok := o.k.e.Reader.Token(m.Value); ok && tok.Origin == "clock" && !o.k.e.Reader.Ticket(m.Value) {
		return OfMoment
	}
	k := o.k
	s := constancy{k: k, seen: make(map[*term.T]bool)}
	switch same := s.same(m.Value); {
	case same && !s.wide && !s.several:
		return OfEverybody
	case same:
		return OfProcess
	}
	if st.Func == nil {
		return Unshared
	}
	fn := code.Root(st.Func)
	if recv := code.ReceiverOf(fn); recv != nil && ofArgument(m.Key, fn) {
		s = constancy{k: k, seen: make(map[*term.T]bool), object: code.FuncName(fn), owner: recv, unseen: m.Mine}
		if s.same(m.Value) && s.kept != "" && !k.madeForEach(fn, 0) {
			return OfProcess
		}
	}
	return Unshared
}

// afterLock reports whether an owner value is made of nothing but what names the lock.
func afterLock(owner, key *term.T) bool {
	switch {
	case key == nil || key.Kind == term.Unknown || key.Kind == term.Const:
		return false
	case owner.Kind == term.Op && (owner.Name == "+" || owner.Name == "format"):
		return slices.ContainsFunc(owner.Args, func(a *term.T) bool { return a.Kind != term.Const }) &&
			!slices.ContainsFunc(owner.Args, func(a *term.T) bool { return a.Kind != term.Const && !afterLock(a, key) })
	}
	return owner.Kind == term.Param && key.Any(func(t *term.T) bool { return t == owner })
}

// ofObject names an owner value that an object keeps, through which its users take locks of
// many keys: it was made with the object, and is the same for all of them. An object that
// a caller makes for the one acquisition has an owner of its own.
func (k *keeping) ofObject(st *summary.Site, m meaning.Meaning) string {
	recv := code.ReceiverOf(st.Func)
	if !st.Direct || recv == nil || m.Value == nil || !ofArgument(m.Key, code.Root(st.Func)) {
		return ""
	}
	s := constancy{k: k, seen: make(map[*term.T]bool), object: code.FuncName(code.Root(st.Func)), owner: recv}
	if !s.same(m.Value) || s.kept == "" || k.madeForEach(code.Root(st.Func), 0) {
		return ""
	}
	if s.host || s.fixed != "" {
		return k.shown(s)
	}
	if !k.keptByCaller(code.Root(st.Func), 0) {
		return "" // whether users have an object each is not known
	}
	return "what " + recv.Name() + " keeps in " + s.kept
}

// ofArgument reports whether a key has something in it that the caller of a method names,
// other than by the object.
func ofArgument(key *term.T, fn *ssa.Function) bool {
	return engine.AsGiven(key) && key.Any(func(t *term.T) bool { return t.Kind == term.Param && t.Name == code.FuncName(fn) && t.Index > 0 })
}

// madeForEach reports whether a caller of a method has made the object itself.
func (k *keeping) madeForEach(fn *ssa.Function, depth int) bool {
	return slices.ContainsFunc(k.e.Readings().Callers[fn], func(c *ssa.CallCommon) bool {
		if len(c.Args) == 0 {
			return true
		}
		f := k.e.Readings().Family(c.Args[0])
		if f == nil {
			return true
		}
		switch v := f.Single(c.Args[0]).(type) {
		case *ssa.Call, *ssa.Extract, *ssa.Alloc, nil:
			return true
		case *ssa.Parameter: // another method of the object, or a function that is given it
			return depth < maxRounds && k.madeForEach(code.Root(v.Parent()), depth+1)
		}
		return false
	})
}

// recognised reports whether a refused acquire reads the record that is there, and
// compares it with what the acquire stores: whoever finds the own name goes on.
func (k *keeping) recognised(f *engine.Family, st *summary.Site, m meaning.Meaning) bool {
	records := k.e.RecordsOf(st.Lock.Call)
	if !st.Direct || m.Value == nil || m.Value.IsZero() || len(records) == 0 {
		return false
	}
	found := func(t *term.T) bool {
		return t.Any(func(x *term.T) bool { return x.Kind == term.Call && k.e.Reads(x, records) })
	}
	for _, b := range st.Func.Blocks {
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
			if x == nil || !code.CanReach(st.At.Block(), b, nil) {
				continue
			}
			a, c := f.Get(x), f.Get(y)
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
	taking := k.e.Readings().Taking[fn]
	if len(taking) == 0 || depth > maxRounds {
		return depth == 0
	}
	return slices.ContainsFunc(taking, func(call *ssa.Call) bool {
		if givesBack(k.e, call) {
			return false
		}
		return engine.LoopBlocks(call.Parent())[call.Block()] || k.rounds(code.Root(call.Parent()), depth+1)
	})
}

// givesBack reports whether the locks that a call takes are all released by the function
// that makes it.
func givesBack(e *engine.Engine, call *ssa.Call) bool {
	f, found := e.Families[code.Root(call.Parent())], false
	if f == nil || f.Sums[call.Parent()] == nil {
		return false
	}
	for _, st := range f.Sums[call.Parent()].Sites {
		if st.At == ssa.CallInstruction(call) {
			found = true
			if len(st.Freed) == 0 || st.HeldOut && !st.Deferred {
				return false
			}
		}
	}
	return found
}

// names reports whether an argument of a wrapper's call says who the owner is. The
// wrapper itself does not, then.
func (k *keeping) names(st *summary.Site, owner *term.T) bool {
	return owner != nil && slices.ContainsFunc(meaning.Args(st.Term), func(a *term.T) bool { return a == owner })
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
	unseen   bool    // where the object is made may be out of sight
	kept     string  // a field of that
	constant *term.T // the value, or a part of it, that is one
	wide     bool    // a part of it may be another one in another process
	several  bool    // it is one value or another
}

func (s *constancy) same(t *term.T) bool {
	t = t.Number()
	if s.seen[t] {
		return true
	}
	s.seen[t] = true
	all := func(list []*term.T) bool {
		return !slices.ContainsFunc(list, func(a *term.T) bool { return !s.same(a) })
	}
	switch t.Kind {
	case term.Const:
		if !t.IsZero() { // which names nobody: a random value is drawn then
			s.constant = cmp.Or(s.constant, t)
		}
		return true
	case term.Join:
		s.several = true
		return all(t.Args)
	case term.Op:
		if t.Name != "+" && t.Name != "format" && t.Name != "or" {
			return false
		}
		s.constant = cmp.Or(s.constant, t)
		return all(t.Args)
	case term.Call, term.Result:
		if s.k.atStart(engine.CallIn(t)) {
			s.fixed, s.wide = cmp.Or(s.fixed, "a value that is made when the process starts"), true
			return true
		}
		e := s.k.e.Reader.Entry(t)
		if e == nil || !e.Fixed {
			return false
		}
		if e.Origin != nil && e.Origin.Kind == "host" {
			s.host, s.wide = true, true
		} else {
			s.fixed = cmp.Or(s.fixed, t.Text())
			s.wide = s.wide || e.Origin == nil // the number of a process is that of others on other hosts
		}
		return true
	case term.Field, term.Param, term.Global:
		if t.Kind == term.Global && setAtStart(s.k.e, t.Name) {
			s.fixed, s.wide = cmp.Or(s.fixed, "the variable "+t.Name[strings.LastIndexByte(t.Name, '.')+1:]), true
			return true
		}
		if s.object != "" && t.Kind == term.Field && s.keeps(t) {
			s.kept = cmp.Or(s.kept, t.Name)
			return true
		}
		values := s.k.e.Values(t)
		s.several = s.several || len(values) > 1
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
	values := s.k.e.SetTo(t)
	return (len(values) > 0 || s.unseen) && !slices.ContainsFunc(values, func(v ssa.Value) bool { return v.Parent() != nil && code.ReceiverOf(v.Parent()) == s.owner })
}

// keptByCaller reports whether a caller of a method keeps the object in one of its own.
func (k *keeping) keptByCaller(fn *ssa.Function, depth int) bool {
	return slices.ContainsFunc(k.e.Readings().Callers[fn], func(c *ssa.CallCommon) bool {
		f := k.e.Readings().Family(c.Args[0])
		if f == nil {
			return false
		}
		switch v := f.Single(c.Args[0]).(type) {
		case *ssa.UnOp:
			_, field := v.X.(*ssa.FieldAddr)
			_, global := v.X.(*ssa.Global)
			return field || global
		case *ssa.Parameter:
			return handedOut(f, c.Args[0]) || depth < maxRounds && k.keptByCaller(code.Root(v.Parent()), depth+1)
		}
		return false
	})
}

// handedOut reports whether a value is captured by a function literal that is returned, or
// made a handler of: it runs again and again with the same object.
func handedOut(f *engine.Family, v ssa.Value) bool {
	if load, ok := v.(*ssa.UnOp); ok {
		v = load.X
	}
	captured, ok := v.(*ssa.FreeVar)
	if !ok || f.Made[captured.Parent()] == nil {
		return false
	}
	return slices.ContainsFunc(*f.Made[captured.Parent()].Referrers(), func(r ssa.Instruction) bool {
		_, returned := r.(*ssa.Return)
		as, typed := r.(*ssa.ChangeType)
		return returned || typed && code.NamedOf(as.Type()) != nil && code.NamedOf(as.Type()).NumMethods() > 0
	})
}

// atStart reports whether a call is one that a package makes before anything runs.
func (k *keeping) atStart(call *term.T) bool {
	if k.inits == nil {
		k.inits = make(map[string]bool)
		for _, f := range k.e.Order {
			if name := f.Root.Name(); name != "init" && !strings.HasPrefix(name, "init#") || f.Root.Signature.Recv() != nil {
				continue
			}
			for site, b := range f.CallBlocks() {
				if b.Parent() == f.Root {
					k.inits[site] = true
				}
			}
		}
	}
	return k.inits[call.Site]
}

// setAtStart reports whether a variable of a package that others cannot set is set where
// it is declared only: that happens once in a process, whatever the value is.
func setAtStart(e *engine.Engine, name string) bool {
	short := name[strings.LastIndexByte(name, '.')+1:]
	values := e.Assigned(name)
	return len(values) > 0 && !token.IsExported(short) && !slices.ContainsFunc(values, func(v ssa.Value) bool {
		return v.Parent() == nil || v.Parent().Synthetic != "package initializer" || code.IsConstant(v)
	})
}
