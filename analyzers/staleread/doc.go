// Package staleread defines the check of that name.
//
// # Analyzer staleread
//
// staleread: report values read before the lock and written back under it
//
// A lock makes read, compute and write one step only if all three happen under it.
// What was read before may have been changed by whoever held the lock while the
// caller waited for it.
//
// # Why it loses data
//
//	A  reads balance 100
//	B  holds the lock, sets the balance to 60, gives the lock back
//	A  takes the lock, sets the balance to 100 - 30
//
// # Bad
//
//	acct, err := repo.Get(ctx, id)
//	unlock, err := locks.Lock(ctx, "account:"+id)
//	defer unlock()
//	return repo.SetBalance(ctx, id, acct.Balance-amount)
//
// # Good
//
//	unlock, err := locks.Lock(ctx, "account:"+id)
//	defer unlock()
//	acct, err := repo.Get(ctx, id)
//	return repo.SetBalance(ctx, id, acct.Balance-amount)
//
// # How it decides
//
// A write of the section stores a value that comes from a read of the same table, key or
// object; the read is a call on every way to the acquire, in the same function; and the
// section does not read that resource itself. The finding stands at the write, or, if that
// is in another package, at the call that hands the old value on. A fencing token does not help: the token is
// newer than the read, and what is written is not.
//
// # When it stays silent
//
// Where the value only names what is written (a WHERE clause, a key); where the section
// reads once more, as in a double check; where the write compares a version that was
// read with the value, for then a stale one is refused; where the lock is taken only
// because the read failed or found nothing, or its variable is given another value since.
package staleread
