// Package units defines the check of that name.
//
// # Analyzer units
//
// units: report times to live and renewal intervals without a unit
//
// A time.Duration counts nanoseconds. A number of seconds that is converted to
// one without a factor is a billion times too short; a point in time that is
// taken for a length is too long by half a century.
//
// # Why it loses data
//
//	rdb.SetNX(ctx, key, me, 30)            30 ns: Redis keeps the key for 1 ms
//	worker A                               takes the lock, starts
//	worker B, 2 ms later                   takes it as well
//
// The other way round the lock of a worker that died never comes free.
//
// # Bad
//
//	time.NewTicker(time.Duration(ttl / 3))               // ttl counts seconds
//	rdb.SetNX(ctx, key, me, time.Duration(deadline.UnixNano()))
//
// # Good
//
//	time.NewTicker(time.Duration(ttl) * time.Second / 3)
//	rdb.SetNX(ctx, key, me, time.Until(deadline))
//
// # How it decides
//
// Looked at are the times to live of locks and the periods of loops that renew
// them. Reported is a conversion to time.Duration of a parameter, field or
// variable that is a whole number, unless it is multiplied by something; a sum
// that begins with the present; a constant below a millisecond; a constant that is
// less than one of the whole seconds which a command is given; and a constant
// that the backend refuses (a Consul session lives from 10 seconds to a day), where
// the session is made or its maker is told how long it shall live. So is a number
// that is made of a duration and counts in another unit than the library does
// (milliseconds for etcd, whose leases count seconds, or int of a constant of 30
// seconds, which is a number of nanoseconds), and a duration that is
// multiplied by time.Second once more.
//
// # When it stays silent
//
// Where the number may count nanoseconds: it was a duration before, is a
// difference, has a large factor, has a name that says so, or comes from a call.
// A product of durations is one only if all that is in view of the other factor is
// longer than a millisecond: 8 * time.Second may stand in a field as 8.
package units
