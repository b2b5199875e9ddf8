package good

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	seize = redis.NewScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
	return 1
end
return 0`)
	yield = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)
)

var errSeized = errors.New("somebody else works on it")

// Desk is locked by a script that is told milliseconds.
type Desk[K comparable] struct {
	rdb *redis.Client
	key func(K) string
}

// Held is a lock that is held.
type Held struct {
	rdb     *redis.Client
	key, me string
}

func (d *Desk[K]) Seize(ctx context.Context, of K, life time.Duration) (*Held, error) {
	h := &Held{rdb: d.rdb, key: "lock:desk:" + d.key(of), me: rand.Text()}
	n, err := seize.Run(ctx, d.rdb, []string{h.key}, h.me, max(life.Milliseconds(), 1)).Int()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, errSeized
	}
	return h, nil
}

func (h *Held) Yield(ctx context.Context) error {
	n, err := yield.Run(ctx, h.rdb, []string{h.key}, h.me).Int()
	if err == nil && n == 0 {
		err = errSeized
	}
	return err
}

// DeskSettings come from a file.
type DeskSettings struct{ DeskSeconds int }

// File says that they are seconds.
func File(ctx context.Context, d *Desk[int], db *sql.DB, s DeskSettings, paper int) (err error) {
	h, err := d.Seize(ctx, paper, time.Duration(s.DeskSeconds)*time.Second) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Yield(context.WithoutCancel(ctx))) }()
	_, err = db.ExecContext(ctx, "UPDATE papers SET filed = true WHERE id = $1", paper) // want: unfenced
	return err
}

// Stamp sends the number as a text.
func Stamp(ctx context.Context, rdb *redis.Client, db *sql.DB, lifeNanos, paper int) (err error) {
	me, key, life := rand.Text(), "lock:stamp:"+strconv.Itoa(paper), time.Duration(lifeNanos)
	n, err := seize.Run(ctx, rdb, []string{key}, me, strconv.FormatInt(life.Milliseconds(), 10)).Int() // verdict: unfenced
	if err != nil {
		return err
	}
	if n == 0 {
		return errSeized
	}
	defer func() {
		err = errors.Join(err, yield.Run(context.WithoutCancel(ctx), rdb, []string{key}, me).Err())
	}()
	_, err = db.ExecContext(ctx, "UPDATE papers SET stamped = true WHERE id = $1", paper) // want: unfenced
	return err
}
