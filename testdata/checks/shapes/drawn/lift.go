package drawn

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"
)

// Yard has the load of every crane.
type Yard struct {
	permits *Permits
	db      *sql.DB
}

func (y *Yard) store(ctx context.Context, crane string, kilos, number int64) error {
	res, err := y.db.ExecContext(ctx, "UPDATE cranes SET kilos = $1, permit = $2 WHERE name = $3 AND permit < $2", kilos, number, crane)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errGone, err)
	}
	return nil
}

// Lift hands the number on.
func (y *Yard) Lift(ctx context.Context, crane string, kilos int64) (err error) {
	held, err := y.permits.Request(ctx, crane, 10*time.Second) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Return(context.WithoutCancel(ctx))) }()
	return y.store(ctx, crane, kilos, held.Number)
}

// Swing forgets to hand it on.
func (y *Yard) Swing(ctx context.Context, crane string, degrees int) (err error) {
	held, ok := y.permits.Sequenced(ctx, crane) // verdict: unfenced
	if !ok {
		return errTaken
	}
	defer func() { err = errors.Join(err, held.Return(context.WithoutCancel(ctx))) }()
	_, err = y.db.ExecContext(ctx, "UPDATE cranes SET degrees = $1 WHERE name = $2", degrees, crane) // want: unfenced
	return err
}

// Lower works with the number that the lock keeps.
func (y *Yard) Lower(ctx context.Context, crane string, kilos int64) (err error) {
	b := y.permits.Badge(crane)
	if err := b.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, b.Unlock(context.WithoutCancel(ctx))) }()
	return y.store(ctx, crane, kilos, b.Fence())
}

// Maintain gives the permit back only where reading fails, and lets it run out else. The work is its own, so it is no
// wrapper.
func (y *Yard) Maintain(ctx context.Context, crane string) error {
	held, err := y.permits.Request(ctx, crane, 10*time.Second) // verdict: fenced
	if err != nil {
		return err
	}
	var kilos int64
	if err := y.db.QueryRowContext(ctx, "SELECT kilos FROM cranes WHERE name = $1", crane).Scan(&kilos); err != nil {
		return errors.Join(err, held.Return(context.WithoutCancel(ctx)))
	}
	return y.store(ctx, crane, min(kilos, 100), held.Number)
}

// Exclusive serves one request for a crane at a time. What it does is for the handler behind to know.
func (y *Yard) Exclusive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held, err := y.permits.Request(r.Context(), r.PathValue("crane"), time.Minute)
		if err != nil {
			http.Error(w, "busy", http.StatusConflict)
			return
		}
		defer held.Return(context.WithoutCancel(r.Context()))
		next.ServeHTTP(w, r)
	})
}
