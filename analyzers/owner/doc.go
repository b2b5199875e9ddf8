// Package owner defines the check of that name.
//
// # Analyzer owner
//
// owner: report lock owners whose name is not unique
//
// Some acquires accept a live lease if it is the caller's own, so that a holder can
// take it again after a restart. They tell the caller by a name. If two callers have
// the same name, both hold the lock.
//
// # Why it loses data
//
//	goroutine 1  takes the lease as "web-1"
//	goroutine 2  asks as "web-1": welcome back
//
// # Bad
//
//	me, _ := os.Hostname()
//	db.ExecContext(ctx, `... ON CONFLICT (name) DO UPDATE SET owner = excluded.owner
//		WHERE lease.until < now() OR lease.owner = excluded.owner`, name, me)
//
// # Good
//
//	me := host + "/" + rand.Text() // for each acquisition
//
// # How it decides
//
// The statement of a lease row, or a script, has "or the owner is the same" among its
// ways in, or Options.Token of redislock is set, or the program reads the record of
// the lock and compares it with the name; and the owner is a constant, the name
// of the host, the process id, a variable of the environment, or made of these. It is
// followed to what a field or variable is set to, options that an object keeps among
// them, and to what callers pass. What a
// package makes when the process starts, random or not, is the same for all of them; so is
// what an object keeps since it was made, where its method takes locks of any key and
// callers keep the object. Where an
// argument of a wrapper's call is the owner, the finding stands at that call.
//
// A mutex of etcd knows its owner by the session. It is reported where the session, or
// the mutex, is kept in a field or variable, and goroutines meet there: handlers of HTTP
// requests, or those that a loop starts for one key. A candidate for leadership is
// reported where its identity is a constant, or what the lock itself is named by.
//
// # When it stays silent
//
// Where a part of the name comes from elsewhere, and for acquires in a loop, be it their
// callers', which take the lock again to renew it and do not give it back in each turn. In elections the name of the host will
// do. Of a session nothing is said where a lock of the process comes first, as sync.Mutex.
package owner
