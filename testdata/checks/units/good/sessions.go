package good

import (
	"context"

	"github.com/hashicorp/consul/api"

	"example.org/locks/checks/units/good/session"
)

// Told says how long, within what Consul gives. The other text is a name.
func Told(ctx context.Context, client *api.Client, work func(context.Context) error) error {
	id, err := session.For(client, "4s", "20s")
	if err != nil {
		return err
	}
	defer client.Session().Destroy(id, nil)
	ok, _, err := client.KV().Acquire(&api.KVPair{Key: "told", Session: id}, nil)
	if err != nil || !ok {
		return err
	}
	return work(ctx)
}
