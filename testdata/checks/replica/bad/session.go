package bad

import (
	"context"
	"database/sql"
	"errors"
)

// Till keeps vouchers in a database that has copies.
type Till struct {
	primary *sql.DB
	copies  interface{ Replica() *sql.DB }
}

// Voucher is worked on by one connection at a time; what is left of it is read by another, from a copy.
func (t *Till) Voucher(ctx context.Context, code string, cents int) (err error) {
	return onSession(ctx, t.primary, code, func(conn *sql.Conn) error { // verdict: fenced
		left, err := t.left(ctx, code)
		if err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, "UPDATE vouchers SET cents = ? WHERE code = ?", left-cents, code)
		return err
	})
}

func (t *Till) left(ctx context.Context, code string) (cents int, err error) {
	err = t.copies.Replica().QueryRowContext(ctx, "SELECT cents FROM vouchers WHERE code = ?", code).Scan(&cents) // want: replica
	return cents, err
}

func onSession(ctx context.Context, db *sql.DB, name string, work func(*sql.Conn) error) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var got int
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 1)", name).Scan(&got); err != nil {
		return err
	}
	if got != 1 {
		return errors.New("busy")
	}
	defer func() {
		var freed int
		if e := conn.QueryRowContext(context.WithoutCancel(ctx), "SELECT RELEASE_LOCK(?)", name).Scan(&freed); e != nil || freed != 1 {
			err = errors.Join(err, errors.New("not released"), e)
		}
	}()
	return work(conn)
}
