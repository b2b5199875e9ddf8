package good

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// Meters lets its requests wait for each other first.
type Meters struct {
	session *concurrency.Session
	one     sync.Mutex
	work    func(context.Context) error
}

func (m *Meters) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.one.Lock()
	defer m.one.Unlock()
	l := concurrency.NewMutex(m.session, "/meters")
	if err := l.Lock(r.Context()); err != nil { // verdict: unverified
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer l.Unlock(context.WithoutCancel(r.Context()))
	_ = m.work(r.Context())
}

// Own has a session for each request.
type Own struct {
	cli  *clientv3.Client
	work func(context.Context) error
}

func (o *Own) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, err := o.open()
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	defer h.session.Close()
	_ = h.run(r.Context(), o.work) // verdict: unverified
}

type holder struct{ session *concurrency.Session }

func (o *Own) open() (*holder, error) {
	s, err := concurrency.NewSession(o.cli)
	return &holder{session: s}, err
}

func (h *holder) run(ctx context.Context, work func(context.Context) error) error {
	m := concurrency.NewMutex(h.session, "/own")
	if err := m.Lock(ctx); err != nil { // want: renewal
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return work(ctx)
}

// Loop is alone in its process.
type Loop struct{ session *concurrency.Session }

func (l *Loop) Run(ctx context.Context, work func(context.Context) error) error {
	for ctx.Err() == nil {
		m := concurrency.NewMutex(l.session, "/loop")
		if err := m.Lock(ctx); err != nil {
			return err
		}
		err := work(ctx)
		m.Unlock(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Each has a key of its own for each worker.
func Each(ctx context.Context, cli *clientv3.Client, names []string, work func(context.Context) error) error {
	s, err := concurrency.NewSession(cli)
	if err != nil {
		return err
	}
	defer s.Close()
	var all sync.WaitGroup
	for _, name := range names {
		all.Add(1)
		go func() {
			defer all.Done()
			m := concurrency.NewMutex(s, "/each/"+name)
			if m.Lock(ctx) != nil { // want: renewal
				return
			}
			defer m.Unlock(context.WithoutCancel(ctx))
			_ = work(ctx)
		}()
	}
	all.Wait()
	return nil
}

// Lead has the name of the pod, which is that of its host.
func Lead(ctx context.Context, client kubernetes.Interface, lead func(context.Context)) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: "shop", Name: "lead"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "lead-" + host},
		},
		LeaseDuration: 15 * time.Second,
		RenewDeadline: 10 * time.Second,
		RetryPeriod:   2 * time.Second,
		Callbacks:     leaderelection.LeaderCallbacks{OnStartedLeading: lead, OnStoppedLeading: func() { panic("lost") }},
	})
	return nil
}
