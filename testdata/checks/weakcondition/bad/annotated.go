package bad

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const reign = "scaler.example.org/reign"

// Scaler sets the replicas of a deployment while it leads.
type Scaler struct {
	cs       kubernetes.Interface
	ns, name string
	lock     *resourcelock.LeaseLock
}

// Run leads until the context ends.
func (s *Scaler) Run(ctx context.Context, replicas int32) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // verdict: unfenced
		Lock: s.lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				rec, _, err := s.lock.Get(ctx)
				if err == nil {
					s.scale(ctx, rec.LeaderTransitions, replicas)
				}
			},
			OnStoppedLeading: func() { panic("lost") },
		},
	})
}

// scale compares the reign in the annotation here, and patches the deployment after it.
func (s *Scaler) scale(ctx context.Context, term int, replicas int32) error {
	api := s.cs.AppsV1().Deployments(s.ns)
	d, err := api.Get(ctx, s.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if seen, err := strconv.Atoi(d.Annotations[reign]); err == nil && seen > term {
		return errStale
	}
	next := appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &replicas}}
	metav1.SetMetaDataAnnotation(&next.ObjectMeta, reign, strconv.Itoa(term))
	patch, err := json.Marshal(next)
	if err != nil {
		return err
	}
	_, err = api.Patch(ctx, s.name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}) // want: weakcondition
	return err
}
