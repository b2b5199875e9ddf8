package bad

import (
	"context"
	"net/http"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"example.org/locks/checks/owner/rooms"
)

type desk struct {
	rooms *rooms.Rooms
	work  func(context.Context) error
}

// ServeHTTP is run for two requests at a time.
func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := d.rooms.Book(r.Context(), r.PathValue("room"), d.work); err != nil { // verdict: unverified
		http.Error(w, err.Error(), http.StatusConflict)
	}
}

// Meters keeps the lock itself.
type Meters struct {
	lock *concurrency.Mutex
	work func(context.Context) error
}

func NewMeters(s *concurrency.Session, work func(context.Context) error) *Meters {
	return &Meters{lock: concurrency.NewMutex(s, "/meters"), work: work}
}

func (m *Meters) read(ctx context.Context) error {
	if err := m.lock.Lock(ctx); err != nil { // want: owner // verdict: unverified
		return err
	}
	defer m.lock.Unlock(context.WithoutCancel(ctx))
	return m.work(ctx)
}

func (m *Meters) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := m.read(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
}

// Many starts workers for one and the same thing.
func Many(ctx context.Context, cli *clientv3.Client, n int, work func(context.Context) error) error {
	s, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer s.Close()
	var all sync.WaitGroup
	for range n {
		all.Add(1)
		go func() {
			defer all.Done()
			m := concurrency.NewMutex(s, "/many")
			if m.Lock(ctx) != nil { // want: owner,renewal
				return
			}
			defer m.Unlock(context.WithoutCancel(ctx))
			_ = work(ctx)
		}()
	}
	all.Wait()
	return nil
}

// Lead has the same name everywhere.
func Lead(ctx context.Context, client kubernetes.Interface, lead func(context.Context)) {
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{ // want: owner
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "shop", Name: "lead"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "lead"},
		},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks:     leaderelection.LeaderCallbacks{OnStartedLeading: lead, OnStoppedLeading: func() { panic("lost") }},
	})
}

// Elect is told a name, and takes it for its own.
func Elect(ctx context.Context, client kubernetes.Interface, name string, lead func(context.Context)) error {
	record, err := resourcelock.New(resourcelock.LeasesResourceLock, "shop", name, client.CoreV1(), client.CoordinationV1(), // want: owner
		resourcelock.ResourceLockConfig{Identity: name})
	if err != nil {
		return err
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:          record,
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks:     leaderelection.LeaderCallbacks{OnStartedLeading: lead, OnStoppedLeading: func() { panic("lost") }},
	})
	return nil
}
