// Package release defines the check of that name.
//
// # Analyzer release
//
// release: report locks that are not given back, or given back wrongly
//
// A lock has to be given back on every way out of its section, by its holder, and
// only by its holder. Forgotten, it blocks everybody until its lease ends; freed
// for somebody else, it lets two holders in.
//
// # Why it loses data
//
//	A: SET lock a NX PX 30000    -> OK
//	A: pauses for 31 s
//	B: SET lock b NX PX 30000    -> OK, the lease of A has run out
//	A: DEL lock                  -> frees the lock of B
//	C: SET lock c NX PX 30000    -> OK: B and C work at the same time
//
// # Bad
//
//	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result()
//	if err != nil || !ok {
//		return err
//	}
//	if err := check(ctx); err != nil {
//		return err // the lock stays for a minute
//	}
//	err = work(ctx)
//	rdb.Del(ctx, key) // whoever holds it by now, and not at all once ctx has ended
//	return err
//
// # Good
//
//	var release = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then
//		return redis.call("DEL", KEYS[1]) end return 0`)
//
//	defer func() {
//		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
//		defer cancel()
//		n, e := release.Run(ctx, rdb, []string{key}, owner).Int()
//		if e == nil && n == 0 {
//			e = errors.New("the lock was lost")
//		}
//		err = errors.Join(err, e)
//	}()
//
// # How it decides
//
// It follows control from the acquire on the ways on which it has succeeded.
//
//   - A return with an error, or one before the release in a function without an
//     error, leaves the lock held while another way releases it: reported at the
//     acquire. So is such a return that comes before the release is deferred, any return
//     before the release, where the lock can be released by an object only that the
//     function keeps to itself, and a loop that goes on to
//     the next acquire with the lock held, also where its session ends in a defer: the
//     lock stays until then.
//   - A function that gives the lock to its caller when all goes well returns an
//     error, and gives it to nobody: likewise. So does one that starts a goroutine
//     which releases, on a way on which it does not start it.
//   - A loop takes a lock for each of a list, and where one is refused returns without
//     the earlier ones, and gives them to nobody: at the acquire.
//   - os.Exit, log.Fatal and their like end the process under a lock that is
//     released elsewhere: at that call.
//   - A DEL of the key, alone or after a GET that compares the owner, the delete of a
//     key of Consul that a session has locked or of etcd that goes with a lease, and a DELETE or UPDATE of a
//     lease row that names no column which the acquire stored: at the statement. Where
//     it names the holder, but not a column that differs from term to term, that is a
//     note. Of code that many locks share it is said once, with a note at the other
//     acquires.
//   - The context of the release has ended: its Done channel led there, its cancel
//     function ran before (deferred later means run earlier; also where an object keeps
//     both), or its deadline bounds the work as well. So it has where a literal or an object
//     that is handed out releases with a context which its maker has cancelled on the way
//     out. A release with the caller's context is a note.
//   - The release goes through an object that is made for it (a new mutex of redsync, of
//     the concurrency package of etcd, of ZooKeeper or Consul), or compares a value that
//     is drawn for it, in a function that belongs to the lock and does no more with
//     either: at the release. What is kept, handed on, or told its owner is left alone.
//   - Only the error of a release is looked at, where a number tells that the lock was lost,
//     which is no error: a note. It is the last moment to hear of two holders.
//   - A release is deferred before the acquire, or before its answer is asked for, or runs
//     after a refusal, and frees whatever lock there is: at the call of the release there.
//   - A session takes its own advisory lock again, returns to its pool with the
//     lock (also at the end of a transaction on the pool), or (etcd) is closed after the
//     work but not where the lock is refused. One
//     that a function makes for a lock and keeps beside it in an object, whose methods
//     release the lock and never close the session: where it is made.
//   - A connection goes back to its pool before the unlock runs on it, also by the order
//     in which both are deferred: at the unlock. Closed for good it takes the lock with it,
//     and nothing is said.
//   - A goroutine waits for a lock that knows no context, and where a select gives up
//     listening for its answer nothing receives that later, to release: at the acquire.
//   - A loop takes a lock again through an object that refuses until it is released,
//     whether the lock was lost or not (Consul, ZooKeeper): at the acquire.
//     Likewise a function that a loop calls again, or a loop itself, which releases the
//     lock of an object of Consul's on other ways but not where that was lost: the client
//     renews the session that it made until the release, and the key may be held by it still.
//
// # When it stays silent
//
// A function that keeps the lock on success takes it for others: a handle that is
// returned, stored or sent, a release in a goroutine or under a condition in a
// defer are somebody's decision. A lock without expiry cannot have become
// another's, so its plain DEL is not reported. A lock that is released nowhere in
// view is taken for one that is meant to run out. So does a session that nobody
// renews. Where the loss of the lock was seen, exiting is right, and so is not to
// release, but for Consul's as told above.
package release
