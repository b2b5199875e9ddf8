// Package others writes rows and items that have what leases have, an owner or an
// end or a unique key, and that nobody takes as a lock. Verdict: no lock site.
package others

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Claim takes whichever job is due.
func Claim(ctx context.Context, db *sql.DB, worker string) (id int64, err error) {
	err = db.QueryRowContext(ctx, `UPDATE jobs SET locked_by = $1, locked_until = now() + interval '5 minutes'
WHERE id = (SELECT id FROM jobs WHERE locked_until < now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`, worker).Scan(&id)
	return id, err
}

// ClaimOldest does so without skipping what others look at.
func ClaimOldest(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `UPDATE jobs SET state = 'running', visible_until = now() + interval '5 minutes'
WHERE id IN (SELECT id FROM jobs WHERE visible_until < now() LIMIT 1)`)
	return err
}

// Once does something for an event the first time that it comes.
func Once(ctx context.Context, db *sql.DB, event string) error {
	res, err := db.ExecContext(ctx, "INSERT INTO processed_events (event) VALUES ($1) ON CONFLICT DO NOTHING", event)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE totals SET events = events + 1")
	return err
}

// Forget deletes old events.
func Forget(ctx context.Context, db *sql.DB, before time.Time) error {
	_, err := db.ExecContext(ctx, "DELETE FROM processed_events WHERE at < $1", before)
	return err
}

// Register makes an account, and takes it back where the rest fails.
func Register(ctx context.Context, db *sql.DB, name string) error {
	if _, err := db.ExecContext(ctx, "INSERT INTO accounts (name, owner, expires_at) VALUES ($1, $1, now() + interval '1 year')", name); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "INSERT INTO mailboxes (name) VALUES ($1)", name); err != nil {
		_, undone := db.ExecContext(ctx, "DELETE FROM accounts WHERE name = $1", name)
		return errors.Join(err, undone)
	}
	return nil
}

// LockAccount keeps somebody out until an administrator lets them in again.
func LockAccount(ctx context.Context, db *sql.DB, user, reason string) error {
	_, err := db.ExecContext(ctx, "INSERT INTO account_locks (user_id, reason) VALUES ($1, $2)", user, reason)
	return err
}

// UnlockAccount lets them in.
func UnlockAccount(ctx context.Context, db *sql.DB, user string) error {
	_, err := db.ExecContext(ctx, "DELETE FROM account_locks WHERE user_id = $1", user)
	return err
}

// Replay answers a request the same way the second time.
func Replay(ctx context.Context, db *dynamodb.Client, key, answer string) error {
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String("idempotency"),
		Item: map[string]types.AttributeValue{
			"Key":    &types.AttributeValueMemberS{Value: key},
			"Answer": &types.AttributeValueMemberS{Value: answer},
		},
		ConditionExpression: aws.String("attribute_not_exists(#key)"),
		ExpressionAttributeNames: map[string]string{
			"#key": "Key",
		},
	})
	return err
}

// Sweep marks sessions whose time is over: it takes none of them.
func Sweep(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "UPDATE sessions SET closed = true WHERE expires_at < now()")
	return err
}

// Postpone gives all reminders that are due another hour.
func Postpone(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "UPDATE reminders SET deadline = now() + interval '1 hour' WHERE deadline < now()")
	return err
}

// Remember keeps the key of a request for a day; Sweeper deletes those that are older.
func Remember(ctx context.Context, db *sql.DB, key, host string) (bool, error) {
	res, err := db.ExecContext(ctx, "INSERT INTO idempotency_keys (key, host, expires_at) VALUES ($1, $2, now() + interval '1 day') ON CONFLICT DO NOTHING", key, host)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Sweeper deletes keys.
func Sweeper(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "DELETE FROM idempotency_keys WHERE expires_at < now()")
	return err
}
