package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrShut is told to whoever does not get in.
var ErrShut = errors.New("the gate is shut")

// A Gate tells by an error that somebody else is in, and by the flag once more.
type Gate struct {
	rdb *redis.Client
	me  string
}

// Enter tries once.
func (g *Gate) Enter(ctx context.Context) (bool, error) {
	in, err := g.rdb.SetNX(ctx, "lock:gate", g.me, time.Minute).Result()
	if err != nil || !in {
		return in, errors.Join(ErrShut, err)
	}
	return in, nil
}

// Leave opens it for others.
func (g *Gate) Leave(ctx context.Context) error {
	return drop.Run(context.WithoutCancel(ctx), g.rdb, []string{"lock:gate"}, g.me).Err()
}

// Pass hands on what Enter tells.
func (g *Gate) Pass(ctx context.Context) (bool, error) {
	in, err := g.Enter(ctx)
	if err != nil {
		return false, fmt.Errorf("at the gate: %w", err)
	}
	return in, nil
}

// Swab asks for the error alone, which says it all.
func Swab(ctx context.Context, db *sql.DB, g *Gate) error {
	if _, err := g.Enter(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer g.Leave(ctx)
	_, err := db.ExecContext(ctx, "UPDATE yards SET swept = now() WHERE id = 1") // want: unfenced
	return err
}

// Rake comes through two functions.
func Rake(ctx context.Context, db *sql.DB, g *Gate, path string) error {
	if _, err := g.Pass(ctx); err != nil { // verdict: unfenced
		return err
	}
	defer g.Leave(ctx)
	if _, err := os.Stat(path); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "UPDATE yards SET raked = now() WHERE id = 1") // want: unfenced
	return err
}
