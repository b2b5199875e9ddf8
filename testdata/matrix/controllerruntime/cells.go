// controller-runtime: Update, and patches with and without a lock.
package controllerruntime

import (
	"context"
	"errors"
	"strconv"

	"go.etcd.io/etcd/client/v3/concurrency"
	v1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// no TokenFenced: an object has no condition but its resourceVersion

// no OwnerFenced: the lease is an object of its own

// cell: version
func Version(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var m v1.ConfigMap
	if err := c.Get(ctx, key, &m); err != nil {
		return err
	}
	old := m.DeepCopy()
	m.Data["body"] = body
	return c.Patch(ctx, &m, client.MergeFromWithOptions(old, client.MergeFromWithOptimisticLock{}))
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var m v1.ConfigMap
	if err := c.Get(ctx, key, &m); err != nil {
		return err
	}
	old := m.DeepCopy()
	m.Data["body"] = body
	return c.Patch(ctx, &m, client.MergeFrom(old))
}

// no WrongWay: an object has no condition but its resourceVersion

// no RandomEqual: an object has no condition but its resourceVersion

// no NotStored: an object has no condition but its resourceVersion

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	var m v1.ConfigMap
	if err := c.Get(ctx, key, &m); err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(m.Data["token"], 10, 64); last >= token {
		return errors.New("refused")
	}
	old := m.DeepCopy()
	m.Data["body"] = body
	return c.Patch(ctx, &m, client.MergeFrom(old))
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, c client.Client, m *v1.ConfigMap, patch client.Patch) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return c.Patch(ctx, m, patch)
}

// cell: version
func Updated(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var m v1.ConfigMap
	if err := c.Get(ctx, key, &m); err != nil {
		return err
	}
	m.Data["body"] = body
	return c.Update(ctx, &m)
}

// cell: none
func UpdatedAnew(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	return c.Update(ctx, &v1.ConfigMap{Data: map[string]string{"body": body}})
}

// cell: none
func WithoutOptions(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var m v1.ConfigMap
	if err := c.Get(ctx, key, &m); err != nil {
		return err
	}
	old := m.DeepCopy()
	m.Data["body"] = body
	return c.Patch(ctx, &m, client.MergeFromWithOptions(old))
}

// cell: version
func Strategic(ctx context.Context, session *concurrency.Session, c client.Client, key client.ObjectKey, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	var m v1.ConfigMap
	if err := c.Get(ctx, key, &m); err != nil {
		return err
	}
	old := m.DeepCopy()
	m.Data["body"] = body
	return c.Patch(ctx, &m, client.StrategicMergeFrom(old, client.MergeFromWithOptimisticLock{}))
}
