// Package store writes the tables that the locks protect. It knows nothing about locks, apart from tokens.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
)

var ErrStale = errors.New("written under a newer lock")

// Orders keeps orders.
type Orders struct{ DB *sql.DB }

// Pay compares nothing.
func (s *Orders) Pay(ctx context.Context, id, cents int64) error {
	_, err := s.DB.ExecContext(ctx, "UPDATE orders SET paid = $2 WHERE id = $1", id, cents)
	return err
}

// PayFenced lets no older token in.
func (s *Orders) PayFenced(ctx context.Context, id, cents, token int64) error {
	res, err := s.DB.ExecContext(ctx, "UPDATE orders SET paid = $2, fence = $3 WHERE id = $1 AND fence < $3", id, cents, token)
	if err != nil {
		return err
	}
	return stale(res)
}

// PayText is told the token as text.
func (s *Orders) PayText(ctx context.Context, id, cents int64, token string) error {
	n, err := strconv.ParseInt(token, 10, 64)
	if err != nil {
		return err
	}
	return s.PayFenced(ctx, id, cents, n)
}

// Payment is a request.
type Payment struct {
	Order int64
	Cents int64
	Fence uint64
}

func (p *Payment) GetFence() uint64 { return p.Fence }

// Apply takes the token from the request.
func (s *Orders) Apply(ctx context.Context, p *Payment) error {
	return s.PayFenced(ctx, p.Order, p.Cents, int64(p.GetFence()))
}

// Decode reads a payment as another process sent it.
func Decode(body []byte) (*Payment, error) {
	var p Payment
	if err := json.Unmarshal(body, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

func stale(res sql.Result) error {
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = ErrStale
	}
	return err
}

// Queries is given whatever runs statements, as generated code is.
type Queries struct{ db DBTX }

// DBTX is what a pool, a connection and a transaction have in common.
type DBTX interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func New(db DBTX) *Queries { return &Queries{db: db} }

const cancelOrder = `UPDATE orders SET cancelled = true WHERE id = $1`

func (q *Queries) Cancel(ctx context.Context, id int64) error {
	_, err := q.db.ExecContext(ctx, cancelOrder, id)
	return err
}

const cancelOrderFenced = `UPDATE orders SET cancelled = true, fence = $2 WHERE id = $1 AND fence < $2`

func (q *Queries) CancelFenced(ctx context.Context, id, token int64) error {
	res, err := q.db.ExecContext(ctx, cancelOrderFenced, id, token)
	if err != nil {
		return err
	}
	return stale(res)
}
