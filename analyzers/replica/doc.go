// Package replica defines the check of that name.
//
// # Analyzer replica
//
// replica: report decisions under a lock that are read from a replica
//
// A lock makes holders take turns, so that each sees what the one before it wrote.
// A replica shows what was written some time ago.
//
// # Why it loses data
//
//	A  takes the lock, sees "pending" on the replica, settles on the primary, unlocks
//	B  takes the lock 5 ms later, sees "pending" still, settles again
//
// # Bad
//
//	row := replica.QueryRowContext(ctx, "SELECT status FROM tx WHERE id = $1", id)
//	// ... and after a look at the row
//	primary.ExecContext(ctx, "UPDATE tx SET status = 'done' WHERE id = $1", id)
//
// # Good
//
//	row := primary.QueryRowContext(ctx, "SELECT status FROM tx WHERE id = $1 FOR UPDATE", id)
//
// # How it decides
//
// In the section, something reads through a handle that is named a replica,
// secondary or follower, read-only, or made as such (ReadOnly, RouteByLatency, RouteRandomly of go-redis), and a write of the section
// changes the same table without a comparison of what was read. Likewise a read of
// etcd or Consul that allows any server to answer by itself (WithSerializable,
// AllowStale), and a write of the same key; or of an item of DynamoDB without
// ConsistentRead, and a write of the same table; or of a collection of MongoDB through a handle
// that was made to prefer secondaries, and a write through one of the same name. That the lock is still held, a fencing
// token, or that the session of the lock itself writes, says nothing of what was read. The
// finding stands at the read, or where a function that reads through any handle is
// given the copy.
//
// # When it stays silent
//
// Where the write is conditional on what was read, where the tables differ or are
// not known, and where the handle may be either.
package replica
