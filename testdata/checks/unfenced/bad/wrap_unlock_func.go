package bad

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"log"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"
)

// lockRoom returns the function that gives the lock back.
func lockRoom(ctx context.Context, rdb *redis.Client, room string) (unlock func() error, err error) {
	key, owner := "lock:room:"+room, rand.Text()
	for {
		ok, err := rdb.SetNX(ctx, key, owner, 10*time.Second).Result()
		if err != nil {
			return nil, err
		}
		if ok {
			return func() error { return free(ctx, rdb, key, owner) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Book reads the plan of a room and writes it back.
func Book(ctx context.Context, rdb *redis.Client, db *sql.DB, room, guest string) (err error) {
	unlock, err := lockRoom(ctx, rdb, room) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	var taken bool
	if err := db.QueryRowContext(ctx, "SELECT guest <> '' FROM room WHERE id = $1", room).Scan(&taken); err != nil {
		return err
	}
	if taken {
		return errors.New("room is taken")
	}
	_, err = db.ExecContext(ctx, "UPDATE room SET guest = $2 WHERE id = $1", room, guest) // want: unfenced
	return err
}

// mustLock waits for the mutex and stops the program where it cannot have it.
func mustLock(mutex *redsync.Mutex) func() {
	if err := mutex.Lock(); err != nil {
		log.Panic(err)
	}
	return func() {
		if ok, err := mutex.Unlock(); err != nil || !ok {
			log.Printf("unlock %s: %v", mutex.Name(), err)
		}
	}
}

// Rename takes the lock in the operand of the defer.
func Rename(ctx context.Context, rs *redsync.Redsync, db *sql.DB, id int64, name string) error {
	defer mustLock(rs.NewMutex("lock:names"))()                                          // verdict: unfenced
	_, err := db.ExecContext(ctx, "UPDATE customer SET name = ? WHERE id = ?", name, id) // want: unfenced
	return err
}
