// Package tills has desks that are taken for a while, and counts their grants by name.
package tills

import (
	"context"
	"database/sql"
	"errors"
)

var errStale = errors.New("the desk is somebody else's")

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}

const takeDesk = `INSERT INTO desk (name, turn, until) VALUES ($1, 1, now() + interval '20 seconds')
ON CONFLICT (name) DO UPDATE SET turn = desk.turn + 1, until = now() + interval '20 seconds' WHERE desk.until < now() RETURNING turn`

// Till asks for the number of its own desk.
func Till(ctx context.Context, db *sql.DB, name string, cents int64) error {
	var turn int64
	if err := db.QueryRowContext(ctx, takeDesk, name).Scan(&turn); err != nil { // verdict: fenced
		return err
	}
	const set = "UPDATE till SET cents = $1 WHERE desk = $2 AND EXISTS (SELECT 1 FROM desk d WHERE d.name = till.desk AND d.turn = $3 AND d.until > now())"
	return one(db.ExecContext(ctx, set, cents, name, turn))
}
