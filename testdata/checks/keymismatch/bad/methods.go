package bad

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
	var got bool
	if err := q.conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", fold(q.cfg.county, q.cfg.pit)).Scan(&got); err != nil {
		return err
	}
	if !got {
		return errBusy
	}
	return nil
}

// Unlock names the county alone.
func (q *Quarry) Unlock(ctx context.Context) error {
	id := fold(q.cfg.county)
	var freed bool
	err := q.conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock($1)", id).Scan(&freed) // want: keymismatch
	if err == nil && !freed {
		err = errBusy
	}
	return err
}

// Dig works in the quarry.
func Dig(ctx context.Context, q *Quarry, job Job) (err error) {
	if err := q.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, q.Unlock(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// A Mill is known to MySQL by a name.
type Mill struct {
	conn *sql.Conn
	name string
}

// Lock puts something before the name.
func (m *Mill) Lock(ctx context.Context) error {
	var got sql.NullInt64
	if err := m.conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 10)", "mill."+m.name).Scan(&got); err != nil {
		return err
	}
	if got.Int64 != 1 {
		return errBusy
	}
	return nil
}

// Unlock does not.
func (m *Mill) Unlock(ctx context.Context) error {
	var freed sql.NullInt64
	err := m.conn.QueryRowContext(ctx, "SELECT RELEASE_LOCK(?)", m.name).Scan(&freed) // want: keymismatch
	if err == nil && freed.Int64 != 1 {
		err = errBusy
	}
	return err
}

// Grind works in the mill.
func Grind(ctx context.Context, m *Mill, job Job) (err error) {
	if err := m.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, m.Unlock(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}

// A Weir hashes its name.
type Weir struct {
	conn        *sql.Conn
	river, lock string
}

// Lock hashes both.
func (w *Weir) Lock(ctx context.Context) error {
	var got bool
	if err := w.conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", mix(w.river, w.lock)).Scan(&got); err != nil {
		return err
	}
	if !got {
		return errBusy
	}
	return nil
}

// Release hashes the river.
func (w *Weir) Release(ctx context.Context) error {
	var freed bool
	err := w.conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock($1)", mix(w.river)).Scan(&freed) // want: keymismatch
	if err == nil && !freed {
		err = errBusy
	}
	return err
}

// Pass works at the weir.
func Pass(ctx context.Context, w *Weir, job Job) (err error) {
	if err := w.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, w.Release(context.WithoutCancel(ctx))) }()
	return job.Run(ctx)
}
