// Package meaning says what a call does, given the catalogue and the call as
// a term: takes a lock, releases it, writes a row under a condition. A call
// whose arguments become known only in a caller (SQL text that is a
// parameter) is read again there: meanings are a function of the term.
package meaning

import (
	"slices"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/passes/internal/catalog"
	"github.com/fencevet/fencevet/passes/internal/sqlread"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/lock"
)

// Role is what a Meaning is.
type Role uint8

const (
	Acquire Role = iota
	Release
	Renew
	Loss
	Write
	Query
	Block
	Queued    // a write that goes out later, with its batch
	Condition // of a write that goes out later: a header of its request
	Check     // asks what a Write would, and changes nothing
)

// A Meaning is one thing that a call does. Which fields are set depends on Role.
type Meaning struct {
	Role    Role
	Library string
	Family  string

	// Acquire, Release, Renew, Loss
	Kind     lock.Kind
	Handle   *term.T // value that stands for the lock; nil: told by Key alone
	Key      *term.T
	Value    *term.T // owner value
	Parent   *term.T // session or client
	On       *term.T // connection
	TTL      lock.TTL
	Span     *term.T // the time to live, or the end of it, as it is given
	Unit     string  // of Span where that is a whole number
	Every    *term.T // how often the library renews; nil where that is not known
	Raw      bool    // needs evidence
	Try      bool
	InRow    bool    // an acquire that tells in the row which it answers with whether the lock was taken
	Judged   bool    // an acquire that answers with a value which the program judges: a time, a flag
	Deaf     bool    // an acquire whose call cannot bring back the answer: a row that Exec drops
	Shared   bool    // others may hold it at the same time: it excludes none of them
	Checked  bool    // compares the owner
	Mine     bool    // also takes a live lock of the same owner
	Aged     *term.T // the version of the record that is replaced: a lock only where its age is asked
	Held     string  // the field of the record that names its holder: a lock only where the program asks for that
	Stays    bool    // the key outlives its session: the next holder takes the same
	Session  bool    // ends the whole session
	Strict   bool    // a release that must not come without the lock
	Sticky   bool    // an acquire through an object that has to be released before the next
	GivesUp  bool    // an acquire that may return nil for both the lock and the error
	Counts   bool    // an acquire or renewal that tells a refusal by a number or a flag, which is no error
	Renewal  string
	Scope    string
	Section  *term.T  // function that runs while held
	Evidence []string // seen in the call itself
	Success  []*catalog.Told
	Row      *Row   // a lease row: the lock's own record
	Record   string // type of what is stored as the lock's own record

	Write   *Change  // Write, Check
	Guard   Guard    // Condition; On is the header
	Store   string   // Query: what is read, as sql:t1,t2
	Stale   string   // Query: the option by which a copy of the store may answer
	Columns []string // Query: names of what is read, where they are known
	Found   []string // Query: the columns that the rows are found by, where Columns is known
	Keeps   bool     // Query: the rows read stay locked until the transaction ends (FOR UPDATE)
	Locked  []string // Query: where Keeps is about some of the tables only: which
	Block   *catalog.Blocks
	Secs    float64   // Block: duration, 0 when not known
	Spans   []float64 // Block: the durations that it is one of, where they are known
}

// General reports whether a release or renewal does the same to what is no lock: it is a
// general command, and compares no owner. A version is compared where records are changed
// as well. ms is all that the call does.
func (m Meaning) General(ms []Meaning) bool {
	return m.Raw && (!m.Checked || slices.ContainsFunc(ms, func(w Meaning) bool {
		return w.Role == Write && slices.ContainsFunc(w.Write.Guards, func(g Guard) bool { return g.Op == "version" })
	}))
}

// stale names the option by which a query lets a copy of the store answer.
func (r *Reader) stale(q *catalog.Query, call *term.T) string {
	if q.Stale != "" || q.Options.IsZero() {
		return q.Stale
	}
	given := r.Get(q.Options, call, nil)
	if given == nil || given.Kind != term.List {
		return ""
	}
	for _, o := range given.Args {
		if e := r.Entry(o); e != nil && e.Stale {
			return o.Name[strings.LastIndexByte(o.Name, '.')+1:]
		}
	}
	return ""
}

// A Change is one write of a resource.
type Change struct {
	Store     string // sql, redis, etcd, ...
	Operation string
	Resource  string // sql:stock, s3:bucket/key
	Key       *term.T
	On        *term.T
	Guards    []Guard
	Ignored   bool // the write lands although the guards do not hold
	Otherwise bool // on some way the statement is out of sight, or asks for something else
	Sets      []Setting
	Value     *term.T   // what is stored, where it is one value
	By        []Setting // of an upsert: the values by which it finds the row that is there
	Reject    string    // rows | error | bool | succeeded | reply | none | ""
	Unknown   lock.Reason
	Batch     *term.T // what is sent is queued here
	Heard     bool    // of one that was queued: a function of its own looks at the answer
	Bare      bool    // Unknown, but refusable only by what it carries
	Cache     bool
	Leased    bool             // what is stored goes when a lease ends
	Columns   []sqlread.Column // of a DDL: what it says of the table
	Call      *term.T          // the call itself
}

// A Guard is one thing that must hold for the resource to accept the write.
type Guard struct {
	Column string
	Table  string // where it is told: the table that Column belongs to
	Op     string // stored Op incoming: < <= > >= = <>, "absent", "present", "gone", "is null", "in", "exists", "owner", "version", "sent", "named", "upsert", "or", "and", "other"
	Value  *term.T
	Stored bool // the write stores Value there
	NullOK bool
	AsText bool     // numbers compared as text
	Alts   []Guard  // Op or, and
	Moves  bool     // the write changes this column to another value
	Unique []string // of Op absent: the columns of the key that must not be there, where they are told
	Stays  bool     // the write is seen to leave this column as it is
	Maybe  bool     // asked for on some ways only
	At     *term.T  // where a script finds what it compares
	Lapses bool     // what is compared is given an end, and then passes
	Item   *term.T  // the key of the record that is asked about, where that is another one
	Text   string
}

// A Reader reads calls. It is safe for concurrent use.
type Reader struct {
	Catalog *catalog.Catalog
	Pool    *term.Pool

	mu      sync.Mutex
	entries map[string][]*catalog.Call
	cache   map[*term.T][]Meaning
}

// NewReader returns a Reader.
func NewReader(c *catalog.Catalog, p *term.Pool) *Reader {
	return &Reader{Catalog: c, Pool: p, entries: make(map[string][]*catalog.Call), cache: make(map[*term.T][]Meaning)}
}

// Register tells the entries of the functions that Call terms name.
func (r *Reader) Register(fn string, entries []*catalog.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[fn] = entries
}

// Entries returns what Register was told of a function.
func (r *Reader) Entries(fn string) []*catalog.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entries[fn]
}

// An EntryAt names an entry of the catalogue: by its position, and the text that
// it was made from where no file has it.
type EntryAt struct{ Pos, Declared string }

// Name tells the entries of a function by their places, where its type is out of
// sight.
func (r *Reader) Name(fn string, places []EntryAt) {
	if r.Entries(fn) != nil {
		return
	}
	var list []*catalog.Call
	for _, at := range places {
		if e := r.Catalog.At(at.Pos, at.Declared); e != nil {
			list = append(list, e)
		}
	}
	r.Register(fn, list)
}

// Entry returns the catalogue entry that fits a call, or nil.
func (r *Reader) Entry(call *term.T) *catalog.Call {
	if call == nil || call.Kind != term.Call {
		return nil
	}
	r.mu.Lock()
	list := r.entries[call.Name]
	r.mu.Unlock()
	for _, e := range list {
		if r.matches(e, call) {
			return e
		}
	}
	return nil
}

func (r *Reader) matches(e *catalog.Call, call *term.T) bool {
	for _, m := range e.When {
		t := r.Get(m.At, call, nil)
		if n := len(m.At.Path); n > 0 && t != nil && t.Kind == term.Field && t.Name == m.At.Path[n-1] && call.Any(func(x *term.T) bool { return x == t.Args[0] }) {
			t = nil // of options that were made out of view, whether it is set is not known
		}
		if len(m.Is) > 0 && !isOneOf(t, m.Is) || len(m.Not) > 0 && isOneOf(t, m.Not) {
			return false
		}
	}
	return true
}

func isOneOf(t *term.T, list []string) bool {
	for _, want := range list {
		if want == "{}" && t != nil && t.Kind == term.Const && (t.Type == "zero" || t.Type == "string" && t.Name == "") {
			return true
		}
		if want == "*" && t != nil && !t.IsZero() && t.Kind != term.Unknown {
			return true
		}
		for _, a := range t.Alts() {
			if a.Kind == term.Const && strings.EqualFold(a.Name, want) {
				return true
			}
		}
	}
	return false
}

// Of returns what a call does.
func (r *Reader) Of(call *term.T) []Meaning {
	r.mu.Lock()
	ms, ok := r.cache[call]
	r.mu.Unlock()
	if ok {
		return ms
	}
	if e := r.Entry(call); e != nil {
		ms = r.read(e, call)
	}
	r.mu.Lock()
	r.cache[call] = ms
	r.mu.Unlock()
	return ms
}

func (r *Reader) read(e *catalog.Call, call *term.T) []Meaning {
	var ms []Meaning
	lib := e.Library
	add := func(m Meaning) { ms = append(ms, m) }
	if e.Acquire != nil && !(e.Acquire.Raw && lib.Family == "etcd") && (!e.Acquire.Traced || r.made(r.Get(e.Acquire.Handle, call, nil))) {
		m := r.acquire(lib, e.Acquire, call, nil)
		if (e.Declared != "" || e.Pair != nil) && m.Kind == lock.Lease && m.TTL.Source == "none" {
			m.TTL.Source = "unknown" // a directive need not say it, a request says it in words of its own
		}
		add(m)
	}
	if e.Renew != nil {
		add(r.renew(lib, e.Renew, call, nil))
	}
	if e.Release != nil && (!e.Release.Traced || r.made(r.Get(e.Release.Handle, call, nil))) {
		add(r.release(lib, e.Release, call, nil))
	}
	if e.Loss != nil {
		add(Meaning{Role: Loss, Library: lib.Library, Family: lib.Family, Handle: r.Get(e.Loss.Handle, call, nil)})
	}
	if len(e.Command) > 0 {
		ms = append(ms, r.command(e, call)...)
	}
	if w := e.Write; w != nil {
		switch {
		case !w.SQL.IsZero():
			ms = append(ms, r.sql(lib, w.SQL, w.Args, w.On, w.Reject, call, true)...)
		case w.Store == "etcd" && r.isTxn(call):
			ms = append(ms, r.txn(e, call)...)
		case w.Store == "sql" && carries(w, "builder") && w.Conditions[0].At.Base == catalog.Arg:
			m := r.change(lib, w, call, nil)
			m.Write.Batch = r.Get(w.Conditions[0].At, call, nil)
			add(m)
		case w.Store == "sql":
			ms = r.kept(ms, r.built(lib, w, call))
		case w.Store == "dynamodb" && carries(w, "expression"):
			m := r.item(lib, w, call)
			ms = givenUp(r.kept(ms, m), m.Write)
		case w.Store == "dynamodb" && !w.Value.IsZero() && w.Args.IsZero():
			ms = append(ms, r.itemBatch(lib, w, call)...)
		case w.Store == "mongo" && carries(w, "filter"):
			ms = r.kept(ms, r.document(lib, w, call))
		case w.Store == "mongo" && w.Op == "BulkWrite":
			if list, ok := r.models(lib, w, call); ok {
				ms = append(ms, list...)
				break
			}
			ms = r.kept(ms, r.inserted(lib, w, call))
		case w.Store == "mongo" && inserts(w.Op):
			ms = r.kept(ms, r.inserted(lib, w, call))
		case w.Store == "gcs" && carries(w, "builder"):
			ms = keyed(ms, r.conditioned(lib, w, call))
		case carries(w, "options"):
			add(r.preconditions(lib, w, call))
		case w.Store == "zookeeper" && carries(w, "builder"):
			ms = append(ms, r.requests(lib, w, call)...)
		case w.Store == "consul" && carries(w, "builder"):
			ms = append(ms, r.operations(lib, w, call)...)
		default:
			add(r.change(lib, w, call, nil))
		}
	}
	if q := e.Query; q != nil {
		if !q.SQL.IsZero() {
			reject := ""
			if strings.Contains(call.Name[strings.LastIndexByte(call.Name, '.')+1:], "QueryRow") {
				reject = "error" // no row, which is what RETURNING tells of a refused write
			}
			for _, m := range r.sql(lib, q.SQL, q.Args, q.On, reject, call, false) {
				m.Keeps = m.Keeps || q.Keeps && m.Role == Query
				if m.Role == Query && m.Store == "sql" {
					r.rowLock(&m, call) // no text: a chain
				}
				ms = append(ms, m)
			}
		} else {
			m := Meaning{Role: Query, Library: lib.Library, Family: lib.Family, Store: r.resource(q.Store, q.Resource, call, nil), Stale: r.stale(q, call), On: r.Get(q.On, call, nil), Keeps: q.Keeps}
			r.rowLock(&m, call)
			add(m)
		}
	}
	if p := e.Part; p != nil && p.Kind == "set" && !p.Text.IsZero() {
		m := r.base(lib, Condition)
		m.On, m.Guard = Receiver(call), headerGuard(constText(r.Get(p.Text, call, nil)), r.Get(p.Args, call, nil))
		add(m)
	}
	if p := e.Part; p != nil && p.Kind == "op" && p.Word == "sql" {
		for _, m := range r.sql(lib, p.Text, p.Args, catalog.Ref{}, "rows", call, true) {
			if m.Role == Write {
				m.Role, m.On = Queued, Receiver(call)
				add(m)
			}
		}
	}
	if b := e.Blocks; b != nil {
		m := Meaning{Role: Block, Library: lib.Library, Family: lib.Family, Block: b}
		m.Secs, m.Spans = spans(r.Get(b.For, call, nil), b.Unit)
		add(m)
	}
	ms = r.documents(e.Write, ms)
	for i := range ms {
		if ms[i].Library == lib.Library {
			ms[i].Library = e.Shown()
		}
	}
	return ms
}

func carries(w *catalog.Write, kind string) bool {
	return len(w.Conditions) > 0 && w.Conditions[0].Kind == kind
}

// made reports whether a handle comes from a constructor in the catalogue.
func (r *Reader) made(handle *term.T) bool {
	return slices.ContainsFunc(handle.Alts(), func(t *term.T) bool {
		e := r.Entry(t)
		return e != nil && e.New != nil
	})
}

// base is the part of an acquire, renewal or release that is told by references.
func (r *Reader) base(lib *catalog.Library, role Role) Meaning {
	return Meaning{Role: role, Library: lib.Library, Family: lib.Family}
}

func (r *Reader) acquire(lib *catalog.Library, a *catalog.Acquire, call *term.T, words []*term.T) Meaning {
	m := r.base(lib, Acquire)
	m.Kind, m.Raw, m.Try, m.Shared, m.Renewal, m.Scope, m.Success = lock.Kind(a.Kind), a.Raw, a.Try, a.Shared, a.Renewal, a.Scope, a.Success
	m.Mine, m.Sticky, m.Stays = a.Mine, a.Sticky, a.Stays
	m.Aged = r.Get(a.Aged, call, words)
	m.Key, m.Value, m.On = r.Get(a.Key, call, words), r.Get(a.Value, call, words), r.Get(a.On, call, words)
	m.Handle, m.Parent, m.Section = r.handle(a, call, words), r.Get(a.Parent, call, words), r.Get(a.Section, call, words)
	p := props{key: m.Key, value: m.Value, unit: a.TTLUnit, ttl: r.Get(a.TTL, call, words), fallback: a.TTLDefault}
	r.options(&p, r.Get(a.Options, call, words))
	for _, from := range []*term.T{m.Handle, m.Parent} {
		r.constructed(&p, from, 0)
	}
	if m.Parent == nil {
		m.Parent = p.parent
	}
	if m.Section == nil {
		m.Section = p.section
	}
	m.Key, m.Value = p.key, p.value
	m.TTL, m.Span, m.Unit, m.Every = p.lease(a.TTLNone), p.ttl, p.unit, p.every
	m.Try = m.Try || p.tries != nil && len(p.tries.Alts()) == 1 && constText(p.tries) == "1"
	if m.TTL.Source == "default" && a.TTL.IsZero() && !a.Handle.IsZero() && constructs(lib) && !r.made(m.Handle) {
		m.TTL = lock.TTL{Source: "unknown"} // its constructor, out of sight, may have been told another
	}
	if m.Aged != nil {
		m.TTL = lock.TTL{Source: "unknown"} // as old as the program lets it become
	}
	m.GivesUp = !a.Stop.IsZero() && (!r.Get(a.Stop, call, words).IsZero() || r.once(m.Handle))
	return m
}

// constructs reports whether a library has constructors at all; where it has none,
// as in many a project's own model, its default is what holds.
func constructs(lib *catalog.Library) bool {
	return slices.ContainsFunc(lib.Calls, func(c *catalog.Call) bool { return c.New != nil })
}

// once reports whether a lock object was made to give up after a time.
func (r *Reader) once(handle *term.T) bool {
	return slices.ContainsFunc(handle.Alts(), func(t *term.T) bool {
		for t.Kind == term.Result {
			t = t.Args[0]
		}
		e := r.Entry(t)
		if e == nil || e.New == nil {
			return false
		}
		once := r.Get(e.New.Once, t, nil)
		return slices.ContainsFunc(append(once.Alts(), r.Pool.Initially(once)), func(a *term.T) bool { return constText(a) == "true" })
	})
}

func (r *Reader) renew(lib *catalog.Library, a *catalog.Renew, call *term.T, words []*term.T) Meaning {
	m := r.base(lib, Renew)
	m.Checked, m.Raw = a.Checked, a.Raw
	m.Handle, m.Key = r.Get(a.Handle, call, words), r.Get(a.Key, call, words)
	if span := r.Get(a.TTL, call, words); span != nil && !strings.HasPrefix(a.TTLUnit, "unix") {
		p := props{ttl: span, unit: a.TTLUnit}
		m.TTL, m.Span, m.Unit = p.lease(false), span, a.TTLUnit
	}
	return m
}

func (r *Reader) release(lib *catalog.Library, a *catalog.Release, call *term.T, words []*term.T) Meaning {
	m := r.base(lib, Release)
	m.Checked, m.Raw, m.Session, m.Strict = a.Checked, a.Raw, a.Session, a.Strict
	m.Handle, m.Key, m.Value = r.Get(a.Handle, call, words), r.Get(a.Key, call, words), r.Get(a.Value, call, words)
	return m
}

// change reads a write whose condition is told by its arguments.
func (r *Reader) change(lib *catalog.Library, w *catalog.Write, call *term.T, words []*term.T) Meaning {
	m := r.base(lib, Write)
	c := &Change{Store: w.Store, Operation: w.Op, On: r.Get(w.On, call, words), Reject: w.Reject, Unknown: lock.Reason(w.Unknown), Bare: w.Bare, Cache: w.Cache, Leased: w.Store == "etcd" && r.leaseOf(call) != nil, Call: call}
	c.Resource, c.Value = r.resource(w.Store, w.Resource, call, words), r.Get(w.Value, call, words)
	if len(w.Resource) > 0 {
		c.Key = r.Get(w.Resource[len(w.Resource)-1], call, words)
	}
	if c.Operation == "" {
		c.Operation = methodName(call.Name)
		if len(words) > 0 {
			c.Operation = constText(words[0])
		}
	}
	for _, k := range w.Conditions {
		if g, ok := r.carried(k, call, words); ok {
			c.Guards = append(c.Guards, g)
		}
	}
	// Two that are asked for on some ways are taken for alternatives, of which there is one
	// on every way: the version that was read, or that nothing is there.
	if maybe := func(g Guard) bool { return g.Maybe }; slices.ContainsFunc(c.Guards, maybe) {
		first := slices.IndexFunc(c.Guards, maybe)
		if !slices.ContainsFunc(c.Guards[first+1:], maybe) {
			c.Guards[first] = Guard{Op: "other", Value: c.Guards[first].Value, Text: "a condition that is set on some ways only"}
		}
	}
	if w.Unknown == "" && w.Store != "dynamodb" && w.Store != "mongo" { // theirs have readers
		c.Sets = contents(r.Get(w.Args, call, words), 0)
	}
	// What is written to a file is as safe as the file's creation.
	if recv := Receiver(call); recv != nil && w.Store == "file" {
		for _, opened := range r.Of(recv) {
			if opened.Role == Write {
				c.Guards, c.Cache = append(c.Guards, opened.Write.Guards...), c.Cache || opened.Write.Cache
			}
		}
	}
	m.Write = c
	return m
}

func (r *Reader) resource(store string, refs []catalog.Ref, call *term.T, words []*term.T) string {
	var parts []string
	for _, ref := range refs {
		if s := r.linkText(r.Get(ref, call, words)).Place(); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return store
	}
	return store + ":" + strings.Join(parts, "/")
}

// linkText is the text that a builder's link was given, where it names something:
// the table of db.Collection(name), the program of exec.Command(name).
func (r *Reader) linkText(t *term.T) *term.T {
	if e := r.Entry(t); e != nil && e.Part != nil && !e.Part.Text.IsZero() {
		if text := r.Get(e.Part.Text, t, nil); text != nil {
			return text
		}
	}
	return t
}

// place names one thing of a store.
func place(store string, t *term.T) string {
	if s := t.Place(); s != "" {
		return store + ":" + s
	}
	return store
}

// methodName is the last part of a function's name.
func methodName(fn string) string { return fn[strings.LastIndexByte(fn, '.')+1:] }

func constText(t *term.T) string {
	for _, a := range t.Alts() {
		if a.Kind == term.Const {
			return a.Name
		}
	}
	return ""
}
