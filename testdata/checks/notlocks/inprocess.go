package notlocks

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

// Counter is guarded by a mutex of this process.
type Counter struct {
	mu sync.Mutex
	db *sql.DB
	n  int64
}

func (c *Counter) Add(ctx context.Context, n int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
	_, err := c.db.ExecContext(ctx, "UPDATE counter SET n = $1", c.n)
	return err
}

// keyedLocks has a mutex for each key, and none outside of this process.
type keyedLocks struct{ locks sync.Map }

func (k *keyedLocks) Lock(key string) (unlock func()) {
	v, _ := k.locks.LoadOrStore(key, new(sync.Mutex))
	mu := v.(*sync.Mutex)
	mu.Lock()
	return mu.Unlock
}

func (k *keyedLocks) Rename(ctx context.Context, db *sql.DB, id, name string) error {
	defer k.Lock(id)()
	_, err := db.ExecContext(ctx, "UPDATE person SET name = $2 WHERE id = $1", id, name)
	return err
}

// gcsLock is called after what it once was; today it is a flag.
type gcsLock struct{ held atomic.Bool }

func (l *gcsLock) TryLock() bool { return l.held.CompareAndSwap(false, true) }

func (l *gcsLock) Unlock() { l.held.Store(false) }

func (l *gcsLock) Store(ctx context.Context, db *sql.DB, state []byte) error {
	if !l.TryLock() {
		return nil
	}
	defer l.Unlock()
	_, err := db.ExecContext(ctx, "UPDATE state SET body = $1", state)
	return err
}

// Driver is a migration driver whose Lock flips a flag.
type Driver struct {
	db     *sql.DB
	locked atomic.Bool
}

func (d *Driver) Lock() bool { return d.locked.CompareAndSwap(false, true) }

func (d *Driver) Unlock() { d.locked.Store(false) }

func (d *Driver) Run(ctx context.Context, statement string) error {
	if !d.Lock() {
		return nil
	}
	defer d.Unlock()
	_, err := d.db.ExecContext(ctx, statement)
	return err
}

// Limited runs a few statements at a time.
func Limited(ctx context.Context, slots *semaphore.Weighted, db *sql.DB, statement string) error {
	if err := slots.Acquire(ctx, 1); err != nil {
		return err
	}
	defer slots.Release(1)
	_, err := db.ExecContext(ctx, statement)
	return err
}

// Shared lets one goroutine do the work for all that wait.
func Shared(ctx context.Context, group *singleflight.Group, db *sql.DB, id string) (string, error) {
	v, err, _ := group.Do("lock:"+id, func() (any, error) {
		var name string
		err := db.QueryRowContext(ctx, "SELECT name FROM person WHERE id = $1", id).Scan(&name)
		return name, err
	})
	name, _ := v.(string)
	return name, err
}

// LockForTX locks rows until the transaction ends: the database's own business, and no lease.
func LockForTX(ctx context.Context, tx *sql.Tx, account int64) (cents int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT cents FROM account WHERE id = $1 FOR UPDATE", account).Scan(&cents)
	return cents, err
}

// Queue takes a row that nobody else is working on, in the transaction that finishes it.
func Queue(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var id int64
	if err := tx.QueryRowContext(ctx, "SELECT id FROM queue ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").Scan(&id); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM queue WHERE id = $1", id); err != nil {
		return err
	}
	return tx.Commit()
}
