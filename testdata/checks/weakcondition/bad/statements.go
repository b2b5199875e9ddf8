package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/redis/go-redis/v9"
)

// table keeps its statement; every table has the same.
type table struct {
	db   *sql.DB
	save string
}

func newTable(db *sql.DB) *table {
	return &table{db: db, save: "UPDATE item SET body = $2, lastwriter = $3 WHERE id = $1 AND lastwriter > $3"}
}

// Kept sends the statement that the constructor has set.
func (t *table) Kept(ctx context.Context, rdb *redis.Client, me string, id int64, body string) (err error) {
	l, err := take(ctx, rdb, "item", me) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.giveBack(ctx, me)) }()
	res, err := t.db.ExecContext(ctx, t.save, id, body, l.number) // want: weakcondition
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errOutdated, err)
	}
	return nil
}
