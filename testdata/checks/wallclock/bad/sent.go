package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gorm.io/gorm"
)

// A worker's own clock decides whether the lease of another one is over.
const takeSlot = `UPDATE slots SET owner = ?, expires_at = ? WHERE name = ? AND (expires_at IS NULL OR expires_at < ?)`

// slot is a row that one worker has.
type slot struct {
	Name      string
	Owner     string
	ExpiresAt int64
}

func takeRow(ctx context.Context, db *sql.DB, name, me string) error {
	start := time.Now()
	return taken(db.ExecContext(ctx, takeSlot, me, start.Add(time.Minute).UnixMilli(), name, start.UnixMilli())) // want: wallclock
}

func taken(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errBusy)
	}
	return nil
}

// Slot works while it has one.
func Slot(ctx context.Context, db *sql.DB, name, me string, work func(context.Context) error) error {
	if err := takeRow(ctx, db, name, me); err != nil {
		return err
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "UPDATE slots SET owner = NULL, expires_at = NULL WHERE name = ? AND owner = ?", name, me)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return work(ctx)
}

// send knows neither the statement nor the time.
func send(ctx context.Context, db *sql.DB, text string, args ...any) (sql.Result, error) {
	return db.ExecContext(ctx, text, args...)
}

// Sent puts both in.
func Sent(ctx context.Context, db *sql.DB, name, me string) error {
	now := time.Now()
	res, err := send(ctx, db, takeSlot, me, now.Add(time.Minute), name, now) // want: wallclock // verdict: no-visible-write
	if err := taken(res, err); err != nil {
		return err
	}
	_, err = send(context.WithoutCancel(ctx), db, "UPDATE slots SET owner = NULL, expires_at = NULL WHERE name = ? AND owner = ?", name, me)
	return err
}

// Mixed stores a time of its host, which the database compares with its own.
func Mixed(ctx context.Context, db *sql.DB, name, me string, work func(context.Context) error) error {
	res, err := db.ExecContext(ctx, "UPDATE slots SET owner = $1, expires_at = $2 WHERE name = $3 AND expires_at < now()", me, time.Now().Add(time.Minute), name) // want: wallclock
	if err := taken(res, err); err != nil {
		return err
	}
	defer db.ExecContext(context.WithoutCancel(ctx), "UPDATE slots SET owner = NULL, expires_at = NULL WHERE name = $1 AND owner = $2", name, me)
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return work(ctx)
}

// Built does so with a builder.
func Built(ctx context.Context, db *gorm.DB, name, me string, work func(context.Context) error) error {
	now := time.Now()
	res := db.WithContext(ctx).Model(&slot{}).Where("name = ? AND expires_at < ?", name, now).Updates(map[string]any{"owner": me, "expires_at": now.Add(time.Minute)}) // want: wallclock
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errBusy
	}
	defer db.Model(&slot{}).Where("name = ? AND owner = ?", name, me).Updates(map[string]any{"owner": nil, "expires_at": nil})
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	return work(ctx)
}
