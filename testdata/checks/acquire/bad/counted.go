package bad

import (
	"context"
	"database/sql"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"gorm.io/gorm"
)

const (
	seize = `INSERT INTO migration_lease (shard, holder, ends) VALUES ($1, $2, now() + interval '20 seconds')
ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder, ends = excluded.ends WHERE migration_lease.ends < now()`
	seizeAgain = "UPDATE migration_lease SET holder = ?, ends = NOW() + INTERVAL 20 SECOND WHERE shard = ? AND ends < NOW()"
	leave      = "DELETE FROM migration_lease WHERE shard = $1 AND holder = $2"
)

// Seized is told by the count of rows alone, which nobody asks for.
func Seized(ctx context.Context, db *sql.DB, shard, holder string, work func(context.Context) error) error {
	_, err := db.ExecContext(ctx, seize, shard, holder) // want: acquire
	if err != nil {
		return err
	}
	defer db.ExecContext(context.WithoutCancel(ctx), leave, shard, holder)
	return work(ctx)
}

// Shards keeps its table behind gorm.
type Shards struct {
	db     *gorm.DB
	holder string
}

// Run asks an answer for its error, which has a count beside it.
func (m *Shards) Run(ctx context.Context, shard string, work func(context.Context) error) error {
	if err := m.db.WithContext(ctx).Exec(seizeAgain, m.holder, shard).Error; err != nil { // want: acquire // verdict: unverified
		return err
	}
	return work(ctx)
}

// Crowned lets everybody in whose transaction was carried out.
func Crowned(ctx context.Context, cli *clientv3.Client, lease clientv3.LeaseID, work func(context.Context) error) (err error) {
	const crown = "/crown"
	txn := cli.Txn(ctx).If(clientv3.Compare(clientv3.Version(crown), "=", 0))
	_, err = txn.Then(clientv3.OpPut(crown, "me", clientv3.WithLease(lease))).Commit() // want: acquire
	if err != nil {
		return err
	}
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), lease)
		err = errors.Join(err, e)
	}()
	return work(ctx)
}
