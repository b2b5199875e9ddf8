package bad

import (
	"context"
	"errors"
	"strconv"

	"github.com/hashicorp/consul/api"
)

// CountUp: a session lock taken with KV.Acquire; the counter is put without its index.
func CountUp(ctx context.Context, client *api.Client, session, name string) (err error) {
	kv, opts := client.KV(), (&api.WriteOptions{}).WithContext(ctx)
	pair := &api.KVPair{Key: "locks/counter/" + name, Session: session}
	ok, _, err := kv.Acquire(pair, opts) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		ok, _, e := kv.Release(pair, opts.WithContext(context.WithoutCancel(ctx)))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()

	cur, _, err := kv.Get("counter/"+name, (&api.QueryOptions{RequireConsistent: true}).WithContext(ctx))
	if err != nil {
		return err
	}
	n := 0
	if cur != nil {
		if n, err = strconv.Atoi(string(cur.Value)); err != nil {
			return err
		}
	}
	_, err = kv.Put(&api.KVPair{Key: "counter/" + name, Value: []byte(strconv.Itoa(n + 1))}, opts) // want: unfenced
	return err
}
