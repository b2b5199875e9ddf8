// Package leader applies scheduled price changes in one replica at a time. Kubernetes elects it, but the
// price rows do not ask who is leader: one that was replaced while it wrote puts an old price back.
package leader

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// ErrLost reports that another replica leads now.
var ErrLost = errors.New("leadership lost")

type Pricer struct {
	DB       *sql.DB
	Leases   coordinationv1.CoordinationV1Interface
	Identity string
	Every    time.Duration
}

// Run campaigns and applies price changes while it leads. It returns when ctx ends or the leadership is lost.
func (p *Pricer) Run(ctx context.Context) error {
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "shop", Name: "pricer"},
			Client:     p.Leases,
			LockConfig: resourcelock.ResourceLockConfig{Identity: p.Identity},
		},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: p.lead,
			OnStoppedLeading: func() { slog.Info("no longer leading", "identity", p.Identity) },
		},
	})
	if err != nil {
		return fmt.Errorf("leader election: %w", err)
	}
	elector.Run(ctx) // verdict: unfenced
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return ErrLost
}

func (p *Pricer) lead(ctx context.Context) {
	tick := time.NewTicker(p.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := p.apply(ctx); err != nil {
			slog.Error("price change failed", "error", err)
		}
	}
}

func (p *Pricer) apply(ctx context.Context) error {
	const next = "SELECT id, sku, price FROM price_change WHERE due_at <= now() ORDER BY due_at LIMIT 1"
	var id, cents int64
	var sku string
	err := p.DB.QueryRowContext(ctx, next).Scan(&id, &sku, &cents)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read price changes: %w", err)
	}
	_, err = p.DB.ExecContext(ctx, "UPDATE product SET price = $2 WHERE sku = $1", sku, cents) // want: unfenced
	if err != nil {
		return fmt.Errorf("change price of %s: %w", sku, err)
	}
	if _, err := p.DB.ExecContext(ctx, "DELETE FROM price_change WHERE id = $1", id); err != nil {
		return fmt.Errorf("forget price change %d: %w", id, err)
	}
	return nil
}
