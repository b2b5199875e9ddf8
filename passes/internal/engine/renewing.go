package engine

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// keeping looks at how leases are kept alive.
type keeping struct {
	e       *Engine
	found   *remarks
	watched map[string]bool // packages and libraries, as in "path library": the loss is looked at somewhere
	locked  map[freed]bool  // names of the keys of known locks
	owners  map[string]bool // packages and names of the values that they store, as in "path name"

	called    map[*ssa.Function][]ssa.CallInstruction // callers; nil until asked for
	scheduled map[string]bool                         // functions that run at set times; nil until asked for
	ticked    map[string]float64                      // functions that a ticker runs, by its period in seconds
	delayed   map[string]bool                         // calls, by place, of whose short delay a use is told that it matters to
	ended     map[lock.Position]bool                  // calls that give a wrapper's counter an end, of which a use is told
	paced     map[string]bool                         // calls, by place, that are told how often to renew, and how that is was noted
}

func newKeeping(e *Engine, found *remarks) *keeping {
	k := &keeping{e: e, found: found, watched: make(map[string]bool), delayed: make(map[string]bool), ended: make(map[lock.Position]bool), paced: make(map[string]bool), locked: make(map[freed]bool), owners: make(map[string]bool)}
	e.each(func(f *family, fn *ssa.Function, s *Summary) {
		for _, x := range s.Effects {
			if x.Call == nil || x.Open != Closed || len(x.Via) > 0 {
				continue
			}
			// What comes with the lock, its session or its renewal is judged there.
			entry := e.reader.Entry(x.Call)
			if entry.Loss == nil || entry.Loss.How == "callback" || entry.Acquire != nil || entry.Renew != nil || entry.New != nil {
				continue
			}
			if in := f.callAt(x.At.Position); in == nil || !f.onlyLogged(in) {
				k.watched[pkgOf(fn)+" "+entry.Library.Library] = true
			}
		}
	})
	for _, list := range e.recorded {
		for _, r := range list {
			if !unknownKey(r.lock.Value) {
				k.owners[pkgOf(r.st.fn)+" "+ownName(r.lock.Value, rootOf(r.st.fn))] = true
			}
			if unknownKey(r.lock.Key) {
				continue
			}
			names := e.families[rootOf(r.st.fn)].keptAs(r.lock.Key)
			for _, name := range append(names, ownName(r.lock.Key, rootOf(r.st.fn))) {
				if name != "" {
					k.locked[freed{pkgOf(r.st.fn), r.lock.Family, name}] = true
				}
			}
		}
	}
	return k
}

// function judges the renewals of one function.
func (k *keeping) function(f *family, fn *ssa.Function, s *Summary) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			call, ok := in.(ssa.CallInstruction)
			if !ok {
				continue
			}
			k.slots(f, fn, call)
			k.ranges(f, call)
			k.scales(f, call, s.steps[in])
			for _, x := range s.steps[in] {
				if m, ok := k.renews(fn, x); ok {
					k.renewal(f, call, x, m)
					break
				}
			}
			if list := s.steps[in]; k.onlyRenews(call, list) {
				if how := f.unheard(call); how != "" {
					k.found.add(f, fn, lock.Call{Frame: f.frame(call, how), Call: f.frame(call, "").Callee, Kind: lock.RenewUnheard})
				}
			}
		}
	}
}

// renews reports whether an effect extends a lease.
func (k *keeping) renews(fn *ssa.Function, x Effect) (meaning.Meaning, bool) {
	if x.Call == nil || x.Open != Closed {
		return meaning.Meaning{}, false
	}
	for _, m := range k.e.reader.Of(x.Call) {
		if stored(m) && k.ofOwner(fn, m.Write.Value) {
			m = meaning.Meaning{Role: meaning.Renew, Library: m.Library, Family: m.Family, Raw: true, Key: m.Write.Key}
		}
		if m.Role != meaning.Renew {
			continue
		}
		if !m.Raw || m.Checked || k.ofLock(fn, m) {
			return m, true
		}
	}
	return k.e.renewsRow(x.Call)
}

// ofLock reports whether a general command acts on the key of a known lock: one
// that is taken in the same family, kept in the same field of the same object, or
// named by the same text in the same package. Anything less is somebody's cache.
func (k *keeping) ofLock(fn *ssa.Function, m meaning.Meaning) bool {
	if m.Key == nil || m.Key.Kind == term.Unknown {
		return false
	}
	for _, key := range keysOf(m.Key) {
		for _, r := range k.e.recorded[k.e.families[rootOf(fn)]] {
			if r.lock.Family == m.Family && k.e.pool.Alike(key, r.lock.Key) {
				return true
			}
		}
		if name := ownName(key, rootOf(fn)); name != "" && k.locked[freed{pkgOf(fn), m.Family, name}] {
			return true
		}
	}
	return false
}

// ofOwner reports whether a value is the one that a known lock stores under its key, by
// the same signs as ofLock.
func (k *keeping) ofOwner(fn *ssa.Function, value *term.T) bool {
	if unknownKey(value) {
		return false
	}
	if slices.ContainsFunc(k.e.recorded[k.e.families[rootOf(fn)]], func(r recorded) bool { return k.e.pool.Alike(value, r.lock.Value) }) {
		return true
	}
	name := ownName(value, rootOf(fn))
	return name != "" && k.owners[pkgOf(fn)+" "+name]
}

// ownName names a key within its package, so that another function's key of the
// same name is the same: a field of a parameter by its type, a text by itself.
func ownName(key *term.T, fn *ssa.Function) string {
	if key == nil {
		return ""
	}
	switch key.Kind {
	case term.Field:
		if x := key.Args[0]; x.Kind == term.Param && x.Name == fnName(fn) && x.Index < len(fn.Params) {
			if s, ok := slotOf(fn.Params[x.Index].Type(), 0); ok && s.owner.Pkg() != nil && s.owner.Pkg().Path() == pkgOf(fn) {
				return s.owner.Name() + "." + key.Name
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
func (f *family) keptAs(key *term.T) []string {
	var names []string
	add := func(t types.Type, field int, v ssa.Value) {
		if s, ok := slotOf(t, field); ok && f.get(v) == key {
			names = append(names, s.owner.Name()+"."+fieldName(t, field))
		}
	}
	for a, fields := range f.fields {
		for i, values := range fields {
			for _, v := range values {
				add(a.Type(), i, v)
			}
		}
	}
	for _, p := range f.places {
		if a, ok := p.addr.(*ssa.FieldAddr); ok {
			add(a.X.Type(), a.Field, p.val)
		}
	}
	return names
}

// renewal judges one renewal, at the call by which fn makes it.
func (k *keeping) renewal(f *family, in ssa.CallInstruction, x Effect, m meaning.Meaning) {
	fn := in.Parent()
	note := func(kind, text string) {
		frame := f.frame(in, text)
		k.found.add(f, fn, lock.Call{Frame: frame, Call: frame.Callee, Kind: kind})
	}
	if m.Raw && !m.Checked {
		if !k.boundHere(in, x, m) || !k.repeated(f, in) || !reportable(in) {
			return
		}
		note(lock.RenewUnowned, "")
		k.interval(f, in, m)
		return
	}
	k.interval(f, in, m)
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
	r := &catalog.Renew{}
	if entry := k.e.reader.Entry(x.Call); entry != nil && entry.Renew != nil {
		r = entry.Renew
	}
	switch {
	case r.Background:
		if how := f.unheeded(in, r.Result); how != "" {
			note(lock.LossUnwatched, how)
		}
		ctx := operand(in.Common(), r.Context)
		why := k.endsEarly(f, ctx)
		if made, ok := in.(*ssa.Call); ok && why == "" && ctx != nil && (k.leavesWith(f, made, x.Call, ctx) || m.Handle != nil && k.leavesWith(f, made, m.Handle, ctx)) {
			why = k.endsWith(f, made, ctx)
		}
		if why != "" {
			note(lock.RenewBound, why)
		}
	case r.Interval != "":
		k.selfPaced(f, in, m, r.Interval)
		if how := f.unnoticed(in); how != "" {
			note(lock.RenewUnheard, how)
		}
	case !k.watched[pkgOf(fn)+" "+m.Library]:
		how := f.unheard(in)
		if how == "" && k.deaf(f, in, x, m) {
			how = "only its error is looked at, and a lease that is lost makes none"
		}
		if how != "" {
			note(lock.RenewUnheard, how)
		}
	}
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
func (k *keeping) boundHere(in ssa.CallInstruction, x Effect, m meaning.Meaning) bool {
	own := k.e.below(in, x)
	switch {
	case m.Row != nil && own != nil:
		_, known := k.e.renewsRow(own)
		return !known
	case m.Row != nil:
		return true
	case m.Key.Kind == term.Param && m.Key.Name == fnName(in.Parent()):
		return false
	case len(x.Via) == 0:
		return true
	}
	// Of a wrapper's call: only where the wrapper left the key to its caller.
	return len(x.Via) == 1 && own != nil && slices.ContainsFunc(k.e.reader.Of(own), func(m meaning.Meaning) bool {
		return m.Role == meaning.Renew && asGiven(m.Key)
	})
}

// below is the call of an effect as the function that is called at in makes it, with
// its own parameters; nil where in makes it itself, or the function is out of sight.
func (e *Engine) below(in ssa.CallInstruction, x Effect) *term.T {
	if len(x.Via) == 0 {
		return nil
	}
	for _, fn := range e.callees(in.Common()) {
		if sum := e.summary(fn); sum != nil {
			for _, y := range sum.Effects {
				if y.Call != nil && y.At.Position == x.At.Position {
					return y.Call
				}
			}
		}
	}
	return nil
}

// asGiven reports whether a key has a parameter in it as it is. A field of one is what
// an object keeps.
func asGiven(key *term.T) bool {
	return key != nil && key.Kind != term.Field && (key.Kind == term.Param || slices.ContainsFunc(key.Args, asGiven))
}

// repeated reports whether a call keeps a lease alive, rather than giving it
// its first time to live: it runs again and again after the acquire, or says so.
func (k *keeping) repeated(f *family, in ssa.CallInstruction) bool {
	fn := in.Parent()
	if f.turnsHeld(in) {
		return true
	}
	return len(k.e.recorded[f]) == 0 && (meaning.Named(rootOf(fn).Name(), "renew", "extend", "refresh", "alive", "keepalive", "prolong", "heartbeat", "touch", "update") ||
		slices.ContainsFunc(k.e.readings().taking[fn], func(c *ssa.Call) bool {
			g := k.e.families[origin(rootOf(c.Parent()))]
			return g != nil && g.turnsHeld(c)
		}))
}

// turnsHeld reports whether a call runs in a loop that does not take a lock anew in
// each turn.
func (f *family) turnsHeld(in ssa.CallInstruction) bool {
	sum := f.sums[in.Parent()]
	return sum != nil && slices.ContainsFunc(sum.loops, func(l *loop) bool {
		return l.body[in.Block()] && l.turns.Rounds >= Each && !slices.ContainsFunc(sum.sites, func(st *site) bool { return l.body[st.at.Block()] })
	})
}

// onlyRenews reports whether a call is of a function that does nothing but
// extend leases, and answers whether it could.
func (k *keeping) onlyRenews(in ssa.CallInstruction, list []Effect) bool {
	sig := in.Common().Signature()
	tells := false
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		tells = tells || isError(t) || failure(t) == failure(boolType)
	}
	if !tells || len(list) == 0 || keepsState(in.Common().StaticCallee(), 0) {
		return false
	}
	renews := false
	for _, x := range list {
		if x.Call == nil || x.Open != Closed || len(x.Via) == 0 || x.Reach == ByGoroutine {
			return false
		}
		entry := k.e.reader.Entry(x.Call)
		if entry == nil || entry.Renew != nil && entry.Renew.Background {
			return false
		}
		own := false
		for _, m := range k.e.reader.Of(x.Call) {
			switch m.Role {
			case meaning.Renew:
				if m.Raw && !m.Checked && !k.ofLock(in.Parent(), m) {
					return false
				}
				own = true
			case meaning.Acquire, meaning.Release:
				return false
			case meaning.Write:
				if _, row := k.e.renewsRow(x.Call); row {
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

// keepsState reports whether a function, or one that it calls, stores something that
// outlives it: it may note there that the lease is gone, for whoever works to see.
func keepsState(fn *ssa.Function, depth int) bool {
	if fn == nil || depth > 2 {
		return false
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Store:
				switch in.Addr.(type) {
				case *ssa.FieldAddr, *ssa.Global:
					if basic, ok := in.Val.Type().Underlying().(*types.Basic); ok && basic.Kind() == types.Bool {
						return true
					}
				}
			case *ssa.Call:
				if keepsState(in.Call.StaticCallee(), depth+1) {
					return true
				}
			}
		}
	}
	return false
}
