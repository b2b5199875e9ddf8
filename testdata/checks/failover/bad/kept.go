package bad

import (
	"context"
	"database/sql"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

// Quotas has its locks from its constructor.
type Quotas struct {
	locks *redsync.Redsync
	db    *sql.DB
}

func NewQuotas(addrs []string, db *sql.DB) *Quotas {
	rdb := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "main", SentinelAddrs: addrs})
	return &Quotas{locks: redsync.New(goredis.NewPool(rdb)), db: db}
}

func (q *Quotas) Bump(ctx context.Context, team string, n int) error {
	mu := q.locks.NewMutex("quota:"+team, redsync.WithExpiry(time.Minute))
	if err := mu.LockContext(ctx); err != nil { // want: failover // verdict: unfenced
		return err
	}
	defer mu.UnlockContext(context.WithoutCancel(ctx))
	_, err := q.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

// Teams is given a client that somebody else has made.
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

func (t *Teams) hold(ctx context.Context, team string) (*redislock.Lock, error) {
	return t.locks.Obtain(ctx, "team:"+team, time.Minute, nil)
}

func (t *Teams) Bump(ctx context.Context, team string, n int) error {
	l, err := t.hold(ctx, team) // want: failover // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = t.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

// Servers is what a deployment says of its Redis.
type Servers struct {
	Primary string
	Addrs   []string
}

// Seats has whatever client its deployment asks for, which here has sentinels.
type Seats struct {
	rdb redis.UniversalClient
	db  *sql.DB
}

func OpenSeats(at Servers, db *sql.DB) *Seats {
	return &Seats{rdb: redis.NewUniversalClient(&redis.UniversalOptions{Addrs: at.Addrs, MasterName: at.Primary}), db: db}
}

func (s *Seats) Bump(ctx context.Context, team string, n int) error {
	l, err := redislock.Obtain(ctx, s.rdb, "seats:"+team, time.Minute, nil) // want: failover // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = s.db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}

// Sharded asks for a cluster, whatever the number of addresses.
func Sharded(ctx context.Context, addr string, db *sql.DB, team string, n int) error {
	rdb := redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{addr}, IsClusterMode: true})
	defer rdb.Close()
	l, err := redislock.Obtain(ctx, rdb, "quota:"+team, time.Minute, nil) // want: failover // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(context.WithoutCancel(ctx))
	_, err = db.ExecContext(ctx, bump, team, n) // want: unfenced
	return err
}
