package good

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

const bump = "UPDATE quota SET used = used + $2 WHERE team = $1"

// Quotas has its locks on a server of its own.
type Quotas struct {
	locks *redsync.Redsync
	db    *sql.DB
}

func NewQuotas(addrs []string, db *sql.DB) *Quotas {
	rdb := redis.NewClient(&redis.Options{Addr: addrs[0]})
	return &Quotas{locks: redsync.New(goredis.NewPool(rdb)), db: db}
}

func (q *Quotas) Bump(ctx context.Context, team string, n int) error {
	mu := q.locks.NewMutex("quota:"+team, redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer mu.UnlockContext(context.WithoutCancel(ctx))
	_, err := q.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

// Teams is given one client or another.
type Teams struct {
	locks *redislock.Client
	db    *sql.DB
}

func newTeams(rdb redislock.RedisClient, db *sql.DB) *Teams {
	return &Teams{locks: redislock.New(rdb), db: db}
}

func OpenTeams(addrs []string, db *sql.DB) *Teams {
	return newTeams(redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "main", SentinelAddrs: addrs}), db)
}

func OpenSingle(addr string, db *sql.DB) *Teams {
	return newTeams(redis.NewClient(&redis.Options{Addr: addr}), db)
}

func (t *Teams) hold(ctx context.Context, team string) (*redislock.Lock, error) {
	return t.locks.Obtain(ctx, "team:"+team, time.Minute, nil)
}

func (t *Teams) Bump(ctx context.Context, team string, n int) error {
	l, err := t.hold(ctx, team) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = t.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

// Seats has a client that is neither for sentinels nor for a cluster.
type Seats struct {
	rdb redis.UniversalClient
	db  *sql.DB
}

func OpenSeats(addr string, db *sql.DB) *Seats {
	return &Seats{rdb: redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{addr}}), db: db}
}

func (s *Seats) Bump(ctx context.Context, team string, n int) error {
	l, err := redislock.Obtain(ctx, s.rdb, "seats:"+team, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

// Desks has options that others have filled in, who knows how.
type Desks struct {
	rdb redis.UniversalClient
	db  *sql.DB
}

func OpenDesks(o *redis.UniversalOptions, db *sql.DB) *Desks {
	return &Desks{rdb: redis.NewUniversalClient(o), db: db}
}

func (d *Desks) Bump(ctx context.Context, team string, n int) error {
	l, err := redislock.Obtain(ctx, d.rdb, "desks:"+team, time.Minute, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = d.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}
