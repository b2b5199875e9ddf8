package good

import (
	"context"
	"database/sql"
	"errors"
	"log"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// LessOrEqual lets one holder write twice.
func LessOrEqual(ctx context.Context, session *concurrency.Session, db *sql.DB, id, head, body string) error {
	const (
		setHead = "UPDATE doc_a SET head = $2, last_token = $3 WHERE id = $1 AND last_token <= $3"
		setBody = "UPDATE doc_a SET body = $2, last_token = $3 WHERE id = $1 AND last_token <= $3"
	)
	return withToken(ctx, session, "/locks/doc_a", func(token int64) error { // verdict: fenced
		if err := one(db.ExecContext(ctx, setHead, id, head, token)); err != nil {
			return err
		}
		return one(db.ExecContext(ctx, setBody, id, body, token))
	})
}

// Not is a negated comparison: NOT (last_token > token) is last_token <= token.
func Not(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/doc_b", func(token int64) error { // verdict: fenced
		const set = "UPDATE doc_b SET text = $2, last_token = $3 WHERE id = $1 AND NOT (last_token > $3)"
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}

// Open has a second condition that only narrows the first.
func Open(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/doc_c", func(token int64) error { // verdict: fenced
		const set = "UPDATE doc_c SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3 AND (state = 'open' OR state = 'new')"
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}

// Greatest stores the greater of both.
func Greatest(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/doc_d", func(token int64) error { // verdict: fenced
		const set = "UPDATE doc_d SET text = $2, last_token = GREATEST(last_token, $3) WHERE id = $1 AND last_token < $3"
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}

// EarlyExit reads and compares first to save a statement; what counts is the condition of the update.
func EarlyExit(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/doc_e", func(token int64) error { // verdict: fenced
		var last int64
		if err := db.QueryRowContext(ctx, "SELECT last_token FROM doc_e WHERE id = $1", id).Scan(&last); err != nil {
			return err
		}
		if token < last {
			return errStale
		}
		const set = "UPDATE doc_e SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
		return one(db.ExecContext(ctx, set, id, text, token))
	})
}

// ForUpdate compares in Go what the transaction has locked.
func ForUpdate(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, id, text string) error {
	return withToken(ctx, session, "/locks/doc_f", func(token int64) error { // verdict: fenced
		return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			var last int64
			if err := tx.QueryRow(ctx, "SELECT last_token FROM doc_f WHERE id = $1 FOR UPDATE", id).Scan(&last); err != nil {
				return err
			}
			if token < last {
				return errStale
			}
			_, err := tx.Exec(ctx, "UPDATE doc_f SET text = $2, last_token = $3 WHERE id = $1", id, text, token)
			return err
		})
	})
}

// Counted hands the count to its caller, who decides.
func Counted(ctx context.Context, session *concurrency.Session, db *sql.DB, id, text string) error {
	return withToken(ctx, session, "/locks/doc_g", func(token int64) error { // verdict: fenced
		n, err := update(ctx, db, "UPDATE doc_g SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3", id, text, token)
		if err != nil {
			return err
		}
		if n < 1 {
			log.Printf("doc %s: token %d is stale", id, token)
			return errStale
		}
		return nil
	})
}

func update(ctx context.Context, db *sql.DB, query string, args ...any) (int64, error) {
	res, err := db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Tag: pgx has the count in the tag of the command.
func Tag(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, id, text string) error {
	return withToken(ctx, session, "/locks/doc_h", func(token int64) error { // verdict: fenced
		const set = "UPDATE doc_h SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
		tag, err := pool.Exec(ctx, set, id, text, token)
		if err == nil && tag.RowsAffected() == 0 {
			err = errStale
		}
		return err
	})
}

type Doc struct {
	ID        uint
	Text      string
	LastToken int64
}

// Gorm reads the count from the field of the result.
func Gorm(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, text string) error {
	return withToken(ctx, session, "/locks/docs", func(token int64) error { // verdict: fenced
		res := db.WithContext(ctx).Model(&Doc{}).Where("id = ? AND last_token < ?", id, token).
			Updates(map[string]any{"text": text, "last_token": token})
		if err := res.Error; err != nil {
			return err
		}
		if res.RowsAffected != 1 {
			return errStale
		}
		return nil
	})
}

const (
	takeLease = `UPDATE lease SET holder = $2, until = now() + interval '30 seconds'
WHERE name = $1 AND (holder = $2 OR until < now())`
	holdLease = "UPDATE lease SET position = $3 WHERE name = $1 AND holder = $2"
	dropLease = "UPDATE lease SET until = now() WHERE name = $1 AND holder = $2"
)

// LeaseRow: an equality is enough where the row itself names its present holder.
func LeaseRow(ctx context.Context, db *sql.DB, name, me string, position int64) (err error) {
	if err := one(db.ExecContext(ctx, takeLease, name, me)); err != nil { // verdict: fenced
		return err
	}
	defer func() {
		_, e := db.ExecContext(context.WithoutCancel(ctx), dropLease, name, me)
		err = errors.Join(err, e)
	}()
	return one(db.ExecContext(ctx, holdLease, name, me, position))
}
