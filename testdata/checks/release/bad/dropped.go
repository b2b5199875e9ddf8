package bad

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-zookeeper/zk"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Writer holds its lock until it is closed.
type Writer struct {
	io.Writer
	lease *redislock.Lock
}

// Create gives the lock to a writer, if there is one.
func Create(ctx context.Context, locker *redislock.Client, create func(context.Context) (io.Writer, error)) (*Writer, error) {
	lease, err := locker.Obtain(ctx, "writer", time.Hour, nil) // want: release
	if err != nil {
		return nil, err
	}
	w, err := create(ctx)
	if err != nil {
		return nil, err
	}
	return &Writer{w, lease}, nil
}

// Close ends the section.
func (w *Writer) Close() error { return w.lease.Release(context.Background()) }

// Reserved returns the mutex itself.
func Reserved(ctx context.Context, rs *redsync.Redsync, room string, job Job) (*redsync.Mutex, error) {
	m := rs.NewMutex("room:" + room)
	if err := m.LockContext(ctx); err != nil { // want: release
		return nil, err
	}
	if err := job.Run(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// Borrow returns the function that gives back.
func Borrow(ctx context.Context, locker *redislock.Client, book string, job Job) (func(context.Context) error, error) {
	lease, err := locker.Obtain(ctx, "book:"+book, time.Hour, nil) // want: release
	if err != nil {
		return nil, err
	}
	if err := job.Run(ctx); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return lease.Release(ctx) }, nil
}

// Nothing is there to do, says a return without an error, and the node stays.
func Nothing(ctx context.Context, conn *zk.Conn, job Job) error {
	l := zk.NewLock(conn, "/nothing", zk.WorldACL(zk.PermAll))
	if err := l.Lock(); err != nil { // want: release // verdict: unverified
		return err
	}
	if due, _ := job.Due(ctx); !due {
		return nil
	}
	err := job.Run(ctx)
	if e := l.Unlock(); err == nil {
		err = e
	}
	return err
}

// Idle does so with a mutex of etcd, on a session that lives on.
func Idle(ctx context.Context, session *concurrency.Session, job Job) (ran bool, err error) {
	m := concurrency.NewMutex(session, "/idle")
	if err := m.Lock(ctx); err != nil { // want: release // verdict: unverified
		return false, err
	}
	if due, _ := job.Due(ctx); !due {
		return false, nil
	}
	err = job.Run(ctx)
	return true, errors.Join(err, m.Unlock(context.WithoutCancel(ctx)))
}
