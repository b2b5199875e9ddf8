package remarks

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// keeping looks at how leases are kept alive.
type keeping struct {
	e       *engine.Engine
	found   *remarks
	watched map[string]bool          // packages and libraries, as in "path library": the loss is looked at somewhere
	locked  map[engine.FreedKey]bool // names of the keys of known locks
	owners  map[string]bool          // packages and names of the values that they store, as in "path name"

	inits     map[string]bool                         // calls, by place, that are made before anything runs; nil until asked for
	called    map[*ssa.Function][]ssa.CallInstruction // callers; nil until asked for
	scheduled map[string]bool                         // functions that run at set times; nil until asked for
	ticked    map[string]float64                      // functions that a ticker runs, by its period in seconds
	delayed   map[string]bool                         // calls, by place, of whose short delay a use is told that it matters to
	ended     map[lock.Position]bool                  // calls that give a wrapper's counter an end, of which a use is told
	keepers   map[lock.Position]bool                  // calls in loops that renew what callers name, of which one is told
	paced     map[string]bool                         // calls, by place, that are told how often to renew, and how that is was noted
}

func newKeeping(e *engine.Engine, found *remarks) *keeping {
	k := &keeping{e: e, found: found, watched: make(map[string]bool), delayed: make(map[string]bool), ended: make(map[lock.Position]bool), paced: make(map[string]bool), keepers: make(map[lock.Position]bool), locked: make(map[engine.FreedKey]bool), owners: make(map[string]bool)}
	e.EachSummary(func(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
		for _, x := range s.Effects {
			if x.Call == nil || x.Open != summary.Closed || len(x.Via) > 0 {
				continue
			}
			// What comes with the lock, its session or its renewal is judged there.
			entry := e.Reader.Entry(x.Call)
			if entry == nil || entry.Loss == nil || entry.Loss.How == "callback" || entry.Acquire != nil || entry.Renew != nil || entry.New != nil {
				continue
			}
			if in := f.CallAt(x.At.Position); in == nil || !k.onlyLogged(f, in) {
				k.watched[code.PackagePath(fn)+" "+entry.Library.Library] = true
			}
		}
	})
	e.EachUse(func(f *engine.Family, r summary.Recorded) {
		pkg := code.PackagePath(r.Site.Func)
		if !engine.UnknownKey(r.Lock.Value) {
			for _, name := range append(keptAs(f, r.Lock.Value), ownName(r.Lock.Value, f.Root)) {
				k.owners[pkg+" "+name] = true
			}
		}
		if engine.UnknownKey(r.Lock.Key) {
			return
		}
		for _, name := range append(keptAs(f, r.Lock.Key), ownName(r.Lock.Key, f.Root)) {
			if name != "" {
				k.locked[engine.FreedKey{Pkg: pkg, Family: r.Lock.Family, Key: name}] = true
			}
		}
	})
	return k
}

// function judges the renewals of one function.
func (k *keeping) function(f *engine.Family, fn *ssa.Function, s *summary.Summary) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			k.slots(f, fn, call)
			k.ranges(f, call)
			k.scales(f, call, s.Steps[in])
			k.pings(f, call)
			for _, x := range s.Steps[in] {
				if m, ok := k.renews(fn, x); ok && !k.another(f, x, m) {
					k.renewal(f, call, x, m)
					break
				}
			}
			if list := s.Steps[in]; k.onlyRenews(call, list) {
				if how := unheard(f, call); how != "" {
					k.found.add(f, fn, lock.Call{Frame: f.Frame(call, how), Call: f.Frame(call, "").Callee, Kind: lock.RenewUnheard})
				}
			}
		}
	}
}

// another reports whether a renewal that a call makes is of a lock which it takes itself,
// for work of its own: how often the call is made says nothing of that.
func (k *keeping) another(f *engine.Family, x summary.Effect, m meaning.Meaning) bool {
	if len(x.Via) == 0 || m.Handle == nil {
		return false
	}
	return m.Handle.Any(func(t *term.T) bool {
		if t.Kind != term.Call {
			return false
		}
		if _, ok := k.e.Acquire(t); !ok {
			return false
		}
		return !slices.ContainsFunc(f.Members, func(fn *ssa.Function) bool {
			return f.Sums[fn] != nil && slices.ContainsFunc(f.Sums[fn].Sites, func(st *summary.Site) bool { return st.Lock.Call == t })
		})
	})
}

// renews reports whether an effect extends a lease.
func (k *keeping) renews(fn *ssa.Function, x summary.Effect) (meaning.Meaning, bool) {
	if x.Call == nil || x.Open != summary.Closed {
		return meaning.Meaning{}, false
	}
	for _, m := range k.e.Reader.Of(x.Call) {
		if engine.Stored(m) && k.ofOwner(fn, m.Write.Value) {
			m = meaning.Meaning{Role: meaning.Renew, Library: m.Library, Family: m.Family, Raw: true, Key: m.Write.Key}
		}
		if m.Role != meaning.Renew {
			continue
		}
		if !m.Raw || m.Checked || k.ofLock(fn, m) {
			return m, true
		}
	}
	return k.e.RenewsRow(x.Call)
}

// ofLock reports whether a general command acts on the key of a known lock: one
// that is taken in the same family, kept in the same field of the same object, or
// named by the same text in the same package. Anything less is somebody's cache.
func (k *keeping) ofLock(fn *ssa.Function, m meaning.Meaning) bool {
	if m.Key == nil || m.Key.Kind == term.Unknown {
		return false
	}
	for _, key := range engine.KeysOf(m.Key) {
		for _, r := range k.e.Recorded[k.e.Families[code.Root(fn)]] {
			if r.Lock.Family == m.Family && k.e.Pool.Alike(key, r.Lock.Key) {
				return true
			}
		}
		if name := ownName(key, code.Root(fn)); name != "" && k.locked[engine.FreedKey{Pkg: code.PackagePath(fn), Family: m.Family, Key: name}] {
			return true
		}
	}
	return false
}

// ofOwner reports whether a value is the one that a known lock stores under its key, by
// the same signs as ofLock.
func (k *keeping) ofOwner(fn *ssa.Function, value *term.T) bool {
	if engine.UnknownKey(value) {
		return false
	}
	if slices.ContainsFunc(k.e.Recorded[k.e.Families[code.Root(fn)]], func(r summary.Recorded) bool { return k.e.Pool.Alike(value, r.Lock.Value) }) {
		return true
	}
	name := ownName(value, code.Root(fn))
	return name != "" && k.owners[code.PackagePath(fn)+" "+name]
}

// ownName names a key within its package, so that another function's key of the
// same name is the same: a field of a parameter, or of a field of it, by its type, a text by itself.
func ownName(key *term.T, fn *ssa.Function) string {
	if key == nil {
		return ""
	}
	switch key.Kind {
	case term.Field:
		x, path := key, ""
		for ; x.Kind == term.Field; x = x.Args[0] {
			path = "." + x.Name + path
		}
		if x.Kind == term.Param && x.Name == code.FuncName(fn) && x.Index < len(fn.Params) {
			if s, ok := code.SlotOf(fn.Params[x.Index].Type(), 0); ok && s.Owner.Pkg() != nil && s.Owner.Pkg().Path() == code.PackagePath(fn) {
				return s.Owner.Name() + path
			}
		}
	case term.Const, term.Op, term.Global:
		if p := key.Pattern(); strings.ContainsFunc(p, unicode.IsLetter) && p != "%s" {
			return p
		}
	}
	return ""
}

// keptAs lists the fields, as ownName names them, in which the family puts a key.
func keptAs(f *engine.Family, key *term.T) []string {
	var names []string
	add := func(t types.Type, field int, v ssa.Value) {
		if s, ok := code.SlotOf(t, field); ok && f.Get(v) == key {
			names = append(names, s.Owner.Name()+"."+code.FieldName(t, field))
		}
	}
	for a, stores := range f.Fields {
		for _, s := range stores {
			add(a.Type(), s.Field, s.Val)
		}
	}
	for _, p := range f.Places {
		if a, ok := p.Addr.(*ssa.FieldAddr); ok {
			add(a.X.Type(), a.Field, p.Val)
		}
	}
	return names
}

// renewal judges one renewal, at the call by which fn makes it.
func (k *keeping) renewal(f *engine.Family, in ssa.CallInstruction, x summary.Effect, m meaning.Meaning) {
	fn := in.Parent()
	note := func(kind, text string) {
		frame := f.Frame(in, text)
		k.found.add(f, fn, lock.Call{Frame: frame, Call: frame.Callee, Kind: kind})
	}
	if m.Raw && !m.Checked {
		switch {
		case !k.boundHere(in, x, m) || !reportable(in):
		case k.repeated(f, in):
			note(lock.RenewUnowned, "")
			k.interval(f, in, m)
		case len(x.Via) > 0 && x.Turns.Rounds >= summary.Each && !takes(f, in):
			k.keeper(f, in, x, m)
		}
		return
	}
	r := &catalog.Renew{}
	if entry := k.e.Reader.Entry(x.Call); entry != nil && entry.Renew != nil {
		r = entry.Renew
	}
	if r.Interval == "" { // else the library keeps the time, and the loop is for another session
		k.interval(f, in, m)
	}
	if k.forever(f, in) {
		note(lock.RenewForever, "")
		return
	}
	if k.stops(f, in) {
		note(lock.RenewOnce, "")
		return
	}
	if why := k.boundAside(f, in, x); why != "" {
		note(lock.RenewBound, why)
		return
	}
	if len(x.Via) > 0 {
		return
	}
	switch {
	case r.Background:
		if how := unheeded(f, in, r.Result); how != "" {
			note(lock.LossUnwatched, how)
		}
		ctx := code.Operand(in.Common(), r.Context)
		why := k.endsEarly(f, ctx)
		if made, ok := in.(*ssa.Call); ok && why == "" && ctx != nil && (k.leavesWith(f, made, x.Call, ctx) || m.Handle != nil && k.leavesWith(f, made, m.Handle, ctx)) {
			why = k.endsWith(f, made, ctx)
		}
		if why != "" {
			note(lock.RenewBound, why)
		}
	case r.Interval != "":
		k.selfPaced(f, in, m, r.Interval)
		if how := unnoticed(f, in); how != "" {
			note(lock.RenewUnheard, how)
		}
	case !k.watched[code.PackagePath(fn)+" "+m.Library]:
		how := unheard(f, in)
		if how == "" && k.deaf(f, in, x, m) {
			how = "only its error is looked at, and a lease that is lost makes none"
		}
		if how != "" {
			note(lock.RenewUnheard, how)
		}
	}
}

// takes reports whether a call takes a lock: of a wrapper that does, the renewal is its own.
func takes(f *engine.Family, in ssa.CallInstruction) bool {
	sum := f.Sums[in.Parent()]
	return sum != nil && slices.ContainsFunc(sum.Sites, func(st *summary.Site) bool { return st.At == in })
}

// keeper judges a function that extends in a loop what it is told to. It stands at the
// command in there, where that is of the same package.
func (k *keeping) keeper(f *engine.Family, in ssa.CallInstruction, x summary.Effect, m meaning.Meaning) {
	g, at := k.e.Index.CallOf(x.Call)
	if at == nil || code.PackagePath(at.Parent()) != code.PackagePath(in.Parent()) {
		g, at = f, in
	}
	frame := g.Frame(at, "")
	if k.keepers[frame.Position] {
		return
	}
	k.keepers[frame.Position] = true
	k.found.add(f, in.Parent(), lock.Call{Frame: frame, Call: frame.Callee, Kind: lock.RenewUnowned})
	k.interval(g, at, m)
}

// reportable leaves out what only starts a goroutine or is deferred as a whole.
func reportable(in ssa.CallInstruction) bool {
	switch in.(type) {
	case *ssa.Call:
		return true
	}
	_, closure := in.Common().Value.(*ssa.MakeClosure)
	return !closure
}

// boundHere reports whether the function of a call itself says which key is extended:
// in a client of the project's own, the caller does. Of a record, the statement says
// all that matters.
func (k *keeping) boundHere(in ssa.CallInstruction, x summary.Effect, m meaning.Meaning) bool {
	own := k.e.Below(in, x)
	switch {
	case m.Row != nil && own != nil:
		_, known := k.e.RenewsRow(own)
		return !known
	case m.Row != nil:
		return true
	case m.Key.Kind == term.Param && m.Key.Name == code.FuncName(in.Parent()):
		return false
	case len(x.Via) == 0:
		return true
	}
	// Of a wrapper's call: only where the wrapper left the key to its caller.
	return own != nil && slices.ContainsFunc(k.e.Reader.Of(own), func(m meaning.Meaning) bool {
		return m.Role == meaning.Renew && (len(x.Via) == 1 && engine.AsGiven(m.Key) || m.Key != nil && m.Key.Kind == term.Param)
	})
}

// repeated reports whether a call keeps a lease alive, rather than giving it
// its first time to live: it runs again and again after the acquire, or says so.
func (k *keeping) repeated(f *engine.Family, in ssa.CallInstruction) bool {
	fn := in.Parent()
	if turnsHeld(f, in) || slices.ContainsFunc(handedAs(f, fn), namesRenewal) {
		return true
	}
	return len(k.e.Recorded[f]) == 0 && (namesRenewal(code.Root(fn).Name()) ||
		slices.ContainsFunc(k.e.Readings().Taking[fn], func(c *ssa.Call) bool {
			g := k.e.Families[code.Origin(code.Root(c.Parent()))]
			return g != nil && turnsHeld(g, c)
		}))
}

func namesRenewal(name string) bool {
	return meaning.Named(name, "renew", "extend", "refresh", "alive", "keepalive", "prolong", "heartbeat", "touch", "update")
}

// handedAs lists the names under which a function literal is given to others: of results,
// and of fields.
func handedAs(f *engine.Family, fn *ssa.Function) []string {
	made := f.Made[fn]
	if made == nil {
		return nil
	}
	var names []string
	for _, r := range *made.Referrers() {
		switch r := r.(type) {
		case *ssa.Return:
			names = append(names, r.Parent().Signature.Results().At(slices.Index(r.Results, ssa.Value(made))).Name())
		case *ssa.Store:
			switch a := r.Addr.(type) {
			case *ssa.FieldAddr:
				names = append(names, code.FieldName(a.X.Type(), a.Field))
			case *ssa.Alloc:
				for v := range r.Parent().Signature.Results().Variables() {
					if v.Name() == a.Comment {
						names = append(names, v.Name())
					}
				}
			}
		}
	}
	return names
}

// turnsHeld reports whether a call runs in a loop that does not take a lock anew in
// each turn.
func turnsHeld(f *engine.Family, in ssa.CallInstruction) bool {
	sum := f.Sums[in.Parent()]
	return sum != nil && slices.ContainsFunc(sum.Loops, func(l *summary.Loop) bool {
		return l.Body[in.Block()] && l.Turns.Rounds >= summary.Each && !slices.ContainsFunc(sum.Sites, func(st *summary.Site) bool { return l.Body[st.At.Block()] })
	})
}

// onlyRenews reports whether a call is of a function that does nothing but
// extend leases, and answers whether it could.
func (k *keeping) onlyRenews(in ssa.CallInstruction, list []summary.Effect) bool {
	sig := in.Common().Signature()
	tells := false
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		tells = tells || code.IsError(t) || failure(t).Equal(failure(boolType))
	}
	if !tells || len(list) == 0 || engine.KeepsState(in.Common().StaticCallee(), 0) {
		return false
	}
	renews := false
	for _, x := range list {
		if x.Open == summary.Value && k.e.Hidden(x) == "" {
			continue // a context is cancelled
		}
		if x.Call == nil || x.Open != summary.Closed || len(x.Via) == 0 || x.Reach == summary.ByGoroutine {
			return false
		}
		entry := k.e.Reader.Entry(x.Call)
		if entry == nil || entry.Renew != nil && entry.Renew.Background {
			return false
		}
		own := false
		for _, m := range k.e.Reader.Of(x.Call) {
			switch m.Role {
			case meaning.Renew:
				if m.Raw && !m.Checked && !k.ofLock(in.Parent(), m) {
					return false
				}
				own = true
			case meaning.Acquire, meaning.Release:
				return false
			case meaning.Write:
				if _, row := k.e.RenewsRow(x.Call); row {
					own = true
				}
				if !own {
					return false
				}
			}
		}
		renews = renews || own
	}
	return renews
}
