// Package leases takes Lease objects of Kubernetes by hand.
package leases

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// A Pier is used by one ship at a time, whose name is on its Lease.
type Pier struct {
	leases coordination.LeaseInterface
	name   string
	db     *sql.DB
}

// Moor puts the ship's name on the Lease, which may have to be made first. It stays there
// until the ship leaves.
func (p *Pier) Moor(ctx context.Context, ship string) error {
	lease, err := p.leases.Get(ctx, p.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease = &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Name: p.name},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: &ship},
		}
		_, err = p.leases.Create(ctx, lease, metav1.CreateOptions{})
		return err
	}
	if err != nil {
		return err
	}
	if lease.Spec.HolderIdentity != nil {
		if *lease.Spec.HolderIdentity == ship {
			return nil
		}
		return fmt.Errorf("%s is there", *lease.Spec.HolderIdentity)
	}
	lease.Spec.HolderIdentity = &ship
	_, err = p.leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// Leave takes the name off again.
func (p *Pier) Leave(ctx context.Context, ship string) error {
	lease, err := p.leases.Get(ctx, p.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if h := lease.Spec.HolderIdentity; h == nil || *h != ship {
		return errors.New("another ship is there")
	}
	lease.Spec.HolderIdentity = nil
	_, err = p.leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}

// Unload counts what is on the pier.
func (p *Pier) Unload(ctx context.Context, ship string, boxes int) (err error) {
	if err := p.Moor(ctx, ship); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, p.Leave(context.WithoutCancel(ctx), ship)) }()
	_, err = p.db.ExecContext(ctx, "UPDATE piers SET boxes = boxes + $1 WHERE name = $2", boxes, p.name) // want: unfenced
	return err
}

// holder is who holds a lease, if anybody does.
func holder(l *coordinationv1.Lease) string {
	if l.Spec.HolderIdentity == nil {
		return ""
	}
	return *l.Spec.HolderIdentity
}

// TakeOver moors where a ship has been for too long.
func (p *Pier) TakeOver(ctx context.Context, ship string, seen func(*coordinationv1.Lease) time.Duration) (bool, error) {
	lease, err := p.leases.Get(ctx, p.name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	if other := holder(lease); other != "" && other != ship && seen(lease) < time.Minute {
		return false, nil
	}
	now := metav1.NowMicro()
	lease.Spec.AcquireTime = &now
	lease.Spec.RenewTime = &now
	lease.Spec.HolderIdentity = &ship
	_, err = p.leases.Update(ctx, lease, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) {
		return false, nil
	}
	return err == nil, err
}

// Refuel fails where another ship is.
func (p *Pier) Refuel(ctx context.Context, ship string, seen func(*coordinationv1.Lease) time.Duration) error {
	ok, err := p.TakeOver(ctx, ship, seen) // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errors.New("the pier is taken")
	}
	_, err = p.db.ExecContext(ctx, "UPDATE tanks SET litres = litres - 100 WHERE pier = $1", p.name) // want: unfenced
	return err
}
