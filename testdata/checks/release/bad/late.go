package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-zookeeper/zk"
)

// Bounded waits, after which a goroutine waits on.

// Quarry has a lock that knows no context.
type Quarry struct{ conn *zk.Conn }

func (q *Quarry) seize(l *zk.Lock) error {
	var failed error
	done := make(chan struct{})
	go func() {
		defer close(done)
		failed = l.Lock() // want: release
	}()
	select {
	case <-done:
		return failed
	case <-time.After(20 * time.Second):
		return errors.New("somebody digs")
	}
}

// Dig releases what it has got, if it was told so.
func (q *Quarry) Dig(ctx context.Context, dig func(context.Context) error) (err error) {
	l := zk.NewLock(q.conn, "/quarry", zk.WorldACL(zk.PermAll))
	if err := q.seize(l); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return dig(ctx)
}

// Blast does it all in one function, with a context that nobody ends.
func Blast(ctx context.Context, rs *redsync.Redsync, blast func(context.Context) error) (err error) {
	m := rs.NewMutex("blast")
	got := make(chan error, 1)
	go func() {
		got <- m.LockContext(context.Background()) // want: release
	}()
	select {
	case err := <-got:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		ok, e := m.UnlockContext(context.WithoutCancel(ctx))
		if !ok {
			err = errors.Join(err, e, errors.New("lost"))
		}
	}()
	return blast(ctx)
}

// Haul asks a session that it goes on using for something else.
func Haul(ctx context.Context, conn *sql.Conn, haul func(context.Context) error) (err error) {
	ready := make(chan error, 1)
	go func() {
		_, err := conn.ExecContext(context.Background(), "SELECT pg_advisory_lock(31)") // want: release
		ready <- err
	}()
	patience := time.NewTimer(time.Minute)
	defer patience.Stop()
	select {
	case err = <-ready:
	case <-patience.C:
		err = errors.New("no luck")
		return err
	}
	if err != nil {
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock(31)")
		err = errors.Join(err, e)
	}()
	return haul(ctx)
}
