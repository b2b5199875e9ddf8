// Package unmetered defines the check of that name.
//
// # Analyzer unmetered
//
// unmetered: remark on locks whose losses nobody counts
//
// A fence that refuses a write has just prevented damage, and says that a lease ran
// out under its holder. Where that is not counted, the first notice is an incident. The
// same goes for renewals: a renewal that takes half of the lease is the warning before.
//
// # Why it matters
//
//	March   renewals take 20 ms of a lease of 10 s
//	May     renewals take 4 s; nothing shows it
//	June    leases run out every night, and every refused write is logged as "conflict"
//
// # Bad
//
//	if n, _ := res.RowsAffected(); n == 0 {
//		return errStale
//	}
//
// # Good
//
//	if n, _ := res.RowsAffected(); n == 0 {
//		staleWrites.Inc()
//		return errStale
//	}
//
// # How it decides
//
// For a write that the resource may refuse: no metric moves on some of the ways through
// the section, in it or in what it calls. For a lease that the program renews itself:
// the functions that renew observe no duration, or count nothing on some of their ways.
// Metrics are those of the catalogue: Prometheus, OpenTelemetry, expvar, statsd clients,
// go-metrics. Findings stand at the acquire, and the inventory has the same as columns.
//
// # When it stays silent
//
// It is off by default. It does not see what middleware counts for all errors alike.
package unmetered
