// Package keymismatch defines the check of that name.
//
// # Analyzer keymismatch
//
// keymismatch: report locks that are released or renewed by another key
//
// What releases or renews a lock has to name the key that was locked. With another
// key the lock stays until its lease ends, and somebody else's may be freed.
//
// # Why it loses data
//
//	A: SET lock:order:7 a NX PX 30000 -> OK
//	B: SET order:7 b NX PX 30000      -> OK, another lock
//	A: DEL order:7                    -> frees the lock of B; lock:order:7 stays
//	C: SET order:7 c NX PX 30000      -> OK: B and C work at the same time
//
// # Bad
//
//	ok, err := rdb.SetNX(ctx, "lock:"+id, owner, ttl).Result()
//	defer release.Run(ctx, rdb, []string{id}, owner)
//
// # Good
//
//	key := "lock:" + id
//	ok, err := rdb.SetNX(ctx, key, owner, ttl).Result()
//	defer release.Run(ctx, rdb, []string{key}, owner)
//
// # How it decides
//
// Both keys are known, they differ in their text as well as in what they are made of,
// no other lock in view has the second key, and nothing releases the first. A general
// command such as DEL counts only if its key is named like a lock's or is part of the
// key that was locked. Of keys that one function makes, a hash of a name say, it is what
// the function is given that differs. The finding stands at the command, but where that is
// in a function which makes the same key of what it is given as the one that takes the lock,
// at the call which gives it something else.
//
// Of advisory locks, one that is named by one number and one that is named by two are
// never the same, whatever the numbers are.
//
// Of a method that takes a lock and one of the same type that gives it back, and either
// compares its owner (which is kept in the object, or told to the caller and handed back) or
// works on the same session, the keys are compared without a caller:
// both are made of the object's fields and of parameters of the same names, and one is a
// part of the other, or one function makes both and is given less for one of them.
//
// Keys that are not known are told apart where both come from one function that is given
// the same values in another order, or where the release takes for its key what the lock
// was told as its owner.
//
// # When it stays silent
//
// A key that comes from a field, a configuration or a call out of sight may be the
// same, so nothing is said of it.
package keymismatch
