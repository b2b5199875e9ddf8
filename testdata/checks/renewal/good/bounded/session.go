// Package bounded has contexts for its sessions that live as long as the locks.
package bounded

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Loan is a book that somebody has at home.
type Loan struct {
	session *concurrency.Session
	mutex   *concurrency.Mutex
	cancel  context.CancelFunc
}

// Lend gives the way to end the session to whoever returns the book.
func Lend(ctx context.Context, cli *clientv3.Client, book string) (*Loan, error) {
	life, cancel := context.WithCancel(ctx)
	s, err := concurrency.NewSession(cli, concurrency.WithContext(life))
	if err != nil {
		cancel()
		return nil, err
	}
	l := &Loan{session: s, mutex: concurrency.NewMutex(s, "/loans/"+book), cancel: cancel}
	queue, leave := context.WithTimeout(life, 10*time.Second)
	defer leave()
	if err := l.mutex.Lock(queue); err != nil {
		s.Close()
		cancel()
		return nil, err
	}
	return l, nil
}

// Return brings it back.
func (l *Loan) Return(ctx context.Context) error {
	defer l.cancel()
	defer l.session.Close()
	return l.mutex.Unlock(ctx)
}

// Librarian stays in run as long as the session is used.
type Librarian struct {
	cli     *clientv3.Client
	session *concurrency.Session
	shelves func(context.Context) error
}

// Run works under the lock until the caller ends it.
func (l *Librarian) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := concurrency.NewSession(l.cli, concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer s.Close()
	l.session = s
	return l.serve(ctx)
}

func (l *Librarian) serve(ctx context.Context) error {
	m := concurrency.NewMutex(l.session, "/librarian")
	if err := m.Lock(ctx); err != nil { // verdict: unverified
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	held, stop := context.WithCancel(ctx)
	defer stop()
	go until(held, l.session, stop)
	return l.shelves(held)
}

// Read has as long for the work as for the session.
func Read(ctx context.Context, cli *clientv3.Client, work func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := concurrency.NewSession(cli, concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer s.Close()
	m := concurrency.NewMutex(s, "/reading")
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	held, stop := context.WithCancel(ctx)
	defer stop()
	go until(held, s, stop)
	return work(held)
}

// until ends the work with the session.
func until(ctx context.Context, s *concurrency.Session, stop context.CancelFunc) {
	select {
	case <-s.Done():
		stop()
	case <-ctx.Done():
	}
}
