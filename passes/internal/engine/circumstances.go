package engine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// circumstances notes what weakens a lock from outside of its section's writes:
// its token's counter, its store, its owner, its schedule.
func (k *keeping) circumstances(f *family, r recorded) {
	r.use.Store = k.e.storeKind(f, r)
	k.counter(f, r)
	k.replica(r)
	k.owner(f, r)
	k.once(r)
	k.delay(r)
	k.stale(f, r)
	k.again(r)
}

// happens is where fn's package makes an effect happen: the call in the section.
func happens(x Effect) lock.Frame {
	if len(x.Via) > 0 {
		return x.Via[0]
	}
	return x.At
}

// insideOf is the place of an effect, or where it is in another package than the use,
// the last call on the way to it that is not.
func insideOf(x Effect, u *lock.Use) lock.Frame {
	for _, at := range slices.Backward(way(x)) {
		if filepath.Dir(at.File) == filepath.Dir(u.Acquire.File) {
			return at
		}
	}
	return happens(x)
}

// inSource is the place of an effect, or the last call on the way to it that is in the
// source at hand: of packages that are known from facts, or of a released module, there
// is none.
func inSource(x Effect) lock.Frame {
	for _, at := range slices.Backward(way(x)) {
		if at.Pos.IsValid() && !strings.Contains(at.File, "@v") {
			return at
		}
	}
	return happens(x)
}

// counter notes that the key from which tokens are counted is given an end, by the
// script that counts or beside it, or is deleted.
func (k *keeping) counter(f *family, r recorded) {
	note := func(at lock.Frame, key *term.T, kind string) {
		k.found.of(r.use, lock.Call{Frame: framed(at, key.Pattern()), Call: at.Callee, Kind: kind})
	}
	c := k.e.drawn(r.st.effects)
	ends := func(at lock.Frame, call *term.T) {
		for _, tok := range k.e.reader.Counters(call) {
			if tok.Ends == "" || !tok.Ordered || brakes(tok.Counter.Pattern()) {
				continue
			}
			if r.lock.Key == nil || !k.e.pool.Alike(tok.Counter, r.lock.Key) || tok.Member != nil && tok.Member.Kind == term.Const && (fenceName(tok.Member.Name) || slices.Contains(c.calls, call)) {
				note(at, tok.Counter, lock.TokenExpires)
			}
		}
	}
	if r.st.direct {
		ends(r.st.lock.At, r.st.lock.Call)
	}
	noted := make(map[string]bool) // by the site of the call
	for _, x := range r.st.effects {
		if at := k.endsCounter(x, c, r.lock); at != nil {
			note(insideOf(x, r.use), at, lock.TokenExpires)
		}
		if x.Call == nil || x.Open != Closed {
			continue
		}
		if slices.Contains(c.calls, x.Call) {
			ends(x.At, x.Call)
		}
		for _, m := range k.e.reader.Of(x.Call) {
			if m.Role == meaning.Write && m.Write.Leased && slices.Contains(c.versions, m.Write.Resource) {
				noted[x.Call.Site] = true
				k.found.of(r.use, lock.Call{Frame: framed(x.At, strings.TrimPrefix(m.Write.Resource, "etcd:")), Call: x.At.Callee, Kind: lock.TokenExpires})
			}
		}
	}
	for _, call := range c.numbered {
		// It may be drawn by the function that takes the lock, before the section.
		f, in := k.e.index.callOf(call)
		if in == nil || noted[call.Site] {
			continue
		}
		for _, m := range k.e.reader.Of(f.callTerm(in.Common(), in.Pos())) {
			if m.Role == meaning.Write && m.Write.Leased {
				at := f.frame(in, "")
				k.found.of(r.use, lock.Call{Frame: framed(at, strings.TrimPrefix(m.Write.Resource, "etcd:")), Call: at.Callee, Kind: lock.TokenExpires})
			}
		}
	}
	k.countedBelow(r, c, note)
	counts := func(key *term.T) bool {
		return slices.ContainsFunc(c.keys, func(x *term.T) bool { return k.e.pool.Alike(x, key) })
	}
	k.row(r, note)
	if len(c.keys) == 0 {
		return
	}
	deleted := make(map[lock.Position]bool)
	for _, steps := range f.sums[r.st.fn].steps {
		for _, x := range steps {
			if x.Call == nil || x.Open != Closed || deleted[x.At.Position] {
				continue
			}
			keys, told := k.e.reader.Deleted(x.Call)
			if m, ok := k.e.release(x); ok && !told && m.Key != nil {
				keys = append(keys, keysOf(m.Key)...)
			}
			if i := slices.IndexFunc(keys, counts); i >= 0 {
				deleted[x.At.Position] = true
				note(x.At, keys[i], lock.TokenDeleted)
			}
		}
	}
}

// endsCounter is the key of a counter that an effect gives an end: by a command for
// that, or by making it with one where it is not there.
func (k *keeping) endsCounter(x Effect, c counters, of meaning.Meaning) *term.T {
	if x.Call == nil || x.Open != Closed {
		return nil
	}
	for _, m := range k.e.reader.Of(x.Call) {
		expires := m.Role == meaning.Renew || m.Role == meaning.Acquire && m.Raw && m.Row == nil && m.TTL.Source != "none" && !k.e.pool.Alike(m.Key, of.Key)
		if expires && m.Key != nil && slices.ContainsFunc(c.keys, func(key *term.T) bool { return k.e.pool.Alike(key, m.Key) }) {
			return m.Key
		}
	}
	return nil
}

// countedBelow notes the same of a counter that the wrapper draws from, at the first of its uses
// that hand the number on.
func (k *keeping) countedBelow(r recorded, drawn counters, note func(at lock.Frame, key *term.T, kind string)) {
	for _, st := range r.st.lock.chain {
		if st.fn == nil {
			continue // known from facts only
		}
		f := k.e.families[rootOf(st.fn)]
		var c counters
		for _, x := range f.sums[st.fn].Effects {
			if x.Call != nil && slices.ContainsFunc(drawn.calls, func(call *term.T) bool { return call.Site == x.Call.Site && call.Name == x.Call.Name }) {
				c.add(k.e, x.Call)
			}
		}
		m, _ := k.e.acquire(st.lock.Call)
		for _, x := range f.sums[st.fn].Effects {
			at := happens(x)
			for _, frame := range way(x) {
				if filepath.Dir(frame.File) == filepath.Dir(st.lock.At.File) {
					at = frame
				}
			}
			if key := k.endsCounter(x, c, m); key != nil && !k.ended[at.Position] {
				k.ended[at.Position] = true
				note(at, key, lock.TokenExpires)
			}
		}
	}
}

// row notes that a lease row is deleted by whoever gives it back, and with it the
// number that the next holder was to count on from.
func (k *keeping) row(r recorded, note func(at lock.Frame, key *term.T, kind string)) {
	row := r.lock.Row
	if row == nil || row.Token == "" || !slices.ContainsFunc(r.use.Writes, func(w lock.Write) bool { return w.Condition == lock.Token }) {
		return
	}
	if !slices.ContainsFunc(row.Sets, func(s meaning.Setting) bool { return s.Column == row.Token && isOp(s.Value, "sql:+") }) {
		return // a sequence, which outlives the row
	}
	freed := r.st.freed
	for _, inner := range r.st.lock.chain { // it runs a callback, or hands out what frees
		freed = slices.Concat(freed, inner.freed)
	}
	for _, x := range freed {
		if x.Call == nil || x.Open != Closed {
			continue
		}
		for _, m := range k.e.reader.Of(x.Call) {
			if m.Role == meaning.Write && m.Write.Resource == row.Resource && m.Write.Deletes() {
				at := x.At // it is wrong for all users
				if !at.Pos.IsValid() {
					at = insideOf(x, r.use)
				}
				note(at, k.e.pool.Const("string", row.Table()+"."+row.Token), lock.TokenDeleted)
			}
		}
	}
}

func isOp(t *term.T, name string) bool { return t != nil && t.Kind == term.Op && t.Name == name }

// replica notes a read in the section, from a handle that is named or made as a
// copy of the store, of what an unguarded write of the section changes.
func (k *keeping) replica(r recorded) {
	for _, x := range r.st.effects {
		if x.Call == nil || x.Open != Closed {
			continue
		}
		for _, m := range k.e.reader.Of(x.Call) {
			if m.Role != meaning.Query {
				continue
			}
			kind, on := lock.ReadReplica, k.copyOf(m.On)
			if on == "" {
				kind, on = lock.ReadStale, m.Stale
			}
			if on == "" || !slices.ContainsFunc(r.use.Writes, func(w lock.Write) bool {
				return !w.Own && !w.After && trusts(w) && overlap(m.Store, w.Resource)
			}) {
				continue
			}
			at := k.handed(x, m.On)
			k.found.of(r.use, lock.Call{Frame: framed(at, on), Call: at.Callee, Kind: kind})
		}
	}
}

// handed is the place of a read, or that of the call by which a function that reads
// through whatever it is given is given a copy.
func (k *keeping) handed(x Effect, on *term.T) lock.Frame {
	if f, in := k.e.index.callOf(x.Call); in != nil && len(x.Via) > 0 {
		c := in.Common()
		recv := c.Value
		if !c.IsInvoke() && len(c.Args) > 0 {
			recv = c.Args[0]
		}
		if t := f.get(recv); t != on && t.Kind == term.Param && k.copyOf(t) == "" {
			x.At, x.Via = x.Via[len(x.Via)-1], x.Via[:len(x.Via)-1]
		}
	}
	return inSource(x)
}

// trusts reports whether a write takes what was read before it for right, whatever its
// condition. That the lock is still held, or was taken later than any other, tells nothing
// of a read that a copy answered, and neither does the session that the write is made on.
func trusts(w lock.Write) bool {
	return !w.Condition.Holds() || w.Condition == lock.Owner || w.Condition == lock.Token || w.Condition == lock.Transaction && w.Note == onOwner
}

// copyOf names a handle that reads from a copy; it is empty for any other.
func (k *keeping) copyOf(on *term.T) string {
	found := ""
	for _, t := range on.Alts() {
		for t != nil && (t.Kind == term.Result || t.Kind == term.Out) {
			t = t.Args[0]
		}
		if entry := k.e.reader.Entry(t); entry != nil && entry.New != nil && entry.New.Store == "replica" {
			found = t.Text()
			continue
		}
		if t.Kind == term.Call {
			// A method out of sight that hands out the copy: its name is the whole of what is known.
			name := t.Name[strings.LastIndexByte(t.Name, '.')+1:]
			if !slices.Contains(copies, strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(name), "db"), "get")) {
				return ""
			}
			found = name
			continue
		}
		name := t.Label
		if t.Kind == term.Field || t.Kind == term.Global {
			name = t.Name[strings.LastIndexByte(t.Name, '.')+1:]
		}
		if !meaning.Named(name, "replica", "replicas", "ro", "readonly", "slave", "secondary", "standby", "follower") && !strings.Contains(strings.ToLower(name), "readonly") {
			return "" // it may be the other one
		}
		found = name
	}
	return found
}

// copies are what methods that hand out a copy of a store are called, but for "get" and
// "db" around it.
var copies = []string{"replica", "readreplica", "readonly", "slave", "standby"}

// delay notes that Consul is told to give a lock on as soon as its session is
// gone, where it is told so. Left out, the delay is 15 seconds.
func (k *keeping) delay(r recorded) {
	for _, t := range []*term.T{r.lock.Handle, r.lock.Parent} {
		if t == nil {
			continue
		}
		if t.Kind == term.Field || t.Kind == term.Param || t.Kind == term.Global {
			if kept := k.e.values(t); len(kept) == 1 {
				t = kept[0]
			}
		}
		t.Any(func(made *term.T) bool {
			if e := k.e.reader.Entry(made); e == nil || e.New == nil {
				return false
			}
			return made.Any(func(t *term.T) bool {
				i := slices.Index(t.Names, "LockDelay")
				if t.Kind != term.Struct || i < 0 {
					return false
				}
				if d := k.short(t.Args[i]); d != nil && !k.delayed[made.Site] {
					k.delayed[made.Site] = r.use.Verdict != lock.Fenced
					at := k.e.callAt(made, r.st.lock.At)
					k.found.of(r.use, lock.Call{Frame: framed(at, meaning.Length(d)), Call: at.Callee, Kind: lock.DelayNone})
				}
				return true
			})
		})
	}
}

// short is a delay of less than a second, which may lie in a field or variable that
// is never set to a longer one; nil for any other. Zero is the default.
func (k *keeping) short(delay *term.T) *term.T {
	list := []*term.T{delay}
	if delay.Kind == term.Field || delay.Kind == term.Param || delay.Kind == term.Global {
		list = k.e.values(delay)
	}
	if len(list) == 0 || slices.ContainsFunc(list, func(d *term.T) bool { s := meaning.Seconds(d); return s <= 0 || s >= 1 }) {
		return nil
	}
	return list[0]
}

// callAt is where a call stands, or other where that is out of view.
func (e *Engine) callAt(call *term.T, other lock.Frame) lock.Frame {
	if f, in := e.index.callOf(call); in != nil {
		return f.frame(in, "")
	}
	return other
}
