package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOverruled = errors.New("a later operator has set the pump")

// A Pump is set by one operator at a time.
type Pump struct {
	db   *sql.DB
	kv   clientv3.KV
	sess *concurrency.Session
	id   int64
}

// Throttle fences the speed, and shows it on the panel when the pump is free again.
func (p *Pump) Throttle(ctx context.Context, speed int) error {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	err := set(ctx, p.db, p.id, speed, mu.Header().Revision)
	if e := mu.Unlock(context.WithoutCancel(ctx)); e != nil || err != nil {
		return errors.Join(err, e)
	}
	_, err = p.db.ExecContext(ctx, "UPDATE panel SET speed = $2 WHERE pump = $1", p.id, speed) // want: earlyrelease
	return err
}

func set(ctx context.Context, db *sql.DB, id int64, speed int, turn int64) error {
	res, err := db.ExecContext(ctx, "UPDATE pump SET speed = $2, turn = $3 WHERE id = $1 AND turn < $3", id, speed, turn)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errOverruled, err)
	}
	return nil
}

// alone runs work in which the pump is this operator's.
func (p *Pump) alone(ctx context.Context, work func(mine clientv3.Cmp) error) (err error) {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	return work(mu.IsOwner())
}

// Assign names the operator under the lock, and the pump's shift after it.
func (p *Pump) Assign(ctx context.Context, operator, shift string) error {
	err := p.alone(ctx, func(mine clientv3.Cmp) error { // verdict: unfenced
		resp, err := p.kv.Txn(ctx).If(mine).Then(clientv3.OpPut(fmt.Sprintf("/pumps/%d/operator", p.id), operator)).Commit()
		if err == nil && !resp.Succeeded {
			err = errOverruled
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = p.kv.Put(ctx, fmt.Sprintf("/pumps/%d/shift", p.id), shift) // want: earlyrelease
	return err
}

// Relabel reads the label under the lock, and keeps what was there once that is over.
func (p *Pump) Relabel(ctx context.Context, label string) error {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	was, err := p.kv.Get(ctx, fmt.Sprintf("/pumps/%d/label", p.id))
	if err == nil {
		var resp *clientv3.TxnResponse
		resp, err = p.kv.Txn(ctx).If(mu.IsOwner()).Then(clientv3.OpPut(fmt.Sprintf("/pumps/%d/label", p.id), label)).Commit()
		if err == nil && !resp.Succeeded {
			err = errOverruled
		}
	}
	if e := mu.Unlock(context.WithoutCancel(ctx)); e != nil || err != nil || len(was.Kvs) == 0 {
		return errors.Join(err, e)
	}
	_, err = p.kv.Put(ctx, fmt.Sprintf("/pumps/%d/former", p.id), string(was.Kvs[0].Value)) // want: earlyrelease
	return err
}
