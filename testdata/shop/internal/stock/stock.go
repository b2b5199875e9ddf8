// Package stock reserves goods. The lock around a reservation can expire while the reservation is being
// written, and nothing in the table would notice: two orders get the last item.
package stock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.org/locks/shop/internal/lock"
)

var (
	ErrUnknown    = errors.New("no such article")
	ErrOutOfStock = errors.New("out of stock")
)

const lease = 10 * time.Second

type Service struct {
	pool  *pgxpool.Pool
	locks *lock.Locker
}

func New(pool *pgxpool.Pool, locks *lock.Locker) *Service {
	return &Service{pool: pool, locks: locks}
}

// Reserve takes quantity pieces of the article off the shelf.
func (s *Service) Reserve(ctx context.Context, sku string, quantity int) (err error) {
	if quantity <= 0 {
		return fmt.Errorf("reserve %s: quantity %d", sku, quantity)
	}
	unlock, err := s.locks.Acquire(ctx, "lock:stock:"+sku, lease) // verdict: unfenced
	if err != nil {
		return fmt.Errorf("reserve %s: %w", sku, err)
	}
	defer func() { err = errors.Join(err, unlock(context.WithoutCancel(ctx))) }()

	left, err := s.onHand(ctx, sku)
	if err != nil {
		return err
	}
	if left < quantity {
		return fmt.Errorf("reserve %d of %s, %d left: %w", quantity, sku, left, ErrOutOfStock)
	}
	return s.setOnHand(ctx, sku, left-quantity)
}

func (s *Service) onHand(ctx context.Context, sku string) (n int, err error) {
	err = s.pool.QueryRow(ctx, "SELECT on_hand FROM stock WHERE sku = $1", sku).Scan(&n)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fmt.Errorf("article %s: %w", sku, ErrUnknown)
	}
	if err != nil {
		return 0, fmt.Errorf("read stock of %s: %w", sku, err)
	}
	return n, nil
}

func (s *Service) setOnHand(ctx context.Context, sku string, n int) error {
	_, err := s.pool.Exec(ctx, "UPDATE stock SET on_hand = $2, changed_at = now() WHERE sku = $1", sku, n) // want: unfenced
	if err != nil {
		return fmt.Errorf("write stock of %s: %w", sku, err)
	}
	return nil
}
