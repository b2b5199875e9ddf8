package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bsm/redislock"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	"github.com/redis/go-redis/v9"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Grant draws the token from a table whose rows are counted.
func Grant(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:grant", owner, 10*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:grant", owner)) }()

	res, err := db.ExecContext(ctx, "INSERT INTO grants (name) VALUES (?)", id)
	if err != nil {
		return err
	}
	token, err := res.LastInsertId()
	if err != nil {
		return err
	}
	const set = "UPDATE letter SET text = ?, last_token = ? WHERE id = ? AND last_token < ?"
	return one(db.ExecContext(ctx, set, text, token, id, token))
}

// Prepared: the text of a prepared statement is where it was prepared.
func Prepared(ctx context.Context, session *concurrency.Session, db *sql.DB, id string) (err error) {
	stmt, err := db.PrepareContext(ctx, "UPDATE letter SET state = 'sent', last_token = $2 WHERE id = $1 AND last_token < $2")
	if err != nil {
		return err
	}
	defer stmt.Close()
	return locked(ctx, session, "/locks/prepared", func(token int64) error { // verdict: fenced
		return one(stmt.ExecContext(ctx, id, token))
	})
}

type entry struct {
	ID    string `db:"id"`
	Text  string `db:"text"`
	Token int64  `db:"token"`
}

// Named binds the token by the name of a field.
func Named(ctx context.Context, session *concurrency.Session, db *sqlx.DB, id, text string) error {
	const set = "UPDATE entry SET text = :text, last_token = :token WHERE id = :id AND last_token < :token"
	return locked(ctx, session, "/locks/named", func(token int64) error { // verdict: fenced
		return one(db.NamedExecContext(ctx, set, entry{ID: id, Text: text, Token: token}))
	})
}

// Batch sends its only statement with others some day.
func Batch(ctx context.Context, session *concurrency.Session, pool *pgxpool.Pool, id string) error {
	return locked(ctx, session, "/locks/batch", func(token int64) error { // verdict: fenced
		batch := &pgx.Batch{}
		batch.Queue("UPDATE entry SET state = 'done', last_token = $2 WHERE id = $1 AND last_token < $2", id, token)
		results := pool.SendBatch(ctx, batch)
		tag, err := results.Exec()
		if err == nil && tag.RowsAffected() == 0 {
			err = errStale
		}
		return errors.Join(err, results.Close())
	})
}

// Snapshot: each holder has a file of its own until it is renamed into place.
func Snapshot(ctx context.Context, session *concurrency.Session, path string, data []byte) error {
	return locked(ctx, session, "/locks/snapshot", func(token int64) error { // verdict: fenced
		own := fmt.Sprintf("%s.%d", path, token)
		if err := os.WriteFile(own, data, 0o644); err != nil {
			return err
		}
		return os.Rename(own, path)
	})
	// doubt: a stale holder still puts its older file in the place of a newer one; the file then says so
}

// Once writes to a file that it alone has created.
func Once(ctx context.Context, locks *redislock.Client, path string, data []byte) (err error) {
	lock, err := locks.Obtain(ctx, "lock:once", 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

var setOwned = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	redis.call("SET", KEYS[2], ARGV[2])
	return 1
end
return 0`)

// Owned asks the lock's own key in the step that writes.
func Owned(ctx context.Context, rdb *redis.Client, value string) (err error) {
	owner := rand.Text()
	ok, err := rdb.SetNX(ctx, "lock:owned", owner, 10*time.Second).Result() // verdict: fenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, "lock:owned", owner)) }()

	n, err := setOwned.Run(ctx, rdb, []string{"lock:owned", "owned"}, owner, value).Int()
	if err == nil && n == 0 {
		err = errStale
	}
	return err
}

const (
	takeLease = `INSERT INTO lease (name, token, until) VALUES ($1, nextval('fence'), now() + interval '30 seconds')
ON CONFLICT (name) DO UPDATE SET token = nextval('fence'), until = now() + interval '30 seconds'
WHERE lease.until < now() RETURNING token`
	holdLease = "UPDATE lease SET until = now() + interval '30 seconds' WHERE name = $1 AND token = $2"
	appendIf  = `INSERT INTO journal (name, entry) SELECT $1, $2
WHERE EXISTS (SELECT 1 FROM lease WHERE name = $1 AND token = $3 AND until > now())`
)

// AppendHeld asks the lease row in the statement that writes.
func AppendHeld(ctx context.Context, db *sql.DB, name, text string) error {
	var token int64
	if err := db.QueryRowContext(ctx, takeLease, name).Scan(&token); err != nil { // verdict: fenced
		return err
	}
	return one(db.ExecContext(ctx, appendIf, name, text, token))
}

// Hold only prolongs the lease: its row is the lock itself.
func Hold(ctx context.Context, db *sql.DB, name string) error {
	var token int64
	if err := db.QueryRowContext(ctx, takeLease, name).Scan(&token); err != nil { // verdict: no-visible-write
		return err
	}
	return one(db.ExecContext(ctx, holdLease, name, token))
}

// Ship moves a state that the statement itself asks for.
func Ship(ctx context.Context, locks *redislock.Client, db *sql.DB, id string) (err error) {
	lock, err := locks.Obtain(ctx, "lock:ship", 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return one(db.ExecContext(ctx, "UPDATE orders SET state = 'shipped' WHERE id = $1 AND state = 'paid'", id))
}

// Fetch picks orders in one state or another, and leaves them in neither: of two who do
// that at a time, each gets orders of its own.
func Fetch(ctx context.Context, locks *redislock.Client, db *sql.DB, n int) (err error) {
	lock, err := locks.Obtain(ctx, "lock:fetch", 5*time.Second, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return one(db.ExecContext(ctx, `UPDATE orders SET state = 'packing' WHERE id IN (
		SELECT id FROM orders WHERE state IN ('paid', 'returned') ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`, n))
}
