// Package crossslot defines the check of that name.
//
// # Analyzer crossslot
//
// crossslot: report lock commands whose keys lie in different slots of a cluster
//
// A Redis cluster keeps each key in a slot that follows from its name. A command or
// script may only name keys of one slot. A lock script with a second key, for its
// counter of tokens say, therefore runs on a single server and is refused by a cluster.
//
// # Why it matters
//
//	test        one server: the script runs
//	production  cluster: CROSSSLOT Keys in request don't hash to the same slot
//	            nobody gets the lock, or the error is taken for "somebody else has it"
//
// # Bad
//
//	rdb := redis.NewClusterClient(opts)
//	grant.Run(ctx, rdb, []string{"lock:" + id, "fence:" + id}, me, ttl)
//
// # Good
//
// Only what stands between braces is hashed:
//
//	grant.Run(ctx, rdb, []string{"lock:{" + id + "}", "fence:{" + id + "}"}, me, ttl)
//
// # How it decides
//
// The client is one for a cluster, as its constructor or type shows. The command or
// script takes, keeps or frees a lock, or writes under a comparison or in the section
// of a lock. Two of its keys are known well enough to say that they hash differently:
// their text between the first braces differs, or neither has braces and the keys
// differ. The finding stands at the command; at the acquire alone, where the function
// that takes the lock keeps or frees it by the same two keys. A function that takes a lock
// by keys which it is given is asked for those of its callers.
//
// # When it stays silent
//
// Where the client may be one for a single server; where a key begins with a value
// that may bring a tag along (prefix + ":lock"); and for commands that have nothing
// to do with locks.
package crossslot
