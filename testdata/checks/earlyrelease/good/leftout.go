package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOverruled = errors.New("a later operator has set the pump")

// A Pumping is set by one operator at a time.
type Pumping struct {
	db   *sql.DB
	sess *concurrency.Session
	id   int64
	test func(ctx context.Context, id int64) (pressure int, err error)
}

// Throttle fences all that belongs together. What comes afterwards is a line of the
// log, a mark, and the time of the last change: none of them is one that a later turn
// has to have.
func (p *Pumping) Throttle(ctx context.Context, speed int) error {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	err := answered(p.db.ExecContext(ctx, "UPDATE pump SET speed = $2, turn = $3 WHERE id = $1 AND turn < $3", p.id, speed, mu.Header().Revision))
	if e := mu.Unlock(context.WithoutCancel(ctx)); e != nil || err != nil {
		return errors.Join(err, e)
	}
	if _, err := p.db.ExecContext(ctx, "INSERT INTO pump_log (pump, speed) VALUES ($1, $2)", p.id, speed); err != nil {
		return err
	}
	_, err = p.db.ExecContext(ctx, "UPDATE panel SET stale = true, seen = now() WHERE pump = $1", p.id)
	return err
}

// Inspect claims a pump, tests it for as long as that takes, and writes down what came out.
func (p *Pumping) Inspect(ctx context.Context, inspector string) error {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	err := answered(p.db.ExecContext(ctx, "UPDATE pump SET inspector = $2, turn = $3 WHERE id = $1 AND turn < $3", p.id, inspector, mu.Header().Revision))
	if e := mu.Unlock(context.WithoutCancel(ctx)); e != nil || err != nil {
		return errors.Join(err, e)
	}
	pressure, err := p.test(ctx, p.id)
	if err != nil {
		return err
	}
	_, err = p.db.ExecContext(ctx, "UPDATE inspection SET pressure = $2, inspector = $3 WHERE pump = $1", p.id, pressure, inspector)
	return err
}

// Assign counts for the operator, who is another thing than the pump.
func (p *Pumping) Assign(ctx context.Context, operator, note string) error {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	err := answered(p.db.ExecContext(ctx, "UPDATE pump SET operator = $2, turn = $3 WHERE id = $1 AND turn < $3", p.id, operator, mu.Header().Revision))
	if e := mu.Unlock(context.WithoutCancel(ctx)); e != nil || err != nil {
		return errors.Join(err, e)
	}
	_, err = p.db.ExecContext(ctx, "UPDATE operator SET note = $2 WHERE name = $1", operator, note)
	return err
}

// Repair writes to the pump's record after the release only if the fence refused.
func (p *Pumping) Repair(ctx context.Context, kv clientv3.KV, by string) error {
	mu := concurrency.NewMutex(p.sess, fmt.Sprintf("/pump/%d", p.id))
	if err := mu.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	resp, err := kv.Txn(ctx).If(mu.IsOwner()).Then(clientv3.OpPut(fmt.Sprintf("/pumps/%d/repaired", p.id), by)).Commit()
	if e := mu.Unlock(context.WithoutCancel(ctx)); e != nil {
		return errors.Join(err, e)
	}
	if err != nil {
		_, e := kv.Put(ctx, fmt.Sprintf("/pumps/%d/refused", p.id), by)
		return errors.Join(err, e)
	}
	if !resp.Succeeded {
		return errOverruled
	}
	return nil
}

func answered(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errOverruled, err)
	}
	return nil
}
