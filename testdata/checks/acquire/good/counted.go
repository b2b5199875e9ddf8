package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"
	clientv3 "go.etcd.io/etcd/client/v3"
	"gorm.io/gorm"
)

const (
	seize = `INSERT INTO import_lease (shard, holder, ends) VALUES ($1, $2, now() + interval '20 seconds')
ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder, ends = excluded.ends WHERE import_lease.ends < now()`
	seizeGorm = "UPDATE export_lease SET holder = ?, ends = NOW() + INTERVAL 20 SECOND WHERE shard = ? AND ends < NOW()"
	leave     = "DELETE FROM import_lease WHERE shard = $1 AND holder = $2"
	seizeBack = `INSERT INTO audit_lease (shard, holder, ends) VALUES ($1, $2, now() + interval '20 seconds')
ON CONFLICT (shard) DO UPDATE SET holder = excluded.holder, ends = excluded.ends WHERE audit_lease.ends < now()`
	who = "SELECT holder FROM audit_lease WHERE shard = $1"
)

func leaves(ctx context.Context, db *sql.DB, shard, holder string) error {
	res, err := db.ExecContext(context.WithoutCancel(ctx), leave, shard, holder)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errBusy, err)
	}
	return nil
}

// Seized counts the rows.
func Seized(ctx context.Context, db *sql.DB, shard, holder string, work func(context.Context) error) (err error) {
	res, err := db.ExecContext(ctx, seize, shard, holder)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errBusy, err)
	}
	defer func() { err = errors.Join(err, leaves(ctx, db, shard, holder)) }()
	return work(ctx)
}

// Exports asks the answer for both.
type Exports struct {
	db     *gorm.DB
	holder string
}

func (x *Exports) Run(ctx context.Context, shard string, work func(context.Context) error) error {
	took := x.db.WithContext(ctx).Exec(seizeGorm, x.holder, shard) // verdict: unverified
	if took.Error != nil {
		return took.Error
	}
	if took.RowsAffected == 0 {
		return errBusy
	}
	return work(ctx)
}

// Audits looks afterwards who has it.
type Audits struct {
	db     *sql.DB
	holder string
}

func (a *Audits) mine(ctx context.Context, shard string) (bool, error) {
	var holder string
	err := a.db.QueryRowContext(ctx, who, shard).Scan(&holder)
	return holder == a.holder, err
}

func (a *Audits) Run(ctx context.Context, shard string, work func(context.Context) error) error {
	if _, err := a.db.ExecContext(ctx, seizeBack, shard, a.holder); err != nil { // verdict: unverified
		return err
	}
	ok, err := a.mine(ctx, shard)
	if err != nil || !ok {
		return errors.Join(errBusy, err)
	}
	return work(ctx)
}

// Crowned asks whether the compare held.
func Crowned(ctx context.Context, cli *clientv3.Client, lease clientv3.LeaseID, work func(context.Context) error) (err error) {
	const crown = "/crown"
	put := clientv3.OpPut(crown, "me", clientv3.WithLease(lease))
	resp, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.Version(crown), "=", 0)).Then(put).Commit()
	if err != nil {
		return err
	}
	if !resp.Succeeded {
		return errBusy
	}
	defer func() {
		_, e := cli.Revoke(context.WithoutCancel(ctx), lease)
		err = errors.Join(err, e)
	}()
	return work(ctx)
}

// Announce puts an address where others find it, once: it is no lock to whoever calls.
func Announce(ctx context.Context, cli *clientv3.Client, lease clientv3.LeaseID, name, addr string) error {
	key := "/services/" + name
	put := clientv3.OpPut(key, addr, clientv3.WithLease(lease))
	_, err := cli.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).Then(put).Commit()
	return err
}

// Own finds a node there that its own session has made, before it was cut off.
func Own(conn *zk.Conn, path string, work func() error) error {
	_, err := conn.Create(path, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
	if err == zk.ErrNodeExists {
		stat, e := owner(conn, path)
		if e != nil {
			return e
		}
		if stat.EphemeralOwner != conn.SessionID() {
			return fmt.Errorf("%s: %w", path, err)
		}
	} else if err != nil {
		return err
	}
	defer conn.Close()
	return work()
}

func owner(conn *zk.Conn, path string) (*zk.Stat, error) {
	_, stat, err := conn.Exists(path)
	return stat, err
}
