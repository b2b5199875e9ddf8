// Package unnamed takes leases in which nothing is named like a lock: that a record has an
// owner and an end shows in what is done with it.
package unnamed

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
)

var (
	ErrHot  = errors.New("the kiln is in use")
	ErrCold = errors.New("the kiln is no longer ours")
)

// A Potter burns what is in a kiln, which takes hours.
type Potter interface {
	Burn(ctx context.Context, kiln string) error
}

type Kiln struct {
	Name   string
	Firing string
	GlowAt time.Time
}

// A Yard has kilns, each of which is fired by one batch at a time.
type Yard struct {
	db     *gorm.DB
	potter Potter
}

// light takes a kiln that is cold, or that nobody has looked after for ten minutes.
func (y *Yard) light(ctx context.Context, kiln string) (string, error) {
	firing := uuid.NewString()
	res := y.db.WithContext(ctx).Model(&Kiln{}).Where("name = ? AND (firing IS NULL OR glow_at < now() - interval '10 minutes')", kiln).
		Updates(map[string]any{"firing": firing, "glow_at": gorm.Expr("now()")})
	if res.Error != nil {
		return "", res.Error
	}
	if res.RowsAffected != 1 {
		return "", ErrHot
	}
	return firing, nil
}

// stoke keeps it hot, and does not look whether it still is this firing's.
func (y *Yard) stoke(ctx context.Context, kiln, firing string) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			y.db.WithContext(ctx).Model(&Kiln{}).Where("name = ? AND firing = ?", kiln, firing).Update("glow_at", gorm.Expr("now()")) // want: renewal
		}
	}
}

// cool leaves the kiln to the next one, whoever fires it.
func (y *Yard) cool(ctx context.Context, kiln string) error {
	return y.db.WithContext(ctx).Model(&Kiln{}).Where("name = ?", kiln).Update("firing", nil).Error // want: release
}

// Fire burns a batch.
func (y *Yard) Fire(ctx context.Context, kiln string) (err error) {
	firing, err := y.light(ctx, kiln) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, y.cool(context.WithoutCancel(ctx), kiln)) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go y.stoke(ctx, kiln, firing)
	return y.potter.Burn(ctx, kiln)
}

// A Mill is as a Yard, and knows whose the stone is.
type Mill struct {
	db     *pgxpool.Pool
	potter Potter
}

func (m *Mill) one(ctx context.Context, text string, args ...any) error {
	tag, err := m.db.Exec(ctx, text, args...)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrCold
	}
	return nil
}

// Grind turns a stone.
func (m *Mill) Grind(ctx context.Context, stone string) (err error) {
	turn := uuid.NewString()
	err = m.one(ctx, "UPDATE stones SET turn = $2, spins_until = now() + interval '5 minutes' WHERE name = $1 AND spins_until < now()", stone, turn) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, m.one(context.WithoutCancel(ctx), "UPDATE stones SET spins_until = now() WHERE name = $1 AND turn = $2", stone, turn))
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		tick := time.NewTicker(time.Minute)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := m.one(ctx, "UPDATE stones SET spins_until = now() + interval '5 minutes' WHERE name = $1 AND turn = $2", stone, turn); err != nil {
					cancel(err)
					return
				}
			}
		}
	}()
	return m.potter.Burn(ctx, stone)
}
