// Package acquire defines the check of that name.
//
// # Analyzer acquire
//
// acquire: report locks that are taken, or believed to be taken, wrongly
//
// An acquire has three outcomes: taken, refused, and not known because the store
// could not be asked. Only the first lets the work run. And a lease must end by
// itself, or the crash of its holder is the end of the work.
//
// # Why it loses data
//
//	A: lock, err := Obtain(...)  -> holds the lock
//	B: lock, err := Obtain(...)  -> refused, and nobody looks at err
//	B: reads the balance, 100
//	A: writes the balance, 80
//	B: writes the balance, 90
//
// # Bad
//
//	won, err := rdb.SetNX(ctx, key, owner, 0).Result() // no expiry
//	if err != nil {
//		return true // the store is down: everybody holds the lock
//	}
//	rdb.Expire(ctx, key, time.Minute) // never, if the process dies before
//
// # Good
//
//	won, err := rdb.SetNX(ctx, key, owner, time.Minute).Result()
//	if err != nil {
//		return false, err
//	}
//	return won, nil
//
// # How it decides
//
// It follows control from the acquire in the worlds where the lock was refused and
// where the store failed. What it finds there:
//
//   - work of the section: the answer was not asked for, or sent by a call that
//     cannot bring it back (SELECT pg_try_advisory_lock by Exec). Calls out of sight
//     count where the loser does all that the holder does. Reported at the acquire. Where
//     only who has the lock gives it back, the program knows that others work without it,
//     and that is a warning; where all that it writes can be made again, a note.
//   - a command whose error is all that is read, where a refusal makes none (SetNX of
//     go-redis, SET NX of redigo, a script that answers with a number, an etcd
//     transaction, an upsert of a lease row), and a lock function of a database whose
//     answer is read into a variable that nobody looks at. Reported at the command.
//   - a wrapper that looks at the answer, and tells its caller the same whatever it is:
//     it asks for a code below zero where a refusal is zero. Reported at the command.
//   - a loop of tries in a wrapper that tells its caller the same when the last try was
//     refused as when one succeeded. Reported at the command.
//   - a return that tells the caller of a wrapper what it tells when the lock is
//     held: reported at the return.
//   - success after nil for both lock and error, which Consul's Lock and
//     Semaphore return when they give up: at the acquire. So is a channel that is
//     kept in a private field and that no code compares with nil, nor what a method in
//     view gives out of it.
//
// A command that takes a lease without an expiry, or with one that is set by a
// second command, is reported at that command. So is one whose time to live is a private
// field that nothing sets: zero means none.
//
// # When it stays silent
//
// Where the answer is stored, returned or given to code that is more than a log,
// that may ask. Where the lock's record is read after a refusal, it may tell that
// the lock is the own one all the same. A lock without expiry by design (advisory,
// bound to a session) needs none. A function that cannot get the lock and skips its work says so.
package acquire
