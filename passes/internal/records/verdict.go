package records

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/engine"
	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/remarks"
	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A judge decides what the resource checks before it accepts the writes of
// one lock's section.
type judge struct {
	e      *engine.Engine
	owners *remarks.Owners
	st     *summary.Site
	lock   meaning.Meaning
	used   *meaning.Token // a token that reached a write

	counters engine.Counters
	dark     lock.Reason // of what leaves the section for where it is out of sight: to a writer, on a channel, or by a request that only seems to read
	soft     bool        // a callback that computes, or that works on the lock's session, was not seen
}

// sessionBound reports whether an open call is handed something of the session
// that owns the lock: its connection, or rows read through it.
func (j *judge) sessionBound(call *term.T) bool {
	if j.lock.On == nil || j.lock.Kind != lock.Advisory || j.e.OwnerHandle(j.st, j.lock) == "pool" {
		return false
	}
	for _, a := range call.Args[1:] {
		if a.Any(func(t *term.T) bool { return j.e.Session(t) == j.lock.On }) {
			return true
		}
	}
	return false
}

// A finding on one write: the condition, and where something is compared that
// cannot hold, why.
type ruling struct {
	cond     lock.Condition
	fault    string
	compared string
	note     string
	claimed  bool        // cond is that of a claim before the write, whose refusal is looked at
	why      lock.Reason // of an unknown condition, where the write has no reason of its own
	own      bool        // the program itself refuses: there is no answer to look at
}

// rank prefers the strongest condition among several guards.
var rank = map[lock.Condition]int{
	lock.None: 0, lock.Unknown: 1, lock.Unique: 2, lock.Version: 3, lock.Owner: 4, lock.Token: 5, lock.Transaction: 6,
}

func better(a, b ruling) ruling {
	if rank[b.cond] > rank[a.cond] {
		return b
	}
	if rank[b.cond] == rank[a.cond] && a.fault == "" {
		a.fault = b.fault
	}
	if a.compared == "" {
		a.compared = b.compared
	}
	return a
}

// change rules on a write.
func (j *judge) change(c *meaning.Change) ruling {
	best := ruling{cond: lock.None}
	headers := j.headers(c)
	if j.onSession(c.On) {
		if j.lock.Shared && j.rewrites(c) {
			return ruling{cond: lock.None, fault: "others hold the lock at the same time, as it is taken in its shared mode: what one of them has read another one changes"}
		}
		return ruling{cond: lock.Transaction, note: engine.OnOwner}
	}
	if j.givenSession(c.On) {
		best = ruling{cond: lock.Unknown, note: "whether it runs on the session that owns the lock is out of sight"}
	}
	for _, g := range append(headers, c.Guards...) {
		best = better(best, j.guard(g, c))
	}
	if best.cond == lock.None && c.Unknown != "" && !(c.Bare && j.bare(c, headers)) {
		best.cond = lock.Unknown
	}
	if c.Ignored && best.cond != lock.None {
		best = ruling{cond: lock.None, fault: "where its condition matches no row, the call writes without it"}
	}
	if best.cond == lock.Version {
		if r, ok := j.afresh(c); ok {
			best = r
		}
	}
	if c.Otherwise && len(c.Guards) > 0 {
		best = ruling{cond: lock.Unknown, note: "a condition that is asked on some ways"}
	}
	if best.cond.Holds() {
		best.fault, best.compared = "", ""
	}
	if best.cond == lock.None && best.fault == "" && best.compared == "" {
		for _, s := range c.Sets {
			if tok, ok := j.token(s.Value); ok && tok.Ordered {
				j.use(tok)
				if s.Greatest() {
					best.fault = "the greater token is kept, but the rest is written all the same"
					break
				}
				best.note = "the token is stored but compared nowhere"
			}
		}
	}
	return best
}

func (j *judge) guard(g meaning.Guard, c *meaning.Change) ruling {
	none := ruling{cond: lock.None}
	switch g.Op {
	case "absent":
		if tok, ok := j.token(g.Value); ok && tok.Handle != nil {
			none.fault = "it asks for the lock's own key to be absent: that is so when nobody holds the lock"
			return none
		}
		if j.fresh(g, c) {
			none.fault = "what has to be absent has a name that is made on the spot, so that it is never there"
			return none
		}
		if namedBy(g, c, j.e.Reader.Instant) {
			return ruling{cond: lock.Unknown, note: "the name has the time in it, and whether another holder comes to the same is out of sight"}
		}
		if c.Store == "sql" && len(g.Unique) == 0 && c.Operation == "INSERT" && j.e.NeverThere(c) {
			none.fault = "the database makes all keys of the table itself, so that no new row is ever there already"
			return none
		}
		return ruling{cond: lock.Unique}
	case "owner":
		return j.owner(g, c)
	case "version":
		if tok, ok := j.token(g.Value); ok && tok.Origin == "random" && !j.isOwnerValue(g.Value) {
			none.fault = "what the version is compared with is a random id, which nobody stored there"
			return none
		}
		if g.Value == nil && transactional(c) && len(j.readWithin(c)) == 0 {
			none.fault = "nothing is read in the transaction, so that nothing keeps it from being committed"
			return none
		}
		if r, ok := j.ofAnother(g, c); ok {
			return r
		}
		if r, ok := j.versionOf(g, c); ok {
			return r
		}
		return ruling{cond: lock.Version}
	case "is null":
		if g.Moves {
			return ruling{cond: lock.Version, note: "conditional on " + g.Text}
		}
		return none
	case "named":
		tok, ok := j.grantee(g.Value)
		switch {
		case ok && tok.Origin == "" && tok.Ordered:
			j.use(tok)
			return ruling{cond: lock.Token, note: "the token is part of the name"}
		case ok && tok.Origin == meaning.Early:
			none.compared = tok.Source + ": " + tok.Reason
		}
		return none
	case "sent":
		if tok, ok := j.token(g.Value); ok && tok.Origin == "" {
			j.use(tok)
			return ruling{cond: lock.Unknown, note: "sent in the header " + g.Text}
		}
		return none
	case "other":
		return ruling{cond: lock.Unknown, note: g.Text}
	case "upsert":
		if j.e.Whole() && !j.e.KeepsUnique() {
			none.fault = "of a newer record it matches nothing, and makes another one"
			return none
		}
		return ruling{cond: lock.Unknown, note: g.Text}
	case "or":
		// As weak as the weakest way in.
		worst := ruling{cond: lock.Transaction}
		holds := false
		for _, a := range g.Alts {
			r := j.guard(a, c)
			holds = holds || r.cond.Holds()
			if rank[r.cond] < rank[worst.cond] {
				worst = r
			} else if worst.fault == "" {
				worst.fault = r.fault
			}
		}
		if len(g.Alts) == 0 || worst.cond == lock.Transaction {
			return none
		}
		if holds && worst.cond == lock.None && worst.fault == "" && worst.compared == "" {
			worst.fault = "another way through the OR asks for nothing that a stale holder lacks"
		}
		return worst
	case "present":
		if g.Value == nil {
			return none // what is written is there already, whoever has written it
		}
		// The key that the lock itself created: while it stands, nobody else holds.
		if tok, ok := j.token(g.Value); ok && tok.Handle != nil {
			return ruling{cond: lock.Owner}
		}
		if j.lock.Key != nil && j.lock.Handle == nil && c.Store == "etcd" && j.e.Pool.Alike(g.Value, j.lock.Key) {
			none.fault = "it asks for somebody's key to be there: the next holder's will do"
			return none
		}
		if c.Key != nil && j.e.Pool.Alike(g.Value, c.Key) {
			none.fault = "it asks only that what is written is there already, whoever has written it"
			return none
		}
		return ruling{cond: lock.Unknown, note: g.Text}
	case "gone":
		none.fault = "the number that it asks about does not move when the key is written"
		if tok, ok := j.token(g.Value); ok && tok.Handle != nil || j.lock.Key != nil && j.e.Pool.Alike(g.Value, j.lock.Key) {
			none.fault = "it lets whoever has lost the lock through: a key that is gone has revision 0"
		}
		return none
	case "and", "exists", "in":
		best := none
		if j.elsewhere(g.Alts) {
			best.fault = anotherHeld
			return best
		}
		if g.Op == "exists" && j.ofAnyRow(g.Alts) {
			best.fault = "it asks for the number alone, which the record of another lock has as well"
			return best
		}
		for _, a := range g.Alts {
			best = better(best, j.guard(a, c))
		}
		return best
	}
	if g.Value == nil {
		return none
	}
	return j.compare(g, c)
}

// compare rules on stored Op incoming.
func (j *judge) compare(g meaning.Guard, c *meaning.Change) ruling {
	none := ruling{cond: lock.None}
	tok, isToken := j.grantee(g.Value)
	mine := j.isOwnerValue(g.Value)
	ordering := strings.ContainsAny(g.Op, "<>") && g.Op != "<>"
	if r, ok := j.foreign(g.Value); ok {
		return r
	}
	if r, ok := j.anew(g, c); ok {
		return r
	}
	if g.Op == "<" && c.Store == "etcd" && j.lock.Key != nil && g.Column == "ModRevision "+j.lock.Key.Pattern() {
		return j.guard(meaning.Guard{Op: "gone", Value: j.lock.Key}, c)
	}
	switch {
	case isToken && tok.Origin == "" && tok.Ordered:
		j.use(tok)
		switch fault := j.misdrawn(tok, g.Value, g.Op, c); {
		case fault != "":
			none.fault = fault
		case g.AsText && !padded(g.Value), ordering && j.heldAsText(g, c) && g.Value.IsText() && !padded(g.Value):
			none.fault = asText
		case ordering && j.heldAsText(g, c) && !padded(g.Value):
			return ruling{cond: lock.Unknown, note: "the column holds texts, and whether the database compares it as numbers is out of sight"}
		case ordering && g.Value.Uncertain():
			return ruling{cond: lock.Unknown, note: "whether the context has the token on every way is out of sight", why: lock.ReasonLimit}
		case ordering && (g.At != nil && j.ownPlace(g.At) || j.ownPlaces(g, c)):
			none.fault = "the key by which the last token is found has this holder's own number or name in it, so that nobody else's is there"
		case (g.Op == "<" || g.Op == "<=") && g.Stored:
			if r, ok := j.cut(tok, g.Value); ok {
				return r
			}
			if j.countedElsewhere(tok) {
				return ruling{cond: lock.Unknown, note: "whether the number is counted for this lock is out of sight"}
			}
			if r, ok := j.forgotten(g, c); ok {
				return r
			}
			if g.Lapses {
				return ruling{cond: lock.Unknown, note: "the last token is given an end, and whoever comes later than that is let in"}
			}
			return ruling{cond: lock.Token}
		case g.Op == "<" || g.Op == "<=":
			none.fault = "the token is compared but never stored, so the fence does not move"
		case g.Op == "=" && j.ownRow(g, c):
			return j.held(g)
		case g.Op == "=":
			none.fault = "the token is compared for equality: no newer token is ever let in, and an old one is not kept out"
		case g.Op == ">" || g.Op == ">=":
			none.fault = "the comparison is the wrong way round: it lets older tokens in and keeps newer ones out"
		default:
			none.fault = "the comparison does not keep older tokens out"
		}
		return none
	case mine && g.Op == "=" && (j.ownRow(g, c) || j.ownKey(g, c)):
		return j.held(g)
	case mine && g.Op == "=" && j.e.Identifies(c.Resource, g.Column):
		return none
	case mine && g.Op == "=":
		none.fault = "a random lock value is compared for equality with a column that nobody sets when the lock is taken"
		return none
	case (isToken && (tok.Origin != "" || tok.Handle != nil) || mine) && ordering && (g.Stored || named(g)):
		none.compared = tok.Source
		if none.compared == "" {
			none.compared = "the lock's owner value"
		}
		if tok.Reason != "" {
			none.compared += ": " + tok.Reason
		}
		return none
	case isToken && tok.Handle != nil && g.Op == "=" && g.Column == meaning.LockOwner && g.Item != nil && j.lock.Key != nil && j.holds(g.Item, j.lock.Key):
		return ruling{cond: lock.Owner} // the record of the lock itself
	case isToken && tok.Handle != nil && g.Op == "=" && !tok.Ordered:
		none.fault = "a lock value that is not ordered is compared for equality with a column that nobody sets when the lock is taken"
		return none
	}
	if g.Op == "=" && g.Column != "" {
		switch {
		case versionColumn(g.Column) && g.Value.Kind != term.Const:
			if r, ok := j.ofAnother(g, c); ok {
				return r
			}
			return j.moving(g, c)
		case g.Moves && g.Value.Kind == term.Const && !g.Value.IsZero():
			return ruling{cond: lock.Version, note: "conditional on the state " + g.Text}
		case g.Moves && j.e.Reader.Reads(g.Value) && slices.ContainsFunc(c.Sets, func(s meaning.Setting) bool { return s.Column == g.Column && s.Coarse() }):
			none.fault = "the time that is stored there is cut, so that of two which have read the same both are let in"
			return none
		case g.Moves && j.e.Reader.Reads(g.Value):
			return ruling{cond: lock.Version, note: "conditional on a value that was read"}
		}
	}
	if ordering && (named(g) || g.Stored) && outOfSight(g.Value) {
		return ruling{cond: lock.Unknown, note: "what is compared comes a longer way than is followed", why: lock.ReasonLimit}
	}
	if (g.Op == "<" || g.Op == "<=") && g.Stored && g.Value.Kind != term.Const && g.Value.Open() {
		// An ordered comparison that moves, with a value from out of sight.
		switch {
		case (versionColumn(g.Column) || named(g)) && j.readWhole(g.Value):
			if g.Op == "<=" && g.Value.Kind != term.Op {
				none.fault = staysAsItWas
				return none
			}
			return ruling{cond: lock.Version}
		case versionColumn(g.Column), named(g), g.Value.Uncertain():
			return ruling{cond: lock.Unknown, note: "whether what is compared is a token of this lock is out of sight"}
		}
	}
	return none
}

// held rules on the comparison of the lock's own record with what this holder stored
// there: one that is passed where nothing is stored either is passed when the lock was lost
// and given back by the next holder. One that others store as well is passed when they have
// the lock.
func (j *judge) held(g meaning.Guard) ruling {
	if r, ok := j.sharedOwner(g.Value); ok {
		return r
	}
	if g.NullOK {
		return ruling{cond: lock.None, fault: "it lets whoever has lost the lock through once nobody holds it: a record without an owner passes as well"}
	}
	return ruling{cond: lock.Owner}
}

// outOfSight reports whether a value is, or is a part of, something that could not be
// followed to its end.
func outOfSight(t *term.T) bool {
	for t.Kind == term.Field || t.Kind == term.Elem {
		t = t.Args[0]
	}
	return t.Kind == term.Unknown && slices.Contains([]string{"limit", "loop", "argument", "ways"}, t.Name)
}

// named reports whether a column is named like a fence.
func named(g meaning.Guard) bool {
	return engine.FenceName(g.Column)
}

// token returns the token in a value if it is one of this lock's, or of a
// counter that no lock owns.
func (j *judge) token(t *term.T) (meaning.Token, bool) {
	tok, ok := j.e.Reader.Token(t)
	if !ok {
		return tok, false
	}
	if tok.Origin != "" {
		return tok, true
	}
	if tok.Read && !slices.ContainsFunc(meaning.Args(tok.Call), j.ownName) && !j.ownObject(meaning.Receiver(tok.Call)) {
		return meaning.Token{}, false
	}
	if tok.Handle != nil && j.lock.Handle != nil && !j.sameHandle(tok.Handle) {
		return meaning.Token{}, false
	}
	return tok, true
}

// ownName reports whether a value names the lock's own record: its key, the node
// that the acquire made, the key that a mutex says is its own.
func (j *judge) ownName(t *term.T) bool {
	if key := j.lock.Key; key != nil && j.e.Pool.Alike(t, key) || t == j.st.Term {
		return true
	}
	tok, ok := j.e.Reader.Token(t)
	return ok && tok.Handle != nil && j.lock.Handle != nil && j.sameHandle(tok.Handle)
}

// ownObject reports whether a value is the object that keeps the lock's record.
func (j *judge) ownObject(t *term.T) bool {
	return t != nil && j.lock.Parent != nil && t.Kind != term.Unknown && j.e.Pool.Alike(t, j.lock.Parent)
}

func (j *judge) sameHandle(h *term.T) bool {
	for _, a := range h.Alts() {
		for _, b := range j.lock.Handle.Alts() {
			if j.e.Pool.Alike(a, b) || a.Kind == term.Unknown || isCut(a, b) && !j.again(b) {
				return true
			}
		}
		if j.lock.Parent != nil && (j.e.Pool.Alike(a, j.lock.Parent)) {
			return true
		}
	}
	return h.Any(func(x *term.T) bool { return x == j.st.Term || x == j.lock.Handle })
}

// again reports whether the section takes another lock by the very call that took this one.
func (j *judge) again(handle *term.T) bool {
	return slices.ContainsFunc(j.st.Effects, func(x summary.Effect) bool {
		return x.Call != nil && x.Call.Name == handle.Name && x.Call.Site == handle.Site && x.Call != handle
	})
}

// isCut reports whether a call is another one but for what was too large to keep.
func isCut(cut, whole *term.T) bool {
	if cut == whole || cut.Kind == term.Unknown && cut.Name == "limit" {
		return true
	}
	if cut.Kind != whole.Kind || cut.Name != whole.Name || cut.Site != whole.Site || cut.Index != whole.Index || len(cut.Args) != len(whole.Args) {
		return cut.Kind == term.Call && whole.Kind == term.Call && cut.Name == whole.Name && cut.Site == whole.Site && len(cut.Args) == 0
	}
	for i, a := range cut.Args {
		if !isCut(a, whole.Args[i]) {
			return false
		}
	}
	return true
}

func (j *judge) use(tok meaning.Token) {
	if j.used == nil {
		j.used = &tok
	}
}

// memory rules on the write of an in-process resource.
func (j *judge) memory(m *summary.Memory) ruling {
	if m.Token == nil {
		return ruling{cond: lock.None}
	}
	if m.Token.Kind == term.Const || m.Token.Kind == term.Nil {
		return ruling{cond: lock.None, note: "no token of this lock is passed"}
	}
	tok, ok := j.grantee(m.Token)
	mine := j.isOwnerValue(m.Token)
	none := ruling{cond: lock.None}
	switch {
	case !ok && !mine:
		if m.Token.Open() {
			return ruling{cond: lock.Unknown, note: "the token comes from the caller"}
		}
		return ruling{cond: lock.None, note: "what is passed is no token of this lock"}
	case mine || !tok.Ordered:
		none.compared = tok.Source + ": " + tok.Reason
		if tok.Source == "" {
			none.compared = "the lock's owner value: a random id says nothing about who came later"
		}
		return none
	}
	j.use(tok)
	switch fault := j.misdrawn(tok, m.Token, m.Op, nil); {
	case fault != "":
		none.fault = fault
	case m.Op == "idle":
		none.fault = "the token is compared, but what is stale is written all the same"
	case m.Text && !padded(m.Token):
		none.fault = asText
	case m.Early:
		none.fault = "the token is stored before it is compared, so the comparison always passes"
	case (m.Op == "<" || m.Op == "<=") && m.Stored && m.Bare:
		none.fault = "nothing is locked from the comparison to the store, so two writers that come at a time both pass"
	case (m.Op == "<" || m.Op == "<=") && m.Stored:
		if r, ok := j.cut(tok, m.Token); ok {
			return r
		}
		if m.Lapses {
			return ruling{cond: lock.Unknown, note: "another method forgets the last token, and whoever comes later than that is let in", why: lock.ReasonLimit}
		}
		return ruling{cond: lock.Token}
	case m.Op == "<" || m.Op == "<=":
		none.fault = "the token is compared but never stored, so the fence does not move"
	case m.Op == "=":
		none.fault = "the token is compared for equality: whoever writes first locks every later holder out"
	default:
		none.fault = "the comparison is the wrong way round: it lets older tokens in and keeps newer ones out"
	}
	return none
}
