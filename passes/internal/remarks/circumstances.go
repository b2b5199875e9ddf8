package remarks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// circumstances notes what weakens a lock from outside of its section's writes:
// its token's counter, its store, its owner, its schedule.
func (k *keeping) circumstances(f *engine.Family, r summary.Recorded) {
	r.Use.Store = storeKind(k.e, f, r)
	k.counter(f, r)
	k.replica(r)
	k.owner(f, r)
	k.once(r)
	k.delay(r)
	k.slotsGiven(r)
	k.stale(f, r)
	k.again(r)
}

// insideOf is the place of an effect, or where it is in another package than the use,
// the last call on the way to it that is not.
func insideOf(x summary.Effect, u *lock.Use) lock.Frame {
	for _, at := range slices.Backward(summary.Way(x)) {
		if filepath.Dir(at.File) == filepath.Dir(u.Acquire.File) {
			return at
		}
	}
	return summary.Happens(x)
}

// inSource is the place of an effect, or the last call on the way to it that is in the
// source at hand: of packages that are known from facts, or of a released module, there
// is none.
func inSource(x summary.Effect) lock.Frame {
	for _, at := range slices.Backward(summary.Way(x)) {
		if at.Pos.IsValid() && !strings.Contains(at.File, "@v") {
			return at
		}
	}
	return summary.Happens(x)
}

// counter notes that the key from which tokens are counted is given an end, by the
// script that counts or beside it, or is deleted.
func (k *keeping) counter(f *engine.Family, r summary.Recorded) {
	note := func(at lock.Frame, key *term.T, kind string) {
		k.found.of(r.Use, lock.Call{Frame: framed(at, key.Pattern()), Call: at.Callee, Kind: kind})
	}
	c := k.e.Drawn(r.Site.Effects)
	ends := func(at lock.Frame, call *term.T) {
		for _, tok := range k.e.Reader.Counters(call) {
			if tok.Ends == "" || !tok.Ordered || engine.Brakes(tok.Counter.Pattern()) {
				continue
			}
			if r.Lock.Key == nil || !k.e.Pool.Alike(tok.Counter, r.Lock.Key) || tok.Member != nil && tok.Member.Kind == term.Const && (engine.FenceName(tok.Member.Name) || slices.Contains(c.Calls, call)) {
				note(at, tok.Counter, lock.TokenExpires)
			}
		}
	}
	if r.Site.Direct {
		ends(r.Site.Lock.At, r.Site.Lock.Call)
	}
	noted := make(map[string]bool) // by the site of the call
	for _, x := range r.Site.Effects {
		if at := k.endsCounter(x, c, r.Lock); at != nil {
			note(insideOf(x, r.Use), at, lock.TokenExpires)
		}
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		if slices.Contains(c.Calls, x.Call) {
			ends(x.At, x.Call)
		}
		for _, m := range k.e.Reader.Of(x.Call) {
			if m.Role == meaning.Write && m.Write.Leased && slices.Contains(c.Versions, m.Write.Resource) {
				noted[x.Call.Site] = true
				k.found.of(r.Use, lock.Call{Frame: framed(x.At, strings.TrimPrefix(m.Write.Resource, "etcd:")), Call: x.At.Callee, Kind: lock.TokenExpires})
			}
		}
	}
	for _, call := range c.Numbered {
		// It may be drawn by the function that takes the lock, before the section.
		f, in := k.e.Index.CallOf(call)
		if in == nil || noted[call.Site] {
			continue
		}
		for _, m := range k.e.Reader.Of(f.CallTerm(in.Common(), in.Pos())) {
			if m.Role == meaning.Write && m.Write.Leased {
				at := f.Frame(in, "")
				k.found.of(r.Use, lock.Call{Frame: framed(at, strings.TrimPrefix(m.Write.Resource, "etcd:")), Call: at.Callee, Kind: lock.TokenExpires})
			}
		}
	}
	k.countedBelow(r, c, note)
	counts := func(key *term.T) bool {
		return slices.ContainsFunc(c.Keys, func(x *term.T) bool { return k.e.Pool.Alike(x, key) })
	}
	k.row(r, note)
	if len(c.Keys) == 0 {
		return
	}
	deleted := make(map[lock.Position]bool)
	for _, steps := range f.Sums[r.Site.Func].Steps {
		for _, x := range steps {
			if x.Call == nil || x.Open != summary.Closed || deleted[x.At.Position] {
				continue
			}
			keys, told := k.e.Reader.Deleted(x.Call)
			if m, ok := k.e.Release(x); ok && !told && m.Key != nil {
				keys = append(keys, engine.KeysOf(m.Key)...)
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
func (k *keeping) endsCounter(x summary.Effect, c engine.Counters, of meaning.Meaning) *term.T {
	if x.Call == nil || x.Open != summary.Closed {
		return nil
	}
	for _, m := range k.e.Reader.Of(x.Call) {
		expires := m.Role == meaning.Renew || m.Role == meaning.Acquire && m.Raw && m.Row == nil && m.TTL.Source != "none" && !k.e.Pool.Alike(m.Key, of.Key)
		if expires && m.Key != nil && slices.ContainsFunc(c.Keys, func(key *term.T) bool { return k.e.Pool.Alike(key, m.Key) }) {
			return m.Key
		}
	}
	return nil
}

// countedBelow notes the same of a counter that the wrapper draws from, at the first of its uses
// that hand the number on.
func (k *keeping) countedBelow(r summary.Recorded, drawn engine.Counters, note func(at lock.Frame, key *term.T, kind string)) {
	for _, st := range r.Site.Lock.Chain {
		if st.Func == nil {
			continue // known from facts only
		}
		if own, at := st.Lock.Call, st.Lock.At; st.Direct && !k.ended[at.Position] && slices.ContainsFunc(drawn.Calls, func(call *term.T) bool { return call.Site == own.Site && call.Name == own.Name }) {
			// The script that takes the lock counts in the lock's own key.
			for _, tok := range k.e.Reader.Counters(own) {
				if tok.Ends != "" && tok.Ordered && !k.ended[at.Position] {
					k.ended[at.Position] = true
					note(at, tok.Counter, lock.TokenExpires)
				}
			}
		}
		f := k.e.Families[code.Root(st.Func)]
		var c engine.Counters
		for _, x := range f.Sums[st.Func].Effects {
			if x.Call != nil && slices.ContainsFunc(drawn.Calls, func(call *term.T) bool { return call.Site == x.Call.Site && call.Name == x.Call.Name }) {
				c.Add(k.e, x.Call)
			}
		}
		m, _ := k.e.Acquire(st.Lock.Call)
		for _, x := range f.Sums[st.Func].Effects {
			at := summary.Happens(x)
			for _, frame := range summary.Way(x) {
				if filepath.Dir(frame.File) == filepath.Dir(st.Lock.At.File) {
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
func (k *keeping) row(r summary.Recorded, note func(at lock.Frame, key *term.T, kind string)) {
	row := r.Lock.Row
	if row == nil || row.Token == "" || !slices.ContainsFunc(r.Use.Writes, func(w lock.Write) bool { return w.Condition == lock.Token }) {
		return
	}
	if !slices.ContainsFunc(row.Sets, func(s meaning.Setting) bool { return s.Column == row.Token && engine.IsOp(s.Value, "sql:+") }) {
		return // a sequence, which outlives the row
	}
	freed := r.Site.Freed
	for _, inner := range r.Site.Lock.Chain { // it runs a callback, or hands out what frees
		freed = slices.Concat(freed, inner.Freed)
	}
	for _, x := range freed {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		for _, m := range k.e.Reader.Of(x.Call) {
			if m.Role == meaning.Write && m.Write.Resource == row.Resource && m.Write.Deletes() {
				at := x.At // it is wrong for all users
				if !at.Pos.IsValid() {
					at = insideOf(x, r.Use)
				}
				note(at, k.e.Pool.Const("string", row.Table()+"."+row.Token), lock.TokenDeleted)
			}
		}
	}
}

// replica notes a read in the section, from a handle that is named or made as a
// copy of the store, of what an unguarded write of the section changes.
func (k *keeping) replica(r summary.Recorded) {
	for _, x := range r.Site.Effects {
		if x.Call == nil || x.Open != summary.Closed {
			continue
		}
		for _, m := range k.e.Reader.Of(x.Call) {
			if m.Role != meaning.Query {
				continue
			}
			if m.Keeps {
				continue // in the transaction that writes
			}
			through := m.On
			if through == nil { // a command
				through = meaning.Receiver(x.Call)
			}
			kind, on := lock.ReadReplica, k.copyOf(through)
			if on == "" {
				kind, on = lock.ReadStale, m.Stale
			}
			if on == "" {
				on = k.lags(r, m.On)
				if on != "" {
					k.found.of(r.Use, lock.Call{Frame: framed(inSource(x), on), Call: x.At.Callee, Kind: kind})
				}
				continue
			}
			if !slices.ContainsFunc(r.Use.Writes, func(w lock.Write) bool {
				return !w.Own && !w.After && trusts(w) && engine.Overlap(m.Store, w.Resource)
			}) {
				continue
			}
			at := k.handed(x, through)
			k.found.of(r.Use, lock.Call{Frame: framed(at, on), Call: at.Callee, Kind: kind})
		}
	}
}

// handed is the place of a read, or that of the call by which a function that reads
// through whatever it is given is given a copy.
func (k *keeping) handed(x summary.Effect, on *term.T) lock.Frame {
	if f, in := k.e.Index.CallOf(x.Call); in != nil && len(x.Via) > 0 {
		c := in.Common()
		recv := c.Value
		if !c.IsInvoke() && len(c.Args) > 0 {
			recv = c.Args[0]
		}
		if t := f.Get(recv); t != on && t.Kind == term.Param && k.copyOf(t) == "" {
			x.At, x.Via = x.Via[len(x.Via)-1], x.Via[:len(x.Via)-1]
		}
	}
	return inSource(x)
}

// trusts reports whether a write takes what was read before it for right, whatever its
// condition. That the lock is still held, or was taken later than any other, tells nothing
// of a read that a copy answered, and neither does the session that the write is made on.
func trusts(w lock.Write) bool {
	return !w.Condition.Holds() || w.Condition == lock.Owner || w.Condition == lock.Token || w.Condition == lock.Transaction && w.Note == engine.OnOwner
}

// copyOf names a handle that reads from a copy; it is empty for any other.
func (k *keeping) copyOf(on *term.T) string {
	found := ""
	for _, t := range on.Alts() {
		for t != nil && (t.Kind == term.Result || t.Kind == term.Out) {
			t = t.Args[0]
		}
		if k.toCopies(t) {
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
		if made := k.clients(t); len(made) > 0 && !slices.ContainsFunc(made, func(c *term.T) bool { return !k.toCopies(c) }) {
			found = made[0].Text()
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

// clients lists what is kept where a handle is read from. A method that a client has by what
// it embeds is called on that.
func (k *keeping) clients(handle *term.T) []*term.T {
	var out []*term.T
	for _, v := range k.e.Values(handle) {
		for v.Kind == term.Field {
			v = v.Args[0]
		}
		out = append(out, v)
	}
	return out
}

// toCopies reports whether a call makes a client that reads from copies.
func (k *keeping) toCopies(made *term.T) bool {
	entry := k.e.Reader.Entry(made)
	return entry != nil && entry.New != nil && entry.New.Store == "replica"
}

// copies are what methods that hand out a copy of a store are called, but for "get" and
// "db" around it.
var copies = []string{"replica", "readreplica", "readonly", "slave", "standby"}

// delay notes that Consul is told to give a lock on as soon as its session is
// gone, where it is told so. Left out, the delay is 15 seconds.
func (k *keeping) delay(r summary.Recorded) {
	for _, t := range []*term.T{r.Lock.Handle, r.Lock.Parent} {
		if t == nil {
			continue
		}
		if t.Kind == term.Field || t.Kind == term.Param || t.Kind == term.Global {
			if kept := k.e.Values(t); len(kept) == 1 {
				t = kept[0]
			}
		}
		t.Any(func(made *term.T) bool {
			if e := k.e.Reader.Entry(made); e == nil || e.New == nil {
				return false
			}
			return made.Any(func(t *term.T) bool {
				i := slices.Index(t.Names, "LockDelay")
				if t.Kind != term.Struct || i < 0 {
					return false
				}
				if d := k.short(t.Args[i]); d != nil && !k.delayed[made.Site] {
					k.delayed[made.Site] = r.Use.Verdict != lock.Fenced
					at := k.e.FrameOf(optedFor(made, t), r.Site.Lock.At)
					k.found.of(r.Use, lock.Call{Frame: framed(at, meaning.Length(d)), Call: at.Callee, Kind: lock.DelayNone})
				}
				return true
			})
		})
	}
}

// optedFor is the call in a value that is given the options: that of the session, where a
// lock is made of one.
func optedFor(made, options *term.T) *term.T {
	call := made
	made.Any(func(x *term.T) bool {
		if x.Kind != term.Call || !slices.Contains(x.Args, options) {
			return false
		}
		call = x
		return true
	})
	return call
}

// short is a delay of less than a second, which may lie in a field or variable that
// is never set to a longer one; nil for any other. Zero is the default.
func (k *keeping) short(delay *term.T) *term.T {
	list := []*term.T{delay}
	if delay.Kind == term.Field || delay.Kind == term.Param || delay.Kind == term.Global {
		list = k.e.Values(delay)
	}
	if len(list) == 0 && delay.Kind == term.Field {
		list = k.e.Preset(delay)
	}
	if len(list) == 0 || slices.ContainsFunc(list, func(d *term.T) bool { s := meaning.Seconds(d); return s <= 0 || s >= 1 }) {
		return nil
	}
	return list[0]
}
