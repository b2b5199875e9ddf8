package good

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

// Ring gathers a statement in lists, and numbers its parameters by their length.
func Ring(ctx context.Context, session *concurrency.Session, db *sql.DB, bell, tune string) error {
	return withToken(ctx, session, "/bells/"+bell, func(token int64) error { // verdict: fenced
		set, where, args := []string{"tune = $2"}, []string{"name = $1"}, []any{bell, tune}
		args = append(args, token)
		set = append(set, fmt.Sprintf("fence = $%d", len(args)))
		where = append(where, fmt.Sprintf("fence < $%d", len(args)))
		text := "UPDATE bell SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
		return one(db.ExecContext(ctx, text, args...))
	})
}

// ring leaves the condition out where there is no token, as tools have none.
func ring(ctx context.Context, db *sql.DB, bell, tune string, token int64) error {
	text, args := "UPDATE bell SET tune = ?, fence = ? WHERE name = ?", []any{tune, token, bell}
	if token > 0 {
		text += " AND fence < ?"
		args = append(args, token)
	}
	return one(db.ExecContext(ctx, text, args...))
}

// RingOnce has one.
func RingOnce(ctx context.Context, session *concurrency.Session, db *sql.DB, bell, tune string) error {
	return withToken(ctx, session, "/bells/"+bell, func(token int64) error { // verdict: fenced
		return ring(ctx, db, bell, tune, token)
	})
}

// A change is a statement that grows.
type change struct {
	table      string
	set, where []string
	args       []any
}

func (c change) with(column string, v any) change {
	c.args = append(c.args, v)
	c.set = append(c.set, fmt.Sprintf("%s = $%d", column, len(c.args)))
	return c
}

func (c change) only(column, op string, v any) change {
	c.args = append(c.args, v)
	c.where = append(c.where, fmt.Sprintf("%s %s $%d", column, op, len(c.args)))
	return c
}

func (c change) send(ctx context.Context, db *sql.DB) error {
	text := "UPDATE " + c.table + " SET " + strings.Join(c.set, ", ") + " WHERE " + strings.Join(c.where, " AND ")
	return one(db.ExecContext(ctx, text, c.args...))
}

type tokenKey struct{}

// tokenOf is the token that a context carries.
func tokenOf(ctx context.Context) (int64, bool) {
	token, ok := ctx.Value(tokenKey{}).(int64)
	return token, ok
}

// mute asks where its context carries a token.
func mute(ctx context.Context, db *sql.DB, bell string) error {
	c := change{table: "bell"}.with("tune", "").only("name", "=", bell)
	if token, ok := tokenOf(ctx); ok {
		c = c.with("fence", token).only("fence", "<", token)
	}
	return c.send(ctx, db)
}

// Mute carries it, also where nobody cancels.
func Mute(ctx context.Context, session *concurrency.Session, db *sql.DB, bell string) error {
	return withToken(ctx, session, "/bells/"+bell, func(token int64) error { // verdict: fenced
		ctx := context.WithValue(ctx, tokenKey{}, token)
		return mute(context.WithoutCancel(ctx), db, bell)
	})
}

// Tower is a row of the towers table.
type Tower struct {
	ID    string
	Bells int
	Fence int64
}

// Raise does so with links.
func Raise(ctx context.Context, session *concurrency.Session, db *gorm.DB, tower string, bells int) error {
	return withToken(ctx, session, "/towers/"+tower, func(token int64) error { // verdict: fenced
		return raise(context.WithValue(ctx, tokenKey{}, token), db, tower, bells)
	})
}

func raise(ctx context.Context, db *gorm.DB, tower string, bells int) error {
	q, set := db.WithContext(ctx).Model(&Tower{}).Where("id = ?", tower), map[string]any{"bells": bells}
	token, ok := tokenOf(ctx)
	if ok {
		q = q.Where("fence < ?", token)
	}
	set["fence"] = token
	return changed(q.Updates(set))
}

// hush asks where it is told to, which nothing here says.
func hush(ctx context.Context, db *sql.DB, bell string, token int64, asks bool) error {
	c := change{table: "bell"}.with("tune", "").with("fence", token).only("name", "=", bell)
	if asks {
		c = c.only("fence", "<", token)
	}
	text := "UPDATE " + c.table + " SET " + strings.Join(c.set, ", ") + " WHERE " + strings.Join(c.where, " AND ")
	return one(db.ExecContext(ctx, text, c.args...))
}

// Hush tells it what it is told.
func Hush(ctx context.Context, session *concurrency.Session, db *sql.DB, bell string, asks bool) error {
	return withToken(ctx, session, "/bells/"+bell, func(token int64) error { // verdict: unverified
		return hush(ctx, db, bell, token, asks)
	})
}
