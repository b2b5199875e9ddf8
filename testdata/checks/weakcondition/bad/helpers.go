package bad

import (
	"context"
	"database/sql"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// Passbook has the pool besides its transaction.
type Passbook struct {
	db    *sql.DB
	tx    *sql.Tx
	token int64
}

// admit locks the row for as long as its own statement takes: it is sent to the pool.
func (p Passbook) admit(ctx context.Context, account string) error {
	var last int64
	if err := p.db.QueryRowContext(ctx, "SELECT last_token FROM account WHERE id = $1 FOR UPDATE", account).Scan(&last); err != nil {
		return err
	}
	if p.token < last {
		return errStale
	}
	return nil
}

// newest does so in the transaction.
func (p Passbook) newest(ctx context.Context, account string) (bool, error) {
	var last int64
	err := p.tx.QueryRowContext(ctx, "SELECT last_token FROM account WHERE id = $1 FOR UPDATE", account).Scan(&last)
	if err != nil {
		return false, err
	}
	return last >= p.token, nil
}

func inPassbook(ctx context.Context, db *sql.DB, token int64, fn func(Passbook) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(Passbook{db, tx, token}); err != nil {
		return err
	}
	return tx.Commit()
}

// Deposit compares in one transaction and writes in another.
func Deposit(ctx context.Context, session *concurrency.Session, db *sql.DB, account string, cents int64) error {
	return withToken(ctx, session, "/passbook/deposit", func(token int64) error { // verdict: unfenced
		return inPassbook(ctx, db, token, func(p Passbook) error {
			if err := p.admit(ctx, account); err != nil {
				return err
			}
			_, err := p.tx.ExecContext(ctx, "UPDATE account SET cents = $2, last_token = $3 WHERE id = $1", account, cents, p.token) // want: weakcondition
			return err
		})
	})
}

// Withdraw compares in one transaction with the write, the wrong way round.
func Withdraw(ctx context.Context, session *concurrency.Session, db *sql.DB, account string, cents int64) error {
	return withToken(ctx, session, "/passbook/withdraw", func(token int64) error { // verdict: unfenced
		return inPassbook(ctx, db, token, func(p Passbook) error {
			ok, err := p.newest(ctx, account)
			if err != nil {
				return err
			}
			if !ok {
				return errStale
			}
			_, err = p.tx.ExecContext(ctx, "UPDATE account SET cents = $2, last_token = $3 WHERE id = $1", account, -cents, p.token) // want: weakcondition
			return err
		})
	})
}

// Unfrozen does not act on what the helper says.
func Unfrozen(ctx context.Context, session *concurrency.Session, db *sql.DB, account string) error {
	return withToken(ctx, session, "/passbook/unfrozen", func(token int64) error { // verdict: unfenced
		return inPassbook(ctx, db, token, func(p Passbook) error {
			ok, err := p.newest(ctx, account)
			if err != nil {
				return err
			}
			_, err = p.tx.ExecContext(ctx, "UPDATE account SET frozen = $2 WHERE id = $1", account, ok) // want: unfenced
			return err
		})
	})
}
