package tables

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// DBTX, Queries and their methods are as a generator of typed queries writes them.
type DBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

type Queries struct{ db DBTX }

const takeLease = `-- name: TakeLease :one
INSERT INTO app.leases (name, holder, expires_at)
VALUES ($1, $2, now() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE
SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
WHERE leases.expires_at <= now()
RETURNING name
`

type TakeLeaseParams struct {
	Name    string
	Holder  string
	Seconds float64
}

func (q *Queries) TakeLease(ctx context.Context, arg TakeLeaseParams) (string, error) {
	row := q.db.QueryRowContext(ctx, takeLease, arg.Name, arg.Holder, arg.Seconds)
	var name string
	err := row.Scan(&name)
	return name, err
}

const dropLease = `-- name: DropLease :exec
DELETE FROM app.leases WHERE name = $1 AND holder = $2
`

func (q *Queries) DropLease(ctx context.Context, name, holder string) error {
	_, err := q.db.ExecContext(ctx, dropLease, name, holder)
	return err
}

const closeMonth = `-- name: CloseMonth :exec
UPDATE app.ledger SET closed = true WHERE month = $1
`

func (q *Queries) CloseMonth(ctx context.Context, month time.Time) error {
	_, err := q.db.ExecContext(ctx, closeMonth, month) // want: unfenced
	return err
}

var ErrHeld = errors.New("held by somebody else")

// Books closes the months of a ledger.
type Books struct {
	queries *Queries
	host    string
}

func (b *Books) acquire(ctx context.Context, name string) error {
	_, err := b.queries.TakeLease(ctx, TakeLeaseParams{Name: name, Holder: b.host, Seconds: 60})
	if errors.Is(err, sql.ErrNoRows) {
		return ErrHeld
	}
	return err
}

// Close closes a month.
func (b *Books) Close(ctx context.Context, month time.Time) error {
	if err := b.acquire(ctx, "close"); err != nil { // verdict: unfenced
		return err
	}
	defer b.queries.DropLease(context.WithoutCancel(ctx), "close", b.host)
	return b.queries.CloseMonth(ctx, month)
}
