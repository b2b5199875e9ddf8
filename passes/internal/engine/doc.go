// Package engine follows locks and their tokens through functions.
//
// It works on families: a named function with the closures inside it. For each
// function it makes a Summary: what it takes and leaves held, what it
// releases, writes and calls, in terms of its parameters. Callers put their
// arguments in place of the parameters, so a summary serves every call.
// Families are summarised callees first, those of a cycle together until
// nothing changes.
//
// # Where things are
//
// The way from source to records: build.go (SSA), engine.go, solve.go (which
// functions, in which order), index.go (where things stand), family.go, implementations.go (interfaces), fault.go
// (functions that it fails on), record.go (the records), remarks.go (what is noted
// beside them).
//
// Values as terms: eval.go, call.go, operand.go, captured.go, embedded.go (files as
// values), inplace.go (builders that are changed), models.go (versions that
// mappers demand), texts.go (scripts and statements in fields), handle.go (which connection),
// names.go (places and names), loops.go, length.go, backoff.go (waits that grow), logging.go.
//
// Summaries: summary.go, step.go (one call), computing.go (functions that only compute),
// sets.go (what is stored in objects), memory.go (objects as resources), batch.go,
// asked.go (comparisons in Go), chosen.go (with zero), claims.go, outcome.go and swallowed.go (whether the
// outcome is looked at, and told).
//
// Facts, which carry summaries from package to package: fact.go, imported.go,
// codec.go, codec_summary.go.
//
// The lock: site.go (the section), oracle.go (who knows that it was taken), mute.go,
// skips.go, failing.go, evidence.go (whether a general command is a lock), leaserow.go and
// standing.go (records that are locks), session.go, handover.go (leadership that is
// told to work elsewhere).
//
// The verdict: verdict.go, outside.go (what may be work), request.go, counter.go (where
// tokens are drawn), latches.go (claims that are won once).
//
// Slips, which are faults of a section: slips.go, asking.go, leaving.go, forgotten.go, freeing.go,
// anew.go, givingup.go, contexts.go, otherkey.go, swapped.go, halves.go (methods that take and give back), outliving.go,
// timers.go, carried.go, committed.go, said.go (directives), fixes.go.
//
// How leases are kept, and what weakens them: renewing.go, renewal.go, regain.go, bound.go,
// watching.go, heeding.go, unheard.go, unnoticed.go, interval.go, units.go, scale.go, belief.go,
// circumstances.go, owners.go, sharing.go, schedule.go, slots.go, stores.go (replication), stale.go,
// bypass.go, metrics.go.
//
// Time: clock.go, reading.go (which clock a value was read from), leasing.go (which
// times are those of leases).
package engine
