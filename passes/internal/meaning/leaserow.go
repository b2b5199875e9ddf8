package meaning

import (
	"slices"
	"strings"

	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Row is the record of a lease that a program keeps itself: a row of a table,
// an item, a document.
type Row struct {
	Resource string    // what the record is in: sql:locks, dynamodb:leases
	Sets     []Setting // what the acquire stores there
	By       string    // column that it is found by; empty if not known
	Expiry   string    // column with the end of the lease; empty: it holds until the record is deleted
	Token    string    // column that grows with every grant and is handed back; empty if none
	Owner    string    // column that may say who has it, which no name tells: empty where one does
	Mine     bool      // the write also takes a live lease of the same owner
	Beat     string    // column that says that its holder lives, where there is no end: it is taken by who knows what that was
	Stands   bool      // it is inserted, and refused as long as there is one, be its time over or not
	Named    bool      // of a record that stands: the resource is named like a lock; of one with a Beat: a column may be
}

// Item reports whether the record is found by a key of its own, and not by a condition.
func (row *Row) Item() bool { return strings.HasPrefix(row.Resource, "dynamodb") }

// Table names what the record is in.
func (row *Row) Table() string { return table(row.Resource) }

// A Setting is one column and the value stored in it.
type Setting struct {
	Column string
	Value  *term.T
}

// table names what the resource of a write is in.
func table(resource string) string {
	_, name, _ := strings.Cut(resource, ":")
	return name
}

// takes adds the acquire to a write that takes a lease record.
//
// A record that is taken over once its time has passed is a lease by structure,
// whatever it is called. A record that stands until somebody takes it away, and
// whose insert is refused so long, looks like any insert under a unique key: it
// needs evidence besides (Raw).
//
// key is what the record is found by, in the column by; token is the column that grows
// with every grant and comes back with it.
func (r *Reader) takes(m Meaning, key *term.T, by, token string) []Meaning {
	c := m.Write
	row, owner := r.expiring(c), ownerValue(c.Sets)
	unsure := row != nil && token == "" && !held(c, row)
	if unsure {
		row.Owner, owner = r.unnamed(c, row, key)
	}
	standing, raw := row == nil, row == nil || unsure
	if !raw && claims(c.Sets) && token == "" && ownerValue(c.Sets) == nil {
		return []Meaning{m}
	}
	if standing {
		row = stands(c)
	}
	if row == nil {
		row, standing = r.reclaims(c, key), false
	}
	if row == nil {
		return []Meaning{m}
	}
	row.Resource, row.Sets, row.By, row.Mine, row.Token = c.Resource, c.Sets, by, takesOwn(c.Guards), token
	a := Meaning{
		Role: Acquire, Library: c.Store + " lease row", Family: m.Family, Kind: lock.Lease, On: c.On, Try: true,
		Row: row, Raw: raw, Key: key, Value: owner, TTL: lock.TTL{Source: "unknown"},
		Counts: !standing && c.Store == "sql" && c.Reject == "rows", // an upsert that changes nothing is no error either
	}
	switch {
	case standing && row.Expiry == "":
		a.TTL.Source = "none"
	case !raw:
		a.Evidence = []string{"row is taken when its expiry has passed"}
	}
	return []Meaning{a, m}
}

// foundBy is the column that a record's key is compared with, or stored in; it is empty
// where that is not seen.
func foundBy(c *Change, key *term.T) string {
	for _, g := range c.Guards {
		if g.Op == "=" && g.Column != "" && g.Value == key {
			return g.Column
		}
	}
	for _, s := range c.Sets {
		if s.Value == key {
			return s.Column
		}
	}
	return ""
}

// kept adds a write that is told by arguments, and the acquire of the lease record
// that it takes. That acquire says more than the one by which such a call is known
// in general.
func (r *Reader) kept(ms []Meaning, m Meaning) []Meaning {
	c := m.Write
	general := slices.IndexFunc(ms, func(m Meaning) bool { return m.Role == Acquire && m.Raw })
	var key *term.T
	if general >= 0 {
		key = ms[general].Key
	}
	for _, g := range c.Guards {
		if key == nil && g.Op == "=" && g.Column != "" {
			key = g.Value
		}
	}
	for _, s := range c.Sets {
		if key == nil && inserts(c.Operation) && Named(s.Column, "id", "name", "key") {
			key = s.Value
		}
	}
	list := r.takes(m, key, foundBy(c, key), "")
	if general >= 0 && (len(list) > 1 || asksOnly(c)) {
		ms = slices.Delete(ms, general, general+1)
	}
	return append(ms, list...)
}

// asksOnly reports whether a write asks for what it finds and stores no owner: it
// takes nothing.
func asksOnly(c *Change) bool {
	return len(c.Sets) > 0 && ownerValue(c.Sets) == nil && !slices.ContainsFunc(c.Guards, func(g Guard) bool { return g.Op != "=" })
}

// expiring recognises a lease by its structure: the write moves an expiry, and
// one of the ways in is that this very column has passed the database's or the
// caller's clock. A write that takes whichever record is due is no lock: it claims
// a job.
func (r *Reader) expiring(c *Change) *Row {
	row := &Row{}
	named := slices.Contains([]string{"INSERT", "UPSERT", "PutItem", "UpdateItem"}, c.Operation) || Named(table(c.Resource), lockWords...)
	var look func(gs []Guard)
	look = func(gs []Guard) {
		for _, g := range gs {
			switch {
			case g.Op == "or" || g.Op == "and":
				look(g.Alts)
			case (g.Op == "<" || g.Op == "<=") && g.Column != "" && (r.passed(g) || r.silent(c, g)) && later(c, g):
				row.Expiry = g.Column
			}
		}
	}
	look(c.Guards)
	for _, g := range c.Guards {
		named = named || g.Op == "=" && g.Column != ""
	}
	if row.Expiry == "" || !named {
		return nil
	}
	return row
}

// held reports whether a record whose time can pass says who has it, or is named
// after locks. What only has a time is a cached answer, a subscription, or the
// mark of a job that is done once a day.
func held(c *Change, row *Row) bool {
	return ownerValue(c.Sets) != nil || takesOwn(c.Guards) || ofLock(row.Expiry) || c.ofLock()
}

// ofLock reports whether a record, or something that is stored in it, is named after locks.
func (c *Change) ofLock() bool {
	return ofLock(table(c.Resource)) || slices.ContainsFunc(c.Sets, func(s Setting) bool { return ofLock(s.Column) })
}

func ofLock(name string) bool {
	if Named(name, lockWords...) || Named(name, "locked", "leased", "held") {
		return true
	}
	// Attributes of items are in lower case here: LockID has no words any more.
	for _, w := range []string{"lock", "lease"} {
		if rest, ok := strings.CutPrefix(name, w); ok && slices.Contains([]string{"id", "key", "name", "token", "uuid", "value", "version", "counter", "expiry", "expires", "expiration", "timeout", "until"}, rest) {
			return true
		}
	}
	return false
}

// unnamed is the column that may say who has a record whose time can pass, and what is stored
// there, where no name tells: a value of the writer's own that the record is not found by. The
// one that is made at random comes first; of several others nobody knows which it is. Where
// the time is that of the last change, as far as its name goes, what is stored is more likely
// the record's content, unless the write asks for it as well: nobody has it, or I do.
func (r *Reader) unnamed(c *Change, row *Row, key *term.T) (column string, value *term.T) {
	n := 0
	for _, s := range c.Sets {
		v := s.Value
		if v == nil || s.Column == "" || s.Column == row.Expiry || v == key || v.Kind == term.Const || v.Kind == term.Nil || v.Kind == term.Op || v.Kind == term.Unknown || r.clocked(v) {
			continue
		}
		if tok, ok := r.Token(v); ok && tok.Origin == "random" {
			return s.Column, v
		}
		if slices.ContainsFunc(c.Guards, func(g Guard) bool { return g.Op == "=" && g.Column == s.Column }) || !expiryColumn(row.Expiry) && !asksFor(c.Guards, s.Column) {
			continue
		}
		column, value, n = s.Column, v, n+1
	}
	if n != 1 {
		return "", nil
	}
	return column, value
}

// asksFor reports whether one of the ways in asks for something in a column.
func asksFor(gs []Guard, column string) bool {
	return slices.ContainsFunc(gs, func(g Guard) bool { return g.Column == column || asksFor(g.Alts, column) })
}

// reclaims recognises the write of who has a record, which is refused where something that
// it moves as well is no longer what it was: a sign of life that the holder gives, or the
// end that he has set. Versions of documents are kept like that too, so the program has to
// ask how long it has not moved.
func (r *Reader) reclaims(c *Change, key *term.T) *Row {
	owner := ownerValue(c.Sets)
	if owner == nil || owner.Kind == term.Const || owner.Kind == term.Nil || key == nil || inserts(c.Operation) {
		return nil
	}
	row := &Row{Named: c.ofLock()}
	var look func(gs []Guard)
	look = func(gs []Guard) {
		for _, g := range gs {
			moved := func(s Setting) bool {
				return s.Column == g.Column && s.Value != nil && s.Value != g.Value && s.Value != owner && s.Value.Kind != term.Const && s.Value.Kind != term.Nil
			}
			switch {
			case g.Op == "or" || g.Op == "and":
				look(g.Alts)
			case g.Op == "=" && g.Column != "" && g.Value != nil && g.Value.Kind != term.Nil && slices.ContainsFunc(c.Sets, moved):
				row.Beat = g.Column
			}
		}
	}
	if look(c.Guards); row.Beat == "" {
		return nil
	}
	return row
}

// stands recognises the insert of a record that another one of the same key
// refuses, where the record is named like a lock, or has an owner and ends some
// time after the present.
func stands(c *Change) *Row {
	if !inserts(c.Operation) || slices.ContainsFunc(c.Guards, func(g Guard) bool { return g.Op != "absent" }) {
		return nil
	}
	row := &Row{Stands: true, Named: Named(table(c.Resource), lockWords...)}
	for _, s := range c.Sets {
		ends := s.Value.Kind == term.Op && len(s.Value.Args) > 1 && isNow(s.Value)
		if ends || row.Named && expiryColumn(s.Column) && s.Value.Kind != term.Const && !s.Value.IsZero() {
			row.Expiry = s.Column
		}
	}
	if !row.Named && (row.Expiry == "" || len(c.Guards) == 0 || ownerValue(c.Sets) == nil) {
		return nil
	}
	return row
}

// lockWords are what tables of locks are named by. "locked" is not among them:
// locked accounts, files and orders are kept in tables as well.
var lockWords = []string{"lock", "locks", "locking", "lease", "leases", "leader", "leaders", "leadership", "mutex", "mutexes", "election", "elections", "semaphore", "semaphores"}

// Deletes reports whether a write takes a record away.
func (c *Change) Deletes() bool {
	return slices.Contains([]string{"DELETE", "DeleteItem", "Delete", "FindOneAndDelete"}, c.Operation)
}

// Counts reports whether a write is one step of a counter, which the store makes by itself.
func (c *Change) Counts() bool {
	return slices.Contains([]string{"INCR", "INCRBY", "INCRBYFLOAT", "DECR", "DECRBY", "HINCRBY", "HINCRBYFLOAT", "ZINCRBY"}, c.Operation)
}

// Compared lists what a write compares a column with.
func (c *Change) Compared(column string) []*term.T {
	var out []*term.T
	var look func(gs []Guard)
	look = func(gs []Guard) {
		for _, g := range gs {
			if g.Column == column && g.Value != nil {
				out = append(out, g.Value)
			}
			look(g.Alts)
		}
	}
	look(c.Guards)
	return out
}

// Dates reports whether a write stores a time, as by its value or its column's name.
func (c *Change) Dates() bool {
	return slices.ContainsFunc(c.Sets, func(s Setting) bool { return isNow(s.Value) || expiryColumn(s.Column) })
}

// Moves reports whether a write stores a time: one of the database's or of the caller's
// clock, or in a column that is named so.
func (r *Reader) Moves(c *Change) bool {
	return c.Dates() || slices.ContainsFunc(c.Sets, func(s Setting) bool {
		if r.clocked(s.Value) {
			return true
		}
		e := r.Entry(s.Value)
		if e == nil || e.Part == nil || e.Part.Kind != "raw" {
			return false
		}
		text, ok := r.Get(e.Part.Text, s.Value, nil).Str() // an expression, as it goes to the database
		return ok && slices.ContainsFunc(nowNames, func(name string) bool { return strings.Contains(strings.ToLower(text), name) })
	})
}

// MayLease reports whether a write stores who has a record and until when, under a
// condition that is not read so far: it may take a lease.
func (c *Change) MayLease() bool {
	return ownerValue(c.Sets) != nil && c.Dates() && slices.ContainsFunc(c.Guards, func(g Guard) bool { return g.Op == "other" })
}

// inserts reports whether an operation makes a record that must not be there.
func inserts(op string) bool { return op == "INSERT" || op == "InsertOne" }

// claims reports whether a write moves a record to another state: it takes a job,
// which comes back when its time is over. That is a lock only where the job knows
// who has it, or the how many-th attempt it is.
func claims(sets []Setting) bool {
	return slices.ContainsFunc(sets, func(s Setting) bool { return Named(s.Column, "status", "state") })
}

// takesOwn reports whether one of the ways in is that the row holds already
// what the write is about to store there: its owner.
func takesOwn(gs []Guard) bool {
	own := func(a Guard) bool {
		if a.Op == "and" && len(a.Alts) == 1 {
			a = a.Alts[0]
		}
		return a.Op == "=" && a.Stored
	}
	return slices.ContainsFunc(gs, func(g Guard) bool {
		return g.Op == "or" && slices.ContainsFunc(g.Alts, own) || takesOwn(g.Alts)
	})
}

// expiryColumn reports whether a column is named like the end of a lease: only
// then can a value that the caller sends be taken for its clock.
func expiryColumn(c string) bool {
	c = strings.ToLower(c)
	for _, w := range []string{"expir", "until", "deadline", "lease", "locked_at", "lockedat", "heartbeat", "last_seen", "lastseen", "valid_to", "timeout"} {
		if strings.Contains(c, w) {
			return true
		}
	}
	return false
}

// passed reports whether a guard asks if the time in its column is over. A write
// that stores the very value which it compares moves a fence, unless that value is
// counted from the caller's clock: time.Now().Add(ttl) is time.Now() to the engine.
func (r *Reader) passed(g Guard) bool {
	if isNow(g.Value) {
		return !g.Stored
	}
	if g.Value == nil || g.Value.Kind == term.Const || g.Value.Kind == term.Nil || !expiryColumn(g.Column) {
		return false
	}
	return !g.Stored || r.clocked(g.Value)
}

// silent reports whether a guard asks if the time in its column is over, or the holder of a
// record has not been heard of for a while: the write stores a time of the caller's clock
// there as well. The column may be called anything then.
func (r *Reader) silent(c *Change, g Guard) bool {
	return r.clocked(g.Value) && slices.ContainsFunc(c.Sets, func(s Setting) bool { return s.Column == g.Column && r.clocked(s.Value) })
}

// clocked reports whether a value comes from the caller's clock.
func (r *Reader) clocked(v *term.T) bool {
	tok, ok := r.Token(v)
	return ok && tok.Origin == "clock"
}

// isNow reports whether a value is the database's present time, or is counted
// from it.
func isNow(v *term.T) bool {
	if v == nil || v.Kind != term.Op {
		return false
	}
	name := strings.TrimPrefix(v.Name, "sql:")
	if name == "column" && len(v.Args) == 1 {
		name = constText(v.Args[0])
	}
	return slices.Contains(nowNames, name) || slices.ContainsFunc(v.Args, isNow)
}

var nowNames = []string{
	"now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "current_timestamp", "localtimestamp", "unix_timestamp", "utc_timestamp",
	"getdate", "getutcdate", "sysdate", "sysutcdatetime", "sysdatetime", "datetime", "strftime", "julianday", "unixepoch", "timezone",
}

// later reports whether a write moves the column that a guard looks at to a
// later time.
func later(c *Change, g Guard) bool {
	for _, s := range c.Sets {
		if s.Column != g.Column || s.Value == nil {
			continue
		}
		switch s.Value.Kind {
		case term.Const, term.Nil:
			return false
		case term.Op:
			return s.Value.Name != "sql:-" && s.Value.Name != "-"
		case term.Unknown:
			return s.Value.Name != "sql" || isNow(g.Value)
		}
		return true
	}
	return false
}

// counted is the column of a record that grows with every grant and comes back
// with it.
func counted(st sqlread.Statement, w sqlread.Write) string {
	for _, x := range st.Returning {
		if x.Kind == "column" {
			if v, ok := w.Stores(x.Name); ok && grows(v, x.Name) {
				return x.Name
			}
		}
	}
	return ""
}

// grows reports whether a stored value is larger than every value before it.
func grows(v sqlread.Expr, col string) bool {
	switch v.Kind {
	case "call":
		return v.Name == "nextval"
	case "binary":
		return v.Name == "+" && len(v.Args) == 2 && v.Args[0].Kind == "column" && v.Args[0].Name == col && v.Args[1].Kind == "literal"
	}
	return false
}

// rowKey names the lease: the value that the row is found by, and its column.
func (r *Reader) rowKey(w sqlread.Write, params *term.T) (key *term.T, by string) {
	for _, g := range w.Guards {
		if g.Op == "=" && g.Column != "" && !g.Value.Incoming {
			return r.sqlTerm(g.Value, params), g.Column
		}
	}
	if len(w.Insert) > 0 {
		return r.sqlTerm(w.Insert[0].Value, params), w.Insert[0].Column
	}
	return r.Pool.Const("string", w.Table), ""
}

// ownerWords are what a column that names the holder is called, the most telling
// first: a record may have the host that it is about as well as an owner.
var ownerWords = []string{"owner", "holder", "locked_by", "lockedby", "claimed_by", "assignedto", "assigned_to", "leader", "worker", "instance", "node", "host"}

// ownerValue guesses which stored value names the owner.
func ownerValue(sets []Setting) *term.T {
	for _, word := range ownerWords {
		for _, s := range sets {
			if s.Value != nil && strings.Contains(strings.ToLower(s.Column), word) {
				return s.Value
			}
		}
	}
	return nil
}
