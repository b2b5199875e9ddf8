package bad

import (
	"context"
	"database/sql"
)

// Posts are lease rows, each with a number that its holders count up.
type Posts struct{ db *sql.DB }

func (p *Posts) take(ctx context.Context, name, me string) (term int64, err error) {
	err = p.db.QueryRowContext(ctx, `INSERT INTO post (name, holder, term, expires) VALUES ($1, $2, 1, now() + interval '1 minute')
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, term = post.term + 1, expires = excluded.expires
		WHERE post.expires < now() RETURNING term`, name, me).Scan(&term)
	return term, err
}

func (p *Posts) leave(ctx context.Context, name, me string, term int64) error {
	_, err := p.db.ExecContext(ctx, "DELETE FROM post WHERE name = $1 AND holder = $2 AND term = $3", name, me, term) // want: tokenreset
	return err
}

// Reprice is the first holder each time.
func (p *Posts) Reprice(ctx context.Context, me, sku string, cents int) error {
	term, err := p.take(ctx, "price", me) // verdict: fenced
	if err != nil {
		return err
	}
	defer p.leave(context.WithoutCancel(ctx), "price", me, term)
	return guarded(ctx, p.db, sku, cents, term)
}

// within runs fn for the holder of a post.
func (p *Posts) within(ctx context.Context, name, me string, fn func(term int64) error) error {
	term, err := p.take(ctx, name, me)
	if err != nil {
		return err
	}
	defer p.leave(context.WithoutCancel(ctx), name, me, term)
	return fn(term)
}

// Discount is the first holder each time, by way of a callback.
func (p *Posts) Discount(ctx context.Context, me, sku string, cents int) error {
	return p.within(ctx, "discount", me, func(term int64) error { // verdict: fenced
		return guarded(ctx, p.db, sku, cents, term)
	})
}
