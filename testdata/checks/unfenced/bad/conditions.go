package bad

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The writes in this file have what looks like a condition, but not one of the write.

type Badge struct {
	ID   uint
	Text string
}

// under runs fn under the lock.
func under(ctx context.Context, locks *redislock.Client, key string, fn func() error) (err error) {
	lock, err := locks.Obtain(ctx, key, 5*time.Second, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return fn()
}

// Upsert: a conflict is answered by overwriting the row.
func Upsert(ctx context.Context, locks *redislock.Client, db *gorm.DB, id uint, text string) error {
	return under(ctx, locks, "lock:badge", func() error { // verdict: unfenced
		return db.WithContext(ctx).Clauses(clause.OnConflict{UpdateAll: true}).Create(&Badge{ID: id, Text: text}).Error // want: unfenced
	})
}

// Widen: a table is made once, but what changes it is done by whoever comes.
func Widen(ctx context.Context, locks *redislock.Client, db *sql.DB) error {
	return under(ctx, locks, "lock:widen", func() error { // verdict: unfenced
		if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS visit (mail text)"); err != nil {
			return err
		}
		_, err := db.ExecContext(ctx, "ALTER TABLE visit ADD COLUMN day date") // want: unfenced
		return err
	})
}

// OtherRow: the row that is locked is not the one that is written.
func OtherRow(ctx context.Context, locks *redislock.Client, db *sql.DB, id int64) error {
	return under(ctx, locks, "lock:other", func() error { // verdict: unfenced
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		var state string
		if err := tx.QueryRowContext(ctx, "SELECT state FROM plan WHERE id = $1 FOR UPDATE", id).Scan(&state); err != nil {
			return err
		}
		if state != "open" {
			return errors.New("closed")
		}
		if _, err := tx.ExecContext(ctx, "UPDATE step SET state = 'done' WHERE plan = $1", id); err != nil { // want: unfenced
			return err
		}
		return tx.Commit()
	})
}

// NoTransaction: outside a transaction the row lock ends with its statement.
func NoTransaction(ctx context.Context, locks *redislock.Client, db *sql.DB, id int64) error {
	return under(ctx, locks, "lock:notx", func() error { // verdict: unfenced
		var state string
		if err := db.QueryRowContext(ctx, "SELECT state FROM plan WHERE id = $1 FOR UPDATE", id).Scan(&state); err != nil {
			return err
		}
		if state != "open" {
			return errors.New("closed")
		}
		_, err := db.ExecContext(ctx, "UPDATE plan SET state = 'done' WHERE id = $1", id) // want: unfenced
		return err
	})
}

// OtherRequest: the tag is sent with another request.
func OtherRequest(ctx context.Context, locks *redislock.Client, client *http.Client, url, tag string, body []byte) error {
	return under(ctx, locks, "lock:request", func() error { // verdict: unfenced
		first, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/first", bytes.NewReader(body))
		if err != nil {
			return err
		}
		first.Header.Set("If-Match", tag)
		second, err := http.NewRequestWithContext(ctx, http.MethodPut, url+"/second", bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := client.Do(second) // want: unfenced
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// Queued sends a statement in a batch.
func Queued(ctx context.Context, locks *redislock.Client, pool *pgxpool.Pool, id string) error {
	return under(ctx, locks, "lock:queued", func() error { // verdict: unfenced
		batch := &pgx.Batch{}
		batch.Queue("UPDATE step SET state = 'done' WHERE id = $1", id)
		return pool.SendBatch(ctx, batch).Close() // want: unfenced
	})
}

// Replace renames a file whose name is the same for every holder.
func Replace(ctx context.Context, locks *redislock.Client, path string, data []byte) error {
	return under(ctx, locks, "lock:replace", func() error { // verdict: unfenced
		if err := os.WriteFile(path+".new", data, 0o644); err != nil { // want: unfenced
			return err
		}
		return os.Rename(path+".new", path)
	})
}

// Truncate opens a file that may be there already.
func Truncate(ctx context.Context, locks *redislock.Client, path string, data []byte) error {
	return under(ctx, locks, "lock:truncate", func() error { // verdict: unfenced
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) // want: unfenced
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Close())
	})
}
