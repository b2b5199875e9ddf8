package bad

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
	"github.com/robfig/cron/v3"
)

// Invoices is a job by its method.
type Invoices struct {
	locker *redislock.Client
	send   func(context.Context) error
}

func (i *Invoices) Run() {
	ctx := context.Background()
	l, err := i.locker.Obtain(ctx, "jobs:invoices", time.Minute, nil) // verdict: unverified
	if err != nil {
		return
	}
	defer l.Release(ctx) // want: onceguard
	if err := i.send(ctx); err != nil {
		log.Print(err)
	}
}

// Reminders are sent by a function that one which is registered calls.
type Reminders struct {
	locks *redsync.Redsync
	send  func(context.Context) error
}

func (r *Reminders) nightly() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := r.remind(ctx); err != nil {
		log.Print(err)
	}
}

func (r *Reminders) remind(ctx context.Context) error {
	mutex := r.locks.NewMutex("jobs:reminders", redsync.WithTries(1), redsync.WithExpiry(time.Minute))
	if mutex.LockContext(ctx) != nil { // verdict: unverified
		return nil
	}
	defer func() {
		if ok, err := mutex.UnlockContext(context.WithoutCancel(ctx)); err != nil || !ok { // want: onceguard
			log.Print("the lock was lost")
		}
	}()
	return r.send(ctx)
}

// Backups are made under a lock of the program's own.
type Backups struct {
	rdb  *redis.Client
	make func(context.Context) error
}

var dropBackup = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

func (b *Backups) lock(ctx context.Context, key, me string) (bool, error) {
	return b.rdb.SetNX(ctx, key, me, 10*time.Minute).Result()
}

func (b *Backups) unlock(ctx context.Context, key, me string) error {
	return dropBackup.Run(ctx, b.rdb, []string{key}, me).Err()
}

func (b *Backups) daily(me string) {
	ctx := context.Background()
	won, err := b.lock(ctx, "jobs:backups", me) // verdict: unverified
	if err != nil || !won {
		return
	}
	err = errors.Join(b.make(ctx), b.unlock(ctx, "jobs:backups", me)) // want: onceguard
	if err != nil {
		log.Print(err)
	}
}

// Register registers all of them.
func Register(c *cron.Cron, i *Invoices, r *Reminders, b *Backups, me string) error {
	_, first := c.AddJob("0 4 1 * *", i)
	_, second := c.AddJob("15 4 * * *", cron.FuncJob(r.nightly))
	_, third := c.AddFunc("30 4 * * *", func() { b.daily(me) })
	return errors.Join(first, second, third)
}
