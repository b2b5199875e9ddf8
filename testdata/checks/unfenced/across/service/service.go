// Package service locks in one package and writes in another, through interfaces and without. What is wanted
// here is what the fencevet command says, which sees the whole module; where a single package is analysed, the
// verdict behind an interface is unverified and there is no finding.
package service

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"example.org/locks/checks/unfenced/across/lock"
	"example.org/locks/checks/unfenced/across/store"
)

// Service has everything behind an interface.
type Service struct {
	Locks  lock.Locker
	Tables store.Tables
	Etcd   *clientv3.Client
}

// SetQuota: the write stands in another package, so the finding is at the acquire.
func (s *Service) SetQuota(ctx context.Context, team string, quota int) error {
	return s.Locks.Do(ctx, "lock:team:"+team, func(ctx context.Context) error { // want: unfenced // verdict: unfenced // linked
		return s.Tables.SetQuota(ctx, team, quota)
	})
}

// SetBudget: the token goes through a callback and an interface into the statement.
func (s *Service) SetBudget(ctx context.Context, team string, cents int64) error {
	return lock.WithToken(ctx, s.Etcd, "/locks/team/"+team, func(ctx context.Context, token int64) error { // verdict: fenced // linked
		return s.Tables.SetBudget(ctx, team, cents, token)
	})
}

// Direct has neither interface: every driver sees the same.
type Direct struct {
	Locks  *lock.Redis
	Tables *store.SQL
	Etcd   *clientv3.Client
}

func (d *Direct) SetQuota(ctx context.Context, team string, quota int) error {
	return d.Locks.Do(ctx, "lock:team:"+team, func(ctx context.Context) error { // want: unfenced // verdict: unfenced
		return d.Tables.SetQuota(ctx, team, quota)
	})
}

func (d *Direct) SetBudget(ctx context.Context, team string, cents int64) error {
	return lock.WithToken(ctx, d.Etcd, "/locks/team/"+team, func(ctx context.Context, token int64) error { // verdict: fenced
		return d.Tables.SetBudget(ctx, team, cents, token)
	})
}

// Forgotten hands a constant on instead of the token.
func (d *Direct) Forgotten(ctx context.Context, team string, cents int64) error {
	return lock.WithToken(ctx, d.Etcd, "/locks/team/"+team, func(ctx context.Context, _ int64) error { // want: unfenced // verdict: unfenced
		return d.Tables.SetBudget(ctx, team, cents, 1)
	})
}
