package records

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/code"
	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/remarks"
	"github.com/fencevet/fencevet/passes/internal/slips"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Of summarises every family and returns the lock uses and the remarks that
// belong to none of them, in source order.
func Of(e *engine.Engine) ([]*lock.Use, []lock.Remark) {
	e.Solve()
	uses := uses(e)
	slips.Find(e)
	e.EachUse(func(_ *engine.Family, r summary.Recorded) { unasked(e, r) })
	return uses, append(remarks.Clocks(e, uses), remarks.Find(e, uses)...)
}

// unasked takes a number for no token that is drawn for whoever comes, whether or not the lock
// was taken: it is greater than the holder's.
func unasked(e *engine.Engine, r summary.Recorded) {
	u := r.Use
	if u.Verdict != lock.Fenced || len(e.Drawn(r.Site.Effects).Calls) == 0 || !slices.ContainsFunc(u.Slips, func(s lock.Slip) bool { return s.Kind == lock.SlipUnasked }) {
		return
	}
	for i := range u.Writes {
		if w := &u.Writes[i]; w.Condition == lock.Token {
			w.Condition, w.Checked = lock.None, nil
			w.Fault = "the number is drawn whether or not the lock was taken, so that it is greater than the holder's"
			u.Verdict = lock.Unfenced
		}
	}
}

// uses makes the records of all sites, in source order.
func uses(e *engine.Engine) []*lock.Use {
	var out []*lock.Use
	owners := remarks.NewOwners(e)
	e.Recorded = make(map[*engine.Family][]summary.Recorded)
	for _, f := range e.Order {
		var all []summary.Recorded
		for _, fn := range f.Members {
			var found places
			if s := f.Sums[fn]; s != nil {
				for _, st := range s.Sites {
					if m, ok := e.Acquire(st.Lock.Call); ok && e.Evidence.IsLock(st, m) {
						found.add(summary.Recorded{Use: tried(e, owners, fn, st, m), Site: st, Lock: m})
					}
				}
			}
			all = append(all, found.settled()...)
		}
		for _, r := range all {
			if r.Use.Role == lock.RoleWrapper && slices.ContainsFunc(all, func(q summary.Recorded) bool {
				return q.Use.Role == lock.RoleUse && q.Use.Acquire.Position == r.Use.Acquire.Position
			}) {
				continue // in a function literal that the function runs itself
			}
			e.Recorded[f] = append(e.Recorded[f], r)
		}
	}
	atWork(e, owners)
	for _, f := range e.Order {
		for _, r := range e.Recorded[f] {
			out = append(out, r.Use)
		}
	}
	slices.SortStableFunc(out, func(a, b *lock.Use) int {
		return cmp.Or(a.Acquire.Compare(b.Acquire.Position), cmp.Compare(a.Library, b.Library))
	})
	told := make(map[lock.Position]bool)
	for _, u := range out { // what a wrapper releases is told once
		u.Strays = slices.DeleteFunc(u.Strays, func(c lock.Call) bool {
			again := told[c.Position]
			told[c.Position] = true
			return again
		})
	}
	return out
}

// places are the acquires of a function, by place. One call can take the same
// lock over several ways: one record a library is enough. Of the locks that the
// implementations of an interface take, be it further down, one is taken, and nobody
// here knows which.
type places struct {
	ids  []string
	list map[string][]summary.Recorded
}

func (p *places) add(r summary.Recorded) {
	id := r.Site.Lock.At.File + ":" + strconv.Itoa(r.Site.Lock.At.Line) + ":" + strconv.Itoa(r.Site.Lock.At.Column)
	if implementation(r.Site) == "" {
		id += r.Lock.Library
	}
	if p.list == nil {
		p.list = make(map[string][]summary.Recorded)
	}
	if _, ok := p.list[id]; !ok {
		p.ids = append(p.ids, id)
	}
	p.list[id] = append(p.list[id], r)
}

// implementation is the one of several that takes the lock, there or where a wrapper calls
// it; it is empty where no interface is on the way.
func implementation(st *summary.Site) string {
	if st.Impl != "" {
		return st.Impl
	}
	for _, c := range slices.Backward(st.Lock.Chain) {
		if c.Impl != "" {
			return c.Impl
		}
	}
	return ""
}

// severity orders verdicts: the worst is the greatest.
var severity = map[lock.Verdict]int{lock.Fenced: 0, lock.NoVisibleWrite: 1, lock.Unverified: 2, lock.Unfenced: 3}

// settled returns a record for each place. Where implementations differ, it is
// that with the worst verdict, of these one whose lease nobody renews, and each of
// them is named.
func (p *places) settled() []summary.Recorded {
	var out []summary.Recorded
	for _, id := range p.ids {
		list := p.list[id]
		worst := list[0]
		if implementation(worst.Site) == "" {
			out = append(out, worst)
			continue
		}
		differ := false
		for _, r := range list[1:] {
			differ = differ || r.Use.Verdict != worst.Use.Verdict
			if d := severity[r.Use.Verdict] - severity[worst.Use.Verdict]; d > 0 || d == 0 && r.Use.Renewal == "none" && worst.Use.Renewal != "none" {
				worst = r
			}
		}
		if differ {
			for _, r := range list {
				if said := implementation(r.Site) + ": " + string(r.Use.Verdict); !slices.Contains(worst.Use.Evidence, said) {
					worst.Use.Evidence = append(worst.Use.Evidence, said)
				}
			}
		}
		out = append(out, worst)
	}
	return out
}

// tried is record, or where that fails the record of a lock of which nothing is known.
func tried(e *engine.Engine, owners *remarks.Owners, fn *ssa.Function, st *summary.Site, m meaning.Meaning) (u *lock.Use) {
	if e.Try(fn, func() { u = record(e, owners, fn, st, m) }) {
		return u
	}
	u = &lock.Use{
		Role: lock.RoleUse, Kind: m.Kind, Library: m.Library, Package: code.PackagePath(fn),
		Acquire: st.Lock.At, Call: st.Lock.At.Callee, Token: lock.TokenInfo{Source: "none"},
		Verdict: lock.Unverified, Unseen: []lock.Reason{lock.ReasonLimit},
	}
	u.Acquire.Function = code.Shown(fn)
	return u
}

// record makes the record of one site.
func record(e *engine.Engine, owners *remarks.Owners, fn *ssa.Function, st *summary.Site, m meaning.Meaning) *lock.Use {
	u := &lock.Use{
		Role: lock.RoleUse, Kind: m.Kind, Library: m.Library, Package: code.PackagePath(fn),
		Acquire: st.Lock.At, Call: st.Lock.At.Callee, Via: st.Lock.Via,
		Key: usual(e, m.Key).Place(), TTL: m.TTL, Renewal: e.Renewal(st, m), Skips: st.Skips, Scope: m.Scope,
		Token: lock.TokenInfo{Source: "none"}, Decision: st.Lock.Decision,
	}
	u.Acquire.Function = code.Shown(fn)
	if m.TTL.Source == "default" {
		if ttl, ok := e.Index.Lasts(m.Handle); ok {
			u.TTL = ttl
		}
	}
	if st.Wrapper && !st.Apart || e.InDeclaredLock(fn) {
		u.Role = lock.RoleWrapper
	}
	if m.Raw {
		u.Evidence = e.Evidence.Listed(st)
	} else {
		u.Evidence = m.Evidence
	}
	if m.Kind == lock.Advisory {
		u.Handle = e.OwnerHandle(st, m)
		if u.Handle == "pool" && (e.SinglePool(fn) && m.Scope == "session" || m.Scope == "transaction" && !e.Autocommits(st, m)) {
			u.Handle = "" // it may be that one, or run a transaction
		}
		u.Strays = e.Strays(st, m, u.Handle)
		u.TTL = lock.TTL{Source: "none"}
	}
	u.Release = releases(e, st, m)
	u.Leader = m.Kind == lock.Election || (m.Raw && m.Row == nil || st.Apart) && !st.Wrapper && engine.Leads(st)
	j := &judge{e: e, owners: owners, st: st, lock: m, counters: e.Drawn(st.Effects)}
	unseen := make(map[lock.Reason]bool)
	for i, x := range st.Effects {
		switch {
		case e.TakenAnew(st, st.Effects, i):
			unseen[lock.ReasonGoroutine] = true
		case x.Signal != "" && (u.Leader || x.Why != ""):
			handedOver(e, u, j, x, unseen)
		case engine.HandsOn(x):
			handedOn(e, u, j, x)
		default:
			write(e, u, j, x, unseen)
		}
	}
	later := &judge{e: e, owners: owners, st: st, lock: m}
	carried := e.CarriedOut(st)
	decided := e.DecidedOn(st)
	if st.Closed {
		carried = append(carried, decided...)
	}
	for _, x := range slices.Concat(st.After, carried) {
		var w lock.Use
		write(e, &w, later, x, make(map[lock.Reason]bool))
		for _, a := range w.Writes {
			a.After = true
			if a.Condition == lock.Transaction && a.Note == engine.OnOwner {
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
	if u.Verdict == lock.Fenced && j.dark != "" {
		u.Verdict = lock.Unverified
		u.Unseen = append(u.Unseen, j.dark)
	}
	if u.Verdict == lock.NoVisibleWrite && st.Wrapper {
		if list, ok := sessionWrites(e, fn, j); ok {
			for _, x := range list {
				u.Writes = append(u.Writes, sessionWrite(e, x)...)
			}
			u.Verdict = lock.Fenced
		}
	}
	st.LeftOut = later.leftOut()
	if st.Late.IsValid() || st.LeftOut.IsValid() || u.Verdict == lock.Fenced && storesLate(e, u, st) || u.Verdict == lock.NoVisibleWrite &&
		((e.Idle(st) || len(carried) > 0 || len(decided) > 0) && slices.ContainsFunc(u.Writes, func(w lock.Write) bool { return w.After }) || storesLate(e, u, st)) {
		// The lock guards no write; what it was taken for comes after it.
		u.Verdict = lock.Unfenced
	}
	if u.Leader && u.Verdict == lock.NoVisibleWrite && st.HeldOut {
		// A leader is elected to do something; it is done after the function
		// returns, by whoever asks it or watches for the end of its term.
		u.Unseen = append(u.Unseen, lock.ReasonGoroutine)
		u.Verdict = lock.Unverified
	}
	if u.Verdict == lock.NoVisibleWrite && u.Role == lock.RoleUse && engine.GoesOn(st) {
		u.Verdict = lock.Unverified
		u.Unseen = append(u.Unseen, lock.ReasonGoroutine)
	}
	if u.Verdict == lock.NoVisibleWrite && u.Role == lock.RoleUse && e.GoesOut(st) {
		u.Verdict = lock.Unverified
		u.Unseen = append(u.Unseen, lock.ReasonInterface)
	}
	if u.Verdict != lock.Fenced && j.soft {
		u.Unseen = append(u.Unseen, lock.ReasonCallback)
		slices.Sort(u.Unseen)
		u.Unseen = slices.Compact(u.Unseen)
	}
	u.Section = e.Length(st.Effects, e.Deadlines(summary.Effect{Call: st.Lock.Call}))
	if st.Kept && u.Section.Why != "" {
		u.Section.Why = "its release is deferred in a loop, and so runs when the function returns"
	}
	u.Reads = slices.ContainsFunc(st.Effects, func(x summary.Effect) bool {
		return x.Call != nil && slices.ContainsFunc(e.Reader.Of(x.Call), func(m meaning.Meaning) bool { return m.Role == meaning.Query })
	})
	return u
}

// storesLate reports whether what the section read is written after it, with no
// condition.
func storesLate(e *engine.Engine, u *lock.Use, st *summary.Site) bool {
	return slices.ContainsFunc(u.Writes, func(w lock.Write) bool {
		return w.After && w.Condition == lock.None && slices.ContainsFunc(st.After, func(x summary.Effect) bool { return x.At.Position == w.Position && e.Carries(st, x) })
	})
}

// usual is a key as it is where callers change nothing of the options.
func usual(e *engine.Engine, key *term.T) *term.T {
	if before := e.Pool.Initially(key); !before.IsZero() {
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
func write(e *engine.Engine, u *lock.Use, j *judge, x summary.Effect, unseen map[lock.Reason]bool) {
	if slices.ContainsFunc(x.Chosen, j.out) {
		return
	}
	if x.Memory != nil {
		if !e.Keeps(x.Memory) {
			return
		}
		r := j.memory(x.Memory)
		if r.why != "" {
			unseen[r.why] = true
		}
		u.Writes = append(u.Writes, memoryWrite(e, x, r))
		return
	}
	if x.Open != summary.Closed {
		switch reason := e.Hidden(x); {
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
	if x.Call.Name == engine.IntoWriter {
		landed, dark := e.Landed(x)
		for _, y := range landed {
			write(e, u, j, y, unseen)
		}
		if dark {
			j.dark = lock.ReasonInterface
		}
		return
	}
	ms := e.Reader.Of(x.Call)
	if e.PartOfLocking(j.st, j.lock, x, ms) || e.Draws(j.counters, x.Call, ms) {
		return
	}
	if triggers(e, x, ms) {
		j.dark = lock.ReasonRPC
	}
	for _, c := range j.writes(ms) {
		if c.Key != nil && c.Key.Kind == term.Global && (c.Key.Name == "os.Stderr" || c.Key.Name == "os.Stdout") {
			continue // the log
		}
		if system(c.Resource) || brake(c) || temporary(e, c) {
			continue
		}
		r := j.claimed(x, c, j.asked(x, c, sent(x.Batch, j.change(c))))
		w := lock.Write{
			Frame: x.At, Call: x.At.Callee, Operation: c.Operation, Resource: c.Resource, Condition: r.cond,
			Reached: x.Reach.String(), Fault: r.fault, Compared: r.compared, Note: r.note, Cache: c.Cache || x.Copy, Setup: x.Setup, Trail: x.Via, Here: true,
		}
		if (r.cond.Holds() || r.fault != "") && !r.claimed && !r.own {
			switch {
			case x.Silent && (r.cond == lock.Token || r.cond == lock.Owner || r.cond == lock.Version && c.Reject == "error"):
				no := false
				w.Checked, w.Fault, w.Swallowed = &no, swallowed, true
			case x.Checked == 1, x.Checked == 0 && c.Heard:
				t := true
				w.Checked = &t
			case x.Checked == -1, x.Checked == 0 && c.Batch != nil:
				if r.cond.Holds() && (c.Reject != "error" || r.cond == lock.Token || r.cond == lock.Owner) && !(r.cond == lock.Version && c.Sweeps()) {
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
			j.st.Late = at
		}
		u.Writes = append(u.Writes, w)
	}
}

// triggers reports whether a request that is meant to read is made for what it does: it names
// what the program works on, and nothing of the answer is looked at.
func triggers(e *engine.Engine, x summary.Effect, ms []meaning.Meaning) bool {
	return slices.ContainsFunc(ms, func(m meaning.Meaning) bool { return m.Role == meaning.Query && strings.HasPrefix(m.Store, "http") }) &&
		slices.ContainsFunc(meaning.Args(x.Call), func(a *term.T) bool {
			return a.Kind == term.Op && a.Any(func(t *term.T) bool { return t.Kind == term.Param }) && slices.ContainsFunc(a.Args, func(t *term.T) bool { return t.Kind != term.Const && t.Kind != term.Field })
		}) && e.Unread(x.Call)
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

// temporary reports whether a write is to a file that is made under a name of its own for
// whoever works with it, or in such a directory: no other holder has it.
func temporary(e *engine.Engine, c *meaning.Change) bool {
	return c.Store == "file" && (c.Operation == createsTemp || c.Key != nil && c.Key.Any(func(t *term.T) bool {
		made := e.Reader.Entry(t)
		return made != nil && made.Write != nil && made.Write.Op == createsTemp
	}))
}

// createsTemp is what the catalogue calls the making of such a file.
const createsTemp = "CreateTemp"

// brake reports whether a write counts attempts to limit their rate: those of a stale
// holder count as well.
func brake(c *meaning.Change) bool {
	return c.Store == "redis" && slices.Contains([]string{"INCR", "INCRBY", "EXPIRE", "PEXPIRE"}, c.Operation) && engine.Brakes(c.Resource)
}

// sessionWrite is a write on the session that owns the lock.
func sessionWrite(e *engine.Engine, x summary.Effect) []lock.Write {
	var out []lock.Write
	for _, m := range e.Reader.Of(x.Call) {
		if m.Role == meaning.Write {
			out = append(out, lock.Write{
				Frame: x.At, Call: x.At.Callee, Operation: m.Write.Operation, Resource: m.Write.Resource,
				Condition: lock.Transaction, Reached: x.Reach.String(), Note: engine.OnOwner, Trail: x.Via, Here: true,
			})
		}
	}
	return out
}

func memoryWrite(e *engine.Engine, x summary.Effect, r ruling) lock.Write {
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

// releases lists how the lock is released.
func releases(e *engine.Engine, st *summary.Site, m meaning.Meaning) []string {
	how := slices.Clone(st.Release)
	if st.Closed && len(how) == 0 {
		how = []string{"callback"}
	}
	if len(how) == 0 {
		if st.Wrapper || st.Apart {
			return []string{"unknown"}
		}
		return []string{"none"}
	}
	slices.Sort(how)
	return how
}

// handedOver adds what is done elsewhere by whom an elected leader tells so.
func handedOver(e *engine.Engine, u *lock.Use, j *judge, x summary.Effect, unseen map[lock.Reason]bool) {
	followers := e.Told(x.Signal, 1)
	for _, y := range followers {
		y.Via = append([]lock.Frame{x.At}, y.Via[:min(len(y.Via), summary.MaxVia-1)]...)
		write(e, u, j, y, unseen)
	}
	if len(followers) == 0 && x.Why != "" {
		unseen[x.Why] = true
	}
}

// handedOn adds what is done elsewhere with the work that a section hands on.
func handedOn(e *engine.Engine, u *lock.Use, j *judge, x summary.Effect) {
	list, known := e.HandedOn(x)
	if !known {
		j.dark = lock.ReasonGoroutine
	}
	for _, y := range list {
		if slices.ContainsFunc(j.st.Effects, func(z summary.Effect) bool { return z.At.Position == y.At.Position }) {
			continue // it runs in the section itself
		}
		hidden := make(map[lock.Reason]bool)
		if !e.Compares(y) {
			y.Via = append([]lock.Frame{x.At}, y.Via[:min(len(y.Via), summary.MaxVia-1)]...)
			write(e, u, j, y, hidden)
		}
		if e.Compares(y) || len(hidden) > 0 {
			j.dark = lock.ReasonGoroutine
		}
	}
}
