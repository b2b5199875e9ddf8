package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// A Bin is written with a token or without one.
type Bin struct {
	db     *sql.DB
	orm    *gorm.DB
	locks  *redislock.Client
	strict bool
}

func (b *Bin) lock(ctx context.Context, id string) (*redislock.Lock, error) {
	return b.locks.Obtain(ctx, "bin:"+id, 10*time.Second, nil)
}

func (b *Bin) token(ctx context.Context) (n int64, err error) {
	err = b.db.QueryRowContext(ctx, "SELECT nextval('bin_token')").Scan(&n)
	return n, err
}

func (b *Bin) put(ctx context.Context, id, text string, token int64) error {
	var err error
	if token > 0 {
		var res sql.Result
		if res, err = b.db.ExecContext(ctx, "UPDATE bin SET text = $2, token = $3 WHERE id = $1 AND token < $3", id, text, token); err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errors.New("a newer holder has written"))
		}
	} else {
		_, err = b.db.ExecContext(ctx, "UPDATE bin SET text = $2 WHERE id = $1", id, text) // want: unfenced
	}
	return err
}

func (b *Bin) tag(ctx context.Context, id, label string, token int64) error {
	q := b.orm.WithContext(ctx).Table("bin").Where("id = ?", id)
	if token != 0 {
		q = q.Where("token <= ?", token)
	}
	res := q.Updates(map[string]any{"label": label, "token": token}) // want: unfenced
	if res.Error == nil && res.RowsAffected == 0 {
		return errors.New("no such bin")
	}
	return res.Error
}

// Put draws one where it is told to, so the plain statement may be sent.
func (b *Bin) Put(ctx context.Context, id, text string) (err error) {
	lock, err := b.lock(ctx, id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	var token int64
	if b.strict {
		if token, err = b.token(ctx); err != nil {
			return err
		}
	}
	return b.put(ctx, id, text, token)
}

// Tag forgets it.
func (b *Bin) Tag(ctx context.Context, id, label string) (err error) {
	lock, err := b.lock(ctx, id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return b.tag(ctx, id, label, 0)
}

// Scan fills its token where it is told to.
func (b *Bin) Scan(ctx context.Context, id, text string) (err error) {
	lock, err := b.lock(ctx, id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	var token int64
	if b.strict {
		if err := b.db.QueryRowContext(ctx, "SELECT nextval('bin_token')").Scan(&token); err != nil {
			return err
		}
	}
	return b.put(ctx, id, text, token)
}

// Keep has a field for it.
func (b *Bin) Keep(ctx context.Context, id, text string) (err error) {
	lock, err := b.lock(ctx, id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	var label struct{ token int64 }
	if b.strict {
		n, err := b.token(ctx)
		if err != nil {
			return err
		}
		label.token = n
	}
	return b.put(ctx, id, text, label.token)
}

// Draw may leave out a function literal.
func (b *Bin) Draw(ctx context.Context, id, text string) (err error) {
	lock, err := b.lock(ctx, id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	var token int64
	draw := func() error {
		return b.db.QueryRowContext(ctx, "SELECT nextval('bin_token')").Scan(&token)
	}
	if b.strict {
		if err := draw(); err != nil {
			return err
		}
	}
	return b.put(ctx, id, text, token)
}

// Force is refused, and then tries without a number.
func Force(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/forced/"+id)
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	err = forced(ctx, db, id, text, mutex.Header().Revision)
	if errors.Is(err, errLost) {
		err = forced(ctx, db, id, text, 0)
	}
	return err
}

func forced(ctx context.Context, db *sql.DB, id, text string, turn int64) error {
	if turn == 0 {
		_, err := db.ExecContext(ctx, "UPDATE forced SET text = $2 WHERE id = $1", id, text) // want: unfenced
		return err
	}
	res, err := db.ExecContext(ctx, "UPDATE forced SET text = $2, turn = $3 WHERE id = $1 AND turn < $3", id, text, turn)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errLost)
	}
	return nil
}
