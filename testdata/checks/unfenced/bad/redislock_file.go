package bad

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/bsm/redislock"
)

// AddMember: reads a file on a shared disk, changes it and writes it back.
func AddMember(ctx context.Context, locks *redislock.Client, path, name string) (err error) {
	retry := &redislock.Options{RetryStrategy: redislock.LimitRetry(redislock.LinearBackoff(50*time.Millisecond), 20)}
	lock, err := locks.Obtain(ctx, "lock:members", 10*time.Second, retry) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()

	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var members []string
	if err := json.Unmarshal(old, &members); err != nil {
		return err
	}
	body, err := json.Marshal(append(members, name))
	if err != nil {
		return err
	}
	return os.WriteFile(path, body, 0o644) // want: unfenced
}
