package good

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
	"go.etcd.io/etcd/client/v3/concurrency"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// keep renews the lease until the returned context ends, and ends it when renewal fails.
func keep(ctx context.Context, lock *redislock.Lock, ttl time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		tick := time.NewTicker(ttl / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := lock.Refresh(ctx, ttl, nil); err != nil {
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// Renewed may page for as long as it likes.
func Renewed(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket string) (size int64, err error) {
	const ttl = 30 * time.Second
	lock, err := locks.Obtain(ctx, "lock:renewed", ttl, nil) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	held, stop := keep(ctx, lock, ttl)
	defer stop()

	pages := s3.NewListObjectsV2Paginator(store, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(held)
		if err != nil {
			return 0, err
		}
		for _, o := range page.Contents {
			size += aws.ToInt64(o.Size)
		}
	}
	return size, nil
}

// Session: an etcd session renews itself and ends its context when it cannot.
func Session(ctx context.Context, session *concurrency.Session, client *http.Client, urls []string) (n int64, err error) {
	mutex := concurrency.NewMutex(session, "/locks/session")
	if err := mutex.Lock(ctx); err != nil { // verdict: no-visible-write
		return 0, err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	for _, url := range urls {
		req, err := http.NewRequestWithContext(session.Ctx(), http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		m, err := io.Copy(io.Discard, resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return 0, err
		}
		n += m
	}
	return n, nil
}

// Lead loops for as long as it leads; that is what an election is for.
func Lead(ctx context.Context, session *concurrency.Session, db *sql.DB, me string, report func(int)) (err error) {
	election := concurrency.NewElection(session, "/election/report")
	if err := election.Campaign(ctx, me); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()
	for {
		var n int
		if err := db.QueryRowContext(ctx, "SELECT count(*) FROM visit").Scan(&n); err != nil {
			return err
		}
		report(n)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-session.Done():
			return errors.New("session ended")
		case <-time.After(time.Minute):
		}
	}
}

// Elected is the same with the elector of Kubernetes.
func Elected(ctx context.Context, lock resourcelock.Interface, db *sql.DB, report chan<- int) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // verdict: no-visible-write
		Lock:          lock,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				for ctx.Err() == nil {
					var n int
					if err := db.QueryRowContext(ctx, "SELECT count(*) FROM visit").Scan(&n); err == nil {
						report <- n
					}
					time.Sleep(time.Minute)
				}
			},
			OnStoppedLeading: func() { close(report) },
		},
	})
}

// Advisory has no lease that could end before its connection does.
func Advisory(ctx context.Context, db *sql.DB, id int64) (n int, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: no-visible-write
		return 0, err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
		err = errors.Join(err, e)
	}()
	time.Sleep(time.Hour)
	err = conn.QueryRowContext(ctx, "SELECT count(*) FROM visit").Scan(&n)
	return n, err
}

// acquire takes the lock and keeps it; the caller need not know.
func acquire(ctx context.Context, locks *redislock.Client, key string) (*redislock.Lock, context.CancelFunc, error) {
	const ttl = 30 * time.Second
	lock, err := locks.Obtain(ctx, key, ttl, nil)
	if err != nil {
		return nil, nil, err
	}
	_, stop := keep(ctx, lock, ttl)
	return lock, stop, nil
}

// Kept is renewed by the function that took the lock.
func Kept(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket string) (n int, err error) {
	lock, stop, err := acquire(ctx, locks, "lock:kept") // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	defer stop()
	pages := s3.NewListObjectsV2Paginator(store, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, err
		}
		n += len(page.Contents)
	}
	return n, nil
}

// mind keeps a session alive until it is told to end.
func mind(c *api.Client, id string, done <-chan struct{}) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- c.Session().RenewPeriodic("15s", id, nil, done) }()
	return ended
}

// Sessions are renewed from the moment they are made, long before the lock is taken.
func Sessions(ctx context.Context, c *api.Client, store *s3.Client, bucket string) (n int, err error) {
	id, _, err := c.Session().Create(&api.SessionEntry{Name: "sessions", TTL: "15s"}, nil)
	if err != nil {
		return 0, err
	}
	defer c.Session().Destroy(id, nil)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	ended := mind(c, id, held.Done())
	go func() { lost(<-ended) }()

	ok, _, err := c.KV().Acquire(&api.KVPair{Key: "lock/sessions", Session: id}, nil) // verdict: no-visible-write
	if err != nil || !ok {
		return 0, err
	}
	pages := s3.NewListObjectsV2Paginator(store, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(held)
		if err != nil {
			return 0, err
		}
		n += len(page.Contents)
	}
	return n, nil
}
