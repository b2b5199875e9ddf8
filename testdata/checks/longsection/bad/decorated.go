package bad

import (
	"context"
	"errors"
	"net/http"
	"os/exec"
	"time"

	"github.com/bsm/redislock"
)

// A Turnstile lets one request through at a time.
type Turnstile struct {
	locker *redislock.Client
	ttl    time.Duration
}

// Behind is for handlers, Before for functions, and Around for jobs.
func (t *Turnstile) Behind(key string, ttl time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lease, err := t.locker.Obtain(r.Context(), key, ttl, nil)
		if err != nil {
			http.Error(w, "somebody is in there", http.StatusConflict)
			return
		}
		defer lease.Release(context.WithoutCancel(r.Context()))
		next.ServeHTTP(w, r)
	})
}

func (t *Turnstile) Before(key string, ttl time.Duration, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		lease, err := t.locker.Obtain(r.Context(), key, ttl, nil)
		if err != nil {
			http.Error(w, "somebody is in there", http.StatusConflict)
			return
		}
		defer lease.Release(context.WithoutCancel(r.Context()))
		next(w, r)
	}
}

type Job func(ctx context.Context) error

func (t *Turnstile) Around(key string, ttl time.Duration, job Job) Job {
	return func(ctx context.Context) (err error) {
		lease, err := t.locker.Obtain(ctx, key, ttl, nil)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
		return job(ctx)
	}
}

type Archive struct {
	turn *Turnstile
	tool string
	jobs []Job
}

// Routes locks for a minute what takes as long as its tool does.
func (a *Archive) Routes(mux *http.ServeMux) {
	mux.Handle("POST /pack", a.turn.Behind("pack", time.Minute, http.HandlerFunc(a.pack))) // want: longsection // verdict: unverified
	mux.HandleFunc("POST /sort", a.turn.Before("sort", time.Minute, a.pack))               // want: longsection // verdict: unverified
	a.jobs = append(a.jobs, a.turn.Around("prune", time.Minute, a.prune))                  // want: longsection // verdict: unverified
}

func (a *Archive) pack(w http.ResponseWriter, r *http.Request) {
	if err := a.prune(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (a *Archive) prune(context.Context) error { return exec.Command(a.tool, "prune").Run() }
