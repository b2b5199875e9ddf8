package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Rota numbers its grants as it is told.
type Rota struct {
	rdb    *redis.Client
	number func(context.Context, string) (int64, error)
}

type turn struct {
	rdb        *redis.Client
	key, owner string
	number     int64
}

// Take gives the lock back where it gets no number, and to its callers otherwise.
func (r Rota) Take(ctx context.Context, name string) (*turn, error) {
	n := &turn{rdb: r.rdb, key: "turn:" + name, owner: rand.Text()}
	ok, err := r.rdb.SetNX(ctx, n.key, n.owner, 10*time.Second).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusy
	}
	if n.number, err = r.number(ctx, name); err != nil {
		return nil, errors.Join(err, n.Done(ctx))
	}
	return n, nil
}

func (t *turn) Done(ctx context.Context) error {
	const give = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
	n, err := t.rdb.Eval(context.WithoutCancel(ctx), give, []string{t.key}, t.owner).Int64()
	if err == nil && n == 0 {
		err = errLost
	}
	return err
}

// Numbered: how the turns are numbered is for whoever makes Rota to say.
func Numbered(ctx context.Context, rota Rota, db *sql.DB, id string, n int) (err error) {
	t, err := rota.Take(ctx, id) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Done(ctx)) }()
	res, err := db.ExecContext(ctx, "UPDATE stock SET n = $2, last_token = $3 WHERE id = $1 AND last_token < $3", id, n, t.number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errStale)
	}
	return nil
}
