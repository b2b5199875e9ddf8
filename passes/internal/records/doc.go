// Package records makes the records of all locks from what the engine finds out: whether
// the resource refuses the write of a holder that has lost the lock, and what else is to
// be said of a use.
//
// # Where things are
//
// record.go (a use and its writes), verdict.go (what a resource checks before it accepts a
// write), asked.go (comparisons in Go), granted.go (with numbers that are drawn), another.go (with the tokens of other locks),
// owner.go (with who holds the lock), version.go (with versions), afresh.go (that were read late),
// putback.go (with tokens that something else forgets),
// chosen.go (with zero), claims.go, batch.go, committed.go (after the release), leftout.go,
// request.go, session.go (whether a write runs on the session that owns the lock), started.go (locks
// that goroutines take).
package records
