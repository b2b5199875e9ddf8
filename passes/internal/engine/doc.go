// Package engine follows locks and their tokens through functions.
//
// It works on families: a named function with the closures inside it. For each
// function it makes a summary: what it takes and leaves held, what it
// releases, writes and calls, in terms of its parameters. Callers put their
// arguments in place of the parameters, so a summary serves every call.
// Families are summarised callees first, those of a cycle together until
// nothing changes.
//
// What is found is judged elsewhere: in records, slips and remarks, which ask the engine
// for what it knows of values, calls and sections.
//
// # Where things are
//
// From source to summaries: build.go (SSA), engine.go, solve.go (which functions, in
// which order), index.go (where things stand), family.go, implementations.go (interfaces), injected.go (functions in fields),
// fault.go (functions that it fails on).
//
// Values as terms: eval.go, call.go, builtins.go, captured.go and unset.go (variables), withheld.go (tokens that could not be had), globals.go, contexts.go, keys.go and carriage.go (what contexts carry), fields.go, embedded.go (files as
// values), merged.go (maps that are put together), inplace.go and scopes.go (builders that are changed, or handed to functions), stored.go (records that are stamped), reaching.go (when),
// listed.go (lists and structs that grow), replaced.go (structs that are assigned anew), models.go (what mappers take from types),
// texts.go (scripts and statements in fields), written.go (texts that are written in pieces), handle.go (which connection), names.go (places and names), loops.go, length.go, backoff.go
// (waits that grow), logging.go, writers.go (what a writer stands for), again.go (records that are read twice), shelves.go (places where tokens are put).
//
// Summaries: summary.go, step.go (one call), unseen.go (one that is out of sight), computing.go (functions that only compute),
// sets.go (what is stored in objects), memory.go, helped.go and forgets.go (objects as resources), batch.go,
// asked.go and tested.go (comparisons in Go), chosen.go (with zero), claims.go, settled.go (by what a transaction ends), latches.go (claims that are won once), writings.go and tables.go (what is said elsewhere of what is written), outcome.go and
// swallowed.go (whether the outcome is looked at, and told), counter.go (where tokens are drawn), copied.go (what is a cache).
//
// Facts, which carry summaries from package to package: fact.go, imported.go,
// codec.go, codec_summary.go, said.go (directives).
//
// The lock: site.go (the section), givingback.go (what ends it), oracle.go and judged.go (who knows that it was taken), mute.go,
// skips.go, failing.go, evidence.go (whether a general command is a lock), published.go, leaserow.go and
// standing.go, reclaimed.go, holder.go (records that are locks), unasked.go (locks that nobody asks about), renewal.go, halves.go (methods that take and give
// back), handover.go (leadership that is told to work elsewhere), awaited.go and anew.go (locks that goroutines take),
// queues.go (work that is handed on), hooks.go (methods of models that mappers run).
//
// The section: locking.go (what in it is part of locking), outside.go (what may be work),
// carried.go (what was read in it and is written later), committed.go (transactions that end
// after it).
//
// Time: reading.go (which clock a value was read from).
//
// Syntax: fixes.go.
package engine
