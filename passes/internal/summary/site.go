package summary

import (
	"golang.org/x/tools/go/ssa"

	"github.com/fencevet/fencevet/passes/internal/meaning"
	"github.com/fencevet/fencevet/passes/internal/term"
	"github.com/fencevet/fencevet/passes/internal/world"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Site is one place in one function where a lock is taken: a library call,
// or the call of a wrapper that leaves a lock held or runs a callback under it.
type Site struct {
	Func   *ssa.Function       // in which it stands
	At     ssa.CallInstruction // the call
	Sent   ssa.CallInstruction // sends what the acquire queues, where that is another call
	Lock   Acquired            // what is taken
	Term   *term.T             // the call at this place
	Told   *Signs              // of a site in another package: all that is known of it
	Direct bool                // a library call
	Impl   string              // of the interface method that is called; empty: of none
	Facts  []world.Fact        // of the call's results, where a wrapper took the lock
	Closed bool                // taken and released by the callee; effects are its section's

	Apart bool // taken in a goroutine, and held there only; effects are its section's

	Effects  []Effect   // in the section
	After    []Effect   // after the release
	Release  []string   // how it is released here
	Freed    []Effect   // the releases
	Late     lock.Frame // where what the section writes is committed, if that is after the release
	LeftOut  lock.Frame // a plain write after the release that belongs to what the section fences
	HeldOut  bool       // still held at a return
	Wrapper  bool       // taken for the callers
	Guarded  bool       // the outcome decides a branch
	Skips    bool       // the loser returns without error
	Deferred bool       // the release is, or one is that may be
	Kept     bool       // taken and deferred in a loop: held through the turns that follow
	Returned bool       // the handle, or a function that releases, is returned
	Mute     bool       // nothing is read of the answer that would tell a refusal
	Lent     bool       // a goroutine releases when the function that the caller gets says so

	// What explore found, for those that look closer afterwards; nil where the
	// callee has the section.
	Region *world.Region
	Match  func(Effect) bool // whether an effect releases the lock
}

// Start is the instruction with which the lock is taken.
func (st *Site) Start() ssa.CallInstruction {
	if st.Sent != nil {
		return st.Sent
	}
	return st.At
}

// Section is the section as callers get it, where the callee takes the lock for
// a function that they pass.
func (st *Site) Section() Section {
	return Section{Lock: st.Passed(), Effects: st.Effects, After: st.After, Release: st.Release}
}

// Passed is the lock as callers get it, with st among the sites on the way.
func (st *Site) Passed() Acquired {
	a := st.Lock
	a.Chain = append(a.Chain[:len(a.Chain):len(a.Chain)], st)
	return a
}

// Note adds a release to those of the site; how says by what it is done.
func (st *Site) Note(how string, x Effect) {
	st.Freed = append(st.Freed, x)
	for _, r := range st.Release {
		if r == how {
			return
		}
	}
	st.Release = append(st.Release, how)
}

// Recorded is a use with what it was made from.
type Recorded struct {
	Use  *lock.Use       // the record
	Site *Site           // where the lock is taken
	Lock meaning.Meaning // what the call there means
}

// Signs are what one site shows. A lock that goes through wrappers is judged
// by the signs of all sites on its own way, not by those of other callers of
// the same wrapper: the project's own Redis client serves caches as well.
type Signs struct {
	Guarded   bool     // the result decides what follows
	Answer    bool     // the result is the function's own answer
	Released  bool     // released in the section that it opens
	Lent      bool     // kept by a goroutine until the caller ends that: it may as well say who is there
	Elsewhere bool     // the same key is deleted or renewed by other code of the package
	Owner     bool     // with a comparison of the owner value
	Compares  bool     // the function itself compares the owner value, maybe under another key
	Name      bool     // a name speaks of a lock
	TTL       bool     // it has a time to live
	Retry     bool     // it is tried in a loop
	Refuses   bool     // who does not get it is told so by an error, whatever else is answered
	Intrinsic []string // what the call itself shows, in words
}
