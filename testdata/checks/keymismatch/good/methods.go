package good

import (
	"context"
	"database/sql"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"strings"
)

// fold is a number for a name of several parts.
func fold(first string, more ...string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Join(append(more, first), "/")))
	return int64(h.Sum64())
}

// mix is another one.
func mix(first string, more ...string) int64 {
	return 7 * int64(crc32.ChecksumIEEE([]byte(strings.Join(append(more, first), "/"))))
}

// A Quarry is worked by one gang at a time, on a connection of its own.
type Quarry struct {
	conn *sql.Conn
	cfg  struct{ county, pit string }
}

// Lock names county and pit.
func (q *Quarry) Lock(ctx context.Context) error {
	return q.lock(ctx, fold(q.cfg.county, q.cfg.pit))
}

func (q *Quarry) lock(ctx context.Context, id int64) error {
	var got bool
	if err := q.conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&got); err != nil {
		return err
	}
	if !got {
		return errBusy
	}
	return nil
}

func (q *Quarry) unlock(ctx context.Context, id int64) error {
	var freed bool
	err := q.conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock($1)", id).Scan(&freed)
	if err == nil && !freed {
		err = errBusy
	}
	return err
}

// Unlock names them by what is the same.
func (q *Quarry) Unlock(ctx context.Context) error {
	parts := []string{q.cfg.pit}
	return q.unlock(ctx, fold(q.cfg.county, parts...))
}

// Dig works in the quarry.
func Dig(ctx context.Context, q *Quarry, job Job) (err error) {
	if err := q.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, q.Unlock(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// A Weir has a lock for the river as well, and a connection for both.
type Weir struct {
	conn        *sql.Conn
	river, lock string
}

// LockGate is for one gate.
func (w *Weir) LockGate(ctx context.Context) error {
	_, err := w.conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", mix(w.river, w.lock))
	return err
}

// LockRiver is for all of them.
func (w *Weir) LockRiver(ctx context.Context) error {
	_, err := w.conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", mix(w.river))
	return err
}

// ReleaseGate frees the gate.
func (w *Weir) ReleaseGate(ctx context.Context) error {
	_, err := w.conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", mix(w.river, w.lock))
	return err
}

// ReleaseRiver frees the river.
func (w *Weir) ReleaseRiver(ctx context.Context) error {
	_, err := w.conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", mix(w.river))
	return err
}

// Pass works at both.
func Pass(ctx context.Context, w *Weir, job Job) (err error) {
	if err := w.LockRiver(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, w.ReleaseRiver(context.WithoutCancel(ctx))) }()
	if err := w.LockGate(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, w.ReleaseGate(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}
