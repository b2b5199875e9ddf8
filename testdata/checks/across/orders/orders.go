// Package orders uses the locks of one package for what another one writes.
package orders

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/locks/checks/across/keys"
	"example.org/locks/checks/across/lease"
	"example.org/locks/checks/across/ledger"
)

// Service moves money.
type Service struct {
	Locks  *redislock.Client
	Etcd   *clientv3.Client
	Ledger *ledger.Repository
	leases *lease.Manager
}

func New(rdb *redis.Client, l *ledger.Repository) *Service {
	return &Service{Locks: redislock.New(rdb), Ledger: l, leases: lease.NewManager(rdb, lease.WithTTL(30*time.Second))}
}

// Deposit is given a function that unlocks.
func (s *Service) Deposit(ctx context.Context, account string, cents int64) error {
	unlock, err := lease.Lock(ctx, s.Locks, "lock:deposit:"+account, 8*time.Second) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	defer unlock()
	old, err := s.Ledger.Balance(ctx, account)
	if err != nil {
		return err
	}
	return s.Ledger.SetBalance(ctx, account, old+cents)
}

// Late writes what it writes after it gave the lock back, which is another matter: inside, it reads.
func (s *Service) Late(ctx context.Context, account string) (int64, error) {
	unlock, err := lease.Lock(ctx, s.Locks, "lock:late:"+account, 8*time.Second) // verdict: no-visible-write
	if err != nil {
		return 0, err
	}
	defer unlock()
	return s.Ledger.Balance(ctx, account)
}

// Withdraw is given a handle.
func (s *Service) Withdraw(ctx context.Context, account string, cents int64) error {
	l, err := s.leases.Acquire(ctx, "withdraw:"+account) // want: unfenced // verdict: unfenced
	if err != nil {
		return err
	}
	defer l.Release(ctx)
	if err := keys.Check(ctx, account); err != nil {
		return err
	}
	return s.Ledger.SetBalance(ctx, account, cents)
}

// Checked has nothing in the section that could write, which takes the package of the check to know.
func (s *Service) Checked(ctx context.Context, account string) error {
	l, err := s.leases.Acquire(ctx, "checked:"+account) // verdict: no-visible-write
	if err != nil {
		return err
	}
	defer l.Release(ctx)
	return keys.Check(ctx, account)
}

// Close uses a pair of methods and hands the token on.
func (s *Service) Close(ctx context.Context, session *concurrency.Session, account string) error {
	m := lease.NewMutex(session, "close/"+account)
	if err := m.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer m.Unlock(ctx)
	return s.Ledger.SetBalanceFenced(ctx, account, 0, m.Token())
}

// Reopen hands it on to a comparison that is the wrong way round.
func (s *Service) Reopen(ctx context.Context, session *concurrency.Session, account string) error {
	m := lease.NewMutex(session, "reopen/"+account)
	if err := m.Lock(ctx); err != nil { // alone: weakcondition // verdict: unfenced
		return err
	}
	defer m.Unlock(ctx)
	return s.Ledger.SetBalanceReversed(ctx, account, 0, m.Token())
}

// Settle hands a clock reading on where the token belongs.
func (s *Service) Settle(ctx context.Context, session *concurrency.Session, account string) error {
	m := lease.NewMutex(session, "settle/"+account)
	if err := m.Lock(ctx); err != nil { // want: unorderedtoken // verdict: unfenced
		return err
	}
	defer m.Unlock(ctx)
	return s.Ledger.SetBalanceFenced(ctx, account, 0, time.Now().UnixNano())
}

// Transfer works in a callback that is given the token.
func (s *Service) Transfer(ctx context.Context, from, to string, cents int64) error {
	return lease.Do(ctx, s.Etcd, "transfer", func(ctx context.Context, token int64) error { // verdict: fenced
		if err := s.Ledger.SetBalanceFenced(ctx, from, -cents, token); err != nil {
			return err
		}
		return s.Ledger.SetBalanceFenced(ctx, to, cents, token)
	})
}

// Refund forgets it for one of two writes.
func (s *Service) Refund(ctx context.Context, from, to string, cents int64) error {
	return lease.Do(ctx, s.Etcd, "refund", func(ctx context.Context, token int64) error { // want: unfenced // verdict: unfenced
		if err := s.Ledger.SetBalanceFenced(ctx, from, -cents, token); err != nil {
			return err
		}
		return s.Ledger.SetBalance(ctx, to, cents)
	})
}

// Audit passes a method instead of a literal.
func (s *Service) Audit(ctx context.Context, account string) error {
	return lease.Do(ctx, s.Etcd, "audit", s.audit) // verdict: fenced
}

func (s *Service) audit(ctx context.Context, token int64) error {
	return s.Ledger.SetBalanceFenced(ctx, "audit", 0, token)
}

// Interest is generic on the way.
func (s *Service) Interest(ctx context.Context, rates map[string]int64) error {
	return lease.Each(ctx, s.Etcd, rates, func(ctx context.Context, rate, token int64) error { // verdict: fenced
		return s.Ledger.SetBalanceFenced(ctx, "interest", rate, token)
	})
}

// Fees is, too, but forgets the token.
func (s *Service) Fees(ctx context.Context, rates map[string]int64) error {
	return lease.Each(ctx, s.Etcd, rates, func(ctx context.Context, rate, _ int64) error { // want: unfenced // verdict: unfenced
		return s.Ledger.SetBalance(ctx, "fees", rate)
	})
}
