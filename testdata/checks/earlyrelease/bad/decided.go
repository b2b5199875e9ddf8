package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

var errBooked = errors.New("booked already")

// A latch is an advisory lock on one connection.
type latch struct {
	conn *pgx.Conn
	room int64
}

func shut(ctx context.Context, conn *pgx.Conn, room int64) (*latch, error) {
	var shut bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", room).Scan(&shut); err != nil {
		return nil, err
	}
	if !shut {
		return nil, errBooked
	}
	return &latch{conn, room}, nil
}

func (l *latch) open(ctx context.Context) error {
	var opened bool
	err := l.conn.QueryRow(ctx, "SELECT pg_advisory_unlock($1)", l.room).Scan(&opened)
	if err == nil && !opened {
		err = errors.New("was not shut")
	}
	return err
}

// Book looks under the lock whether a room is free, and writes the guest down after it.
func Book(ctx context.Context, conn *pgx.Conn, room int64, guest string) error {
	l, err := shut(ctx, conn, room) // verdict: unfenced
	if err != nil {
		return err
	}
	err = vacant(ctx, conn, room)
	if e := l.open(context.WithoutCancel(ctx)); e != nil || err != nil {
		return errors.Join(err, e)
	}
	_, err = conn.Exec(ctx, "UPDATE room SET guest = $2 WHERE number = $1", room, guest) // want: earlyrelease
	return err
}

func vacant(ctx context.Context, conn *pgx.Conn, room int64) error {
	var guest *string
	if err := conn.QueryRow(ctx, "SELECT guest FROM room WHERE number = $1", room).Scan(&guest); err != nil {
		return err
	}
	if guest != nil {
		return errBooked
	}
	return nil
}

// Draw picks a ticket under the lock and takes it after it: two draw the same.
func Draw(ctx context.Context, locker *redislock.Client, db *sql.DB) error {
	lease, err := locker.Obtain(ctx, "draw", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	var ticket int64
	err = db.QueryRowContext(ctx, "SELECT id FROM ticket WHERE drawn_at IS NULL ORDER BY id LIMIT 1").Scan(&ticket)
	if err := errors.Join(err, lease.Release(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE ticket SET drawn_at = now() WHERE id = $1", ticket) // want: earlyrelease
	return err
}

// Lend has a function around its look, but not around what follows from it.
func Lend(ctx context.Context, locker *redislock.Client, db *sql.DB, book, reader int64) error {
	lent := false
	err := exclusive(ctx, locker, "lend", func() error { // verdict: unfenced
		return db.QueryRowContext(ctx, "SELECT lent FROM book WHERE id = $1", book).Scan(&lent)
	})
	if err != nil || lent {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE book SET lent = true, reader = $2 WHERE id = $1", book, reader) // want: earlyrelease
	return err
}

// Sign does the same with a key of Redis.
func Sign(ctx context.Context, locker *redislock.Client, rdb *redis.Client, desk, me string) error {
	lease, err := locker.Obtain(ctx, "sign", time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	who, err := rdb.Get(ctx, "desk:"+desk).Result()
	if e := lease.Release(context.WithoutCancel(ctx)); e != nil {
		return e
	}
	if !errors.Is(err, redis.Nil) {
		return errors.Join(err, errors.New("taken by "+who))
	}
	return rdb.Set(ctx, "desk:"+desk, me, 0).Err() // want: earlyrelease
}
