// Package export writes the day's orders to a bucket. It reads page by page with a rest in between, so
// that a busy day outlives the lock; the export that started first can overwrite the one that started last.
package export

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/go-redsync/redsync/v4"
)

const (
	lease    = 30 * time.Second
	pageSize = 500
	rest     = 2 * time.Second // between two pages, to spare the database
)

type Exporter struct {
	db     *sql.DB
	bucket string
	s3     *s3.Client
	locks  *redsync.Redsync
}

func New(db *sql.DB, client *s3.Client, bucket string, locks *redsync.Redsync) *Exporter {
	return &Exporter{db: db, bucket: bucket, s3: client, locks: locks}
}

// Run exports the orders that were placed since the given time.
func (e *Exporter) Run(ctx context.Context, since time.Time) (err error) {
	mutex := e.locks.NewMutex("lock:export:orders", redsync.WithExpiry(lease))
	if err := mutex.LockContext(ctx); err != nil { // want: longsection // verdict: unfenced
		return fmt.Errorf("lock export: %w", err)
	}
	defer func() {
		ok, failed := mutex.UnlockContext(context.WithoutCancel(ctx))
		if failed == nil && !ok {
			failed = errors.New("export lock was lost")
		}
		err = errors.Join(err, failed)
	}()

	var body bytes.Buffer
	w := csv.NewWriter(&body)
	for last := int64(0); ; {
		rows, err := e.page(ctx, since, last)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			last = r.id
			if err := w.Write([]string{strconv.FormatInt(r.id, 10), r.customer, strconv.FormatInt(r.cents, 10)}); err != nil {
				return fmt.Errorf("format order %d: %w", r.id, err)
			}
		}
		time.Sleep(rest)
	}
	w.Flush()

	_, err = e.s3.PutObject(ctx, &s3.PutObjectInput{ // want: unfenced
		Bucket:      aws.String(e.bucket),
		Key:         aws.String("orders/latest.csv"),
		Body:        bytes.NewReader(body.Bytes()),
		ContentType: aws.String("text/csv"),
	})
	if err != nil {
		return fmt.Errorf("upload export: %w", err)
	}
	return nil
}

type order struct {
	id       int64
	customer string
	cents    int64
}

func (e *Exporter) page(ctx context.Context, since time.Time, after int64) ([]order, error) {
	const query = "SELECT id, customer, total FROM orders WHERE placed_at >= $1 AND id > $2 ORDER BY id LIMIT $3"
	rows, err := e.db.QueryContext(ctx, query, since, after, pageSize)
	if err != nil {
		return nil, fmt.Errorf("read orders after %d: %w", after, err)
	}
	defer rows.Close()

	var page []order
	for rows.Next() {
		var o order
		if err := rows.Scan(&o.id, &o.customer, &o.cents); err != nil {
			return nil, fmt.Errorf("read orders after %d: %w", after, err)
		}
		page = append(page, o)
	}
	return page, rows.Err()
}
