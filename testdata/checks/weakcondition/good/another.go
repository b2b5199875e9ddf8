package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Winch keeps the mutex that it took last in a field.
type Winch struct {
	session *concurrency.Session
	held    *concurrency.Mutex
}

func (w *Winch) grip(ctx context.Context, rope string) error {
	w.held = concurrency.NewMutex(w.session, "/ropes/"+rope)
	return w.held.Lock(ctx)
}

func (w *Winch) put(ctx context.Context, by *concurrency.Mutex, rope, load string) error {
	resp, err := w.session.Client().Txn(ctx).If(by.IsOwner()).Then(clientv3.OpPut("/load/"+rope, load)).Commit()
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// Pull compares what the field holds.
func (w *Winch) Pull(ctx context.Context, rope, load string) (err error) {
	if err := w.grip(ctx, rope); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, w.held.Unlock(context.WithoutCancel(ctx))) }()
	return w.put(ctx, w.held, rope, load)
}

// Gates are rows of a database without RETURNING: the holder asks for the number of its
// grant afterwards.
type Gates struct{ db *sql.DB }

// Open finds its own record by the owner in it.
func (g Gates) Open(ctx context.Context, gate, state string) (err error) {
	me := uuid.NewString()
	const take = "UPDATE gate_lease SET owner = ?, token = token + 1, ends_at = NOW() + INTERVAL 30 SECOND WHERE gate = ? AND ends_at < NOW()"
	if err := one(g.db.ExecContext(ctx, take, me, gate)); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		err = errors.Join(err, one(g.db.ExecContext(context.WithoutCancel(ctx), "UPDATE gate_lease SET ends_at = NOW() WHERE gate = ? AND owner = ?", gate, me)))
	}()
	var token int64
	if err := g.db.QueryRowContext(ctx, "SELECT token FROM gate_lease WHERE gate = ? AND owner = ?", gate, me).Scan(&token); err != nil {
		return err
	}
	const set = "UPDATE gate SET state = ?, token = ? WHERE id = ? AND token < ?"
	return one(g.db.ExecContext(ctx, set, state, token, gate, token))
}

// Berths hands out numbers, and asks for one again by what only its holder knows.
type Berths struct{ db *sql.DB }

// Moor makes sure of its number right before it writes.
func (b Berths) Moor(ctx context.Context, berth, ship string) (err error) {
	me := uuid.NewString()
	const take = "UPDATE berth_lease SET owner = $2, token = token + 1, ends_at = now() + interval '30 seconds' WHERE berth = $1 AND ends_at < now() RETURNING token"
	var token int64
	if err := b.db.QueryRowContext(ctx, take, berth, me).Scan(&token); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		err = errors.Join(err, one(b.db.ExecContext(context.WithoutCancel(ctx), "UPDATE berth_lease SET ends_at = now() WHERE berth = $1 AND token = $2", berth, token)))
	}()
	var still int64
	if err := b.db.QueryRowContext(ctx, "SELECT token FROM berth_lease WHERE berth = $1 AND owner = $2", berth, me).Scan(&still); err != nil {
		return err
	}
	const set = "UPDATE berth SET ship = $2, token = $3 WHERE id = $1 AND token < $3"
	return one(b.db.ExecContext(ctx, set, berth, ship, still))
}

// Load asks for the very record of its lease, whose name it makes in another way.
func (b Berths) Load(ctx context.Context, berth, ship string) (err error) {
	me := uuid.NewString()
	const take = "UPDATE mooring SET owner = $2, ends_at = now() + interval '30 seconds' WHERE berth = $1 AND ends_at < now()"
	if err := one(b.db.ExecContext(ctx, take, "berth/"+berth, me)); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		const give = "UPDATE mooring SET ends_at = now() WHERE berth = $1 AND owner = $2"
		err = errors.Join(err, one(b.db.ExecContext(context.WithoutCancel(ctx), give, "berth/"+berth, me)))
	}()
	const set = "UPDATE berth SET ship = $2 WHERE id = $1 AND EXISTS (SELECT 1 FROM mooring WHERE mooring.berth = $3 AND mooring.owner = $4)"
	return one(b.db.ExecContext(ctx, set, berth, ship, fmt.Sprintf("berth/%s", berth), me))
}
