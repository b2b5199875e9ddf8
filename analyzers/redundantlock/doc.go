// Package redundantlock defines the check of that name.
//
// # Analyzer redundantlock
//
// redundantlock: remark on locks around writes that are safe without
//
// A write that its resource accepts only once, or only from the version that was
// read, needs no lock. The lock adds a service whose outage stops the work, and a
// reader who believes that it is what protects the data.
//
// # Why it matters
//
//	Redis is down for a minute
//	enqueue fails for a minute, although the unique key alone would have kept jobs apart
//
// # Bad
//
//	lock, err := locker.Obtain(ctx, "enqueue:"+key, ttl, nil)
//	// ... once it is held
//	db.ExecContext(ctx, "INSERT INTO job ... ON CONFLICT (key) DO NOTHING")
//
// # Good
//
//	db.ExecContext(ctx, "INSERT INTO job ... ON CONFLICT (key) DO NOTHING")
//
// # How it decides
//
// The verdict is fenced, and every write of the section is conditional by a unique
// key or a version. Or such a write comes first and is asked whether it was accepted,
// so that only one goes on. Or all that the section does is one command that the store
// carries out in one step, such as ZREM or INCR. It is a note at the acquire: a lock
// may still save wasted work.
//
// # When it stays silent
//
// Where one write carries a token, or compares who owns the lock: those need it.
package redundantlock
