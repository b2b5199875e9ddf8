// Package remarks finds what is worth saying of how leases are kept, and of what weakens
// them.
//
// # Where things are
//
// remarks.go (where they are noted).
//
// Renewing: renewing.go, regain.go, bound.go, interval.go, units.go, scale.go,
// pinging.go (connections of session locks).
//
// Noticing that the lease is lost: watching.go, offered.go (signals that wrappers hand on), heeding.go, flags.go, unheard.go, unnoticed.go.
//
// What weakens a lease: circumstances.go, owners.go, sharing.go, schedule.go, slots.go,
// stores.go (replication), lagging.go (copies), stale.go, bypass.go, metrics.go.
//
// Time: clock.go, leasing.go (which times are those of leases), fixes.go.
package remarks
