// Package lockdelay defines the check of that name.
//
// # Analyzer lockdelay
//
// lockdelay: remark on Consul locks that change hands without a delay
//
// After a session is invalidated, Consul keeps its locks closed for 15 seconds, so
// that what the old holder has under way can land before the next one starts. A
// LockDelay of a millisecond takes that away.
//
// # Why it loses data
//
//	A's session ends while a write of A is on its way
//	B gets the lock 1 ms later, reads, writes
//	A's write lands
//
// # Bad
//
//	&api.LockOptions{Key: key, LockDelay: time.Millisecond}
//
// # Good
//
//	&api.LockOptions{Key: key} // 15 seconds
//
// # How it decides
//
// LockDelay is a constant below a second, or lies in a field or variable that is never set
// to more (where the field is exported, by the module, if all of that is in view), and the
// verdict is not fenced. It is a note, at the call that makes the lock or
// its session, which may be in another function.
//
// # When it stays silent
//
// Where every write is fenced: then the delay is only time lost.
package lockdelay
