package good

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// Nap is short against its lease.
func Nap(ctx context.Context, rdb *redis.Client, db *sql.DB) (n int, err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:nap", owner, 30*time.Second).Result() // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:nap", owner)) }()

	time.Sleep(100 * time.Millisecond)
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM replica_state").Scan(&n)
	return n, err
}

// Bounded gives up well before the lease is over.
func Bounded(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket string) (size int64, err error) {
	const lease = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, lease-10*time.Second)
	defer cancel()
	lock, err := locks.Obtain(ctx, "lock:bucket", lease, nil) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	pages := s3.NewListObjectsV2Paginator(store, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, err
		}
		for _, o := range page.Contents {
			size += aws.ToInt64(o.Size)
		}
	}
	return size, nil
}

// Command kills the program in time.
func Command(ctx context.Context, locks *redislock.Client, dir string) (out []byte, err error) {
	lock, err := locks.Obtain(ctx, "lock:verify:"+dir, time.Minute, nil) // verdict: unverified
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "git", "-C", dir, "fsck").CombinedOutput()
}

// Client has a timeout that is shorter than the lease.
func Client(ctx context.Context, rs *redsync.Redsync, url string) (body []byte, err error) {
	mutex := rs.NewMutex("lock:client", redsync.WithExpiry(30*time.Second))
	if err := mutex.LockContext(ctx); err != nil { // verdict: no-visible-write
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock(ctx, mutex)) }()

	client := &http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// Outside sleeps before it has the lock and after it has given it back.
func Outside(ctx context.Context, rdb *redis.Client, db *sql.DB) (n int, err error) {
	key, owner := "lock:outside", rand.Text()
	for {
		ok, err := rdb.SetNX(ctx, key, owner, 5*time.Second).Result() // verdict: no-visible-write
		if err != nil {
			return 0, err
		}
		if ok {
			break
		}
		time.Sleep(10 * time.Second)
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM visit").Scan(&n)
	if err = errors.Join(err, free(ctx, rdb, key, owner)); err != nil {
		return 0, err
	}
	time.Sleep(10 * time.Second)
	return n, nil
}

// Fetched reads from afar first and takes the lock for the one write, which is put where nothing is yet.
func Fetched(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket, url string) (err error) {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	lock, err := locks.Obtain(ctx, "lock:fetched", 15*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("fetched"), Body: bytes.NewReader(body), IfNoneMatch: aws.String("*")}
	_, err = store.PutObject(ctx, in)
	return err
}
