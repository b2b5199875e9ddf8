package bad

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Deferred deletes whatever is there at the end.
func Deferred(ctx context.Context, rdb *redis.Client, id, owner string, job Job) error {
	key := "lock:deferred:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	defer rdb.Del(context.WithoutCancel(ctx), key) // want: release
	return job.Run(ctx)
}

// Inside does the same in a function literal.
func Inside(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:inside:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() {
		err = errors.Join(err, rdb.Del(context.WithoutCancel(ctx), key).Err()) // want: release
	}()
	return job.Run(ctx)
}

// Steps asks whose it is, and deletes it a moment later.
func Steps(ctx context.Context, rdb *redis.Client, id, owner string, job Job) (err error) {
	key := "lock:steps:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if rdb.Get(ctx, key).Val() == owner {
			err = errors.Join(err, rdb.Del(ctx, key).Err()) // want: release
		}
	}()
	return job.Run(ctx)
}

// DayLock is a pair of methods that agree about the key.
type DayLock struct {
	rdb *redis.Client
	key string
}

// Take is for the callers of the package, which are elsewhere.
func (l *DayLock) Take(ctx context.Context, owner string) error {
	ok, err := l.rdb.SetNX(ctx, l.key, owner, time.Hour).Result()
	if err == nil && !ok {
		err = errBusy
	}
	return err
}

// Unlock frees the day for everybody.
func (l *DayLock) Unlock(ctx context.Context) error {
	return l.rdb.Del(ctx, l.key).Err() // want: release
}

// store is a client of the project's own: it deletes what it is told to.
type store struct{ rdb *redis.Client }

func (s store) setNX(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	return s.rdb.SetNX(ctx, key, value, ttl).Result()
}

func (s store) drop(ctx context.Context, key string) error { return s.rdb.Del(ctx, key).Err() }

// Own goes through the project's client: the fault is the caller's.
func Own(ctx context.Context, s store, id, owner string, job Job) error {
	key := "lock:own:" + id
	ok, err := s.setNX(ctx, key, owner, time.Minute) // verdict: unverified
	if err != nil {
		return err
	}
	if !ok {
		return errBusy
	}
	err = job.Run(ctx)
	return errors.Join(err, s.drop(context.WithoutCancel(ctx), key)) // want: release
}

const take = `INSERT INTO turn_lock (turn, holder, since, until) VALUES ($1, $2, now(), now() + interval '1 minute')
ON CONFLICT (turn) DO UPDATE SET holder = $2, since = now(), until = now() + interval '1 minute' WHERE turn_lock.until < now()`

// Rows keeps leases in a table.
type Rows struct{ db *sql.DB }

// TakeTurn stores the holder.
func (r Rows) TakeTurn(ctx context.Context, turn, holder string) (bool, error) {
	res, err := r.db.ExecContext(ctx, take, turn, holder)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// EndTurn forgets to name the holder.
func (r Rows) EndTurn(ctx context.Context, turn string) error {
	_, err := r.db.ExecContext(ctx, "UPDATE turn_lock SET until = now() WHERE turn = $1", turn) // want: release
	return err
}

// LeaveTurn names the holder, who may have taken the turn again since.
func (r Rows) LeaveTurn(ctx context.Context, turn, holder string) error {
	_, err := r.db.ExecContext(ctx, "DELETE FROM turn_lock WHERE turn = $1 AND holder = $2", turn, holder) // note: release
	return err
}

// Common compares the owner, who is called the same in every process.
func Common(ctx context.Context, rdb *redis.Client, id string, job Job) error {
	key := "lock:common:" + id
	ok, err := rdb.SetNX(ctx, key, "held", time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer drop.Run(context.WithoutCancel(ctx), rdb, []string{key}, "held") // want: release
	return job.Run(ctx)
}

var drop = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Handed leaves the work to a goroutine, and the lock with it.
func Handed(ctx context.Context, rdb *redis.Client, id, owner string, job Job) {
	key := "refresh:" + id
	ok, err := rdb.SetNX(ctx, key, owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return
	}
	go func() {
		ctx := context.WithoutCancel(ctx)
		defer rdb.Del(ctx, key) // want: release
		_ = job.Run(ctx)
	}()
}

// Taken deletes what it returns: that it was another's shows too late.
func Taken(ctx context.Context, rdb *redis.Client, owner string, job Job) error {
	ok, err := rdb.SetNX(ctx, "lock:taken", owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer rdb.GetDel(context.WithoutCancel(ctx), "lock:taken") // want: release
	return job.Run(ctx)
}

// Unlinked is a delete as well.
func Unlinked(ctx context.Context, rdb *redis.Client, owner string, job Job) error {
	ok, err := rdb.SetNX(ctx, "lock:unlinked", owner, time.Minute).Result() // verdict: unverified
	if err != nil || !ok {
		return errors.Join(err, errBusy)
	}
	defer rdb.Unlink(context.WithoutCancel(ctx), "lock:unlinked") // want: release
	return job.Run(ctx)
}

// Shifts is a table of who has which shift.
type Shifts struct {
	db          *sql.DB
	shift, self string
}

// Begin has a shift that nobody has.
func (s Shifts) Begin(ctx context.Context) (bool, error) {
	res, err := s.db.ExecContext(ctx, `INSERT INTO shift_lock (shift, worker, until) VALUES ($1, $2, now() + interval '1 minute')
ON CONFLICT (shift) DO UPDATE SET worker = $2, until = now() + interval '1 minute' WHERE shift_lock.until < now()`, s.shift, s.self)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Rotate is how Work ends its own shift, though by a name that says little.
func (s Shifts) Rotate(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM shift_lock WHERE shift = $1", s.shift) // want: release
	return err
}

// Work has the shift for one job.
func (s Shifts) Work(ctx context.Context, job Job) error {
	mine, err := s.Begin(ctx) // verdict: unverified
	if err != nil || !mine {
		return err
	}
	return errors.Join(job.Run(ctx), s.Rotate(context.WithoutCancel(ctx)))
}
