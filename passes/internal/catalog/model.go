// Package catalog holds what fencevet knows about libraries, as data.
//
// A library is one YAML file under data/, embedded in the binary; a user's own
// .fencevet.yaml has the same format. The engine never names a library: it
// asks the catalogue what a called function means.
//
//	library: redsync
//	family: redis
//	packages:
//	  redsync: [github.com/go-redsync/redsync/v4, gopkg.in/redsync.v1]
//	calls:
//	  - func: (*redsync.Redsync).NewMutex
//	    new: {key: arg 0, options: arg 1...}
//	  - func: [(*redsync.Mutex).Lock, (*redsync.Mutex).LockContext]
//	    acquire: {kind: lease, handle: receiver, ttl-default: 8s}
//
// Functions are named as errcheck names them, with the alias of the packages
// map for the import path, so that versions and old paths are listed once.
// Packages that a generator writes into a program are told by a type that they
// declare (generated.go).
package catalog

import "slices"

// A Library is one catalogue file.
type Library struct {
	Library  string              `yaml:"library"`  // display name, unique over all files
	Family   string              `yaml:"family"`   // grouping: redis, etcd, sql, kubernetes, std, ...
	Packages map[string][]string `yaml:"packages"` // alias used in function names -> every import path that provides it, or the type that tells a generated package
	// Locks says that importing one of these packages makes a package worth
	// reading for lock sites (the gate). Libraries that only write, only read
	// or only wait leave it false.
	Locks   bool     `yaml:"locks"`
	Handles *Handles `yaml:"handles"`
	// Refusals names what tells of an error that a condition did not hold: types and
	// variables of errors, and functions that ask.
	Refusals []string `yaml:"refusals"`
	// InPlace lists the packages (by alias) whose builders are changed by their links:
	// one whose result is dropped counts as well.
	InPlace []string `yaml:"in-place"`
	// Versions lists what marks the field of a model whose value the library itself
	// demands of a row that is changed: a type (pkg.T) or a word in a tag (xorm:version).
	Versions []string `yaml:"versions"`
	// Many says that the file describes libraries that have little in common:
	// entries are shown under the alias of their package.
	Many     bool       `yaml:"many"`
	Calls    []*Call    `yaml:"calls"`
	Commands []*Command `yaml:"commands"` // only in the Redis command table
	SQL      []*SQLFunc `yaml:"sql"`      // only in SQL function tables (advisory locks, sequences)

	// For messages about a file that was just read: where its packages (by alias)
	// and handles stand.
	places map[string]string
}

// Shown is the name of the entry's library for people.
func (c *Call) Shown() string {
	if c.Library.Many {
		for _, name := range c.names() {
			if s, ok := parseSymbol(name); ok {
				return s.alias
			}
		}
	}
	return c.Library.Library
}

// Marks lists Versions with import paths in place of aliases.
func (lib *Library) Marks() []string {
	var marks []string
	for _, v := range lib.Versions {
		s, ok := parseSymbol(v)
		if !ok {
			marks = append(marks, v)
			continue
		}
		for _, p := range lib.Packages[s.alias] {
			marks = append(marks, p+"."+s.name)
		}
	}
	return marks
}

// InPlace reports whether the entry is about builders that are changed in place.
func (c *Call) InPlace() bool {
	return c.Library != nil && len(c.Library.InPlace) > 0 && len(c.Func) > 0 && slices.Contains(c.Library.InPlace, packageOf(c.Func[0]))
}

// Handles lists types by what a statement on a value of them runs on. That
// matters for locks that belong to a session.
type Handles struct {
	Pool []string `yaml:"pool"` // any connection that is free: sql.DB
	Conn []string `yaml:"conn"` // one connection
	Tx   []string `yaml:"tx"`   // one transaction
	Any  []string `yaml:"any"`  // one type for all of these: the value decides
}

// handles calls f for every type that stands for a database handle.
func (lib *Library) handles(f func(kind, name string)) {
	if lib.Handles == nil {
		return
	}
	each := func(kind string, names []string) {
		for _, name := range names {
			f(kind, name)
		}
	}
	each("pool", lib.Handles.Pool)
	each("conn", lib.Handles.Conn)
	each("tx", lib.Handles.Tx)
	each("any", lib.Handles.Any)
}

// A Call says what one function (or several alike) means. Any subset of roles
// may be present; one call can, for example, renew and report loss. Roles that
// reach a store (Acquire, Renew, Release, Write, Query, Command) imply a network
// round trip, except on files; Blocks is for functions without such a role.
type Call struct {
	Func []string `yaml:"func"` // one name or a list: pkg.Func, (pkg.T).Method, (*pkg.T).Method
	// Param, in place of Func, means every function with a parameter of this
	// type (pkg.T; pointer and variadic are looked through). Generated clients
	// have no fixed names, but their signatures share a type: grpc.CallOption,
	// metav1.UpdateOptions. An entry by name wins over one by parameter.
	Param string `yaml:"param"`
	// Pair restricts an entry by parameter to clients of a lock service.
	Pair *Pair `yaml:"pair"`
	// Field, in place of Func, means reading one of these struct fields (pkg.T.F).
	// The struct is the receiver: a token in a field of a reply is of it.
	Field []string `yaml:"field"`
	// When restricts the entry to calls whose arguments match; entries with a
	// When are tried before the one without, in file order.
	When []*Match `yaml:"when"`

	New     *New     `yaml:"new"`                                 // makes a lock, session or client object that carries key and TTL to the acquire
	Option  *Option  `yaml:"option"`                              // option value, or chained setter, that carries a property
	Acquire *Acquire `yaml:"acquire"`                             // takes the lock
	Renew   *Renew   `yaml:"renew"`                               // extends the lease
	Release *Release `yaml:"release"`                             // gives the lock back
	Loss    *Loss    `yaml:"loss"`                                // lets the holder see that the lease is gone
	Token   *Token   `yaml:"token"`                               // the result is a token, or holds one
	Origin  *Origin  `yaml:"origin"`                              // the result is fresh: random, a clock reading, a counter
	Same    Ref      `yaml:"same"`                                // result 0 is this value in another form (conversion, formatting, wrapping)
	Reads   *Reads   `yaml:"reads"`                               // the results are the outcome of an earlier call (Cmd.Result, redis.Bool, Row.Scan)
	Into    Ref      `yaml:"into"`                                // writes to this writer, whatever that stands for
	Over    Ref      `yaml:"over"`                                // the result writes to this writer
	Hooks   []string `yaml:"hooks"`                               // methods of the model that the call runs
	Write   *Write   `yaml:"write"`                               // changes a resource outside the process
	Query   *Query   `yaml:"query"`                               // reads a resource outside the process
	Part    *Part    `yaml:"part"`                                // adds a part to a builder chain (gorm Where, etcd Txn.If)
	Command []Word   `yaml:"command"`                             // a Redis command: words are literals or references, spread with ...
	Fixed   bool     `yaml:"fixed"`                               // the result is the same throughout a process
	Quiet   bool     `yaml:"quiet"`                               // makes no error of the nil reply by which a command or a renewal is refused
	Sends   Ref      `yaml:"sends"`                               // sends what was queued on this value, and takes what locks are among it
	Later   Ref      `yaml:"later"`                               // the answer comes out of this value, with a later call that reads from it
	Blocks  *Blocks  `yaml:"blocks"`                              // takes time: sleeps, waits, goes over the network
	Runs    *Runs    `yaml:"runs"`                                // calls a function argument
	Clock   string   `yaml:"clock" enum:"strip|keep|now|compare"` // strip | keep | now | compare: what it does to a monotonic reading
	Pool    string   `yaml:"pool" enum:"pool|conn|tx"`            // the result, or what the function of runs is given, is a handle: pool | conn | tx (who owns a session's locks)
	Hands   Ref      `yaml:"hands"`                               // a session that goes back to its pool, with the locks that it owns
	Ends    bool     `yaml:"ends"`                                // never returns (log.Fatal, os.Exit)
	Counts  string   `yaml:"counts" enum:"event|time"`            // moves a metric: event (a number of them) | time (how long something took)
	Stale   bool     `yaml:"stale"`                               // an option of a query: a copy of the store may answer
	Pure    bool     `yaml:"pure"`                                // has no effect outside the process and cannot block: never an unseen write

	// The smallest number of parameters and results that a function must have
	// for the references of the entry to mean something.
	args, results int

	Library *Library `yaml:"-"` // the file that the entry is from
	Pos     string   `yaml:"-"` // file:line:col of the entry
	// Declared is the text that an entry is made from which no file holds, but a
	// directive in the source.
	Declared string `yaml:"-"`
}

// A Pair is the two halves of a lock service: a method that takes and one that
// frees. The names alone are those of doors and accounts as well: the request of
// the method that takes has to say for how long, and who takes or what is handed
// back.
type Pair struct {
	Take  []string `yaml:"take"`                // names of the method that takes
	Free  []string `yaml:"free"`                // names of the method that frees
	Is    string   `yaml:"is" enum:"take|free"` // which of them the entry is about
	Until []string `yaml:"until"`               // words in the name of the field that says for how long
	Whose []string `yaml:"whose"`               // words in the name of the field that says who takes
}

// A Match is a condition on a call's arguments.
type Match struct {
	At  Ref      `yaml:"at"`  // which value
	Is  []string `yaml:"is"`  // equal to one of these constants (strings compare without case); "*" = present and not the zero value; "{}" = an empty struct or text
	Not []string `yaml:"not"` // equal to none of these
}

// New describes a constructor of a lock-like object.
type New struct {
	Key        Ref    `yaml:"key"`
	TTL        Ref    `yaml:"ttl"`
	TTLUnit    string `yaml:"ttl-unit" enum:"ns|ms|s|unix|unix-ms"` // unit of an integer TTL (a time.Duration needs none); unix, unix-ms: a point in time
	TTLDefault string `yaml:"ttl-default" check:"duration"`         // Go duration, where no TTL is given
	TTLLeast   string `yaml:"ttl-least" check:"duration"`           // the shortest that the backend accepts as it is
	TTLMost    string `yaml:"ttl-most" check:"duration"`            // the longest
	Value      Ref    `yaml:"value"`                                // owner value
	Options    Ref    `yaml:"options"`                              // option functions or option struct that may hold any of these
	Parent     Ref    `yaml:"parent"`                               // session or client whose properties hold here too
	Context    Ref    `yaml:"context"`                              // context that bounds the object's work: a session's renewal, a request
	Section    Ref    `yaml:"section"`                              // function that runs while a lock taken through the object is held (election callback)
	Leaks      bool   `yaml:"leaks"`                                // must be closed (session)
	Lapses     bool   `yaml:"lapses"`                               // ends with its TTL unless the program renews it
	Every      string `yaml:"every-default" check:"duration"`       // how often the library renews what is taken through the object, where that is not told
	Once       Ref    `yaml:"once"`                                 // an acquire of the object gives up after a time where this is true
	Session    Ref    `yaml:"session"`                              // a session of the program's own to take the lock in; the library keeps its own until the release, lost or not
	// Fields tells which value a field of the object has (Method of a request).
	Fields []*FieldOf `yaml:"fields"`
	Store  string     `yaml:"store" enum:"sentinel|cluster|replica"` // sentinel | cluster | replica: what kind of client it is
}

// FieldOf says what a constructor puts into a field.
type FieldOf struct {
	Name string `yaml:"name"`
	Is   Ref    `yaml:"is"`
}

// Option describes an option function, option field or chained setter.
type Option struct {
	Key     Ref    `yaml:"key"`
	TTL     Ref    `yaml:"ttl"`
	TTLUnit string `yaml:"ttl-unit" enum:"ns|ms|s|unix|unix-ms"`
	Value   Ref    `yaml:"value"`
	Context Ref    `yaml:"context"`
	Every   Ref    `yaml:"every"` // how often the library renews a lease
	Tries   Ref    `yaml:"tries"` // how often the acquire tries; once does not wait for the holder
	Lease   Ref    `yaml:"lease"` // binds the operation to a lease (etcd WithLease)
	Fence   Ref    `yaml:"fence"` // counter key from which the library takes an ordered token
}

// Acquire describes a call that takes a lock.
//
// Success is told by the call's results and read by type: an error is nil, a
// bool is true, a handle (pointer, interface, channel, func) is not nil, an
// integer is 1, a string is "OK". Success lists results for which this is not so.
type Acquire struct {
	Kind       string  `yaml:"kind" enum:"lease|session|election|advisory"` // lease | session | election | advisory
	Handle     Ref     `yaml:"handle"`                                      // value that stands for the held lock; default result 0
	Key        Ref     `yaml:"key"`
	TTL        Ref     `yaml:"ttl"`
	TTLUnit    string  `yaml:"ttl-unit" enum:"ns|ms|s|unix|unix-ms"`
	TTLDefault string  `yaml:"ttl-default" check:"duration"`
	TTLNone    bool    `yaml:"ttl-none"` // never expires by time (advisory, session-bound without TTL)
	Value      Ref     `yaml:"value"`    // owner value
	Options    Ref     `yaml:"options"`
	Parent     Ref     `yaml:"parent"`                           // session or client whose properties (TTL) hold here
	Context    Ref     `yaml:"context"`                          // context that also bounds the renewal
	Try        bool    `yaml:"try"`                              // does not wait for the holder
	Shared     bool    `yaml:"shared"`                           // several holders at once: not exclusive
	Mine       bool    `yaml:"mine"`                             // also takes a live lock of the same owner value
	Stays      bool    `yaml:"stays"`                            // the key outlives the session that took it: the next holder takes the same
	Raw        bool    `yaml:"raw"`                              // a general command: a lock only with evidence
	Aged       Ref     `yaml:"aged"`                             // the version that must be there still: a lock only where the program asks how old that one is
	Renewal    string  `yaml:"renewal" enum:"library"`           // library: renewed in the background; empty: not
	Section    Ref     `yaml:"section"`                          // function that runs while the lock is held (election callback)
	Release    Ref     `yaml:"release"`                          // result that is a function which gives the lock back
	Traced     bool    `yaml:"traced"`                           // a lock only where the handle is known to come from a New entry (sync.Locker)
	Sticky     bool    `yaml:"sticky"`                           // the handle has to be released before it can be taken again, lost or not
	Stop       Ref     `yaml:"stop"`                             // what ends the wait: the call then returns nil for the lock and for the error
	Scope      string  `yaml:"scope" enum:"session|transaction"` // advisory locks: session | transaction
	On         Ref     `yaml:"on"`                               // connection whose session or transaction owns the lock
	Success    []*Told `yaml:"success"`                          // replaces the rule above for the results it names
}

// Told names a result and the constant it has when the lock was taken.
type Told struct {
	At Ref    `yaml:"at"`
	Is string `yaml:"is"` // nil | not nil | true | false | an integer | a string | not negative | any (the call's return is enough) | received true (a channel's value)
}

// Renew describes a call that extends a lease.
type Renew struct {
	Handle     Ref    `yaml:"handle"`
	Key        Ref    `yaml:"key"`
	TTL        Ref    `yaml:"ttl"`
	TTLUnit    string `yaml:"ttl-unit" enum:"ns|ms|s|unix|unix-ms"`
	Checked    bool   `yaml:"checked"`                   // compares the owner first
	Result     Ref    `yaml:"result"`                    // where a lost lease shows
	Interval   string `yaml:"interval" check:"fraction"` // of background renewal, as a fraction of the TTL: 1/3
	Context    Ref    `yaml:"context"`                   // context that bounds the renewal
	Background bool   `yaml:"background"`                // goes on by itself after the call
	Raw        bool   `yaml:"raw"`                       // a general command (EXPIRE): a renewal only of a known lock's key
	Stores     Ref    `yaml:"stores"`                    // of a general command: what it stores, which renews only if it is what it
	Compares   Ref    `yaml:"compares"`                  // compares; else the command changes data
}

// Release describes a call that gives a lock back.
type Release struct {
	Handle  Ref    `yaml:"handle"`
	Key     Ref    `yaml:"key"`
	Value   Ref    `yaml:"value"`
	Context Ref    `yaml:"context"`
	Checked bool   `yaml:"checked"`                          // compares the owner first
	Result  Ref    `yaml:"result"`                           // where "was not mine" shows; empty: nowhere
	Session bool   `yaml:"session"`                          // ends the session: releases every lock made from it
	Strict  bool   `yaml:"strict"`                           // panics, or frees somebody else's lock, where the lock is not held
	Scope   string `yaml:"scope" enum:"session|transaction"` // only locks of this scope
	Traced  bool   `yaml:"traced"`                           // as for Acquire
	Raw     bool   `yaml:"raw"`                              // a general command (DEL): a release only of a known lock's key
}

// Loss describes how a holder can see that its lease is gone.
type Loss struct {
	Handle Ref    `yaml:"handle"`
	How    string `yaml:"how" enum:"channel|context|callback|poll"` // channel | context | callback | poll
	Result Ref    `yaml:"result"`
}

// Token describes where a lock's token is read.
type Token struct {
	Of      Ref    `yaml:"of"`    // handle that it belongs to; empty: a source of its own (INCR, nextval)
	At      Ref    `yaml:"at"`    // the result that it is, where a call has others that are none
	Field   string `yaml:"field"` // field of the result that is the token; empty: the result itself
	Ordered bool   `yaml:"ordered"`
	Reason  string `yaml:"reason"` // why ordered, or why not
	Resets  string `yaml:"resets"` // how it can go backwards; empty: it cannot
}

// Origin says that a result is a fresh value of a kind that is no fencing token.
type Origin struct {
	Kind string `yaml:"kind" enum:"random|clock|host|process"` // random | clock | host | process
	Out  Ref    `yaml:"out"`                                   // the slice that is filled with it, in place of the result
}

// Reads describes a call whose results are the outcome of an earlier call.
type Reads struct {
	Of  Ref `yaml:"of"`  // the earlier call's result: receiver or argument
	Out Ref `yaml:"out"` // arguments filled through a pointer (Scan): "arg 0..."
}

// Write describes a call that changes a resource.
type Write struct {
	Store      string     `yaml:"store"`    // sql | redis | etcd | consul | zookeeper | s3 | gcs | dynamodb | mongo | http | rpc | file | ...
	Op         string     `yaml:"op"`       // operation shown; for SQL it comes from the text
	SQL        Ref        `yaml:"sql"`      // statement text
	Args       Ref        `yaml:"args"`     // statement arguments
	Resource   []Ref      `yaml:"resource"` // values that name what is written
	Value      Ref        `yaml:"value"`    // what is stored there, where it is one value
	On         Ref        `yaml:"on"`       // connection, client or transaction
	Conditions []*Carrier `yaml:"conditions"`
	Reject     string     `yaml:"reject" enum:"rows|error|bool|succeeded|reply|answer|none"`               // how a refused write shows: rows | error | bool | succeeded | reply | answer (in a variable that an option is given) | none
	Unknown    string     `yaml:"unknown" enum:"rpc|no-source|stored-procedure|dynamic-sql|script-by-sha"` // the condition is out of sight, for this reason (rpc, no-source)
	Bare       bool       `yaml:"bare"`                                                                    // out of sight, but without a token in the request nothing is there to refuse it by
	Cache      bool       `yaml:"cache"`                                                                   // derived data by nature
}

// A Carrier is an argument that can hold a condition which the resource checks.
type Carrier struct {
	At      Ref    `yaml:"at"`                                                                                                 // its value; the condition holds when it is set. Empty: it always holds
	Kind    string `yaml:"kind" enum:"token|version|unique|owner|expression|filter|builder|selected|options|name|body|script"` // token (older ones are refused) | version | unique | owner | name (a name that may hold a token) | expression (text read by the store's reader) | filter | builder | selected (builder, where a link says which columns are written) | options (parts of kind if) | body (of a patch, which may name the version)
	Compare string `yaml:"compare" enum:"equal|absent|present|less|index"`                                                     // equal | absent | present | less | index (0 is absent): for kind version
	Is      string `yaml:"is"`                                                                                                 // only with this constant value ("*" for If-None-Match)
}

// Query describes a read of a resource. For SQL the text decides: a statement
// that changes rows or takes a lock does so whichever call sends it.
type Query struct {
	Store    string `yaml:"store"`
	SQL      Ref    `yaml:"sql"`
	Args     Ref    `yaml:"args"`
	Resource []Ref  `yaml:"resource"`
	On       Ref    `yaml:"on"`
	Out      Ref    `yaml:"out"` // argument filled with the answer through a pointer
	// Keeps says that what is read stays as it is until the transaction ends, or
	// that the transaction fails: On is that transaction.
	Keeps   bool   `yaml:"keeps"`
	Stale   string `yaml:"stale"`   // the option by which a copy of the store may answer
	Options Ref    `yaml:"options"` // option functions, among which one that is stale may be
}

// Part describes a link of a builder chain; the chain ends in an Acquire,
// Write or Query entry, which reads the parts from its receiver's chain.
type Part struct {
	Kind string `yaml:"kind" enum:"command|compare|target|op|where|not|or|set|table|conflict|if|then|else|raw|deadline"` // where | not | or | set | table | conflict | if | then | else | raw | deadline (of a context)
	Word string `yaml:"word"`                                                                                            // literal that this link adds: a command word, the operator of a comparison, the columns that are written (only, omit), what an if asks for (version, numbered, version-type, op-type, absent, present, body, filter)
	Of   Ref    `yaml:"of"`                                                                                              // what the part builds on, for kind compare and set its left side; default receiver
	Text Ref    `yaml:"text"`
	Args Ref    `yaml:"args"`
}

// Blocks describes how long a call may take.
type Blocks struct {
	Kind string `yaml:"kind" enum:"sleep|wait|tick|remote|exec|copy"` // sleep, wait | tick: for each value of the returned channel | remote | exec | copy
	For  Ref    `yaml:"for"`                                          // duration: of a sleep, wait or tick; at the most of what is remote. Zero: without end
	Of   Ref    `yaml:"of"`                                           // copy: what is read to its end
	Unit string `yaml:"unit" enum:"ns|ms|s|unix|unix-ms"`
	Page bool   `yaml:"page"` // one page of a listing of unknown length
}

// Runs describes a call that runs a function argument.
type Runs struct {
	Func   Ref    `yaml:"func"`
	Batch  bool   `yaml:"batch"`                   // what the function writes is gathered, and sent by this call
	Atomic bool   `yaml:"atomic"`                  // as a transaction, which fails where something watched has changed
	Apart  bool   `yaml:"apart"`                   // on a connection of its own, so that nothing is watched
	Watch  Ref    `yaml:"watch"`                   // keys that are watched while the function runs
	On     Ref    `yaml:"on"`                      // what the handle is made of that the function is given; default receiver
	How    string `yaml:"how" enum:"now|go|later"` // now (returns after it) | go (may outlive the call) | later (registered, runs some day)
}

// A Command is the meaning of one Redis command, whichever client sends it.
// A write's operation is the command's name where Op is empty.
type Command struct {
	Name string   `yaml:"name"` // upper case
	With []string `yaml:"with"` // only with these option words: [NX]
	// The roles use "word N" references: word 0 is the command itself;
	// "word EX" is the word after the option EX.
	Acquire *Acquire `yaml:"acquire"`
	Renew   *Renew   `yaml:"renew"`
	Release *Release `yaml:"release"`
	Token   *Token   `yaml:"token"`
	Write   *Write   `yaml:"write"`
	Query   *Query   `yaml:"query"`
	Script  Ref      `yaml:"script"` // Lua text; word 2 counts the keys that follow it, "*" says that word 3 is the list of them
	Pure    bool     `yaml:"pure"`   // changes and tells nothing that matters (PING, SELECT)
	Library *Library `yaml:"-"`
	Pos     string   `yaml:"-"`
}

// An SQLFunc is the meaning of a function called in SQL text. Its references
// are "arg N" of the SQL call.
type SQLFunc struct {
	Name    string   `yaml:"name"` // lower case
	Acquire *Acquire `yaml:"acquire"`
	Release *Release `yaml:"release"`
	Token   *Token   `yaml:"token"`
	Origin  *Origin  `yaml:"origin"`
	Library *Library `yaml:"-"`
	Pos     string   `yaml:"-"`
}
