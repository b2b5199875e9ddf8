package bad

import (
	"context"

	"github.com/hashicorp/consul/api"

	"example.org/locks/checks/units/bad/session"
)

// Elsewhere takes a lock with a session that another package makes too short.
func Elsewhere(ctx context.Context, client *api.Client, work func(context.Context) error) error {
	id, err := session.Short(client)
	if err != nil {
		return err
	}
	return hold(ctx, client, id, work)
}

// Told says itself how short.
func Told(ctx context.Context, client *api.Client, work func(context.Context) error) error {
	s, err := session.For(client, "4s") // want: units
	if err != nil {
		return err
	}
	return hold(ctx, client, s.ID(), work)
}

func hold(ctx context.Context, client *api.Client, id string, work func(context.Context) error) error {
	defer client.Session().Destroy(id, nil)
	ok, _, err := client.KV().Acquire(&api.KVPair{Key: "held", Session: id}, nil)
	if err != nil || !ok {
		return err
	}
	return work(ctx)
}
