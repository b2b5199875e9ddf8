// Bigtable: a filter before a mutation.
package bigtable

import (
	"context"
	"encoding/binary"
	"errors"

	"cloud.google.com/go/bigtable"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// no TokenFenced: what a filter compares are bytes: it is read as a condition that is out of sight

// no OwnerFenced: what a filter compares are bytes: it is read as a condition that is out of sight

// no Version: what a filter compares are bytes: it is read as a condition that is out of sight

// cell: none
func None(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	return table.Apply(ctx, "doc", m)
}

// no WrongWay: what a filter compares are bytes: it is read as a condition that is out of sight

// no RandomEqual: what a filter compares are bytes: it is read as a condition that is out of sight

// no NotStored: what a filter compares are bytes: it is read as a condition that is out of sight

// cell: none, weakcondition
func TwoSteps(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	row, err := table.ReadRow(ctx, "doc")
	if err != nil {
		return err
	}
	if last := int64(binary.BigEndian.Uint64(row["d"][0].Value)); last >= token {
		return errors.New("refused")
	}
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	return table.Apply(ctx, "doc", m)
}

// no Dropped: what a filter compares are bytes: it is read as a condition that is out of sight

// cell: unknown
func Unknown(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	older := bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, number(token)))
	matched := false
	if err := table.Apply(ctx, "doc", bigtable.NewCondMutation(older, m, nil), bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if !matched {
		return errors.New("refused")
	}
	return nil
}

func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
