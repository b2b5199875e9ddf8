package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Withdraw: SET NX, then read and write back a balance.
func Withdraw(ctx context.Context, rdb *redis.Client, db *sql.DB, account string, cents int64) (err error) {
	key, owner := "lock:account:"+account, rand.Text()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	var balance int64
	if err := db.QueryRowContext(ctx, "SELECT balance FROM account WHERE id = $1", account).Scan(&balance); err != nil {
		return err
	}
	if balance < cents {
		return errors.New("insufficient funds")
	}
	_, err = db.ExecContext(ctx, "UPDATE account SET balance = $2 WHERE id = $1", account, balance-cents) // want: unfenced
	return err
}
