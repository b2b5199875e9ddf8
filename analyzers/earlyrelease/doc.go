// Package earlyrelease defines the check of that name.
//
// # Analyzer earlyrelease
//
// earlyrelease: report work that goes on after the lock was released
//
// A lock guards what happens before its release. A write that comes after it, or a
// goroutine that the section has started and left behind, runs beside the next
// holder's.
//
// # Why it loses data
//
//	A: lock, read the stock: 5, unlock
//	B: lock, read the stock: 5, unlock
//	A: write 5 - 1
//	B: write 5 - 1 // one sale is lost
//
// # Bad
//
//	if err := lock.Release(ctx); err != nil {
//		return err
//	}
//	_, err = db.ExecContext(ctx, "UPDATE stock SET amount = $2 WHERE id = $1", id, n-1)
//
//	lock.Release(ctx)
//	return tx.Commit() // of what was written under the lock
//
//	go save(ctx, record) // and then return, with a deferred release
//
// # Good
//
//	_, err = db.ExecContext(ctx, "UPDATE stock SET amount = $2 WHERE id = $1", id, n-1)
//	return errors.Join(err, lock.Release(ctx))
//
// # How it decides
//
// A write after the release is reported where the section itself does nothing, or
// where the write stores what a query in the section read, or where looking is all that
// the section does, and the write changes the record that it looked at: the one that
// the query was asked for, or that it found. So is a plain write that follows the release
// directly where the section fences what it writes of the same record or thing (one that the
// keys name by the same value) in the same store: what it stores must be no constant and
// known before the release. Such a use is unfenced. A lock that ends with its
// transaction is released by the commit. A transaction in which the
// section writes is reported where it is committed, if that is after the release: also
// by a deferred call that runs last, or because the lock is taken and freed in a
// function that runs in the transaction. Such writes count as unguarded, on the session
// that owned the lock too. A goroutine is reported
// where the section starts it, its write is the section's only one or goes to
// what the section writes, and the function waits for nothing at all before the release.
// So is one that a function of the package starts for the section, and gives nobody
// anything to wait for. So is one that does all of the section's work out of sight, behind an interface or a
// function that was handed in, if nothing ends its context.
// So is a timer that is set and kept nowhere, if what it runs writes what the section
// writes, or calls the object that the section calls, and does more than to tidy up.
// A section may be a function that is given to a wrapper; a goroutine on the context that
// the wrapper gives is left to it.
//
// An election of client-go with ReleaseOnCancel is a note where that is set: the library
// does not wait for OnStartedLeading. It is none where OnStartedLeading itself ends the
// context of the election when its work is done, and no caller does.
//
// What a goroutine does out of sight counts where all that the section does itself is to read,
// or to compute, what the goroutine then stores, by the names of both.
//
// # When it stays silent
//
// To claim a row under the lock and to finish it later is sound, so a second write of
// the same table says nothing. Nor does a write that names more than the record (its
// version, the state that was seen), or comes after another look at it. Nor does the late commit of a write that the resource
// compares itself, by a token or a version. A function that waits for anything (a channel, a
// WaitGroup, an errgroup) is taken to wait for the work. A goroutine that releases the
// lock itself has taken it over.
package earlyrelease
