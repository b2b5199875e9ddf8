// Package tokenreset defines the check of that name.
//
// # Analyzer tokenreset
//
// tokenreset: report fencing tokens that can go backwards
//
// A fencing token is worth something as long as it only grows. A counter whose key
// expires starts at 1 again: then the resource refuses every new holder, or, where
// its own record is gone as well, lets an old one in.
//
// # Why it loses data
//
//	Monday   A holds token 118; the row says last_token = 118
//	Tuesday  nobody takes the lock, the counter's key expires
//	Wednesday B draws token 1: its write is refused, and every later one up to 118
//
// # Bad
//
//	token, err := rdb.Incr(ctx, "doc:fence").Result()
//	rdb.Expire(ctx, "doc:fence", 24*time.Hour)
//
//	lock.Release(ctx)
//	rdb.Del(ctx, "doc:fence") // tidy, and the next holder starts at 1
//
// # Good
//
//	err := db.QueryRowContext(ctx, "SELECT nextval('doc_fence')").Scan(&token)
//
// # How it decides
//
// A command that sets an expiry acts on the key of a counter whose value a write of
// the section compares or stores, or makes it with one, or deletes it, be it with the lock;
// reported at that command, also in the function that takes the lock and draws the number
// for its callers. A script that takes a lock and answers with the new value of a counter which
// it lets expire is reported where it is run, and so is one that keeps the counter as a
// field of the lock's own hash. A number that is the version of an etcd key is reported
// where that key is put with a lease, be it by the function that takes the lock. So is a statement that gives a lease row back by
// deleting it, where the row has the number that its holders count up. A token of the lock
// service that can restart (LockIndex, the version of an etcd key) is a note at the
// acquire.
//
// # When it stays silent
//
// For counters without an expiry, although any store can lose one; for those that are
// named after attempts or a rate. Counters in memory are reported by unorderedtoken.
package tokenreset
