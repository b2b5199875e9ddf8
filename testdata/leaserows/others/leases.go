package others

import (
	"context"
	"database/sql"
	"strconv"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// A Beacon tells by a Lease of its own that its ship is afloat: nobody else ever writes that.
type Beacon struct {
	leases coordination.LeaseInterface
	ship   string
	db     *sql.DB
}

// Beat moves the time of the Lease, or makes it.
func (b *Beacon) Beat(ctx context.Context) error {
	now := metav1.NowMicro()
	lease, err := b.leases.Get(ctx, b.ship, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = b.leases.Create(ctx, &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: b.ship},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &b.ship, RenewTime: &now},
		}, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec.RenewTime = &now
	_, err = b.leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// Report beats, and writes down where the ship is.
func (b *Beacon) Report(ctx context.Context, at string) error {
	if err := b.Beat(ctx); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "UPDATE ships SET position = $1 WHERE name = $2", at, b.ship)
	return err
}

// Logged keeps in a Lease the page of the log that was sent last.
func (b *Beacon) Logged(ctx context.Context, page int64) error {
	lease, err := b.leases.Get(ctx, b.ship+"-log", metav1.GetOptions{})
	if err != nil {
		return err
	}
	now, last := metav1.NowMicro(), strconv.FormatInt(page, 10)
	if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == last {
		return nil
	}
	lease.Spec.HolderIdentity = &last
	lease.Spec.RenewTime = &now
	if _, err = b.leases.Update(ctx, lease, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = b.db.ExecContext(ctx, "UPDATE ships SET page = $1 WHERE name = $2", page, b.ship)
	return err
}
