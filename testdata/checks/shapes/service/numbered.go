package service

import (
	"context"
	"errors"

	"example.org/locks/checks/shapes/lock"
	"example.org/locks/checks/shapes/store"
)

// Counter pays at a counter where customers draw numbers.
type Counter struct {
	Turns  *lock.Turns
	Orders *store.Orders
	me     string // another one each time it starts
}

// Called hands the number to the write.
func (c *Counter) Called(ctx context.Context, id, cents int64) error {
	return c.Turns.Numbered(ctx, "pay", func(ctx context.Context, turn int64) error { // verdict: fenced // lock: turns:pay 12s
		return c.Orders.PayFenced(ctx, id, cents, turn)
	})
}

// Unheard draws a number and forgets it.
func (c *Counter) Unheard(ctx context.Context, id, cents int64) error {
	return c.Turns.Numbered(ctx, "pay", func(ctx context.Context, _ int64) error { // want: unfenced // verdict: unfenced // lock: turns:pay 12s
		return c.Orders.Pay(ctx, id, cents)
	})
}

// Pulled gets the number for the lock.
func (c *Counter) Pulled(ctx context.Context, id, cents int64) (err error) {
	turn, err := c.Turns.Next(ctx, "pay", c.me) // verdict: fenced // lock: turn:pay 12s
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Turns.Done(ctx, "pay", c.me)) }()
	return c.Orders.PayFenced(ctx, id, cents, turn)
}
