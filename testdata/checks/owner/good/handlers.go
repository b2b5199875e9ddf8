package good

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

// Exhibit is made for one request, with a name of its own.
type Exhibit struct {
	locks *redislock.Client
	name  string
	hang  func(ctx context.Context, wall string) error
}

// Exhibits makes one for each request.
func Exhibits(locks *redislock.Client, hang func(context.Context, string) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &Exhibit{locks: locks, name: rand.Text(), hang: hang}
		if err := e.alone(r.Context(), r.PathValue("wall")); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
}

func (e *Exhibit) alone(ctx context.Context, wall string) (err error) {
	lock, err := e.locks.Obtain(ctx, "wall:"+wall, time.Minute, &redislock.Options{Token: e.name}) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return e.hang(ctx, wall)
}
