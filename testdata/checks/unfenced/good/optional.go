package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"gorm.io/gorm"
)

// A Shelf is written with a token or without one.
type Shelf struct {
	db    *sql.DB
	orm   *gorm.DB
	locks *redislock.Client
}

func (s *Shelf) lock(ctx context.Context, id string) (*redislock.Lock, error) {
	return s.locks.Obtain(ctx, "shelf:"+id, 10*time.Second, nil)
}

func (s *Shelf) token(ctx context.Context) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT nextval('shelf_token')").Scan(&n)
	return n, err
}

type placing struct {
	token int64
	room  string
}

type place func(*placing)

func under(token int64) place { return func(p *placing) { p.token = token } }
func in(room string) place    { return func(p *placing) { p.room = room } }

// put is plain where nobody gave a token, as the importer does before there are other writers.
func (s *Shelf) put(ctx context.Context, id, text string, how ...place) error {
	var p placing
	for _, h := range how {
		h(&p)
	}
	if p.token == 0 {
		_, err := s.db.ExecContext(ctx, "UPDATE rack SET text = $2, room = $3 WHERE id = $1", id, text, p.room)
		return err
	}
	return one(s.db.ExecContext(ctx, "UPDATE rack SET text = $2, room = $3, token = $4 WHERE id = $1 AND token < $4", id, text, p.room, p.token))
}

// tag adds the condition where there is a token.
func (s *Shelf) tag(ctx context.Context, id string, token int64) error {
	q := s.orm.WithContext(ctx).Table("rack").Where("id = ?", id)
	if token != 0 {
		q = q.Where("token <= ?", token)
	}
	res := q.Updates(map[string]any{"label": "checked", "token": token})
	if res.Error == nil && res.RowsAffected == 0 {
		return errStale
	}
	return res.Error
}

// Put gives one: the plain statement is not sent.
func (s *Shelf) Put(ctx context.Context, id, text string) (err error) {
	lock, err := s.lock(ctx, id) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	token, err := s.token(ctx)
	if err != nil {
		return err
	}
	return s.put(ctx, id, text, in("cellar"), under(token))
}

// Tag gives one, so the condition is there.
func (s *Shelf) Tag(ctx context.Context, id string) (err error) {
	lock, err := s.lock(ctx, id) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	token, err := s.token(ctx)
	if err != nil {
		return err
	}
	return s.tag(ctx, id, token)
}
