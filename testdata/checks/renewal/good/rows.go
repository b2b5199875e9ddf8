package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"
)

// Berth is a row that one ship has at a time.
type Berth struct {
	db         *sql.DB
	quay, ship string
}

func Moor(ctx context.Context, db *sql.DB, quay string) (*Berth, error) {
	b := &Berth{db: db, quay: quay, ship: rand.Text()}
	res, err := db.ExecContext(ctx, `INSERT INTO berths (quay, owner, until) VALUES ($1, $2, now() + interval '1 minute')
		ON CONFLICT (quay) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE berths.until < now()`, b.quay, b.ship)
	if err != nil {
		return nil, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return nil, errors.Join(err, errors.New("no berth"))
	}
	return b, nil
}

// renew asks whose it is, and is told.
func (b *Berth) renew(ctx context.Context) error {
	res, err := b.db.ExecContext(ctx, "UPDATE berths SET until = now() + interval '1 minute' WHERE quay = $1 AND owner = $2", b.quay, b.ship)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errLost)
	}
	return nil
}

// renewLocked looks first, in a transaction that keeps the row.
func (b *Berth) renewLocked(ctx context.Context) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var ship string
	if err := tx.QueryRowContext(ctx, "SELECT owner FROM berths WHERE quay = $1 FOR UPDATE", b.quay).Scan(&ship); err != nil {
		return err
	}
	if ship != b.ship {
		return errLost
	}
	if _, err := tx.ExecContext(ctx, "UPDATE berths SET until = now() + interval '1 minute' WHERE quay = $1", b.quay); err != nil {
		return err
	}
	return tx.Commit()
}

func (b *Berth) Leave(ctx context.Context) error {
	_, err := b.db.ExecContext(ctx, "DELETE FROM berths WHERE quay = $1 AND owner = $2", b.quay, b.ship)
	return err
}

// Unload works while the ship stays.
func Unload(ctx context.Context, db *sql.DB, quay string, careful bool, crate func(context.Context) error) error {
	b, err := Moor(ctx, db, quay) // verdict: unverified
	if err != nil {
		return err
	}
	defer b.Leave(context.WithoutCancel(ctx))
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	go func() {
		for held.Err() == nil {
			time.Sleep(15 * time.Second)
			err := b.renew(held)
			if careful {
				err = b.renewLocked(held)
			}
			if err != nil {
				lost(err)
			}
		}
	}()
	return crate(held)
}

// rename writes the row for another reason than to keep it.
func rename(ctx context.Context, db *sql.DB, from, to string) error {
	_, err := db.ExecContext(ctx, "UPDATE berths SET quay = $2 WHERE quay = $1", from, to)
	return err
}
