package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/jackc/pgx/v5"
)

// Tide works under a lock of MySQL, whose connection is pinged beside it. When that is
// gone nobody stops the work.
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
	beside, stop := context.WithCancel(ctx)
	go func() {
		for {
			select {
			case <-beside.Done():
				return
			case <-time.After(5 * time.Second):
				if err := conn.PingContext(beside); err != nil { // want: renewal
					log.Print(err)
				}
			}
		}
	}()
	defer func() {
		stop()
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK('tide')")
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

// Ebb does so on a connection of its own, by a function.
func Ebb(ctx context.Context, conn *pgx.Conn, work func(context.Context) error) (err error) {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(77)"); err != nil {
		return err
	}
	beside, stop := context.WithCancel(ctx)
	go awake(beside, conn)
	defer func() {
		stop()
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(77)")
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

func awake(ctx context.Context, conn *pgx.Conn) {
	for range time.Tick(5 * time.Second) {
		if ctx.Err() != nil {
			return
		}
		_ = conn.Ping(ctx) // want: renewal
	}
}
