// Package elect has leaders: what runs while a candidate leads, and what is told that it does.
package elect

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/locks/checks/shapes/store"
)

// Lead campaigns and runs fn for as long as it is leader.
func Lead(ctx context.Context, cli *clientv3.Client, name, id string, fn func(ctx context.Context, term int64) error) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer session.Close()
	e := concurrency.NewElection(session, "/elect/"+name)
	if err := e.Campaign(ctx, id); err != nil {
		return err
	}
	defer e.Resign(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-session.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	return fn(ctx, e.Rev())
}

// Callbacks are what a candidate is told.
type Callbacks struct {
	Started func(ctx context.Context)
	Stopped func()
}

// Run calls the callbacks.
func Run(ctx context.Context, cli *clientv3.Client, name, id string, cb Callbacks) error {
	return Lead(ctx, cli, name, id, func(ctx context.Context, _ int64) error {
		defer cb.Stopped()
		cb.Started(ctx)
		return nil
	})
}

// Job works as long as it leads.
type Job struct {
	Etcd   *clientv3.Client
	Orders *store.Orders

	leading atomic.Bool
	mu      sync.Mutex
	leader  bool
	term    int64
	elected chan struct{}
}

// Fenced hands the revision of the election on.
func (j *Job) Fenced(ctx context.Context) error {
	return Lead(ctx, j.Etcd, "fenced", "me", func(ctx context.Context, term int64) error { // verdict: fenced // lock: /elect/fenced 10s
		return j.Orders.PayFenced(ctx, 1, 2, term)
	})
}

// Plain does not.
func (j *Job) Plain(ctx context.Context) error {
	return Lead(ctx, j.Etcd, "plain", "me", func(ctx context.Context, _ int64) error { // want: unfenced // verdict: unfenced // lock: /elect/plain 10s
		return j.Orders.Pay(ctx, 1, 2)
	})
}

// Called works in a struct of callbacks.
func (j *Job) Called(ctx context.Context) error {
	return Run(ctx, j.Etcd, "called", "me", Callbacks{ // want: unfenced // verdict: unfenced // lock: /elect/called 10s
		Started: func(ctx context.Context) { _ = j.Orders.Pay(ctx, 3, 4) },
		Stopped: func() {},
	})
}

// Channel hands leadership over to a loop that waits for it.
func (j *Job) Channel(ctx context.Context) error {
	return Lead(ctx, j.Etcd, "channel", "me", func(ctx context.Context, _ int64) error { // want: unfenced // verdict: unfenced
		j.elected <- struct{}{}
		<-ctx.Done()
		return nil
	})
}

// Work waits to be elected.
func (j *Job) Work(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-j.elected:
			if err := j.Orders.Pay(ctx, 5, 6); err != nil {
				return err
			}
		}
	}
}

// Flag tells leadership by a field under a mutex.
func (j *Job) Flag(ctx context.Context) error {
	return Lead(ctx, j.Etcd, "flag", "me", func(ctx context.Context, term int64) error { // want: unfenced // verdict: unfenced
		j.mu.Lock()
		j.leader, j.term = true, term
		j.mu.Unlock()
		<-ctx.Done()
		j.mu.Lock()
		j.leader = false
		j.mu.Unlock()
		return nil
	})
}

func (j *Job) isLeader() (bool, int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.leader, j.term
}

// Tick runs on every replica; one of them works.
func (j *Job) Tick(ctx context.Context) {
	for range time.Tick(time.Minute) {
		if leader, _ := j.isLeader(); !leader {
			continue
		}
		_ = j.Orders.Pay(ctx, 7, 8)
	}
}

// Atomic tells it by an atomic flag.
func (j *Job) Atomic(ctx context.Context) error {
	return Lead(ctx, j.Etcd, "atomic", "me", func(ctx context.Context, term int64) error { // want: unfenced // verdict: unfenced
		j.leading.Store(true)
		defer j.leading.Store(false)
		<-ctx.Done()
		return nil
	})
}

// Sweep asks the flag.
func (j *Job) Sweep(ctx context.Context) error {
	if !j.leading.Load() {
		return nil
	}
	return j.Orders.Pay(ctx, 9, 10)
}

// Serve tells whoever started it that it leads, by a channel that it was given.
func Serve(ctx context.Context, cli *clientv3.Client, ready chan<- struct{}) error {
	session, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer session.Close()
	e := concurrency.NewElection(session, "/elect/serve")
	if err := e.Campaign(ctx, "me"); err != nil { // verdict: unverified
		return err
	}
	defer e.Resign(context.WithoutCancel(ctx))
	close(ready)
	select {
	case <-session.Done():
	case <-ctx.Done():
	}
	return ctx.Err()
}

// A Seat is what its holder was elected to.
type Seat struct {
	session  *concurrency.Session
	election *concurrency.Election
	id       string
}

// Take comes back when the seat is taken. What its holder does, others decide.
func (s *Seat) Take(ctx context.Context) error { return s.election.Campaign(ctx, s.id) }

// Leave gives the seat up.
func (s *Seat) Leave(ctx context.Context) error { return s.election.Resign(ctx) }

// Lost tells that the seat is.
func (s *Seat) Lost() <-chan struct{} { return s.session.Done() }

// Watch takes the seat and remembers since when; whoever asks works for the holder.
type Watch struct {
	seat  *Seat
	mu    sync.Mutex
	since time.Time
	left  chan struct{}
}

func (w *Watch) begin(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = at
}

// Sit holds the seat until it is lost, and takes it again.
func (w *Watch) Sit(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.seat.Take(ctx); err != nil { // verdict: unverified
			return
		}
		w.begin(time.Now())
		select {
		case <-w.seat.Lost():
			w.begin(time.Time{})
		case <-w.left:
			if err := w.seat.Leave(context.WithoutCancel(ctx)); err != nil {
				return
			}
		}
	}
}

// Local waits in the function that stands for election.
func (j *Job) Local(ctx context.Context) error {
	elected := make(chan struct{})
	go func() {
		_ = Lead(ctx, j.Etcd, "local", "me", func(ctx context.Context, _ int64) error { // want: unfenced // verdict: unfenced
			close(elected)
			<-ctx.Done()
			return nil
		})
	}()
	<-elected
	return j.Orders.Pay(ctx, 11, 12)
}

// A candidate stands for election when it is told to.
type candidate func(ctx context.Context) error

// candidate makes one, and the channel by which it tells that it leads.
func (j *Job) candidate(name string) (candidate, chan struct{}) {
	leaderOK := make(chan struct{})
	return func(ctx context.Context) error {
		return Lead(ctx, j.Etcd, name, "me", func(ctx context.Context, _ int64) error { // verdict: unfenced // want: unfenced
			close(leaderOK)
			<-ctx.Done()
			return nil
		})
	}, leaderOK
}

// Made waits for what another function has made.
func (j *Job) Made(ctx context.Context) error {
	stand, leader := j.candidate("made")
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		select {
		case <-ctx.Done():
		case <-leader:
			_ = j.Orders.Pay(ctx, 13, 14)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		<-stop
		cancel()
	}()
	return stand(ctx)
}
