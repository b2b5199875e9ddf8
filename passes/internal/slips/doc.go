// Package slips finds faults of a section: what goes wrong in how a lock is taken and
// given back.
//
// # Where things are
//
// slips.go (which are looked for, and which is told where several are), asking.go and
// mute.go (whether the lock was taken), belief.go (success without asking the store),
// leaving.go, lost.go (and taken again), undeferred.go, several.go, forgotten.go, freeing.go (of somebody else's lock), anew.go, givingup.go, contexts.go,
// spent.go (contexts that an object keeps and cancels), ended.go (that end before others release with them), parted.go (connections given back before the unlock), otherkey.go, swapped.go, halves.go (methods that take and give back), outliving.go, preparing.go (what is left to goroutines), timers.go.
package slips
