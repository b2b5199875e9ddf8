package bunch

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Key is taken by one command and given its end by another.
type Key struct {
	rdb *redis.Client
	key string
}

// Lock leaves a lock without an end where it crashes in between.
func (k *Key) Lock(ctx context.Context) error {
	ok, err := k.rdb.SetNX(ctx, k.key, rand.Text(), 0).Result() // want: acquire
	if err != nil {
		return err
	}
	if !ok {
		return errTaken
	}
	return k.rdb.Expire(ctx, k.key, time.Minute).Err()
}

// Unlock deletes it, whoever has it by now.
func (k *Key) Unlock(ctx context.Context) error {
	return k.rdb.Del(ctx, k.key).Err() // want: release
}

// Turn is a use of it: what frees its lock is told beside the acquire.
func (k *Key) Turn(ctx context.Context, db *sql.DB) (err error) {
	if err := k.Lock(ctx); err != nil { // verdict: unfenced // note: release
		return err
	}
	defer func() { err = errors.Join(err, k.Unlock(context.WithoutCancel(ctx))) }()
	_, err = db.ExecContext(ctx, "UPDATE door SET turned = true") // want: unfenced
	return err
}
