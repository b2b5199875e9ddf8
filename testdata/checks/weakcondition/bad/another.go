package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"
	"github.com/hashicorp/consul/api"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Crane lifts containers. Its presence is a mutex that it keeps for all of its life.
type Crane struct {
	session  *concurrency.Session
	presence *concurrency.Mutex
}

func StartCrane(ctx context.Context, cli *clientv3.Client, name string) (*Crane, error) {
	session, err := concurrency.NewSession(cli)
	if err != nil {
		return nil, err
	}
	c := &Crane{session: session, presence: concurrency.NewMutex(session, "/cranes/"+name)}
	return c, c.presence.TryLock(ctx)
}

// lane is locked for one lift, under a session of that lift.
func (c *Crane) lane(ctx context.Context, id string) (*concurrency.Mutex, func(), error) {
	session, err := concurrency.NewSession(c.session.Client(), concurrency.WithTTL(5))
	if err != nil {
		return nil, nil, err
	}
	mutex := concurrency.NewMutex(session, "/lanes/"+id)
	if err := mutex.Lock(ctx); err != nil {
		session.Close()
		return nil, nil, err
	}
	return mutex, func() { session.Close() }, nil
}

// Lift asks whether the crane is there, which it is, whoever has the lane by now.
func (c *Crane) Lift(ctx context.Context, lane, box string) error {
	_, done, err := c.lane(ctx, lane) // verdict: unfenced
	if err != nil {
		return err
	}
	defer done()
	resp, err := c.session.Client().Txn(ctx).If(c.presence.IsOwner()).Then(clientv3.OpPut("/top/"+lane, box)).Commit() // want: weakcondition
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// Lower asks for the same by the revision of the crane's key.
func (c *Crane) Lower(ctx context.Context, lane, box string) error {
	_, done, err := c.lane(ctx, lane) // verdict: unfenced
	if err != nil {
		return err
	}
	defer done()
	here := clientv3.Compare(clientv3.CreateRevision(c.presence.Key()), "=", c.presence.Header().Revision)
	resp, err := c.session.Client().Txn(ctx).If(here).Then(clientv3.OpPut("/top/"+lane, box)).Commit() // want: weakcondition
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}

// Record orders what the cranes write by the age of the cranes.
func (c *Crane) Record(ctx context.Context, db *sql.DB, lane, box string) error {
	_, done, err := c.lane(ctx, lane) // verdict: unfenced
	if err != nil {
		return err
	}
	defer done()
	const set = "UPDATE lane SET box = $2, revision = $3 WHERE id = $1 AND revision < $3"
	return one(db.ExecContext(ctx, set, lane, box, c.presence.Header().Revision)) // want: weakcondition
}

// Shifts are rows; the number of one grows each time that it is taken.
type Shifts struct{ db *sql.DB }

func (s Shifts) take(ctx context.Context, name string) (n int64, err error) {
	const q = "UPDATE shift SET number = number + 1, ends_at = now() + interval '1 minute' WHERE name = $1 AND ends_at < now() RETURNING number"
	err = s.db.QueryRowContext(ctx, q, name).Scan(&n)
	return n, err
}

func (s Shifts) give(ctx context.Context, name string, n int64) error {
	return one(s.db.ExecContext(context.WithoutCancel(ctx), "UPDATE shift SET ends_at = now() WHERE name = $1 AND number = $2", name, n))
}

// number of the shift as it is now.
func (s Shifts) number(ctx context.Context, name string) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, "SELECT number FROM shift WHERE name = $1", name).Scan(&n)
	return n, err
}

// Close ignores the number that it was given, and asks for the one in force.
func (s Shifts) Close(ctx context.Context, till string, cents int64) (err error) {
	n, err := s.take(ctx, till) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.give(ctx, till, n)) }()
	now, err := s.number(ctx, till)
	if err != nil {
		return err
	}
	const set = "UPDATE till SET cents = $2, shift_token = $3 WHERE id = $1 AND shift_token < $3"
	return one(s.db.ExecContext(ctx, set, till, cents, now)) // want: weakcondition
}

// Transfer has two shifts, and compares the number of the one in the row of the other's till,
// which that one would fence.
func (s Shifts) Transfer(ctx context.Context, till string, cents int64) (err error) {
	branch, err := s.take(ctx, "branch") // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.give(ctx, "branch", branch)) }()
	if err := one(s.db.ExecContext(ctx, "UPDATE branch SET open = true, shift_token = $1 WHERE shift_token < $1", branch)); err != nil {
		return err
	}
	n, err := s.take(ctx, "till/"+till) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.give(ctx, "till/"+till, n)) }()
	const set = "UPDATE till SET cents = $2, shift_token = $3 WHERE id = $1 AND shift_token < $3"
	return one(s.db.ExecContext(ctx, set, till, cents, branch)) // want: weakcondition
}

// Correct compares what is in force in Go, while the row stays locked.
func (s Shifts) Correct(ctx context.Context, till string, cents int64) (err error) {
	n, err := s.take(ctx, till) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.give(ctx, till, n)) }()
	now, err := s.number(ctx, till)
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT shift_token FROM till WHERE id = $1 FOR UPDATE", till).Scan(&last); err != nil {
		return err
	}
	if last > now {
		return errStale
	}
	if _, err := tx.ExecContext(ctx, "UPDATE till SET cents = $2, shift_token = $3 WHERE id = $1", till, cents, now); err != nil { // want: weakcondition
		return err
	}
	return tx.Commit()
}

var enter = redis.NewScript(`
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return 0 end
return redis.call("INCR", KEYS[2])`)

// Depot reads the counter again, which another holder may have counted on.
func Depot(ctx context.Context, rdb *redis.Client, db *sql.DB, id string, parts int) (err error) {
	key, count, owner := "{depot}:lock", "{depot}:count", uuid.NewString()
	n, err := enter.Run(ctx, rdb, []string{key, count}, owner, 15000).Int64() // verdict: unfenced
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("busy")
	}
	defer func() {
		_, e := compareAndDelete.Run(context.WithoutCancel(ctx), rdb, []string{key}, owner).Result()
		err = errors.Join(err, e)
	}()
	at, err := rdb.Get(ctx, count).Int64()
	if err != nil {
		return err
	}
	const set = "UPDATE depot SET parts = $2, fence = $3 WHERE id = $1 AND fence < $3"
	return one(db.ExecContext(ctx, set, id, parts, at)) // want: weakcondition
}

// Recount asks for the number again, in the variable that holds its own, and compares what
// it finds then.
func (s Shifts) Recount(ctx context.Context, till string, cents int64) error {
	var n int64
	const q = "UPDATE shift SET number = number + 1, ends_at = now() + interval '1 minute' WHERE name = $1 AND ends_at < now() RETURNING number"
	if err := s.db.QueryRowContext(ctx, q, till).Scan(&n); err != nil { // verdict: unfenced
		return err
	}
	defer s.db.ExecContext(context.WithoutCancel(ctx), "UPDATE shift SET ends_at = now() WHERE name = $1 AND number = $2", till, n)
	if err := s.db.QueryRowContext(ctx, "SELECT number FROM shift WHERE name = $1", till).Scan(&n); err != nil {
		return err
	}
	const set = "UPDATE till SET cents = $2, shift_token = $3 WHERE id = $1 AND shift_token < $3"
	return one(s.db.ExecContext(ctx, set, till, cents, n)) // want: weakcondition
}

// Signal takes the signal with one session of Consul, and asks for the session of the train.
func Signal(client *api.Client, signal string) error {
	kv := client.KV()
	train, _, err := client.Session().Create(&api.SessionEntry{TTL: "60s", Name: "train"}, nil)
	if err != nil {
		return err
	}
	session, _, err := client.Session().Create(&api.SessionEntry{TTL: "15s", Name: "signal"}, nil)
	if err != nil {
		return err
	}
	defer client.Session().Destroy(session, nil)
	ok, _, err := kv.Acquire(&api.KVPair{Key: "signals/" + signal, Session: session}, nil) // verdict: unfenced
	if err != nil || !ok {
		return errors.Join(err, errNotOurs)
	}
	ok, _, _, err = kv.Txn(api.KVTxnOps{ // want: weakcondition
		{Verb: api.KVCheckSession, Key: "trains/all", Session: train},
		{Verb: api.KVSet, Key: "state/" + signal, Value: []byte("stop")},
	}, nil)
	if err == nil && !ok {
		err = errStale
	}
	return err
}

// Lock asks for the shift of the branch, in the statement that writes what the one of the till
// protects.
func (s Shifts) Lock(ctx context.Context, till, clerk string) (err error) {
	const take = "UPDATE roster SET owner = $2, ends_at = now() + interval '1 minute' WHERE name = $1 AND ends_at < now()"
	if err := one(s.db.ExecContext(ctx, take, "till/"+till, clerk)); err != nil { // verdict: unfenced
		return err
	}
	defer func() {
		const give = "UPDATE roster SET ends_at = now() WHERE name = $1 AND owner = $2"
		err = errors.Join(err, one(s.db.ExecContext(context.WithoutCancel(ctx), give, "till/"+till, clerk)))
	}()
	const set = "UPDATE till SET locked = true WHERE id = $1 AND EXISTS (SELECT 1 FROM roster WHERE roster.name = $2 AND roster.owner = $3)"
	return one(s.db.ExecContext(ctx, set, till, "branch", clerk)) // want: weakcondition
}

// Winch holds the yard besides the rope, by the same session: both end with it, and either tells
// of both.
type Winch struct {
	session *concurrency.Session
	yard    *concurrency.Mutex
}

func NewWinch(session *concurrency.Session) *Winch {
	return &Winch{session: session, yard: concurrency.NewMutex(session, "/yard")}
}

// Rewind asks for the two.
func (w *Winch) Rewind(ctx context.Context, rope string) (err error) {
	if err := w.yard.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, w.yard.Unlock(context.WithoutCancel(ctx))) }()
	mutex := concurrency.NewMutex(w.session, "/ropes/"+rope)
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()
	resp, err := w.session.Client().Txn(ctx).If(w.yard.IsOwner(), mutex.IsOwner()).Then(clientv3.OpPut("/load/"+rope, "")).Commit()
	if err == nil && !resp.Succeeded {
		err = errStale
	}
	return err
}
