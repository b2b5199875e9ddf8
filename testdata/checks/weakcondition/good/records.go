package good

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOld = errors.New("an old epoch")

type slot struct {
	body  []byte
	epoch int64
}

// Vault keeps a record for each name, with the epoch of its last writer.
type Vault struct {
	mu     sync.Mutex
	slots  map[string]slot
	shared map[string]*slot
	rows   []slot
}

// Copy changes a copy of the record and puts it back.
func (v *Vault) Copy(name string, body []byte, epoch int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.slots[name]
	if epoch <= s.epoch {
		return errOld
	}
	s.body, s.epoch = body, epoch
	v.slots[name] = s
	return nil
}

// Literal replaces the record.
func (v *Vault) Literal(name string, body []byte, epoch int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if old, ok := v.slots[name]; ok && epoch < old.epoch {
		return errOld
	}
	v.slots[name] = slot{body: body, epoch: epoch}
	return nil
}

// Pointer changes the record in place.
func (v *Vault) Pointer(name string, body []byte, epoch int64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := v.shared[name]
	if epoch < s.epoch {
		return errOld
	}
	s.epoch, s.body = epoch, body
	return nil
}

type clerk struct {
	etcd  *clientv3.Client
	vault *Vault
	db    *sql.DB
}

func (c *clerk) locked(ctx context.Context, name string, work func(ctx context.Context, epoch int64) error) (err error) {
	session, err := concurrency.NewSession(c.etcd, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer session.Close()
	mu := concurrency.NewMutex(session, "/vault/"+name)
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	held, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-session.Done():
			cancel()
		case <-held.Done():
		}
	}()
	return work(held, mu.Header().Revision)
}

func (c *clerk) Copied(ctx context.Context, name string, body []byte) error {
	return c.locked(ctx, name, func(_ context.Context, epoch int64) error { // verdict: fenced
		return c.vault.Copy(name, body, epoch)
	})
}

func (c *clerk) Replaced(ctx context.Context, name string, body []byte) error {
	return c.locked(ctx, name, func(_ context.Context, epoch int64) error { // verdict: fenced
		return c.vault.Literal(name, body, epoch)
	})
}

func (c *clerk) InPlace(ctx context.Context, name string, body []byte) error {
	return c.locked(ctx, name, func(_ context.Context, epoch int64) error { // verdict: fenced
		return c.vault.Pointer(name, body, epoch)
	})
}

// A Revision computes what is stored.
type Revision struct {
	Name string
	Next func(body []byte) ([]byte, error)
}

const revise = `UPDATE vault
SET body = $2, epoch = $3
WHERE name = $1 AND epoch < $3`

// Revise writes what its caller's function makes of what is there.
func (c *clerk) Revise(ctx context.Context, r Revision) error {
	return c.locked(ctx, r.Name, func(ctx context.Context, epoch int64) error { // verdict: fenced
		var body []byte
		if err := c.db.QueryRowContext(ctx, "SELECT body FROM vault WHERE name = $1", r.Name).Scan(&body); err != nil {
			return err
		}
		body, err := r.Next(body)
		if err != nil {
			return err
		}
		res, err := c.db.ExecContext(ctx, revise, r.Name, body, epoch)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(errOld, err)
		}
		return nil
	})
}

// Sheet is what the functions below change.
type Sheet struct {
	Name string
	Body []byte
}

func (c *clerk) read(ctx context.Context, name string) (s Sheet, err error) {
	err = c.db.QueryRowContext(ctx, "SELECT name, body FROM vault WHERE name = $1", name).Scan(&s.Name, &s.Body)
	return s, err
}

func (c *clerk) write(ctx context.Context, s Sheet, epoch int64) error {
	res, err := c.db.ExecContext(ctx, revise, s.Name, s.Body, epoch)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errOld, err)
	}
	return nil
}

// Change writes the record that its caller's function has changed.
func (c *clerk) Change(ctx context.Context, name string, change func(*Sheet) error) error {
	return c.locked(ctx, name, func(ctx context.Context, epoch int64) error { // verdict: fenced
		s, err := c.read(ctx, name)
		if err != nil {
			return err
		}
		if err := change(&s); err != nil {
			return err
		}
		return c.write(ctx, s, epoch)
	})
}

// Hook runs what may write as well.
func (c *clerk) Hook(ctx context.Context, name string, changed func(context.Context, *Sheet) error) (err error) {
	session, err := concurrency.NewSession(c.etcd, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer session.Close()
	mu := concurrency.NewMutex(session, "/hook/"+name)
	if err := mu.TryLock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	s, err := c.read(ctx, name)
	if err != nil {
		return err
	}
	if err := changed(ctx, &s); err != nil {
		return err
	}
	return c.write(ctx, s, mu.Header().Revision)
}
