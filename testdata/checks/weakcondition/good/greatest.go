package good

import (
	"context"
	"database/sql"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// KeptBoth keeps the text as well, where the token is not the greater one.
func KeptBoth(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/greatest", func(token int64) error { // verdict: fenced
		const set = `UPDATE page SET text = CASE WHEN last_token < $3 THEN $2 ELSE text END, last_token = GREATEST(last_token, $3) WHERE id = $1`
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}

// KeptByCase asks the same of both.
func KeptByCase(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/case", func(token int64) error { // verdict: fenced
		const set = `UPDATE page SET text = CASE WHEN last_token < $3 THEN $2 ELSE text END,
last_token = CASE WHEN last_token < $3 THEN $3 ELSE last_token END WHERE id = $1`
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}

// KeptByWhere is refused by its WHERE.
func KeptByWhere(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/guarded", func(token int64) error { // verdict: fenced
		const set = "UPDATE page SET text = $2, last_token = GREATEST(last_token, $3) WHERE id = $1 AND last_token <= $3"
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}
