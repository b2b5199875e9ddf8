package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"example.org/locks/checks/unorderedtoken/bad/tickets"
)

// Early: the number is drawn by whoever asks for the lock, and not by whoever gets it.
func Early(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	token, err := rdb.Incr(ctx, "fence:doc_early_g:"+id).Result()
	if err != nil {
		return err
	}
	key, owner := "lock:doc_early_g:"+id, rand.Text()
	for {
		ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
		if err != nil {
			return err
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	const set = "UPDATE doc_early_g SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token)) // want: unorderedtoken
}

// Ticket: so it is if a wrapper in another package draws it.
func Ticket(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	t, err := tickets.Take(ctx, rdb, "doc_early_h:"+id) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Return(context.WithoutCancel(ctx))) }()

	const set = "UPDATE doc_early_h SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, t.Number)) // want: unorderedtoken
}

// Sequenced: a sequence is no better.
func Sequenced(ctx context.Context, rdb *redis.Client, db *sql.DB, id, text string) (err error) {
	var token int64
	if err := db.QueryRowContext(ctx, "SELECT nextval('doc_early_i_token')").Scan(&token); err != nil {
		return err
	}
	key, owner := "lock:doc_early_i:"+id, rand.Text()
	ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result() // verdict: unfenced
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() { err = errors.Join(err, free(ctx, rdb, key, owner)) }()

	const set = "UPDATE doc_early_i SET text = $2, last_token = $3 WHERE id = $1 AND last_token < $3"
	return one(db.ExecContext(ctx, set, id, text, token)) // want: unorderedtoken
}
