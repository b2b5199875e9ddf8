package bad

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/bsm/redislock"
	"github.com/hashicorp/consul/api"
)

// Bucket pages through a bucket of any size.
func Bucket(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket string) (size int64, err error) {
	lock, err := locks.Obtain(ctx, "lock:bucket", 20*time.Second, nil) // want: longsection // verdict: no-visible-write
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

// Download makes a request for each row of a table.
func Download(ctx context.Context, locks *redislock.Client, db *sql.DB, client *http.Client) (bytes int64, err error) {
	lock, err := locks.Obtain(ctx, "lock:download", 30*time.Second, nil) // want: longsection // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	rows, err := db.QueryContext(ctx, "SELECT url FROM source")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var url string
		if err := rows.Scan(&url); err != nil {
			return 0, err
		}
		n, err := size(ctx, client, url)
		if err != nil {
			return 0, err
		}
		bytes += n
	}
	return bytes, rows.Err()
}

func size(ctx context.Context, client *http.Client, url string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(io.Discard, resp.Body)
}

// Upload puts a list of objects of any length, one after the other, without a condition.
func Upload(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket string, files map[string][]byte) (err error) {
	lock, err := locks.Obtain(ctx, "lock:upload", 15*time.Second, nil) // want: longsection // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	for name, body := range files {
		in := &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(name), Body: bytes.NewReader(body)}
		if _, err := store.PutObject(ctx, in); err != nil { // want: unfenced
			return fmt.Errorf("upload %s: %w", name, err)
		}
	}
	return nil
}

// Background goes on in a goroutine, which gives the lock back when it is done.
func Background(ctx context.Context, locks *redislock.Client, store *s3.Client, bucket string, sizes chan<- int64) error {
	lock, err := locks.Obtain(ctx, "lock:background", time.Minute, nil) // want: longsection // verdict: no-visible-write
	if err != nil {
		return err
	}
	go func() {
		defer lock.Release(context.WithoutCancel(ctx))
		var size int64
		pages := s3.NewListObjectsV2Paginator(store, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				return
			}
			for _, o := range page.Contents {
				size += aws.ToInt64(o.Size)
			}
		}
		sizes <- size
	}()
	return nil
}

// Sessions renews another session than the one with which it locks.
func Sessions(ctx context.Context, c *api.Client, store *s3.Client, other, bucket string) (n int, err error) {
	id, _, err := c.Session().Create(&api.SessionEntry{Name: "sessions", TTL: "15s"}, nil)
	if err != nil {
		return 0, err
	}
	defer c.Session().Destroy(id, nil)
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(c.Session().RenewPeriodic("15s", other, nil, held.Done())) }()

	ok, _, err := c.KV().Acquire(&api.KVPair{Key: "lock/sessions", Session: id}, nil) // want: longsection // verdict: no-visible-write
	if err != nil || !ok {
		return 0, err
	}
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
