package bad

import (
	"context"
	"database/sql"
	"errors"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// Reversed refuses the rightful holder and accepts every stale one.
func Reversed(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/reversed")
	if err := mutex.Lock(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_a SET text = $2, last_token = $3 WHERE id = $1 AND last_token > $3"
	return one(db.ExecContext(ctx, set, id, text, mutex.Header().Revision)) // want: weakcondition
}

// ReversedSwapped is the same with its operands the other way round.
func ReversedSwapped(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/swapped", func(token int64) error { // verdict: unfenced
		const set = "UPDATE doc_b SET text = $2, last_token = $3 WHERE id = $1 AND $3 <= last_token"
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// Unstored compares with a column that no write moves.
func Unstored(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/unstored", func(token int64) error { // verdict: unfenced
		const set = "UPDATE doc_c SET text = ? WHERE id = ? AND last_token < ?"
		return one(db.ExecContext(ctx, set, text, id, token)) // want: weakcondition
	})
}

// StoresOther moves the column by one, not to the token: a later token of a stale holder is still greater.
func StoresOther(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/other", func(token int64) error { // verdict: unfenced
		const set = "UPDATE doc_d SET text = $2, last_token = last_token + 1 WHERE id = $1 AND last_token < $3"
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// Different accepts every token but the last one.
func Different(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/different", func(token int64) error { // verdict: unfenced
		const set = "UPDATE doc_e SET text = $2, last_token = $3 WHERE id = $1 AND last_token <> $3"
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// UpsertUnstored updates the text and leaves the token as it was.
func UpsertUnstored(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/upsert", func(token int64) error { // verdict: unfenced
		const set = `INSERT INTO doc_f (id, text, last_token) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET text = EXCLUDED.text WHERE doc_f.last_token < EXCLUDED.last_token`
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// UpsertReversed has its comparison turned round.
func UpsertReversed(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/upsertreversed", func(token int64) error { // verdict: unfenced
		const set = `INSERT INTO doc_g (id, text, last_token) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET text = EXCLUDED.text, last_token = EXCLUDED.last_token
WHERE doc_g.last_token > EXCLUDED.last_token`
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// Either: the second half of the OR lets everybody write a document that is open.
func Either(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/either", func(token int64) error { // verdict: unfenced
		const set = "UPDATE doc_h SET text = $2, last_token = $3 WHERE id = $1 AND (last_token < $3 OR state = 'open')"
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}
