package good

import (
	"context"
	"errors"
	"time"

	"github.com/gomodule/redigo/redis"
)

// A drawer is the program's own client, for what it remembers.
type drawer struct{ pool *redis.Pool }

func (d *drawer) exec(ctx context.Context, cmd string, args ...any) (any, error) {
	conn, err := d.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return redis.DoContext(conn, ctx, cmd, args...)
}

func (d *drawer) addNew(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	_, err := redis.String(d.exec(ctx, "SET", key, value, "NX", "PX", ttl.Milliseconds()))
	if errors.Is(err, redis.ErrNil) {
		return false, nil
	}
	return err == nil, err
}

// Seen tells whether a parcel was scanned before: no lock.
func (d *drawer) Seen(ctx context.Context, parcel string) (bool, error) {
	added, err := d.addNew(ctx, "scan:"+parcel, "1", time.Hour)
	return !added, err
}

// Forget drops what is remembered of it.
func (d *drawer) Forget(ctx context.Context, parcel string) error {
	_, err := d.exec(ctx, "DEL", "scan:"+parcel)
	return err
}

// Sizes are cached; the first to find none asks.
func (d *drawer) Sizes(ctx context.Context, ask func(context.Context) (string, error)) (string, error) {
	if s, err := redis.String(d.exec(ctx, "GET", "sizes")); err == nil {
		return s, nil
	}
	s, err := ask(ctx)
	if err != nil {
		return "", err
	}
	if _, err := d.addNew(ctx, "sizes", s, time.Hour); err != nil {
		return "", err
	}
	return s, nil
}
