// Package directive defines the check of that name.
//
// # Analyzer directive
//
// directive: report comments to fencevet that do not do what they say
//
// Which locks may be lost without harm is decided by people, and the decision is
// written down in the source, where those find it who change the code. This check
// reports directives that are without effect, that have lost their reason, or
// whose time is over.
//
// # Why it misleads
//
// A directive is a promise to the next reader: somebody has looked, and this is
// why it is all right. A misspelt one silences nothing, and nobody notices until
// the finding that it was for is waved through. One without a reason cannot be
// judged by anybody else. One that is no longer needed says that a risk is taken
// where there is none, and will hide the next fault at that place.
//
// # Directives
//
//	//fencevet:efficiency [owner=NAME] [until=2027-06-30] reason
//	//fencevet:correctness [owner=NAME] [reason]
//	//fencevet:ignore check[,check] [owner=NAME] [until=2027-06-30] reason
//
// The first accepts that two holders can both write: the lock merely saves work.
// It silences unfenced for that lock. The second demands a fence: anything but the
// verdict fenced is an error. Both stand at the call that takes the lock, on the
// same line or above it, or on the declaration of a function: then they are for
// the locks that it takes, also for its callers. The third silences checks on a
// line, on the statement below it, or in a whole function.
//
// until is the last day that a decision holds. A suppressed finding stays in the
// inventory with the reason.
//
//	//fencevet:acquire [kind=lease] [key=VALUE] [handle=VALUE] [token=VALUE] ...
//	//fencevet:release [handle=VALUE] [key=VALUE] [checked=false]
//	//fencevet:token [of=VALUE]
//	//fencevet:conditional token=VALUE|version=VALUE|owner=VALUE|unique=true ...
//
// These say what a function or interface method of the project means, and stand on
// its declaration. A VALUE is the name of a parameter or result, argN, resultN or
// receiver, with an optional path of fields (opts.Key).
//
// # Bad
//
//	//fencevet:efficiency
//	if err := mutex.LockContext(ctx); err != nil {
//		return err
//	}
//
// # Good
//
//	//fencevet:efficiency owner=search until=2027-06-30 the index is rebuilt from the table anyway
//	if err := mutex.LockContext(ctx); err != nil {
//		return err
//	}
//
// # How it decides
//
// A comment that starts with //fencevet: is read strictly: an unknown word, a
// missing reason, a date that is none or a check that does not exist is reported
// with what is accepted. A decision on a lock that is fenced is needless. That no
// lock is taken where a decision stands, or that a check has nothing to report
// where it is ignored, is said only by the command, run on the whole module:
// package by package a lock behind an interface is not seen.
//
// # When it stays silent
//
// Under go vet a result is replayed from the build cache until the package
// changes, and so a decision may run out unnoticed there; the command always
// looks at the date.
package directive
