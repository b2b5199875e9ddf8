// Package wallclock defines the check of that name.
//
// # Analyzer wallclock
//
// wallclock: report decisions about a lease that depend on the time of day
//
// A lease ends after a duration. Whoever decides by the time of day whether it
// still lives, or when to renew it, decides wrongly whenever a clock is set: by
// NTP, by an administrator, or because it is another machine's clock.
//
// # Why it loses data
//
//	A stores "expires 12:00:30" with the lock; its clock is 40 seconds slow
//	B reads it at 12:00:35 by its own clock: expired, takes the lock
//	A has 35 seconds left by its clock and goes on writing
//
// # Bad
//
//	expires := time.Now().UTC().Add(ttl) // UTC drops the monotonic reading
//	if time.Now().Before(expires) {
//		write()
//	}
//
// # Good
//
//	acquired := time.Now() // carries a monotonic reading
//	if time.Since(acquired) < ttl {
//		write()
//	}
//
// Across hosts no clock will do: let the lock service decide (a TTL in Redis, a
// lease in etcd, now() of the one database).
//
// # How it decides
//
// time.Now carries a monotonic reading; UTC, Local, In, Round, Truncate,
// AddDate, Unix and everything that is read back from a store do not. Before,
// After, Sub, Since and Until are monotonic only if both sides are. Reported is a
// comparison of the present with the time of a lease in which one side is not, if
// its outcome decides a branch or a wait.
//
// A field is of a lease if its name is about validity and two of three hold: its
// type is named like a lock; the type has a field for the holder; its methods take,
// renew or release a lock, or it is what a lock stores as its record. A time from a
// store is of a lease if the key or statement is named like a lock, or is the key
// that the function locks, and one from an entry of a map, such as an attribute of an item,
// if its name speaks of a lease and of validity, in code about locks. So is the present plus the lock's time to live, in a variable or
// in a field of whichever name that is set where the lock is taken, and what
// the lock itself answers when it is asked (Until of redsync, TTL of redislock).
// So is a field, also an atomic one, that is set to the present only where the lock is taken
// or renewed, where its age is compared with a good part of the lock's time to live.
//
// So is a time from a column that the function, or one that it calls, stores a later end
// in, with a holder beside it, where one of the two is named after locks: that takes a
// record over.
//
// A statement that takes a lease row is reported where it compares the end of the lease
// with a time of this host, or stores one there and compares it with the database's. So
// is a lease document of MongoDB, where the time is put into the filter ($$NOW is the
// database's), and a statement by which the function that inserts such a record first
// deletes one whose time is over. It is the clocks of two hosts that decide then.
//
// # When it stays silent
//
// Times that are shown, logged or stored but decide nothing are not reported, nor
// are the times of sessions, cache entries, certificates and schedules, nor tests
// of equality: they see a change, not an end.
//
// # What it does not see
//
// Fields are those of a type: a type that is kept in memory in one place and read
// from a store in another counts as read. Times that are put into maps, and those of types
// of other modules (metav1.Time), are not followed.
package wallclock
