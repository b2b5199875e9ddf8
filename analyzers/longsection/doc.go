// Package longsection defines the check of that name.
//
// # Analyzer longsection
//
// longsection: report critical sections that can outlast the lease
//
// The lock lives for a fixed time and is not renewed, but the section sleeps
// longer than that, or repeats remote calls without a bound: pages of a listing,
// rows of a query, messages. Long before any pause of the process, the next
// holder starts while this one is at work.
//
// # Why it loses data
//
//	02:00  A takes the lock for 30 minutes and starts to delete what is unused
//	02:30  the lease ends; A is at object 80 000 of 120 000
//	02:31  B takes the lock, lists the same bucket, and both delete
//
// # Bad
//
//	ok, err := rdb.SetNX(ctx, "lock:gc", me, 30*time.Minute).Result()
//	for pages.HasMorePages() {
//		page, err := pages.NextPage(ctx)
//		// ... deletes what is on it
//	}
//
// # Good
//
//	ctx, cancel := context.WithTimeout(ctx, 25*time.Minute) // stops before the lease does
//	defer cancel()
//
// Often the better answer is no lock: a queue hands each piece of work to one
// worker and hands it out again if that worker dies. SELECT ... FOR UPDATE SKIP
// LOCKED makes one of a table; SQS and Pub/Sub are one.
//
// # How it decides
//
// A section is too long if the constant sleeps and waits on its longest way take as long
// as the lease; waits from a list, and those that grow by constants from one attempt to
// the next, are added up. It has no bound if it pages through a listing, runs another program,
// sends a request without a timeout, copies the body of an answer, or repeats remote
// calls: in a loop that what it finds outside ends, or for each element of a list. A
// deadline of the context, or a timeout of the client, bounds all this if it comes
// before the lease ends; one that is set anew in each turn bounds the turn only. How long
// either is may lie in a field that is set to constants.
// One that is set for a call out of sight says how long that may take. A function that
// does the work of its callers under the lock is judged by its own sleeps alone. A loop
// ends with a context whose Done or Err it watches, or that it gives to a call whose
// error it leaves for. Where the source does not tell the time to live (a flag, a
// configuration), a section without a bound is a note: however long the lease is,
// nothing ends the work before it.
//
// Lists are mostly short, so a loop over one is a warning under a short lease
// (ten seconds for queries, five minutes for requests of other services) and a
// note under a longer one.
//
// # When it stays silent
//
// For leader loops on a session that renews itself, for leases that are renewed
// (by the library, a goroutine, or calls in the section), for loops that go round
// only after a failure, and where a deadline below the time to live bounds the
// section.
package longsection
