package bad

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

const saveItem = "UPDATE item SET body = $2, token = $3 WHERE id = $1 AND token > $3"

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
	l, err := take(ctx, rdb, "item", me) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.giveBack(ctx, me)) }()
	res, err := t.db.ExecContext(ctx, t.save, id, body, l.token) // want: weakcondition
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(fmt.Errorf("%s: %w", saveItem, errOutdated), err)
	}
	return nil
}
