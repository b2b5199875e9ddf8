package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

const saveItem = "UPDATE item SET body = $2, token = $3 WHERE id = $1 AND token < $3"

// table keeps its statement; every table has the same.
type table struct {
	db   *sql.DB
	save string
}

func newTable(db *sql.DB) *table {
	return &table{db: db, save: saveItem}
}

// Kept sends the statement that the constructor has set.
func (t *table) Kept(ctx context.Context, rdb *redis.Client, me string, id int64, body string) (err error) {
	l, err := take(ctx, rdb, "item", me) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.giveBack(ctx, me)) }()
	res, err := t.db.ExecContext(ctx, t.save, id, body, l.token)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(fmt.Errorf("%s: %w", saveItem, errNewer), err)
	}
	return nil
}

// either has one of two statements.
type either struct {
	db   *sql.DB
	save string
}

func newPlain(db *sql.DB) *either {
	return &either{db: db, save: "UPDATE item SET body = $2 WHERE id = $1 AND 0 < $3"}
}

func newFenced(db *sql.DB) *either {
	return &either{db: db, save: "UPDATE item SET body = $2, token = $3 WHERE id = $1 AND token < $3"}
}

func (t *either) Kept(ctx context.Context, rdb *redis.Client, me string, id int64, body string) (err error) {
	l, err := take(ctx, rdb, "either", me) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.giveBack(ctx, me)) }()
	_, err = t.db.ExecContext(ctx, t.save, id, body, l.token)
	return err
}
