package bad

import (
	"context"
	"database/sql"
	"errors"
)

// A wicket tells hooks of what it takes and gives back. Its callers have the lock.
type wicket struct {
	conn   *sql.Conn
	taken  func(id int64)
	passed func(id int64)
	known  map[int64]bool
}

func (t *wicket) enter(ctx context.Context, id int64) (bool, error) {
	if t.known[id] {
		return false, nil
	}
	var ok bool
	if err := t.conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", id).Scan(&ok); err != nil {
		return false, err
	}
	if !ok {
		return false, nil
	}
	t.known[id] = true
	t.taken(id)
	return true, nil
}

func (t *wicket) release(ctx context.Context, id int64) error {
	delete(t.known, id)
	var ok bool
	if err := t.conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock($1)", id).Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return errors.New("the lock was lost")
	}
	t.passed(id)
	return nil
}

// Rebook writes through another connection than the one that has the lock.
func Rebook(ctx context.Context, t *wicket, db *sql.DB, seat int64, guest string) (err error) {
	ok, err := t.enter(ctx, seat) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the seat is being booked")
	}
	defer func() { err = errors.Join(err, t.release(context.WithoutCancel(ctx), seat)) }()
	_, err = db.ExecContext(ctx, "UPDATE seat SET guest = $2 WHERE id = $1", seat, guest) // want: unfenced
	return err
}

// A shift runs its work between enter and release, in the method that takes the lock: that is
// no lock that its callers have.
type shift struct {
	gate *wicket
	work func(ctx context.Context) error
}

func (s *shift) run(ctx context.Context, id int64) (bool, error) {
	ok, err := s.gate.enter(ctx, id) // verdict: unverified
	if err != nil || !ok {
		return false, err
	}
	if err := s.work(ctx); err != nil {
		return true, errors.Join(err, s.gate.release(context.WithoutCancel(ctx), id))
	}
	return true, s.gate.release(context.WithoutCancel(ctx), id)
}
