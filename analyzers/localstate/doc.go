// Package localstate defines the check of that name.
//
// # Analyzer localstate
//
// localstate: report wrappers that tell from memory that a lock is held
//
// A lease ends without a word to its holder. A wrapper that remembers in a field or
// map that it took the lock, and answers from that memory the next time, tells its
// caller something that may not be true any more.
//
// # Why it loses data
//
//	A: Lock("x") -> asks the store: taken, remembers it
//	A: pauses for longer than the lease
//	B: Lock("x") -> asks the store: taken
//	A: Lock("x") -> remembers it: "taken"; A and B work at the same time
//
// # Bad
//
//	if l.held[key] {
//		return nil
//	}
//	if err := l.obtain(ctx, key); err != nil {
//		return err
//	}
//	l.held[key] = true
//	return nil
//
// # Good
//
//	if lease, ok := l.held[key]; ok {
//		return lease.Refresh(ctx, ttl, nil) // asks the store
//	}
//
// # How it decides
//
// A way through the function that takes the lock returns what is returned when the
// lock was taken, passes no call that reaches the store, and is chosen by a field, map,
// variable or count that the function sets after the acquire, or counts up before it.
// A short method of the project's own may be what answers from it, and what sets it.
//
// A lease that is renewed in the background is still held by then, and so is one whose
// end, as it was noted, is yet to come. They are reported where a caller gives the lock
// back when its own section ends, and the callers are not counted: the first one to
// finish frees the lock under the others.
//
// # When it stays silent
//
// A lease that is renewed in the background may be remembered by one who keeps it until
// the end. So may one whose end is compared with the time, which is a guess but not a
// blind one. An advisory lock on a session that is kept has no lease; when the session
// ends, its next statement fails. A switch that turns locking off is set elsewhere.
package localstate
