package bad

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Fetch: http.Get has no timeout at all.
func Fetch(ctx context.Context, rs *redsync.Redsync, url string) (body []byte, err error) {
	mutex := rs.NewMutex("lock:fetch", redsync.WithExpiry(10*time.Second))
	if err := mutex.LockContext(ctx); err != nil { // want: longsection // verdict: no-visible-write
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()

	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// Verify runs a program that takes as long as it takes.
func Verify(ctx context.Context, locks *redislock.Client, dir string) (out []byte, err error) {
	lock, err := locks.Obtain(ctx, "lock:verify:"+dir, time.Minute, nil) // want: longsection // verdict: unverified
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return exec.Command("git", "-C", dir, "fsck").CombinedOutput()
	// doubt: what a program writes cannot be seen; no-visible-write would be as fair a verdict
}

// Bounded is bounded, by ten times the life of its lease.
func Bounded(ctx context.Context, rdb *redis.Client, client *http.Client, url string) (status int, err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:bounded", owner, 30*time.Second).Result() // want: longsection // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:bounded", owner)) }()

	slow, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(slow, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, nil
}

// Client has a timeout of its own that is longer than the lease.
func Client(ctx context.Context, rs *redsync.Redsync, url string) (body []byte, err error) {
	mutex := rs.NewMutex("lock:client", redsync.WithExpiry(5*time.Second))
	if err := mutex.LockContext(ctx); err != nil { // want: longsection // verdict: no-visible-write
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()

	client := &http.Client{Timeout: time.Minute}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// with is a wrapper; its use is where the section can be seen.
func with(ctx context.Context, locks *redislock.Client, key string, ttl time.Duration, fn func(context.Context) error) (err error) {
	lock, err := locks.Obtain(ctx, key, ttl, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return fn(ctx)
}

// Settled waits longer than the two seconds that it has asked for.
func Settled(ctx context.Context, locks *redislock.Client) error {
	return with(ctx, locks, "lock:settled", 2*time.Second, func(ctx context.Context) error { // want: longsection // verdict: no-visible-write
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(3 * time.Second):
			return nil
		}
	})
}
