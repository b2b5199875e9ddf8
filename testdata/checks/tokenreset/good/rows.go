package good

import (
	"context"
	"database/sql"
	"errors"
)

// Posts are lease rows, each with a number that its holders count up.
type Posts struct{ db *sql.DB }

func (p *Posts) take(ctx context.Context, name, me string) (term int64, err error) {
	err = p.db.QueryRowContext(ctx, `INSERT INTO post (name, holder, term, expires) VALUES ($1, $2, 1, now() + interval '1 minute')
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, term = post.term + 1, expires = excluded.expires
		WHERE post.expires < now() RETURNING term`, name, me).Scan(&term)
	return term, err
}

// leave ends the lease, and leaves its number where it is.
func (p *Posts) leave(ctx context.Context, name, me string, term int64) error {
	return counted(p.db.ExecContext(ctx, "UPDATE post SET expires = now() WHERE name = $1 AND holder = $2 AND term = $3", name, me, term))
}

// Reprice goes on counting from the last holder.
func (p *Posts) Reprice(ctx context.Context, me, sku string, cents int) (err error) {
	term, err := p.take(ctx, "price", me) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.leave(context.WithoutCancel(ctx), "price", me, term)) }()
	return counted(p.db.ExecContext(ctx, price, sku, cents, term))
}

// Drawn takes the number from a sequence, which outlives the row.
func Drawn(ctx context.Context, db *sql.DB, me, sku string, cents int) (err error) {
	var term int64
	const draw = `INSERT INTO desk (name, holder, term, expires) VALUES ('price', $1, nextval('terms'), now() + interval '1 minute')
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, term = nextval('terms'), expires = excluded.expires
		WHERE desk.expires < now() RETURNING term`
	if err := db.QueryRowContext(ctx, draw, me).Scan(&term); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		err = errors.Join(err, counted(db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM desk WHERE name = 'price' AND holder = $1 AND term = $2", me, term)))
	}()
	return counted(db.ExecContext(ctx, price, sku, cents, term))
}

func counted(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errStale
	}
	return nil
}
