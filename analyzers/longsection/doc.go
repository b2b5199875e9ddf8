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
//	...
//	for pages.HasMorePages() {
//		page, err := pages.NextPage(ctx)
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
// The length of a section is at least the sum of the constant sleeps and waits
// on its way; it has no bound if a loop of unknown length holds a remote call.
// The time to live must be known from the source.
//
// # When it stays silent
//
// For leader loops on a session that renews itself, for leases that are renewed
// in the background, and where a deadline below the time to live bounds the
// section.
package longsection
