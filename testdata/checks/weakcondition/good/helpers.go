package good

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// ledger is a transaction of one holder.
type ledger struct {
	tx    *sql.Tx
	token int64
}

// admit compares for whoever writes: the row stays locked until the transaction ends.
func (l ledger) admit(ctx context.Context, account string) error {
	var last int64
	if err := l.tx.QueryRowContext(ctx, "SELECT last_token FROM account WHERE id = $1 FOR UPDATE", account).Scan(&last); err != nil {
		return err
	}
	if l.token < last {
		return errStale
	}
	return nil
}

// newest answers with a boolean.
func (l ledger) newest(ctx context.Context, account string) (bool, error) {
	var last int64
	err := l.tx.QueryRowContext(ctx, "SELECT last_token FROM account WHERE id = $1 FOR UPDATE", account).Scan(&last)
	if err != nil {
		return false, err
	}
	return last <= l.token, nil
}

// ready hands on what admit says.
func (l ledger) ready(ctx context.Context, account string) error {
	if account == "" {
		return errors.New("no account")
	}
	return l.admit(ctx, account)
}

func (l ledger) store(ctx context.Context, account string, cents int64) error {
	_, err := l.tx.ExecContext(ctx, "UPDATE account SET cents = $2, last_token = $3 WHERE id = $1", account, cents, l.token)
	return err
}

func inLedger(ctx context.Context, db *sql.DB, token int64, fn func(ledger) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(ledger{tx, token}); err != nil {
		return err
	}
	return tx.Commit()
}

// Debit asks a helper.
func Debit(ctx context.Context, session *concurrency.Session, db *sql.DB, account string, cents int64) error {
	return withToken(ctx, session, "/accounts/debit", func(token int64) error { // verdict: fenced
		return inLedger(ctx, db, token, func(l ledger) error {
			if err := l.admit(ctx, account); err != nil {
				return err
			}
			return l.store(ctx, account, -cents)
		})
	})
}

// Credit asks one that asks another.
func Credit(ctx context.Context, session *concurrency.Session, db *sql.DB, account string, cents int64) error {
	return withToken(ctx, session, "/accounts/credit", func(token int64) error { // verdict: fenced
		return inLedger(ctx, db, token, func(l ledger) error {
			if err := l.ready(ctx, account); err != nil {
				return err
			}
			return l.store(ctx, account, cents)
		})
	})
}

// Settle asks one that answers with yes or no.
func Settle(ctx context.Context, session *concurrency.Session, db *sql.DB, account string) error {
	return withToken(ctx, session, "/accounts/settle", func(token int64) error { // verdict: fenced
		return inLedger(ctx, db, token, func(l ledger) error {
			switch ok, err := l.newest(ctx, account); {
			case err != nil:
				return err
			case !ok:
				return errStale
			}
			return l.store(ctx, account, 0)
		})
	})
}
