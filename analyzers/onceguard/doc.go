// Package onceguard defines the check of that name.
//
// # Analyzer onceguard
//
// onceguard: report once-per-period markers that are given back
//
// Every replica has the same timer, and a lock shall let one of them run the job.
// The timers do not fire at the same moment. If the lock is given back when a short
// job ends, a replica that is a second late finds it free.
//
// # Why it matters
//
//	09:00:00.0  replica 1 takes the lock, mails 40 reminders, gives it back at 09:00:00.8
//	09:00:01.1  replica 2 takes the lock and mails them again
//
// # Bad
//
//	c.AddFunc("0 9 * * *", func() {
//		ok, err := rdb.SetNX(ctx, "cron:remind", me, time.Minute).Result()
//		if err != nil || !ok {
//			return
//		}
//		defer release(ctx, "cron:remind", me)
//		remind(ctx)
//	})
//
// # Good
//
//	slot := "cron:remind:" + time.Now().Format(time.DateOnly)
//	first, err := rdb.SetNX(ctx, slot, "done", 20*time.Hour).Result()
//
// # How it decides
//
// The function runs by a cron specification that names the minute, hence once an
// hour at the most, or it is all that such a function calls; who does not get the
// lock returns, with an error or without; the key is a constant; the lock is given back in the same run. The
// finding stands at the release, or at the call of what takes the lock, runs the job and
// gives it back. Of a function that makes one for each of several jobs, in a list or
// passed by value, specification and key are those of the jobs. A wrapper of a scheduled
// job (cron.JobWrapper) runs with it.
//
// A loop runs its function, or what it does itself, in the same way where it waits for an
// hour of the day, or for a ticker of an hour or more: each replica has its own, which
// fires when it has been up for so long. So does a scheduler that is given a length of
// time ("@every 6h", gocron.DurationJob). How long the lease is, and whether it is renewed,
// says nothing there. Where the period is less than about a day, it is a note.
//
// # When it stays silent
//
// For what a ticker runs that deletes, or is named after tidying up: twice is as good as once.
// For schedules of every few minutes, where a second run soon after is normal; for
// keys that name the period; for locks that guard a loop, or are renewed under a job that
// starts everywhere at one time: it lasts longer than clocks are apart.
package onceguard
