package good

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"
)

// Tide stops the work when the connection of its lock is gone.
func Tide(ctx context.Context, db *sql.DB, work func(context.Context) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	var got int
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK('tide', 3)").Scan(&got); err != nil {
		return err
	}
	if got != 1 {
		return errors.New("tide is taken")
	}
	held, lost := context.WithCancelCause(ctx)
	go awake(held, conn, lost)
	defer func() {
		lost(nil)
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK('tide')")
		err = errors.Join(err, e)
	}()
	return work(held)
}

func awake(ctx context.Context, conn *sql.Conn, lost context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Second):
			if err := conn.PingContext(ctx); err != nil {
				lost(err)
				return
			}
		}
	}
}

// Gauge keeps a connection warm that owns no lock.
func Gauge(ctx context.Context, conn *sql.Conn) {
	for range time.Tick(time.Minute) {
		if err := conn.PingContext(ctx); err != nil {
			log.Print(err)
		}
	}
}
