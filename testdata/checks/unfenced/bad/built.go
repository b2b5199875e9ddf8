package bad

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/bsm/redislock"
)

// A tweak is a statement that grows.
type tweak struct {
	set, where []string
	args       []any
}

func (t tweak) with(column string, v any) tweak {
	t.args = append(t.args, v)
	t.set = append(t.set, fmt.Sprintf("%s = $%d", column, len(t.args)))
	return t
}

func (t tweak) only(column, op string, v any) tweak {
	t.args = append(t.args, v)
	t.where = append(t.where, fmt.Sprintf("%s %s $%d", column, op, len(t.args)))
	return t
}

func (t tweak) text(table string) string {
	return "UPDATE " + table + " SET " + strings.Join(t.set, ", ") + " WHERE " + strings.Join(t.where, " AND ")
}

type numberKey struct{}

// dim asks where its context carries a number.
func dim(ctx context.Context, db *sql.DB, lamp string) error {
	t := tweak{}.with("bright", false).only("name", "=", lamp)
	if n, ok := ctx.Value(numberKey{}).(int64); ok {
		t = t.with("token", n).only("token", "<", n)
	}
	res, err := db.ExecContext(ctx, t.text("lamp"), t.args...) // want: unfenced
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errLost
	}
	return nil
}

// Dim makes a context of its own, which carries none.
func Dim(ctx context.Context, locks *redislock.Client, db *sql.DB, lamp string, n int64) error {
	ctx = context.WithValue(ctx, numberKey{}, n)
	return under(ctx, locks, "lock:lamp:"+lamp, func() error { // verdict: unfenced
		last, stop := context.WithCancel(context.Background())
		defer stop()
		return dim(last, db, lamp)
	})
}
