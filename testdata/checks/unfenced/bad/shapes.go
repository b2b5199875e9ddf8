package bad

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/bsm/redislock"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Locker: behind sync.Locker is a mutex of etcd.
func Locker(ctx context.Context, session *concurrency.Session, db *sql.DB, street, name string) error {
	l := concurrency.NewLocker(session, "/locks/street")
	l.Lock() // verdict: unfenced
	defer l.Unlock()
	_, err := db.ExecContext(ctx, "UPDATE street SET name = $2 WHERE id = $1", street, name) // want: unfenced
	return err
}

// Depot embeds its lock and looks like a mutex itself.
type Depot struct {
	*concurrency.Mutex
	db *sql.DB
}

func (d *Depot) SetStock(ctx context.Context, article string, pieces int) (err error) {
	if err := d.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, d.Unlock(context.WithoutCancel(ctx))) }()
	_, err = d.db.ExecContext(ctx, "UPDATE depot SET pieces = $2 WHERE article = $1", article, pieces) // want: unfenced
	return err
}

// Handed: the goroutine that does the work also gives the lock back.
func Handed(ctx context.Context, locks *redislock.Client, db *sql.DB, wg *sync.WaitGroup, parcel, place string, done chan<- error) error {
	lock, err := locks.Obtain(ctx, "lock:parcel:"+parcel, 10*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	wg.Go(func() {
		_, err := db.ExecContext(ctx, "UPDATE parcel SET place = $2 WHERE id = $1", parcel, place) // want: unfenced
		done <- errors.Join(err, lock.Release(context.WithoutCancel(ctx)))
	})
	return nil
}

// Keys: a raw lock of etcd, made of an absent key and a lease.
func Keys(ctx context.Context, cli *clientv3.Client, db *sql.DB, gate string, open bool) (err error) {
	lease, err := cli.Grant(ctx, 10)
	if err != nil {
		return err
	}
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), lease.ID)
		err = errors.Join(err, e)
	}()
	key := "/locks/gate/" + gate
	absent := clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	resp, err := cli.Txn(ctx).If(absent).Then(clientv3.OpPut(key, "", clientv3.WithLease(lease.ID))).Commit() // verdict: unfenced
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errBusy
	}
	_, err = db.ExecContext(ctx, "UPDATE gate SET open = $2 WHERE id = $1", gate, open) // want: unfenced
	return err
}

// Elected: the work of a Kubernetes leader.
func Elected(ctx context.Context, lock resourcelock.Interface, db *sql.DB, failed chan<- error) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // verdict: unfenced
		Lock:          lock,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				_, err := db.ExecContext(ctx, "UPDATE cluster SET leader = $1", lock.Identity()) // want: unfenced
				failed <- err
			},
			OnStoppedLeading: func() { close(failed) },
		},
	})
}

// mutexer is an interface of this package with one implementation in it.
type mutexer interface {
	Acquire(ctx context.Context, key string) (release func() error, err error)
}

type redisMutexer struct{ locks *redislock.Client }

func (r redisMutexer) Acquire(ctx context.Context, key string) (func() error, error) {
	lock, err := r.locks.Obtain(ctx, "lock:"+key, 10*time.Second, nil)
	if err != nil {
		return nil, err
	}
	return func() error { return lock.Release(context.WithoutCancel(ctx)) }, nil
}

var _ mutexer = redisMutexer{}

// Chosen: the lock is behind the interface. doubt: without the whole module a tool may leave this alone, for
// any other package can implement mutexer.
func Chosen(ctx context.Context, m mutexer, db *sql.DB, stall, tenant string) (err error) {
	release, err := m.Acquire(ctx, "stall:"+stall) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	_, err = db.ExecContext(ctx, "UPDATE stall SET tenant = $2 WHERE id = $1", stall, tenant) // want: unfenced
	return err
}
