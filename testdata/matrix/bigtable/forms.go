package bigtable

import (
	"context"

	"cloud.google.com/go/bigtable"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token, result dropped
func Dropped(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	older := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, number(token))), m, nil)
	return table.Apply(ctx, "doc", older)
}

// cell: token, result dropped
func Unread(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	older := bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, number(token))), m, nil)
	var matched bool
	return table.Apply(ctx, "doc", older, bigtable.GetCondMutationResult(&matched))
}
