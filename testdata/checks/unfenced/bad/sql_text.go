package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bsm/redislock"
)

type tariffs struct{ db *sql.DB }

const setTariff = "UPDATE %s SET rate = $2 WHERE zone = $1"

// SetRate: the text of the statement is put together from constants and handed down.
func (t tariffs) SetRate(ctx context.Context, locks *redislock.Client, zone string, rate int) (err error) {
	lock, err := locks.Obtain(ctx, "lock:tariff:"+zone, 5*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return t.exec(ctx, fmt.Sprintf(setTariff, "tariff"), zone, rate)
}

func (t tariffs) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.db.ExecContext(ctx, query, args...) // want: unfenced
	// doubt: a tool that cannot follow Sprintf of constants may say unverified(dynamic-sql); the call of exec
	// above, which has the text, would be as good a place.
	return err
}
