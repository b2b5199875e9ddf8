package good

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

// release frees the key for its own session only.
func (p *post) release() error {
	freed, _, err := p.kv.Release(&api.KVPair{Key: p.key, Session: p.id}, nil)
	if err == nil && !freed {
		err = errors.New("the post was lost")
	}
	return err
}

// Guard leaves its post by its session.
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
		return errors.New("guarded by another")
	}
	defer func() { err = errors.Join(err, p.release()) }()
	return watch(held)
}
