package bad

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/bsm/redislock"
)

// Gallery hangs pictures, one request at a wall.
type Gallery struct {
	locks *redislock.Client
	host  string
	hang  func(ctx context.Context, wall string) error
}

// OpenGallery is told what it is called.
func OpenGallery(locks *redislock.Client, host string, hang func(context.Context, string) error) *Gallery {
	return &Gallery{locks: locks, host: host, hang: hang}
}

// Handler serves many requests with the one gallery.
func (g *Gallery) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.alone(r.Context(), r.PathValue("wall")); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
}

func (g *Gallery) alone(ctx context.Context, wall string) (err error) {
	lock, err := g.locks.Obtain(ctx, "wall:"+wall, time.Minute, &redislock.Options{Token: g.host}) // want: owner // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release(context.WithoutCancel(ctx))) }()
	return g.hang(ctx, wall)
}
