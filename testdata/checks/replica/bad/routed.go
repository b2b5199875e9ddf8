package bad

import (
	"context"
	"errors"
	"strconv"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Coupons are numbered in a store that lets the nearest node answer.
type Coupons struct {
	etcd *clientv3.Client
	rdb  *redis.ClusterClient
}

func NewCoupons(etcd *clientv3.Client, sentinels []string) *Coupons {
	return &Coupons{etcd: etcd, rdb: redis.NewFailoverClusterClient(&redis.FailoverOptions{MasterName: "coupons", SentinelAddrs: sentinels, RouteRandomly: true})}
}

func (t *Coupons) Tear(ctx context.Context, roll string) (n int, err error) {
	session, err := concurrency.NewSession(t.etcd, concurrency.WithTTL(10))
	if err != nil {
		return 0, err
	}
	defer session.Close()
	mu := concurrency.NewMutex(session, "/roll/"+roll)
	if err := mu.Lock(ctx); err != nil { // verdict: unfenced
		return 0, err
	}
	defer func() { err = errors.Join(err, mu.Unlock(context.WithoutCancel(ctx))) }()
	last, err := t.rdb.Get(ctx, "roll:"+roll).Int() // want: replica
	if err != nil {
		return 0, err
	}
	return last + 1, t.rdb.Set(ctx, "roll:"+roll, strconv.Itoa(last+1), 0).Err() // want: unfenced
}
