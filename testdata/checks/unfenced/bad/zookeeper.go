package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-zookeeper/zk"
)

// Promote: the recipe's lock has a sequence number that zk.Lock does not show.
func Promote(ctx context.Context, conn *zk.Conn, db *sql.DB, replica string) (err error) {
	lock := zk.NewLock(conn, "/locks/primary", zk.WorldACL(zk.PermAll))
	if err := lock.Lock(); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	_, err = db.ExecContext(ctx, "UPDATE topology SET main_node = ?", replica) // want: unfenced
	return err
}
