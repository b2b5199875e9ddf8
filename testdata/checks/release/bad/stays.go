package bad

import (
	"context"
	"errors"

	"github.com/hashicorp/consul/api"
)

// post keeps its key and session.
type post struct {
	kv      *api.KV
	key, id string
}

// release deletes the key, whoever has locked it by then.
func (p *post) release() error {
	_, err := p.kv.Delete(p.key, nil) // want: release
	return err
}

// Guard leaves its post by taking it away.
func Guard(ctx context.Context, c *api.Client, gate string, watch func(context.Context) error) (err error) {
	id, _, err := c.Session().CreateNoChecks(&api.SessionEntry{Name: gate, TTL: "30s"}, nil)
	if err != nil {
		return err
	}
	defer c.Session().Destroy(id, nil)
	p := &post{kv: c.KV(), key: "post/" + gate, id: id}
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() { lost(c.Session().RenewPeriodic("30s", id, nil, held.Done())) }()
	ok, _, err := p.kv.Acquire(&api.KVPair{Key: p.key, Session: p.id}, nil)
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, p.release()) }()
	return watch(held)
}
