// Package withheld takes locks of which the number may not be had, and goes on or gives up.
package withheld

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
)

var errOld = errors.New("a later visit has written")

// A Ward has beds.
type Ward struct {
	locks *redislock.Client
	db    *sql.DB
	orm   *gorm.DB
}

// A Visit is to one bed.
type Visit struct {
	lock   *redislock.Lock
	number int64
}

func (v *Visit) end(ctx context.Context) error { return v.lock.Release(context.WithoutCancel(ctx)) }

func (w *Ward) obtain(ctx context.Context, bed string) (*redislock.Lock, error) {
	return w.locks.Obtain(ctx, "bed:"+bed, 20*time.Second, nil)
}

func (w *Ward) draw(ctx context.Context) (n int64, err error) {
	err = w.db.QueryRowContext(ctx, "SELECT nextval('visit_number')").Scan(&n)
	return n, err
}

// relaxed makes a visit without a number where there is none.
func (w *Ward) relaxed(ctx context.Context, bed string) (*Visit, error) {
	lock, err := w.obtain(ctx, bed)
	if err != nil {
		return nil, err
	}
	v := &Visit{lock: lock}
	if n, err := w.draw(ctx); err != nil {
		log.Print("no number: ", err)
	} else {
		v.number = n
	}
	return v, nil
}

// numbered gives up.
func (w *Ward) numbered(ctx context.Context, bed string) (*Visit, error) {
	lock, err := w.obtain(ctx, bed)
	if err != nil {
		return nil, err
	}
	v := &Visit{lock: lock}
	n, err := w.draw(ctx)
	if err != nil {
		return nil, errors.Join(err, v.end(ctx))
	}
	v.number = n
	return v, nil
}

// plainly returns both, and zero for a number that it could not have.
func (w *Ward) plainly(ctx context.Context, bed string) (*redislock.Lock, int64, error) {
	lock, err := w.obtain(ctx, bed)
	if err != nil {
		return nil, 0, err
	}
	n, err := w.draw(ctx)
	if err != nil {
		log.Print("no number: ", err)
		return lock, 0, nil
	}
	return lock, n, nil
}

// fill has a visit numbered by a method, which tells nobody where it is not.
func (v *Visit) fill(ctx context.Context, w *Ward) {
	n, err := w.draw(ctx)
	if err != nil {
		log.Print("no number: ", err)
		return
	}
	v.number = n
}

// note asks for the number where there is one.
func (w *Ward) note(ctx context.Context, bed, text string, number int64) error {
	q := w.orm.WithContext(ctx).Table("bed").Where("id = ?", bed)
	values := map[string]any{"note": text}
	if number > 0 {
		q = q.Where("visit_token < ?", number)
		values["visit_token"] = number
	}
	res := q.Updates(values) // want: unfenced
	if res.Error == nil && res.RowsAffected == 0 {
		return errOld
	}
	return res.Error
}

// move has a statement for either case.
func (w *Ward) move(ctx context.Context, bed, room string, number int64) error {
	if number == 0 {
		_, err := w.db.ExecContext(ctx, "UPDATE bed SET room = $2 WHERE id = $1", bed, room) // want: unfenced
		return err
	}
	res, err := w.db.ExecContext(ctx, "UPDATE bed SET room = $2, visit_token = $3 WHERE id = $1 AND visit_token < $3", bed, room, number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errOld)
	}
	return nil
}

// Note may go on without a number.
func (w *Ward) Note(ctx context.Context, bed, text string) (err error) {
	v, err := w.relaxed(ctx, bed) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.end(ctx)) }()
	return w.note(ctx, bed, text, v.number)
}

// NoteNumbered has one.
func (w *Ward) NoteNumbered(ctx context.Context, bed, text string) (err error) {
	v, err := w.numbered(ctx, bed) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.end(ctx)) }()
	return w.note(ctx, bed, text, v.number)
}

// Move may get the zero.
func (w *Ward) Move(ctx context.Context, bed, room string) (err error) {
	lock, n, err := w.plainly(ctx, bed) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return w.move(ctx, bed, room, n)
}

// MoveNumbered does not.
func (w *Ward) MoveNumbered(ctx context.Context, bed, room string) (err error) {
	v, err := w.numbered(ctx, bed) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.end(ctx)) }()
	return w.move(ctx, bed, room, v.number)
}

// Filled leaves it to the method.
func (w *Ward) Filled(ctx context.Context, bed, text string) (err error) {
	lock, err := w.obtain(ctx, bed) // verdict: unfenced
	if err != nil {
		return err
	}
	v := &Visit{lock: lock}
	defer func() { err = errors.Join(err, v.end(ctx)) }()
	v.fill(ctx, w)
	return w.note(ctx, bed, text, v.number)
}

// Logged draws it here, and only logs that there is none.
func (w *Ward) Logged(ctx context.Context, bed, room string) (err error) {
	lock, err := w.obtain(ctx, bed) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	n, failed := w.draw(ctx)
	if failed != nil {
		log.Print("no number: ", failed)
	}
	return w.move(ctx, bed, room, n)
}

// Heeded draws it here, and gives up.
func (w *Ward) Heeded(ctx context.Context, bed, room string) (err error) {
	lock, err := w.obtain(ctx, bed) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	n, err := w.draw(ctx)
	if err != nil {
		return err
	}
	return w.move(ctx, bed, room, n)
}
