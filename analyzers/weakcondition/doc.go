// Package weakcondition defines the check of that name.
//
// # Analyzer weakcondition
//
// weakcondition: report conditions that let a stale lock holder through
//
// The write does compare something before it is accepted, but a holder that
// lost its lock still gets through: the greatest token is not stored, the
// comparison points the wrong way, an equality is asked of a value that nobody
// sets when the lock changes hands, or comparing and writing are two steps, be they a look
// in Go or a transaction that only asks. A compare that a lock's key passes when it is gone
// lets through just those who have lost it.
// What is asked for may also be another lock than the one of the section, or a token
// that was read anew from the lock's record, which is the successor's by then; or a version
// that was asked for only after what is stored had been made of an older state. The check
// also reports a condition that works but whose refusal nobody looks at, or which
// is recognised and returned as if the write had been accepted.
//
// # Why it loses data
//
//	token 33: A writes "WHERE fence < 33", but the statement does not set fence
//	token 34: B writes "WHERE fence < 34", accepted: fence is still 0
//	token 33: A, which was paused, writes again: 0 < 33, accepted
//
// With a dropped refusal the resource does its part, and the program answers
// "done" to its caller for work that was refused.
//
// # Bad
//
//	db.ExecContext(ctx, "UPDATE stock SET n = $1 WHERE id = $2 AND fence < $3", n, id, token)
//
// # Good
//
//	res, err := db.ExecContext(ctx,
//		"UPDATE stock SET n = $1, fence = $3 WHERE id = $2 AND fence < $3", n, id, token)
//	// ... and RowsAffected() == 0 means that the lock is lost: stop
//
// # How it decides
//
// The condition is read from the statement text, the Lua script, the compares
// of an etcd transaction, the options of an object store, or the functions of
// the project that compare a stored token with an incoming one; these have to store
// the incoming one on every way on which they store anything else. A number that is
// drawn in each turn of a loop, once more after a refusal, or after what is written was
// read, holds nobody back, nor does one for which a constant, a clock or the stored number
// stands in on some way, which is cut to 16 bits, rounded, subtracted from something or
// compared as text, or which a counter with a machine's name in it has given.
// A version that the write itself does not move lets in all who have read it, and so does
// that of another key or item, which the transaction does not write, or a watched key that
// is none of those written. A unique key with a fresh id in it is never there before. A fault is an
// error, at the write, also where that is in another package; a driver that sees one
// package at a time reports it at the acquire then. A refusal that is dropped (the number of rows, Succeeded, a boolean) is
// a warning, also where the rest of the answer is read. So is a function that asks whether the write was refused, by the number of
// rows or the error that a library has for it, and then returns a nil error and does
// nothing else that it does not do after a success: a line of the log is enough to make
// the difference.
//
// # When it stays silent
//
// A lock that is asked for is another one only where both can be traced to what made
// them, their keys say different things, and they do not share a session; otherwise the
// condition is unverified. A record that is found by its owner or its number as well may be
// read again.
//
// A create-once write (a unique key, ON CONFLICT DO NOTHING) may ignore its
// refusal: the row is there, which is what was wanted. What cannot be read is
// unverified and not reported: a text that is cut or replaced on some way, a token in 32
// bits, a last token that the script lets expire; so is an item or model that comes from out of sight, but for
// what the function that writes it stores in it before, and the comparison of a row's version
// that no statement in view moves: a trigger may.
package weakcondition
