// Package bounded renews sessions on contexts that are over before their locks.
package bounded

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// All of these sessions are renewed on a context that is over before the lock.

// Loan is a book that somebody has at home.
type Loan struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
}

// Lend bounds the wait, and with it the loan.
func Lend(ctx context.Context, cli *clientv3.Client, book string) (*Loan, error) {
	queue, leave := context.WithTimeout(ctx, 10*time.Second)
	defer leave()
	opts := []concurrency.SessionOption{concurrency.WithTTL(30), concurrency.WithContext(queue)}
	s, err := concurrency.NewSession(cli, opts...) // want: renewal
	if err != nil {
		return nil, err
	}
	l := &Loan{session: s, mutex: concurrency.NewMutex(s, "/loans/"+book)}
	if err := l.mutex.Lock(queue); err != nil {
		s.Close()
		return nil, err
	}
	return l, nil
}

// Return brings it back.
func (l *Loan) Return(ctx context.Context) error {
	defer l.session.Close()
	return l.mutex.Unlock(ctx)
}

// Library keeps one session for all of its locks.
type Library struct {
	cli     *clientv3.Client
	session *concurrency.Session
}

// open is called once, by a constructor that must not hang.
func (l *Library) open() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	s, err := concurrency.NewSession(l.cli, concurrency.WithContext(ctx)) // want: renewal
	if err != nil {
		return err
	}
	l.session = s
	return nil
}

// NewLibrary is that constructor.
func NewLibrary(cli *clientv3.Client) (*Library, error) {
	l := &Library{cli: cli}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

// Read works by the caller's context, on a session that has five seconds.
func Read(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) (err error) {
	wait, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s, err := concurrency.NewSession(cli, concurrency.WithContext(wait)) // want: renewal
	if err != nil {
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "/reading")
	if err := m.Lock(wait); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	held, stop := context.WithCancel(ctx)
	defer stop()
	go until(held, s, stop)
	return work(held)
}

// Copy cancels what it has waited with as soon as it has the lock.
func Copy(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) (err error) {
	wait, enough := context.WithTimeout(ctx, time.Minute)
	s, err := concurrency.NewSession(cli, concurrency.WithContext(wait)) // want: renewal
	if err != nil {
		enough()
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "/copying")
	err = m.Lock(wait)
	enough()
	if err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	held, stop := context.WithCancel(ctx)
	defer stop()
	go until(held, s, stop)
	return work(held)
}

// Subscription is a lease that a constructor promises to keep alive.
type Subscription struct {
	id   clientv3.LeaseID
	beat <-chan *clientv3.LeaseKeepAliveResponse
}

// Subscribe asks for it by a context that it ends.
func Subscribe(ctx context.Context, cli *clientv3.Client) (*Subscription, error) {
	short, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	g, err := cli.Grant(short, 20)
	if err != nil {
		return nil, err
	}
	beat, err := cli.KeepAlive(short, g.ID) // want: renewal
	if err != nil {
		return nil, err
	}
	return &Subscription{id: g.ID, beat: beat}, nil
}

// until ends the work with the session.
func until(ctx context.Context, s *concurrency.Session, stop context.CancelFunc) {
	select {
	case <-s.Done():
		stop()
	case <-ctx.Done():
	}
}
