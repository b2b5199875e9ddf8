package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/hashicorp/consul/api"
)

// Rollover: a Consul lock bounds the work by its loss channel, but the statement on its way still lands.
func Rollover(ctx context.Context, client *api.Client, db *sql.DB, ledger string, period int) (err error) {
	lock, err := client.LockOpts(&api.LockOptions{Key: "locks/ledger/" + ledger, SessionTTL: "15s"})
	if err != nil {
		return err
	}
	lost, err := lock.Lock(ctx.Done()) // verdict: unfenced
	if err != nil {
		return err
	}
	if lost == nil {
		return errBusy
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-lost:
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err = db.ExecContext(ctx, "UPDATE ledger SET period = $2 WHERE name = $1", ledger, period) // want: unfenced
	return err
}
