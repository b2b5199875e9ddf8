package good

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/hashicorp/consul/api"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Period takes one day's turn with a lease that nobody renews: where the claim could
// not be made, it ends by itself.
func Period(ctx context.Context, cli *clientv3.Client, day time.Time, job Job) error {
	lease, err := cli.Grant(ctx, int64((36 * time.Hour).Seconds()))
	if err != nil {
		return err
	}
	key := "/invoices/" + day.Format(time.DateOnly)
	won, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, "taken", clientv3.WithLease(lease.ID))).Commit() // verdict: unverified
	switch {
	case err != nil:
		return err
	case !won.Succeeded:
		_, err := cli.Revoke(ctx, lease.ID)
		return err
	}
	return job.Run(ctx)
}

// Shift does so with a session of Consul, which is deleted with its keys after a day.
func Shift(ctx context.Context, client *api.Client, n int, job Job) error {
	key := "shift/" + strconv.Itoa(n)
	session, _, err := client.Session().Create(&api.SessionEntry{Name: key, TTL: "24h", Behavior: api.SessionBehaviorDelete}, nil)
	if err != nil {
		return err
	}
	won, _, err := client.KV().Acquire(&api.KVPair{Key: key, Session: session}, nil) // verdict: unverified
	if err != nil {
		return err
	}
	if !won {
		_, err := client.Session().Destroy(session, nil)
		return errors.Join(errBusy, err)
	}
	return job.Run(ctx)
}
