package good

import (
	"context"
	"errors"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-zookeeper/zk"
)

// Quarry gives back what comes late.
type Quarry struct{ conn *zk.Conn }

func (q *Quarry) seize(l *zk.Lock) error {
	done := make(chan error, 1)
	go func() { done <- l.Lock() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
	}
	go func() {
		if err := <-done; err == nil {
			if err := l.Unlock(); err != nil {
				log.Print(err)
			}
		}
	}()
	return errors.New("somebody digs")
}

func (q *Quarry) Dig(ctx context.Context, dig func(context.Context) error) (err error) {
	l := zk.NewLock(q.conn, "/quarry", zk.WorldACL(zk.PermAll))
	if err := q.seize(l); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return dig(ctx)
}

// Patient says now and then that it waits still.
func (q *Quarry) Patient(ctx context.Context, dig func(context.Context) error) (err error) {
	l := zk.NewLock(q.conn, "/patient", zk.WorldACL(zk.PermAll))
	done := make(chan error, 1)
	go func() { done <- l.Lock() }()
	for waiting := true; waiting; {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			waiting = false
		case <-time.After(time.Minute):
			log.Print("still waiting")
		}
	}
	defer func() { err = errors.Join(err, l.Unlock()) }()
	return dig(ctx)
}

// Blast ends the wait of the goroutine with its own.
func Blast(ctx context.Context, rs *redsync.Redsync, blast func(context.Context) error) (err error) {
	m := rs.NewMutex("blast")
	got := make(chan error, 1)
	go func() { got <- m.LockContext(ctx) }()
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
