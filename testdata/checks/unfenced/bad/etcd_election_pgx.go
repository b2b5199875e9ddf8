package bad

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// TakeShards: the leader of an election takes all shards; the table does not know its leader.
func TakeShards(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, me string) (err error) {
	election := concurrency.NewElection(session, "/election/shards")
	if err := election.Campaign(ctx, me); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()

	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-session.Done():
			return errLost
		case <-tick.C:
			_, err := pool.Exec(ctx, "UPDATE shard SET node = $1, assigned_at = now()", me) // want: unfenced
			if err != nil {
				return err
			}
		}
	}
}
