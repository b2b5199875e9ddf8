// Bigtable: a filter before a mutation.
package bigtable

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"

	"cloud.google.com/go/bigtable"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// cell: token
func TokenFenced(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	return conditional(ctx, table, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, number(token))), m, nil))
}

// no OwnerFenced: the lease is a row of its own

// no Version: a filter compares the order of bytes: a version is read as a token

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

// cell: none, weakcondition
func WrongWay(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	return conditional(ctx, table, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(number(token), nil)), m, nil))
}

// cell: none, unorderedtoken
func RandomEqual(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	id := rand.Text()
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), []byte(id))
	return conditional(ctx, table, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, []byte(id))), m, nil))
}

// cell: none, weakcondition
func NotStored(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	return conditional(ctx, table, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, number(token))), m, nil))
}

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
	older := bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.ValueRangeFilter(nil, number(token))) // any value that it ever had
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

// cell: token
func UnlessNewer(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	return unless(ctx, table, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(number(token), nil)), nil, m))
}

// cell: unknown
func EitherWay(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := mutex.Header().Revision
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), number(token))
	return conditional(ctx, table, bigtable.NewCondMutation(bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, number(token))), m, m))
}

// cell: unknown
func OtherBytes(ctx context.Context, session *concurrency.Session, table *bigtable.Table, body []byte) error {
	mutex := concurrency.NewMutex(session, "/locks/matrix")
	if err := mutex.Lock(ctx); err != nil {
		return err
	}
	defer mutex.Unlock(context.WithoutCancel(ctx))
	token := binary.LittleEndian.AppendUint64(nil, uint64(mutex.Header().Revision))
	m := bigtable.NewMutation()
	m.Set("d", "body", bigtable.Now(), body)
	m.Set("d", "token", bigtable.Now(), token)
	older := bigtable.ChainFilters(bigtable.ColumnFilter("token"), bigtable.LatestNFilter(1), bigtable.ValueRangeFilter(nil, token))
	return conditional(ctx, table, bigtable.NewCondMutation(older, m, nil))
}

// conditional applies a mutation that a filter may refuse.
func conditional(ctx context.Context, table *bigtable.Table, m *bigtable.Mutation) error {
	matched := false
	if err := table.Apply(ctx, "doc", m, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if !matched {
		return errors.New("refused")
	}
	return nil
}

// unless applies a mutation that a filter refuses by a match.
func unless(ctx context.Context, table *bigtable.Table, m *bigtable.Mutation) error {
	matched := false
	if err := table.Apply(ctx, "doc", m, bigtable.GetCondMutationResult(&matched)); err != nil {
		return err
	}
	if matched {
		return errors.New("refused")
	}
	return nil
}
