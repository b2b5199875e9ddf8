// Package lock holds the records that fencevet makes of a distributed lock: a
// Use (one place where a lock is taken and its critical section is in view),
// its token, its writes and their conditions, and the verdict.
//
// The records are plain data. The passes make them, the checks and the
// inventory read them; neither needs SSA or syntax to do so.
package lock

import (
	"cmp"
	"go/token"
)

// Role tells whether the critical section of an acquire is in view.
type Role string

const (
	RoleUse     Role = "use"     // the section is in view here
	RoleWrapper Role = "wrapper" // takes the lock for its callers, who appear as uses
)

// Kind is what ends the lock when its holder does not.
type Kind string

const (
	Lease    Kind = "lease"    // a time to live
	Session  Kind = "session"  // a session that is kept alive (etcd, Consul, ZooKeeper)
	Election Kind = "election" // leadership
	Advisory Kind = "advisory" // a database session or transaction
)

// Condition is what the resource itself checks before it accepts a write.
type Condition string

const (
	None        Condition = "none"
	Token       Condition = "token"       // ordered token, compared and stored
	Owner       Condition = "owner"       // identity of the current owner, on the same store
	Version     Condition = "version"     // version, ETag or revision read in the section
	Unique      Condition = "unique"      // create-once
	Transaction Condition = "transaction" // the session or transaction that owns the lock
	Unknown     Condition = "unknown"     // out of sight
)

// Holds reports whether a write under c cannot land once the lock was lost, or
// is safe without it.
func (c Condition) Holds() bool {
	switch c {
	case Token, Owner, Version, Unique, Transaction:
		return true
	}
	return false
}

// Verdict is the answer for one use.
type Verdict string

const (
	Fenced         Verdict = "fenced"
	Unfenced       Verdict = "unfenced"
	Unverified     Verdict = "unverified"
	NoVisibleWrite Verdict = "no-visible-write"
)

// Class is what the lock is for.
type Class string

const (
	Correctness Class = "correctness"
	Efficiency  Class = "efficiency"
	Undecided   Class = "undecided"
	Unclear     Class = "unclear" // suggestions only
)

// Reason says why something was not seen.
type Reason string

const (
	ReasonRPC       Reason = "rpc"
	ReasonInterface Reason = "interface"
	ReasonCallback  Reason = "callback"
	ReasonReflect   Reason = "reflect"
	ReasonGoroutine Reason = "goroutine"
	ReasonCgo       Reason = "cgo"
	ReasonNoSource  Reason = "no-source"
	ReasonSQL       Reason = "dynamic-sql"
	ReasonProcedure Reason = "stored-procedure"
	ReasonSHA       Reason = "script-by-sha"
	ReasonClaim     Reason = "claim"
	ReasonLimit     Reason = "limit"
)

// A Position is a place in the source. Pos is set when the file belongs to the
// package at hand; places known from facts of other packages have only text. In
// records of an earlier run it tells no more than that.
type Position struct {
	File   string // absolute, as the file set has it
	Line   int
	Column int
	Pos    token.Pos
}

// IsValid reports whether p is a place.
func (p Position) IsValid() bool { return p.Line > 0 }

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// A Frame is one step on the way from a use down to a library call, or from an
// acquire to a write.
type Frame struct {
	Position
	Function string // enclosing function, as "(*Service).Reserve"
	Callee   string // function that is called there, as "(*sql.DB).ExecContext"; may be empty
	Text     string // what happens there; may be empty
}

// A TTL is how long the lease lives without renewal.
type TTL struct {
	Text    string
	Seconds float64 // 0 when not known
	Source  string  // constant | default | parameter | config | none | unknown
	Least   float64 // the shortest that the backend accepts, in seconds; 0: any
	Most    float64 // the longest
}

// A TokenInfo says what token the lock offers, or the one that its user took.
type TokenInfo struct {
	Source  string // accessor, or "none"
	Ordered *bool  // nil when there is no token
	Reason  string
	Resets  string // how it can go backwards; empty: it cannot
}

// A Write is a change of a resource inside the critical section.
type Write struct {
	Frame
	Call      string // (*sql.DB).ExecContext
	Operation string // UPDATE
	Resource  string // sql:stock
	Condition Condition
	Reached   string // direct | call | callback | interface | goroutine
	Checked   *bool  // whether a rejection is looked at; nil: not applicable or out of sight
	Swallowed bool   // a rejection is recognised, and returned like a success
	Note      string
	// Fault says why the condition cannot hold although something is compared;
	// empty when nothing is. FaultAt is where, as a line of explanation.
	Fault string
	// Compared is the origin of what is compared as a token when it is not
	// ordered: random, clock, host, lease id, process counter.
	Compared string
	Here     bool    // the call stands in the package at hand
	Cache    bool    // derived data by nature
	Setup    bool    // made where connections are opened: not for this section
	Own      bool    // the lock's own record (lease row, lock key): not a protected write
	After    bool    // after the release
	Trail    []Frame // from the section to the write
}

// Kinds of calls that take long.
const (
	CallSleep       = "sleep"
	CallPage        = "page"
	CallExec        = "other program"
	CallWait        = "request without timeout"
	CallRequest     = "request"
	CallGiven       = "call with a deadline of its own"
	CallCopy        = "copy of a body"
	CallLoop        = "call in a loop without a count"
	CallPoll        = "wait in a loop without a count"
	CallEachRequest = "request for each element"
	CallEachQuery   = "query for each element"
)

// A Call is a remark on one call of the section: a slow call, a wall-clock
// decision, a lock statement on the wrong handle.
type Call struct {
	Frame
	Call  string
	Kind  string
	Limit float64 // of a slow call: seconds after which it (all turns of its loop) is given up; of a job that a ticker runs: its period; 0: none
	Share float64 // of a renewal: its interval as a part of the time to live
	Fix   *Fix    `json:"-"` // a change that is safe, of the files at hand; mostly none
	Here  bool
	Other Frame // a second place that explains it; nowhere if there is none
}

// A Remark is a Call about a lease that no use in view belongs to: its record is
// judged here, and the lock is taken by code out of sight.
type Remark struct {
	Call
	Package string // import path
}

// A Section is what is known of the critical section's length.
type Section struct {
	Bounded  bool
	AtLeast  float64 // seconds that it sleeps and waits on its longest way, from constants
	Why      string
	Longest  []Call  // some of what takes long, the worst first
	Deadline float64 // the latest limit of what takes long; 0: none of it has one
}

// A Use is one lock: the records behind one line of the inventory.
type Use struct {
	Role     Role
	Kind     Kind
	Library  string
	Package  string // import path
	Acquire  Frame
	Call     string // (*redsync.Mutex).LockContext
	Via      []Frame
	Evidence []string
	Key      string
	TTL      TTL
	Renewal  string   // none | library | goroutine | unknown
	Release  []string // deferred | explicit | callback | none | unknown, then owner-checked | unchecked
	Token    TokenInfo
	Writes   []Write
	Unseen   []Reason
	Section  Section
	Verdict  Verdict
	// Scope and Handle tell, for advisory locks, what owns the lock (session |
	// transaction) and what the statement ran on (pool | pooler | conn | tx | unknown).
	Scope  string
	Handle string
	Reads  bool   // the section reads a resource
	Leader bool   // leader loop on a self-renewed session
	Skips  bool   // the loser returns without error: the work is skipped
	Clocks []Call // decisions on the time of day, kind "wall"; "sent" and "swept": by a statement that is given it
	Strays []Call // releases that run on another handle than the acquire
	Slips  []Slip // what goes wrong in taking and giving back
	// Remarks are about how the lease is kept and what it is told by; kinds below.
	Remarks []Call
	Metrics Metrics
	// Store tells how the store that keeps the lock is replicated (sentinel |
	// cluster | replica), where the client shows it.
	Store string
	// Decision is what a directive on the acquire, or on a wrapper on the way to
	// it, says the lock is for; nil: nobody has decided.
	Decision *Decision
}

// Metrics tell what the program counts about a lock.
type Metrics struct {
	Rejections     bool // refused writes
	RenewalLatency bool // how long a renewal takes
	LeaseLoss      bool // leases that ended under their holder
}

// Kinds of remarks. Text says how in the words of a reader.
const (
	// LossUnwatched: the holder works on when the lease is gone. Text names
	// what would tell; the place is the acquire.
	LossUnwatched = "loss not watched"
	// RenewUnheard: whether the renewal succeeds makes no difference. Text says
	// what becomes of a failure.
	RenewUnheard = "failed renewal not heard of"
	// RenewUnowned: extends whatever lease there is.
	RenewUnowned = "renewed without comparing the owner"
	// RenewBound: the renewal ends with a context that was made for the acquire.
	RenewBound = "renewal ends with the acquire's context"
	// SessionBound: so does a session, which its library renews.
	SessionBound = "session ends with the acquire's context"
	// RenewSeldom: Share is the interval's part of the time to live.
	RenewSeldom = "renewed too seldom"
	// RenewAgain: taken anew in place of a renewal. RenewForever: nothing ends the
	// renewal. RenewOnce: it comes after the first tick, and never again.
	RenewAgain   = "taken again in place of a renewal"
	RenewForever = "renewal without an end"
	RenewOnce    = "renewed once"
	// DurationBare and DurationInstant: a whole number, or a point in time, is
	// taken for a length of time. DurationRange: the backend refuses it, or
	// takes another. DurationTiny: a number of nanoseconds. DurationScale: a number
	// that counts in another unit, which Text tells; Share is by how much it lives
	// too long. DurationSquared: a product of two durations. DurationCut: less than
	// one of the units that it is counted in.
	DurationBare    = "duration without a unit"
	DurationInstant = "point in time taken for a duration"
	DurationRange   = "duration out of the backend's range"
	DurationTiny    = "duration of nanoseconds"
	DurationScale   = "duration in another unit"
	DurationSquared = "duration times duration"
	DurationCut     = "duration cut off to nothing"
	// OwnerShared: the acquire accepts a live lease of the same owner, and Text
	// is what names the owner.
	OwnerShared = "owner not unique"
	// SessionShared: the same of a session that goroutines share. IdentityShared: of
	// a candidate for leadership, in every process.
	SessionShared  = "session of several goroutines"
	IdentityShared = "identity not unique"
	// OnceFreed: a lock that stands for "done in this period" is given back.
	OnceFreed = "marker given back"
	// TokenExpires: the counter that hands out tokens has an end of life.
	TokenExpires = "token counter expires"
	// TokenDeleted: it is deleted, with the lock or beside it.
	TokenDeleted = "token counter deleted"
	// ReadReplica: a read that decides about a write may lag behind it. Text is
	// the handle.
	ReadReplica = "read from a replica"
	// ReadStale: a read that decides about a write lets a copy of the store answer.
	// Text is the option.
	ReadStale = "read that a copy may answer"
	// SlotsApart: a command for a cluster names keys of different slots. Text is two
	// of them.
	SlotsApart = "keys in different slots"
	// ReadBefore: what the section writes back was read before the lock was taken, at
	// Other. Text is the resource.
	ReadBefore = "read before the acquire"
	// Bypassed: the place writes what the section writes, without the lock and
	// without a condition. Text is the resource.
	Bypassed = "written without the lock"
	// DelayNone: nothing separates the next holder from the writes of the last.
	DelayNone = "no lock delay"
)

// Level says how much a finding matters.
type Level string

const (
	Error   Level = "error"   // two holders can corrupt data, or the lock does not hold
	Warning Level = "warning" // it will misbehave under load, pause or failover
	Note    Level = "note"    // worth knowing; shown by the inventory, not by default elsewhere
)

// A Fix is a change of the source that does away with a finding and can do no
// harm. Its edits are in one file of the package at hand.
type Fix struct {
	Message string
	Edits   []Edit
}

// An Edit puts New in place of the text from Pos to End.
type Edit struct {
	Pos, End token.Pos
	New      string
}

// A Finding is what a check reports.
type Finding struct {
	Check   string
	Level   Level
	At      Position // Pos is set when it lies in the package at hand
	Else    Position // where it stands for a driver that cannot show At; the zero value: nowhere
	Message string   // symptom, place, remedy, check in brackets
	Use     *Use
	Related []Frame
	// Suppressed says why the finding does not count; nil: it does.
	Suppressed *Suppression
	Fix        *Fix
}
