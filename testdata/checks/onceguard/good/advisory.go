package good

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/robfig/cron/v3"
)

const (
	invoices  = 4711
	reminders = 4712
)

var errOther = errors.New("another replica does it")

type Mails struct {
	db   *sql.DB
	send func(context.Context, *sql.Conn) error
}

func (m *Mails) Register(c *cron.Cron) {
	c.AddFunc("*/10 * * * *", func() {
		if err := m.often(context.Background()); err != nil {
			log.Print(err)
		}
	})
	c.AddFunc("0 3 * * *", func() {
		if err := m.inTurn(context.Background()); err != nil {
			log.Print(err)
		}
	})
}

// often runs every ten minutes, whoever does it.
func (m *Mails) often(ctx context.Context) error {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var mine bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", invoices).Scan(&mine); err != nil { // verdict: unverified
		return err
	}
	if !mine {
		return errOther
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", invoices)
	return m.send(ctx, conn)
}

// inTurn waits for the others: each is to run.
func (m *Mails) inTurn(ctx context.Context) error {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", reminders); err != nil { // verdict: unverified
		return err
	}
	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", reminders)
	return m.send(ctx, conn)
}
