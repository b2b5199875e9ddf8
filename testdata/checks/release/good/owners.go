package good

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Scripted compares and deletes in one step.
func Scripted(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:scripted:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	return job.Run(ctx)
}

// Watched deletes in a transaction that fails where the key has changed since it was read.
func Watched(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:watched:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, rdb.Watch(ctx, func(tx *redis.Tx) error {
			if tx.Get(ctx, key).Val() != owner {
				return errLost
			}
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.Del(ctx, key)
				return nil
			})
			return err
		}, key))
	}()
	return job.Run(ctx)
}

// Marker is no lock that one releases: the key stays, and only what failed is taken back.
func Marker(ctx context.Context, rdb *redis.Client, id, owner string) error {
	key := "lock:marker:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: no-visible-write
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	if n, err := rdb.Exists(ctx, "busy").Result(); err != nil || n > 0 {
		return errors.Join(err, rdb.Del(context.WithoutCancel(ctx), key).Err())
	}
	return nil
}

// Cached deletes another key than the lock's.
func Cached(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:cached:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unfenced
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()
	if err := job.Run(ctx); err != nil {
		return err
	}
	return rdb.Del(ctx, "cached:"+id).Err() // note: unfenced
}

const take = `INSERT INTO turn_lock (turn, holder, term, until) VALUES ($1, $2, 1, now() + interval '1 minute')
ON CONFLICT (turn) DO UPDATE SET holder = $2, term = turn_lock.term + 1, until = now() + interval '1 minute' WHERE turn_lock.until < now()
RETURNING term`

// Rows keeps leases in a table.
type Rows struct{ db *sql.DB }

// TakeTurn returns the term.
func (r Rows) TakeTurn(ctx context.Context, turn, holder string) (term int64, err error) {
	err = r.db.QueryRowContext(ctx, take, turn, holder).Scan(&term)
	if errors.Is(err, sql.ErrNoRows) {
		err = errBusy
	}
	return term, err
}

// EndTurn names the term.
func (r Rows) EndTurn(ctx context.Context, turn string, term int64) error {
	_, err := r.db.ExecContext(ctx, "UPDATE turn_lock SET until = now() WHERE turn = $1 AND term = $2", turn, term)
	return err
}

// Sweep deletes what has run out, whoever held it.
func (r Rows) Sweep(ctx context.Context) error {
	_, err := r.db.ExecContext(ctx, "DELETE FROM turn_lock WHERE until < now() - interval '1 day'")
	return err
}

// ForceTurn is for the operator.
func (r Rows) ForceTurn(ctx context.Context, turn string) error {
	_, err := r.db.ExecContext(ctx, "DELETE FROM turn_lock WHERE turn = $1", turn)
	return err
}

// Rung compares the owner in a batch with what else there is to send.
func Rung(ctx context.Context, rdb *redis.Client, id, mine string, job Job) error {
	chair := "lock:chair:" + id
	ok, err := rdb.SetNX(ctx, chair, mine, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer rdb.Pipelined(context.WithoutCancel(ctx), func(p redis.Pipeliner) error {
		drop.Eval(ctx, p, []string{chair}, mine)
		p.Publish(ctx, chair+":bell", mine)
		return nil
	})
	return job.Run(ctx)
}

// Posts is a table of who keeps which post.
type Posts struct {
	db         *sql.DB
	post, self string
}

// Apply keeps a post that nobody has kept for a while.
func (p Posts) Apply(ctx context.Context) (bool, error) {
	res, err := p.db.ExecContext(ctx, `INSERT INTO post_lease (post, keeper, until) VALUES ($1, $2, now() + interval '1 minute')
ON CONFLICT (post) DO UPDATE SET keeper = $2, until = now() + interval '1 minute' WHERE post_lease.until < now()`, p.post, p.self)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Rotate is for an operator, who wants another keeper whoever it is now.
func (p Posts) Rotate(ctx context.Context) error {
	_, err := p.db.ExecContext(ctx, "DELETE FROM post_lease WHERE post = $1", p.post)
	return err
}
