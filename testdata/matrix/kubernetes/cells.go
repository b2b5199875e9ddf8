// Kubernetes: the resourceVersion of an object.
package kubernetes

import (
	"context"
	"errors"
	"strconv"

	"go.etcd.io/etcd/client/v3/concurrency"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// no TokenFenced: an object has no condition but its resourceVersion

// no OwnerFenced: the lease is an object of its own

// cell: version
func Version(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, given *v1.ConfigMap, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	m, err := maps.Get(ctx, "doc", metav1.GetOptions{})
	if err != nil {
		return err
	}
	m.Data["body"] = body
	_, err = maps.Update(ctx, m, metav1.UpdateOptions{})
	return err
}

// cell: none
func None(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, given *v1.ConfigMap, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := maps.Patch(ctx, "doc", types.MergePatchType, []byte(`{"data":{"body":"new"}}`), metav1.PatchOptions{})
	return err
}

// no WrongWay: an object has no condition but its resourceVersion

// no RandomEqual: an object has no condition but its resourceVersion

// no NotStored: an object has no condition but its resourceVersion

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, given *v1.ConfigMap, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m, err := maps.Get(ctx, "doc", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if last, _ := strconv.ParseInt(m.Data["token"], 10, 64); last >= token {
		return errors.New("refused")
	}
	_, err = maps.Patch(ctx, "doc", types.MergePatchType, []byte(`{"data":{"body":"new"}}`), metav1.PatchOptions{})
	return err
}

// no Dropped: a refusal is an error

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, given *v1.ConfigMap, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := maps.Update(ctx, given, metav1.UpdateOptions{})
	return err
}
