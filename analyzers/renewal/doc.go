// Package renewal defines the check of that name.
//
// # Analyzer renewal
//
// renewal: report leases whose end the holder does not notice, or brings about
//
// A lease that is kept alive can still end: the session expires, the server
// fails over, the process sleeps longer than the lease lives. The client library
// knows first and tells by a channel, a context, a callback or the result of the
// renewal. If nobody listens, the old holder works on beside the new one.
//
// # Why it loses data
//
//	10:00:00  A takes the lock for 15 seconds and renews it every 5
//	10:00:20  the network is back: the renewal fails, B has the lock
//	10:00:20  A writes a log line and goes on
//	10:00:21  A and B write
//
// A renewal that does not ask who holds the lock is worse: A then keeps B's lock
// alive, and both are sure that it is theirs.
//
// # Bad
//
//	for range tick.C {
//		if _, err := mutex.Extend(); err != nil {
//			log.Print(err)
//		}
//	}
//
//	rdb.Expire(ctx, key, ttl)          // whose key is it by now?
//
//	_, err := consulLock.Lock(nil)     // the channel tells when it is lost
//
//	go session.RenewPeriodic(ttl, id, nil, done) // returns when the session is gone
//
// # Good
//
//	held, lost := context.WithCancelCause(ctx)
//	go func() {
//		for {
//			select {
//			case <-held.Done():
//				return
//			case <-tick.C:
//				if ok, err := mutex.ExtendContext(held); err != nil || !ok {
//					lost(errors.New("lock lost"))
//					return
//				}
//			}
//		}
//	}()
//	return work(held)
//
// # How it decides
//
// Reported at the acquire: a section that runs code of its caller, a loop without
// end, or for each of a list something out of sight that takes a context, or waits for what
// the lock object of a wrapper tells (its channel, the end of its context), while the
// signal of loss that the library offers is not looked at (the channel of Consul's
// Lock, Done or Ctx of an etcd session that is made here, the events of a ZooKeeper
// connection, the session monitor of dynamolock), or looked at only to write a log
// line; a goroutine that campaigns and tells by a flag that it leads, likewise; and a loop
// under an advisory lock whose session is asked nothing until the end. A wrapper that gets the signal and hands it to nobody is where that is told; where
// it returns the session, as a part of an object say, or a method that gives the signal
// out, its callers have to look at it.
//
// A ping, in a loop, of the connection that owns an advisory lock is a renewal.
//
// Reported at the renewal: its result is dropped; or it makes no difference,
// because control goes on in the same way after a failure as after a success,
// but for log lines and metrics; or only its error is looked at, where a lease that
// is lost makes none: the count of rows of a statement, the number of a script, the
// entry of a Consul session tell it, if the lock is not taken again with that session
// before the next renewal. The channel of a keepalive that is drained
// without a reaction to its end. A general command (EXPIRE, SET XX) on the key of a
// lock, or a statement on its row by nothing but its name, without a comparison of the
// owner; where a function does so in a loop for the key that it is given, it stands in
// there. A keepalive, or a goroutine that renews, on a context with a deadline or one
// that is cancelled when its function is done, where the lock is handed on to the
// caller; likewise a session (of etcd) that is made by such a context, and returned or
// kept, or under whose lock the work goes on by another context. An interval of more than half the time to live that the renewal gives, or
// that the lock has whose section runs it; above a third it is a note. It may be counted
// from the end (ttl - margin), by constants or by fields that are set to some.
// The same holds for what a library is told by its options (the heartbeat of dynamolock),
// there, or by one of them while the other has its default. A plain SET of the lock's
// own value under its key is a renewal as well: one that asks for no owner.
// A renewal that paces itself by a longer life than its session has. A goroutine that
// waits for a ticker and renews, but not in a loop: that is once.
//
// A goroutine that renews in a loop which nothing ends, although the lock is given
// back. A lock that is taken once more in a loop of its own section, where a live lock
// refuses everybody: that renews nothing, and takes a lost lock anew; beside a renewal
// that has failed, where a goroutine does so and the work is not told.
//
// OnStoppedLeading is reported where it only writes a log line, or sets a flag by which
// nothing in view is decided, and the work of OnStartedLeading ignores the context that it
// is given. Where it cancels a context on
// which a loop without end does not run either, that is told at the call that elects.
//
// # When it stays silent
//
// Where every write of the section is fenced: then losing the lock does no harm.
// Where the loss may be watched elsewhere: the session comes from a caller or
// goes to other code, the function compares times of its own, the outcome is
// returned, stored or sent, the package asks Valid, TTL or IsExpired and does not just log
// the answer.
// A short section between acquire and release needs no watching.
package renewal
