// Package scripted has its scripts and statements in files, and sends them through clients of its own.
package scripted

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"

	"github.com/redis/go-redis/v9"
)

// script is made in one place, for all.
func script(text string) *redis.Script { return redis.NewScript(text) }

var (
	//go:embed take.lua
	takeText string
	take     = script(takeText)

	//go:embed give.lua
	giveText string
	give     = script(giveText)
)

//go:embed book.sql
var book string

// Node is one of several Redis servers.
type Node interface{ redis.Cmdable }

// Client finds the server of the day.
type Client struct{ nodes map[string]Node }

func (c *Client) node() (Node, error) {
	if n := c.nodes["main"]; n != nil {
		return n, nil
	}
	return nil, errors.New("no node")
}

func (c *Client) run(ctx context.Context, s *redis.Script, keys []string, args ...any) (any, error) {
	n, err := c.node()
	if err != nil {
		return nil, err
	}
	return s.Run(ctx, n, keys, args...).Result()
}

// Lock is kept in Redis.
type Lock struct {
	client *Client
	key    string
	owner  string
}

// Take asks for the lock.
func (l *Lock) Take(ctx context.Context) (bool, error) {
	said, err := l.client.run(ctx, take, []string{l.key}, []string{l.owner, "15000"})
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil || said == nil {
		return false, err
	}
	text, ok := said.(string)
	return ok && text == "OK", nil
}

// Give gives it back.
func (l *Lock) Give(ctx context.Context) (bool, error) {
	said, err := l.client.run(ctx, give, []string{l.key}, []string{l.owner})
	if err != nil {
		return false, err
	}
	n, ok := said.(int64)
	return ok && n == 1, nil
}

// Harbour gives berths to ships.
type Harbour struct {
	client *Client
	db     *sql.DB
	owner  string
}

var (
	errBusy  = errors.New("held elsewhere")
	errLost  = errors.New("lock was lost")
	errStale = errors.New("berth was given by a later holder")
)

func (h *Harbour) locked(ctx context.Context, berth string, do func() error) (err error) {
	l := &Lock{client: h.client, key: "berth:" + berth, owner: h.owner}
	ok, err := l.Take(ctx)
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer func() {
		if mine, e := l.Give(context.WithoutCancel(ctx)); e != nil || !mine {
			err = errors.Join(err, e, errLost)
		}
	}()
	return do()
}

// Move writes what nobody compares.
func (h *Harbour) Move(ctx context.Context, berth, ship string) error {
	return h.locked(ctx, berth, func() error { // verdict: unfenced // lock: berth:%s 15s
		_, err := h.db.ExecContext(ctx, "UPDATE berth SET ship = $1 WHERE id = $2", ship, berth) // want: unfenced
		return err
	})
}

// Book draws an epoch and hands it to the statement in the file.
func (h *Harbour) Book(ctx context.Context, berth, ship string) error {
	return h.locked(ctx, berth, func() error { // verdict: fenced // lock: berth:%s 15s
		var epoch int64
		if err := h.db.QueryRowContext(ctx, "SELECT nextval('berth_epoch')").Scan(&epoch); err != nil {
			return err
		}
		res, err := h.db.ExecContext(ctx, book, ship, epoch, berth)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errStale)
		}
		return nil
	})
}
