package bad

import (
	"context"
	"database/sql"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// Greatest keeps the greater token, and puts the text in place in any case.
func Greatest(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/greatest", func(token int64) error { // verdict: unfenced
		const set = "UPDATE page SET text = $2, last_token = GREATEST(last_token, $3) WHERE id = $1"
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// GreatestOfTwo does so on a conflict, in the words of MySQL.
func GreatestOfTwo(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/two", func(token int64) error { // verdict: unfenced
		const set = `INSERT INTO page (id, text, last_token) VALUES (?, ?, ?)
ON DUPLICATE KEY UPDATE text = VALUES(text), last_token = GREATEST(last_token, VALUES(last_token))`
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}

// GreatestByCase says the same in more words.
func GreatestByCase(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/case", func(token int64) error { // verdict: unfenced
		const set = `UPDATE page SET text = $2, last_token = CASE WHEN last_token < $3 THEN $3 ELSE last_token END WHERE id = $1`
		return one(db.ExecContext(ctx, set, id, text, token)) // want: weakcondition
	})
}
