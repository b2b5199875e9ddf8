// Package billing closes invoices. The lock hands out a growing token, and the invoice row refuses every
// token that is not greater than its last one.
package billing

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

const leaseSeconds = 15

type Service struct {
	etcd  *clientv3.Client
	store store
}

func New(etcd *clientv3.Client, db *sql.DB) *Service {
	return &Service{etcd: etcd, store: store{db: db}}
}

// Close adds up the lines of an open invoice and closes it.
func (s *Service) Close(ctx context.Context, invoice int64) (err error) {
	session, err := concurrency.NewSession(s.etcd, concurrency.WithTTL(leaseSeconds))
	if err != nil {
		return fmt.Errorf("open etcd session: %w", err)
	}
	defer func() { err = errors.Join(err, session.Close()) }()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(session.Ctx(), cancel)() // a lost session ends the work

	mutex := concurrency.NewMutex(session, "/shop/invoice/"+strconv.FormatInt(invoice, 10))
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return fmt.Errorf("lock invoice %d: %w", invoice, err)
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	total, err := s.store.total(ctx, invoice)
	if err != nil {
		return err
	}
	return s.store.close(ctx, invoice, total, mutex.Header().Revision)
}
