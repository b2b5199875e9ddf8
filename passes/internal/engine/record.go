package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// uses makes the records of all sites, in source order.
func (e *Engine) uses() []*lock.Use {
	var out []*lock.Use
	e.recorded = make(map[*family][]recorded)
	for _, f := range e.order {
		var all []recorded
		for _, fn := range f.members {
			var found places
			if s := f.sums[fn]; s != nil {
				for _, st := range s.sites {
					if m, ok := e.acquire(st.lock.Call); ok && e.evidence.isLock(st, m) {
						found.add(recorded{e.record(fn, st, m), st, m})
					}
				}
			}
			all = append(all, found.settled()...)
		}
		for _, r := range all {
			if r.use.Role == lock.RoleWrapper && slices.ContainsFunc(all, func(q recorded) bool {
				return q.use.Role == lock.RoleUse && q.use.Acquire.Position == r.use.Acquire.Position
			}) {
				continue // in a function literal that the function runs itself
			}
			e.recorded[f] = append(e.recorded[f], r)
			out = append(out, r.use)
		}
	}
	slices.SortStableFunc(out, func(a, b *lock.Use) int {
		return cmp.Or(a.Acquire.Compare(b.Acquire.Position), cmp.Compare(a.Library, b.Library))
	})
	return out
}

// places are the acquires of a function, by place. One call can take the same
// lock over several ways: one record a library is enough. Of the locks that the
// implementations of an interface take, one is taken, and nobody here knows
// which.
type places struct {
	ids  []string
	list map[string][]recorded
}

func (p *places) add(r recorded) {
	id := r.st.lock.At.File + ":" + strconv.Itoa(r.st.lock.At.Line) + ":" + strconv.Itoa(r.st.lock.At.Column)
	if r.st.impl == "" {
		id += r.lock.Library
	}
	if p.list == nil {
		p.list = make(map[string][]recorded)
	}
	if _, ok := p.list[id]; !ok {
		p.ids = append(p.ids, id)
	}
	p.list[id] = append(p.list[id], r)
}

// severity orders verdicts: the worst is the greatest.
var severity = map[lock.Verdict]int{lock.Fenced: 0, lock.NoVisibleWrite: 1, lock.Unverified: 2, lock.Unfenced: 3}

// settled returns a record for each place. Where implementations differ, it is
// that with the worst verdict, of these one whose lease nobody renews, and each of
// them is named.
func (p *places) settled() []recorded {
	var out []recorded
	for _, id := range p.ids {
		list := p.list[id]
		worst := list[0]
		if worst.st.impl == "" {
			out = append(out, worst)
			continue
		}
		differ := false
		for _, r := range list[1:] {
			differ = differ || r.use.Verdict != worst.use.Verdict
			if d := severity[r.use.Verdict] - severity[worst.use.Verdict]; d > 0 || d == 0 && r.use.Renewal == "none" && worst.use.Renewal != "none" {
				worst = r
			}
		}
		if differ {
			for _, r := range list {
				if said := r.st.impl + ": " + string(r.use.Verdict); !slices.Contains(worst.use.Evidence, said) {
					worst.use.Evidence = append(worst.use.Evidence, said)
				}
			}
		}
		out = append(out, worst)
	}
	return out
}

// record makes the record of one site.
func (e *Engine) record(fn *ssa.Function, st *site, m meaning.Meaning) *lock.Use {
	u := &lock.Use{
		Role: lock.RoleUse, Kind: m.Kind, Library: m.Library, Package: pkgOf(fn),
		Acquire: st.lock.At, Call: st.lock.At.Callee, Via: st.lock.Via,
		Key: e.usual(m.Key).Place(), TTL: m.TTL, Renewal: e.renewal(st, m), Skips: st.skips, Scope: m.Scope,
		Token: lock.TokenInfo{Source: "none"}, Decision: st.lock.Decision,
	}
	u.Acquire.Function = shown(fn)
	if st.wrapper || e.partOfLock(fn) {
		u.Role = lock.RoleWrapper
	}
	if m.Raw {
		u.Evidence = e.evidence.listed(st)
	} else {
		u.Evidence = m.Evidence
	}
	if m.Kind == lock.Advisory {
		u.Handle = e.ownerHandle(st, m)
		u.Strays = e.strays(st, m, u.Handle)
		u.TTL = lock.TTL{Source: "none"}
	}
	u.Release = e.releases(st, m)
	u.Leader = m.Kind == lock.Election
	j := &judge{e: e, st: st, lock: m, counters: e.drawn(st.effects)}
	unseen := make(map[lock.Reason]bool)
	for _, x := range st.effects {
		if x.Signal != "" && (u.Leader || x.Why != "") {
			e.handedOver(u, j, x, unseen)
		} else {
			e.write(u, j, x, unseen)
		}
	}
	later := &judge{e: e, st: st, lock: m}
	carried := e.carriedOut(st)
	decided := e.decidedOn(st)
	if st.closed {
		carried = append(carried, decided...)
	}
	for _, x := range slices.Concat(st.after, carried) {
		var w lock.Use
		e.write(&w, later, x, make(map[lock.Reason]bool))
		for _, a := range w.Writes {
			a.After = true
			if a.Condition == lock.Transaction && a.Note == onOwner {
				a.Condition, a.Note = lock.None, "" // no longer its owner
			}
			u.Writes = append(u.Writes, a)
		}
	}
	slices.SortStableFunc(u.Writes, func(a, b lock.Write) int {
		return cmp.Or(a.Compare(b.Position), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Resource, b.Resource), cmp.Compare(rank[a.Condition], rank[b.Condition]))
	})
	// One call reached on two ways is one write, judged by the weaker.
	u.Writes = slices.CompactFunc(u.Writes, func(a, b lock.Write) bool {
		return a.Position == b.Position && a.Operation == b.Operation && a.Resource == b.Resource && a.After == b.After
	})
	for r := range unseen {
		u.Unseen = append(u.Unseen, r)
	}
	slices.Sort(u.Unseen)
	if j.used != nil {
		ordered := j.used.Ordered
		u.Token = lock.TokenInfo{Source: j.used.Source, Ordered: &ordered, Reason: j.used.Reason, Resets: j.used.Resets}
	}
	u.Verdict = verdict(u, j.soft)
	if u.Verdict == lock.NoVisibleWrite && st.wrapper {
		if list, ok := e.sessionWrites(fn, j); ok {
			for _, x := range list {
				u.Writes = append(u.Writes, e.sessionWrite(x)...)
			}
			u.Verdict = lock.Fenced
		}
	}
	if st.late.IsValid() || u.Verdict == lock.NoVisibleWrite &&
		((e.idle(st) || len(carried) > 0 || len(decided) > 0) && slices.ContainsFunc(u.Writes, func(w lock.Write) bool { return w.After }) || e.storesLate(u, st)) {
		// The lock guards no write; what it was taken for comes after it.
		u.Verdict = lock.Unfenced
	}
	if u.Leader && u.Verdict == lock.NoVisibleWrite && st.heldOut {
		// A leader is elected to do something; it is done after the function
		// returns, by whoever asks it or watches for the end of its term.
		u.Unseen = append(u.Unseen, lock.ReasonGoroutine)
		u.Verdict = lock.Unverified
	}
	if u.Verdict == lock.NoVisibleWrite && u.Role == lock.RoleUse && e.goesOut(st) {
		u.Verdict = lock.Unverified
		u.Unseen = append(u.Unseen, lock.ReasonInterface)
	}
	if u.Verdict != lock.Fenced && j.soft {
		u.Unseen = append(u.Unseen, lock.ReasonCallback)
		slices.Sort(u.Unseen)
		u.Unseen = slices.Compact(u.Unseen)
	}
	u.Section = e.length(st.effects, e.deadlines(Effect{Call: st.lock.Call}))
	if st.kept && u.Section.Why != "" {
		u.Section.Why = "its release is deferred in a loop, and so runs when the function returns"
	}
	u.Reads = slices.ContainsFunc(st.effects, func(x Effect) bool {
		return x.Call != nil && slices.ContainsFunc(e.reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query })
	})
	return u
}

// storesLate reports whether what the section read is written after it, with no
// condition.
func (e *Engine) storesLate(u *lock.Use, st *site) bool {
	return slices.ContainsFunc(u.Writes, func(w lock.Write) bool {
		return w.After && w.Condition == lock.None && slices.ContainsFunc(st.after, func(x Effect) bool { return x.At.Position == w.Position && e.carries(st, x) })
	})
}

// usual is a key as it is where callers change nothing of the options.
func (e *Engine) usual(key *term.T) *term.T {
	if before := e.pool.Initially(key); !before.IsZero() {
		return before
	}
	return key
}

// verdict follows from the writes and from what was not seen. soft says that
// the only thing out of sight is a callback that computes what is written, or
// works on the session that owns the lock: it does not weaken writes that are
// fenced, but nothing is known without any.
func verdict(u *lock.Use, soft bool) lock.Verdict {
	seen, unknown := 0, len(u.Unseen) > 0
	for _, w := range u.Writes {
		if w.Own || w.After {
			continue
		}
		seen++
		switch {
		case w.Condition == lock.None:
			return lock.Unfenced
		case w.Checked != nil && !*w.Checked && w.Condition.Holds() && w.Condition != lock.Transaction && w.Condition != lock.Unique:
			// The stale writer believes that it wrote.
			return lock.Unfenced
		case w.Condition == lock.Unknown:
			unknown = true
		}
	}
	switch {
	case unknown:
		return lock.Unverified
	case seen == 0 && soft:
		return lock.Unverified
	case seen == 0:
		return lock.NoVisibleWrite
	}
	return lock.Fenced
}

// write adds what an effect of the section writes, and what it hides.
func (e *Engine) write(u *lock.Use, j *judge, x Effect, unseen map[lock.Reason]bool) {
	if slices.ContainsFunc(x.Chosen, j.out) {
		return
	}
	if x.Memory != nil {
		r := j.memory(x.Memory)
		u.Writes = append(u.Writes, e.memoryWrite(x, r))
		return
	}
	if x.Open != Closed {
		switch reason := e.hidden(x); {
		case reason == lock.ReasonCallback && (x.Yields || j.sessionBound(x.Call)):
			j.soft = true
		case reason != "":
			unseen[reason] = true
		}
		return
	}
	if x.Call == nil {
		if x.Why != "" {
			unseen[x.Why] = true
		}
		return
	}
	ms := e.reader.Of(x.Call)
	if e.own(j.st, j.lock, x, ms) || e.draws(j.counters, x.Call, ms) {
		return
	}
	for _, c := range j.writes(ms) {
		if c.Key != nil && c.Key.Kind == term.Global && (c.Key.Name == "os.Stderr" || c.Key.Name == "os.Stdout") {
			continue // the log
		}
		if system(c.Resource) || brake(c) {
			continue
		}
		r := j.claimed(x, c, j.asked(x, c, sent(x.Batch, j.change(c))))
		w := lock.Write{
			Frame: x.At, Call: x.At.Callee, Operation: c.Operation, Resource: c.Resource, Condition: r.cond,
			Reached: x.Reach.String(), Fault: r.fault, Compared: r.compared, Note: r.note, Cache: c.Cache, Trail: x.Via, Here: true,
		}
		if (r.cond.Holds() || r.fault != "") && !r.claimed && !r.own {
			switch {
			case x.Silent && (r.cond == lock.Token || r.cond == lock.Owner || r.cond == lock.Version && c.Reject == "error"):
				no := false
				w.Checked, w.Fault, w.Swallowed = &no, swallowed, true
			case x.Checked == 1:
				t := true
				w.Checked = &t
			case x.Checked == -1:
				if r.cond.Holds() && c.Reject != "error" && !(r.cond == lock.Version && c.Sweeps()) {
					no := false
					w.Checked = &no
					if r.cond != lock.Transaction && r.cond != lock.Unique {
						w.Fault = unanswered
					}
				}
			}
		}
		if r.cond == lock.Unknown {
			unseen[cmp.Or(r.why, c.Unknown, lock.ReasonLimit)] = true
		}
		if at := j.committed(x, r); at.IsValid() {
			w.After, w.Condition, w.Checked, w.Note = true, lock.None, nil, "committed after the release"
			j.st.late = at
		}
		u.Writes = append(u.Writes, w)
	}
}

// system reports whether a table is one of the database's own: its settings are
// nobody's protected resource.
func system(resource string) bool {
	for _, schema := range []string{"performance_schema.", "information_schema.", "pg_catalog.", "sys."} {
		if strings.HasPrefix(resource, "sql:"+schema) {
			return true
		}
	}
	return false
}

// brake reports whether a write counts attempts to limit their rate: those of a stale
// holder count as well.
func brake(c *meaning.Change) bool {
	return c.Store == "redis" && slices.Contains([]string{"INCR", "INCRBY", "EXPIRE", "PEXPIRE"}, c.Operation) && brakes(c.Resource)
}

func brakes(name string) bool {
	return meaning.Named(name, "ratelimit", "ratelimits", "ratelimiter", "rate", "throttle", "throttling", "attempt", "attempts")
}

// idle reports whether nothing but locking happens in a section.
func (e *Engine) idle(st *site) bool {
	for _, x := range st.effects {
		if x.Signal != "" && x.Why == "" {
			continue
		}
		if x.Open != Closed || x.Memory != nil || x.Call == nil {
			return false
		}
		for _, m := range e.reader.Of(x.Call) {
			switch m.Role {
			case meaning.Acquire, meaning.Release, meaning.Renew, meaning.Loss:
			default:
				return false
			}
		}
	}
	return true
}

// sessionWrite is a write on the session that owns the lock.
func (e *Engine) sessionWrite(x Effect) []lock.Write {
	var out []lock.Write
	for _, m := range e.reader.Of(x.Call) {
		if m.Role == meaning.Write {
			out = append(out, lock.Write{
				Frame: x.At, Call: x.At.Callee, Operation: m.Write.Operation, Resource: m.Write.Resource,
				Condition: lock.Transaction, Reached: x.Reach.String(), Note: onOwner, Trail: x.Via, Here: true,
			})
		}
	}
	return out
}

func (e *Engine) memoryWrite(x Effect, r ruling) lock.Write {
	w := lock.Write{
		Frame: x.At, Call: "(*" + x.Memory.Type + ")." + x.Memory.Method, Operation: "store", Resource: "memory:" + x.Memory.Type,
		Condition: r.cond, Reached: x.Reach.String(), Fault: r.fault, Compared: r.compared, Note: r.note, Trail: x.Via, Here: true,
	}
	if r.cond.Holds() && x.Checked != 0 {
		seen := x.Checked == 1
		w.Checked = &seen
		if !seen {
			w.Fault = unanswered
		}
	}
	return w
}

// unanswered is the fault of a condition whose refusal nobody hears of.
const unanswered = "nobody looks whether the write was refused, so a stale holder believes that it wrote"

// swallowed is the fault of a condition whose refusal is kept from the caller.
const swallowed = "a refusal is recognised and returned like a success, so a stale holder is told that it wrote"

// own reports whether a call in the section of a lock is part of locking: this lock's
// or another's acquire, renewal or release is no write of a protected resource.
func (e *Engine) own(st *site, lock meaning.Meaning, x Effect, ms []meaning.Meaning) bool {
	if x.Own {
		return true
	}
	for _, m := range ms {
		switch m.Role {
		case meaning.Acquire:
			if !m.Raw || e.evidence.taken[x.At.Position] || m.Key != nil && e.evidence.locks(m.Family, m.Key) {
				return true
			}
		case meaning.Release, meaning.Renew:
			if !m.Raw {
				return true
			}
			if m.Checked && (m.Record != "" || !stores(ms)) {
				return true // a comparison of the owner before a delete or expiry has no other use
			}
			if st.wrapper && m.Role == meaning.Release && m.Family == lock.Family && keyName(m.Key) == "" {
				return true // keys that it collected, of which some were taken and some not
			}
			for _, k := range keysOf(m.Key) {
				if e.evidence.locks(m.Family, k) || lock.Key != nil && (e.pool.Alike(k, lock.Key) || k.Pattern() == lock.Key.Pattern()) {
					return true
				}
			}
		}
	}
	_, again := e.restores(lock, ms)
	return again || ownRecord(lock, ms) || e.tends(ms)
}

// stores reports whether a call stores a value: one on a condition that renews a
// lease where the value is a lease's record, and writes data where it is not.
func stores(ms []meaning.Meaning) bool {
	return slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Write && m.Write.Value != nil })
}

// quiet are names of functions that only tell or stop something.
var quiet = []string{"v", "error", "info", "warn", "debug", "warning", "errorw", "infow", "fatalf", "lost", "cancel", "stop", "unlock", "release", "close", "done", "log", "logf", "debugf", "infof", "warnf", "errorf", "printf", "notify", "after", "before", "now", "clock"}

// hidden says what an open call may hide, or nothing.
func (e *Engine) hidden(x Effect) lock.Reason {
	if x.Open == Dynamic {
		return x.Why
	}
	fn := x.Call.Args[0]
	name := ""
	switch fn.Kind {
	case term.Param:
		name = fn.Label
	case term.Field:
		name = fn.Name
	case term.Global:
		name = fn.Name[strings.LastIndexByte(fn.Name, '.')+1:]
	case term.Call, term.Result, term.Out:
		// What a catalogued call returns (a cancel function) is known.
		c := fn
		for c.Kind != term.Call && len(c.Args) > 0 {
			c = c.Args[0]
		}
		if e.reader.Entry(c) != nil || strings.HasPrefix(strings.TrimPrefix(c.Name, "golang.org/x/net/"), "context.") {
			return ""
		}
	}
	l := strings.ToLower(name)
	if len(x.Call.Args) == 1 {
		for _, q := range quiet {
			if len(q) > 1 && (strings.HasSuffix(l, q) || strings.HasPrefix(l, q)) {
				return ""
			}
		}
	}
	for _, q := range quiet {
		if l == q {
			return ""
		}
	}
	return lock.ReasonCallback
}

// releases lists how the lock is released.
func (e *Engine) releases(st *site, m meaning.Meaning) []string {
	how := slices.Clone(st.release)
	if st.closed && len(how) == 0 {
		how = []string{"callback"}
	}
	if len(how) == 0 {
		if st.wrapper {
			return []string{"unknown"}
		}
		return []string{"none"}
	}
	slices.Sort(how)
	return how
}
