package good

import (
	"context"
	"database/sql"
	"errors"
)

// Till keeps vouchers in a database that has copies.
type Till struct {
	primary *sql.DB
	copies  interface {
		Replica() *sql.DB
		ReplicaSet() *sql.DB
	}
}

// Voucher reads what is left of it by the connection that has the lock, and from a copy what the shop is called.
func (t *Till) Voucher(ctx context.Context, shop, code string, cents int) (err error) {
	return onSession(ctx, t.primary, code, func(conn *sql.Conn) error { // verdict: fenced
		var left int
		if err := conn.QueryRowContext(ctx, "SELECT cents FROM vouchers WHERE code = ?", code).Scan(&left); err != nil {
			return err
		}
		var name string
		if err := t.copies.Replica().QueryRowContext(ctx, "SELECT name FROM shops WHERE id = ?", shop).Scan(&name); err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, "UPDATE vouchers SET cents = ?, shop = ? WHERE code = ?", left-cents, name, code)
		return err
	})
}

// Members reads from a set of servers, of which one is the primary.
func (t *Till) Members(ctx context.Context, code string, cents int) (err error) {
	return onSession(ctx, t.primary, code, func(conn *sql.Conn) error { // verdict: fenced
		var left int
		if err := t.copies.ReplicaSet().QueryRowContext(ctx, "SELECT cents FROM vouchers WHERE code = ?", code).Scan(&left); err != nil {
			return err
		}
		_, err = conn.ExecContext(ctx, "UPDATE vouchers SET cents = ? WHERE code = ?", left-cents, code)
		return err
	})
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
