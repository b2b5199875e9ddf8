// Package unfenced defines the check of that name.
//
// # Analyzer unfenced
//
// unfenced: report writes under a lock that no fencing token guards
//
// A distributed lock with a time to live can be lost while its holder runs. The
// holder does not notice; only the resource can refuse its late write, by
// comparing a token that grows with every grant of the lock. This check reports
// a write in the critical section that the resource accepts without comparing
// anything.
//
// # Why it loses data
//
//	12:00:00  A takes the lock for 8 seconds and reads stock = 5
//	12:00:01  A stops: garbage collection, a page fault, a moved virtual machine
//	12:00:08  the lease ends; B takes the lock, reads 5, writes 4
//	12:00:20  A goes on where it stopped and writes 4: one of two sales is gone
//
// Renewing the lease, or asking once more whether it is still held, only makes
// the window smaller: A can stop between that question and the write.
//
// # Bad
//
//	if err := mutex.Lock(ctx); err != nil {
//		return err
//	}
//	defer mutex.Unlock(ctx)
//	_, err := db.ExecContext(ctx, "UPDATE stock SET n = $1 WHERE id = $2", n, id)
//
// # Good
//
//	token := mutex.Header().Revision // etcd counts revisions up
//	res, err := db.ExecContext(ctx,
//		"UPDATE stock SET n = $1, fence = $3 WHERE id = $2 AND fence < $3", n, id, token)
//	if err != nil {
//		return err
//	}
//	if n, err := res.RowsAffected(); err != nil || n == 0 {
//		return errors.Join(errLockLost, err)
//	}
//
// A write that is conditional by itself needs no token: a version column, an
// ETag with If-Match, a unique key, or a statement in the very transaction that
// owns an advisory lock.
//
// # How it decides
//
// The critical section runs from the acquire's success to its release, through
// calls of the project's own functions. Every call in it that changes state
// outside the process, or stores into a resource of the program itself, is a
// write. One finding is made per use of a lock, at the first unguarded write if
// that stands in the package of the use and at the acquire otherwise; all other
// writes are listed with it.
//
// It is an error where the lock appears to be there for correctness (the loser
// waits or fails and rows or objects change), and a note, which only the inventory
// shows, anywhere else: where the lock appears to save work (the loser skips, or
// caches are written), where the writes only remove, count or add to a log, where
// they are made for the whole program as its pool of connections is opened, where the
// key is a number among workers, where a conditional write comes first and lets one
// holder go on, and where it is unclear.
// A cache is told by its use (a key is looked up, and what is not there is loaded
// from elsewhere, stored under it and returned) or by its name.
//
// A directive decides otherwise: //fencevet:efficiency on the acquire or on a
// wrapper accepts the risk, and nothing is reported; with //fencevet:correctness
// anything but a fenced lock is an error, also one that is unverified or has no
// visible write.
//
// # When it stays silent
//
// Where a statement, script or callee is out of sight the verdict is unverified,
// with the reason, and nothing is reported. Where something is compared but
// cannot hold, weakcondition or unorderedtoken says so instead.
package unfenced
