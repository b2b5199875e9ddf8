// Package bad decides by the wall clock whether a lease has expired or must be renewed. A clock that is set,
// or two machines that do not agree, give one lease two holders.
package bad

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
)

var errBusy = errors.New("held elsewhere")

// Lease is a lock of this program; UTC takes the monotonic reading away.
type Lease struct {
	Owner     string
	ExpiresAt time.Time
}

func newLease(owner string, ttl time.Duration) *Lease {
	return &Lease{Owner: owner, ExpiresAt: time.Now().UTC().Add(ttl)}
}

func (l *Lease) Expired() bool {
	return time.Now().UTC().After(l.ExpiresAt) // want: wallclock
}

// Remaining: Until has a monotonic reading on one side only.
func (l *Lease) Remaining() time.Duration {
	return time.Until(l.ExpiresAt) // want: wallclock
}

// Renewer renews a lease in Redis when two thirds of its life are over.
type Renewer struct {
	rdb     *redis.Client
	key     string
	owner   string
	ttl     time.Duration
	renewed time.Time
}

var extend = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`)

func (r *Renewer) Renew(ctx context.Context) error {
	if time.Since(r.renewed) < r.ttl/3 { // want: wallclock
		return nil
	}
	n, err := extend.Run(ctx, r.rdb, []string{r.key}, r.owner, r.ttl.Milliseconds()).Int()
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("lease was lost")
	}
	r.renewed = time.Now().Round(time.Millisecond)
	return nil
}

// record is a lease that is stored as JSON, which keeps no monotonic reading.
type record struct {
	Owner string    `json:"owner"`
	Until time.Time `json:"until"`
}

// TakeOver replaces a record that its reader holds for expired.
func TakeOver(ctx context.Context, cli *clientv3.Client, key, me string, ttl time.Duration) error {
	resp, err := cli.Get(ctx, key)
	if err != nil {
		return err
	}
	if len(resp.Kvs) == 0 {
		return errors.New("no lease record")
	}
	var cur record
	if err := json.Unmarshal(resp.Kvs[0].Value, &cur); err != nil {
		return err
	}
	if cur.Owner != me && cur.Until.After(time.Now()) { // want: wallclock
		return fmt.Errorf("lease of %s: %w", cur.Owner, errBusy)
	}
	next, err := json.Marshal(record{Owner: me, Until: time.Now().Add(ttl)})
	if err != nil {
		return err
	}
	same := clientv3.Compare(clientv3.ModRevision(key), "=", resp.Kvs[0].ModRevision)
	txn, err := cli.Txn(ctx).If(same).Then(clientv3.OpPut(key, string(next))).Commit()
	if err == nil && !txn.Succeeded {
		err = errBusy
	}
	return err
}
