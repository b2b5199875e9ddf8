package summary

import (
	"slices"

	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// An Effect is one thing that a function does and that a critical section
// around it would have to answer for.
type Effect struct {
	Call    *term.T // what is called; its meaning is read from the term
	Open    Open
	Memory  *Memory     // a write of an object of this process
	Why     lock.Reason // something out of sight, without a call that is worth naming
	Signal  string      // what leadership is told by, to work that runs elsewhere
	At      lock.Frame
	Via     []lock.Frame // from the function's body to At, outermost first
	Reach   Reach
	Checked int8 // whether the outcome is looked at: 1 yes, -1 no, 0 not known
	Answer  int8 // result of the function, counted from 1, that tells its callers the outcome; they decide Checked
	Silent  bool // a refusal is recognised, and returned like a success
	Batch   Batch
	Watched []*term.T    // keys a change of which makes its batch fail
	Asked   []Asked      // comparisons in Go that let control through to a write
	Chosen  []Choice     // comparisons with zero that lead to it
	Won     []Claim      // conditional writes that had to be accepted before
	Lost    []world.Fact // results of the function, where this write was refused; nil: they do not tell
	Says    string       // the error variable of the project that the function then returns
	From    []*term.T    // receivers of the calls on the way, innermost first
	Turns   Turns        // of the loops around it
	Until   []*term.T    // contexts that the loops around it end with
	Fresh   []string     // places of deadlines that are set anew in each turn
	Aside   bool         // not on the longest way
	Carried bool         // in a goroutine that gives the lock back
	Emerged bool         // takes a lock, which shows only with this call's arguments put in
	Tells   bool         // an open call that is only told something: func(int)
	Yields  bool         // an open call that computes: it returns a value besides its error
	Own     bool         // known to be part of locking by the package that it is from
	Perhaps bool         // on some ways through the functions on the way to it only
	Skipped bool         // one of these functions can succeed without it
	Copy    bool         // a write of what was loaded because it was not found there: a cache
	Setup   bool         // made where a pool of connections is opened, for whoever uses that
}

// Open says what stands between an open call and its callee.
type Open uint8

const (
	Closed  Open = iota // a call that the catalogue knows
	Value               // a function value that is a parameter, or out of sight: Call.Args[0]
	Dynamic             // an interface method or function out of sight
)

// Reach says how control got to an effect.
type Reach uint8

func (r Reach) String() string {
	return [...]string{"direct", "call", "callback", "interface", "goroutine"}[r]
}

const (
	Direct Reach = iota
	ByCall
	ByCallback
	ByInterface
	ByGoroutine
)

// A Memory is a write of an object of this process that works as a resource: a
// method that stores what it is given. Only types that take tokens count (a
// method names a parameter so, or compares an incoming number with a stored one and
// gets a token for it), and stores by name that keep values in a map or slice under a mutex:
// every other method that stores something is just code.
type Memory struct {
	Type   string
	Method string
	Args   []*term.T // arguments of the call, once it is known
	Token  *term.T   // the incoming value that is compared; nil: none is
	Op     string    // stored Op incoming, where the write goes through
	Text   bool      // both are compared as text
	Stored bool      // the incoming token replaces the stored one
	Early  bool      // and does so before the comparison
	Locked bool      // a mutex is held around comparison and store
	Bare   bool      // nothing is: another may come in between
	Lapses bool      // another method forgets the stored token
	Told   bool      // nothing but what callers pass says whether it takes tokens
}

// Batch says how a write that a callback queues is sent.
type Batch uint8

const (
	Alone   Batch = iota
	Queued        // together with others
	Atomic        // in one transaction
	Apart         // in one transaction of a connection of its own
	Watched       // in one transaction, which fails where what was read before has changed
	Loose         // while something is watched, but not in the transaction that would tell
)

// Asked is a comparison in Go on the way to a write: something that was read
// from a resource decides whether the write is sent. Only comparisons in the
// function that writes are seen, not those in a function it asks.
type Asked struct {
	Read     *term.T // what was read
	Op       string  // Read Op Incoming lets control through; "true" and "false" have no Incoming
	Incoming *term.T
}

// A Test is a comparison that a function makes for its callers: Denied is what its results
// say where it does not hold.
type Test struct {
	Asked
	Denied []world.Fact
}

// A Claim is a conditional write that stands before another effect and turns away
// whom it refuses: UPDATE jobs SET state = 'running' WHERE id = $1 AND state =
// 'pending', no row, return.
//
// Of those who come at the same time one gets through, whoever holds the lock. That
// says nothing yet of a winner who goes on after his lease is over, see claimed.
type Claim struct {
	Call  *term.T
	Again bool // whoever is refused tries once more
	Over  bool // its transaction has ended since
}

// A Choice is a comparison of a value with its zero that leads to an effect: a write
// that is fenced where a token was given, and plain where none was.
type Choice struct {
	Value *term.T
	Zero  bool // the way is that of the zero value
}

// Way is the way to an effect: its frames from the outside to the call itself.
func Way(x Effect) []lock.Frame { return append(slices.Clip(x.Via), x.At) }

// Happens is where fn's package makes an effect happen: the call in the section.
func Happens(x Effect) lock.Frame {
	if len(x.Via) > 0 {
		return x.Via[0]
	}
	return x.At
}

// MaxVia bounds the recorded way from a section to an effect.
const MaxVia = 6
