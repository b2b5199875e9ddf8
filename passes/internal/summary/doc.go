// Package summary has what is known of a function once it was looked at, as data: what it
// does, what it takes and leaves held, in terms of its parameters, and where it takes a
// lock. The engine makes it, what is above the engine reads it.
//
// # Where things are
//
// summary.go (of a function), effect.go (one thing that it does), loops.go (how often),
// site.go (a place where a lock is taken, and its section).
package summary
