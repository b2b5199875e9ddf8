package lock

// Kinds of slips. Those of the first group are about giving a lock back, of the
// second about taking it, of the third about what a section leaves behind.
const (
	SlipLeft      = "left"      // a way out with the lock held, while others release
	SlipExit      = "exit"      // the process ends under the lock
	SlipForeign   = "foreign"   // frees the lock whoever holds it
	SlipConstant  = "constant"  // compares the owner with what every holder is called
	SlipShared    = "shared"    // released by code that frees it so, and is told elsewhere
	SlipSteps     = "steps"     // compares the owner, then frees in a second step
	SlipTerm      = "term"      // names the holder but not the term
	SlipDead      = "dead"      // with a context that has ended by then
	SlipDeadline  = "deadline"  // with the context whose deadline bounds the section
	SlipRequest   = "request"   // with the context of the caller, who may give up
	SlipUnheard   = "unheard"   // its error is looked at, and not whether the lock was still there
	SlipUnheld    = "unheld"    // without holding the lock
	SlipAnew      = "anew"      // by an object, or a value, that is made for the release
	SlipStacked   = "stacked"   // the session takes its own lock once more
	SlipReturned  = "returned"  // the session goes back to its pool with the lock
	SlipAbandoned = "abandoned" // a session that nobody ends where the lock is not taken

	SlipUnasked  = "unasked"   // nobody asks whether the lock was taken
	SlipRefused  = "refused"   // no error is taken for success
	SlipUntold   = "untold"    // nobody asks, and the callers are told that it was taken
	SlipForever  = "forever"   // no expiry
	SlipTwoCalls = "two calls" // the expiry is set by a second command
	SlipOpen     = "open"      // success where the store could not be asked
	SlipBelief   = "belief"    // success from local state, without asking the store

	SlipAfter    = "after"     // a write of what the lock guards, after its release
	SlipOutlives = "outlives"  // work that goes on after the release
	SlipOtherKey = "other key" // releases or renews another key than the acquire's
)

// ByTimer is the Detail of a SlipOutlives whose work a timer starts.
const ByTimer = "timer"

// AfterTries is the Detail of a SlipUntold that comes of a loop which ends as well when
// its last try was refused.
const AfterTries = "tries"

// Blurred is the Detail of a SlipUntold where the answer is looked at, and makes no
// difference to what the callers are told.
const Blurred = "blurred"

// Meant is the Detail of a SlipUnasked whose program knows that it may be without the
// lock: only who has taken it gives it back, and the work is done by everybody.
const Meant = "meant"

// A Slip is one thing that goes wrong in how a lock is taken or given back. The
// Frame is where a reviewer puts it.
type Slip struct {
	Frame
	Kind   string
	Detail string // what a message needs beside the place: a key, a column, a duration
	Fix    *Fix   `json:"-"` // a change that is safe, of the files at hand; mostly none
	Other  Frame  // a second place that explains it; nowhere if there is none
}
