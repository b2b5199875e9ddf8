// Kubernetes: the resourceVersion of an object.
package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// cell: version
func PatchedAsRead(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	m, err := maps.Get(ctx, "doc", metav1.GetOptions{})
	if err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"data":{"body":%q}}`, m.ResourceVersion, body)
	_, err = maps.Patch(ctx, "doc", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// cell: version
func PatchedByMap(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	m, err := maps.Get(ctx, "doc", metav1.GetOptions{})
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": m.ResourceVersion},
		"data":     map[string]any{"body": body},
	})
	if err != nil {
		return err
	}
	_, err = maps.Patch(ctx, "doc", types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// A change is an operation of a JSON patch.
type change struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// cell: version
func PatchedByTest(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	m, err := maps.Get(ctx, "doc", metav1.GetOptions{})
	if err != nil {
		return err
	}
	patch, err := json.Marshal([]change{
		{Op: "test", Path: "/metadata/resourceVersion", Value: m.ResourceVersion},
		{Op: "add", Path: "/data/body", Value: body},
	})
	if err != nil {
		return err
	}
	_, err = maps.Patch(ctx, "doc", types.JSONPatchType, patch, metav1.PatchOptions{})
	return err
}

// cell: none
func PatchedAnyway(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, body string) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	patch, err := json.Marshal(map[string]any{"data": map[string]any{"body": body}})
	if err != nil {
		return err
	}
	_, err = maps.Patch(ctx, "doc", types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// cell: unknown
func PatchedSomehow(ctx context.Context, session *concurrency.Session, maps corev1.ConfigMapInterface, patch []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	_, err := maps.Patch(ctx, "doc", types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
