package bad

import (
	"context"
	"database/sql"
	"errors"

	"github.com/gomodule/redigo/redis"
)

// A scripter runs scripts whose keys and arguments come as one list.
type scripter struct{ pool *redis.Pool }

// run sends the script with what it is told: a slice that is made for both, and filled.
func (s *scripter) run(ctx context.Context, text string, keys int, list []any) (any, error) {
	words := make([]any, 2+len(list))
	words[0] = text
	words[1] = keys
	copy(words[2:], list)
	conn, err := s.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.Do("EVAL", words...)
}

const (
	fetchKey  = `if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return 1 end return 0`
	returnKey = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`
)

// A Cloakroom hands each coat out under a lock that scripts take and give back.
type Cloakroom struct {
	scripts *scripter
	db      *sql.DB
}

// Hand writes the owner of the coat.
func (c *Cloakroom) Hand(ctx context.Context, coat, guest, me string) (err error) {
	key := "lock:coat:" + coat
	got, err := redis.Int(c.scripts.run(ctx, fetchKey, 1, []any{key, me, 15000})) // verdict: unfenced
	if err != nil {
		return err
	}
	if got == 0 {
		return errors.New("somebody hands it out already")
	}
	defer func() {
		_, e := c.scripts.run(context.WithoutCancel(ctx), returnKey, 1, []any{key, me})
		err = errors.Join(err, e)
	}()
	_, err = c.db.ExecContext(ctx, "UPDATE coat SET owner = $1 WHERE id = $2", guest, coat) // want: unfenced
	return err
}
