package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/robfig/cron/v3"
)

// number is that of the bills.
const number = 4711

var errOther = errors.New("another replica does it")

type Bills struct {
	db   *sql.DB
	send func(context.Context, *sql.Conn) error
}

func (b *Bills) Register(c *cron.Cron) error {
	_, err := c.AddFunc("15 2 1 * *", func() {
		if err := b.monthly(context.Background()); err != nil {
			log.Print(err)
		}
	})
	return err
}

// monthly tells whoever comes second by an error.
func (b *Bills) monthly(ctx context.Context) error {
	conn, err := b.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var mine bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", number).Scan(&mine); err != nil { // verdict: unverified
		return err
	}
	if !mine {
		return errOther
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", number) // want: onceguard
	return b.send(ctx, conn)
}
