// Package potter listens to the channel of its lock, not to the session behind that.
package potter

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"example.org/locks/checks/renewal/good/promised/kiln"
)

// Bake stops when the kiln is cold.
func Bake(ctx context.Context, cli *clientv3.Client, pots []string, bake func(context.Context, string) error) error {
	heat, err := kiln.Fire(ctx, cli, "north")
	if err != nil {
		return err
	}
	defer heat.Quench(ctx)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-heat.Cold():
			stop()
		case <-ctx.Done():
		}
	}()
	for _, pot := range pots {
		if err := bake(ctx, pot); err != nil {
			return err
		}
	}
	return nil
}
