// Package unorderedtoken defines the check of that name.
//
// # Analyzer unorderedtoken
//
// unorderedtoken: report values compared as fencing tokens that do not grow
//
// A fencing token tells the resource which of two holders came later. Only a
// number that grows with every grant can: an etcd revision, a Consul LockIndex,
// a ZooKeeper czxid, a counter or sequence of one store. The random value with
// which a lock library recognises its owner, a UUID, a clock reading, the id of
// a lease or a counter of the process cannot. Nor can a counter that is drawn
// before the lock is taken: who then waits longest has the oldest number.
//
// # Why it loses data
//
//	A holds the lock with owner value "f3a1", B takes it over with "07cc"
//	B writes: "07cc" > "" is true, stored
//	A, which was paused, writes: "f3a1" > "07cc" is true, stored: B's write is gone
//
// # Bad
//
//	token := mutex.Value() // redsync: random bytes
//	db.ExecContext(ctx, "UPDATE doc SET body = $1, fence = $2 WHERE fence < $2", body, token)
//
// # Good
//
//	token, err := rdb.Incr(ctx, "fence:doc").Result() // once, right after the acquire
//	db.ExecContext(ctx, "UPDATE doc SET body = $1, fence = $2 WHERE fence < $2", body, token)
//
// # How it decides
//
// The value that the condition compares is followed back to where it was made.
// Reported are values of an origin that is known not to grow, and numbers that
// are always drawn before the acquire, there or in the wrapper that takes the lock.
//
// # When it stays silent
//
// Comparing for equality with the owner that the store itself records (a lease
// row in the same database, a compare in an etcd transaction) needs no order.
// A value whose origin is out of sight is not reported.
package unorderedtoken
