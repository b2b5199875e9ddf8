package good

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"example.org/locks/checks/keymismatch/names"
)

// Passing locks by a package that makes the key the same way twice.
func Passing(ctx context.Context, door names.Door, id string, job Job) (err error) {
	owner := rand.Text()
	if err := door.Lock(ctx, "passing/"+id, owner, time.Minute); err != nil { // verdict: unverified
		return err
	}
	defer func() { err = errors.Join(err, door.Unlock(context.WithoutCancel(ctx), "passing/"+id, owner)) }()
	return job.Run(ctx)
}

// Told gives back the key that it was told.
func Told(ctx context.Context, bolt names.Bolt, id, owner string, job Job) (err error) {
	key, err := bolt.Lock(ctx, id, owner) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bolt.Unlock(context.WithoutCancel(ctx), key, owner)) }()
	return job.Run(ctx)
}

// Seen marks by a lock's first half, and compares nothing: what was seen stays so.
func Seen(ctx context.Context, rdb *redis.Client, door names.Door, id string, job Job) error {
	if err := door.Lock(ctx, "seen/"+id, time.Now().String(), time.Hour); err != nil {
		return err
	}
	return job.Run(ctx)
}
