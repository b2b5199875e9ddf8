package bad

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Fleet: the lock is three calls above the write.
type Fleet struct {
	rs   *redsync.Redsync
	repo fleetRepo
}

type fleetRepo struct{ pool *pgxpool.Pool }

func (f *Fleet) lock(ctx context.Context, vehicle string) (*redsync.Mutex, error) {
	mutex := f.rs.NewMutex("lock:vehicle:"+vehicle, redsync.WithExpiry(10*time.Second))
	if err := mutex.LockContext(ctx); err != nil {
		return nil, err
	}
	return mutex, nil
}

func (f *Fleet) Park(ctx context.Context, vehicle string, place int64) (err error) {
	mutex, err := f.lock(ctx, vehicle) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() {
		ok, e := mutex.UnlockContext(context.WithoutCancel(ctx))
		if e == nil && !ok {
			e = errLost
		}
		err = errors.Join(err, e)
	}()
	return f.move(ctx, vehicle, place)
}

func (f *Fleet) move(ctx context.Context, vehicle string, place int64) error {
	free, err := f.repo.isFree(ctx, place)
	if err != nil {
		return err
	}
	if !free {
		return errors.New("place is taken")
	}
	return f.repo.setPlace(ctx, vehicle, place)
}

func (r fleetRepo) isFree(ctx context.Context, place int64) (free bool, err error) {
	err = r.pool.QueryRow(ctx, "SELECT NOT EXISTS (SELECT FROM vehicle WHERE place = $1)", place).Scan(&free)
	return free, err
}

func (r fleetRepo) setPlace(ctx context.Context, vehicle string, place int64) error {
	_, err := r.pool.Exec(ctx, "UPDATE vehicle SET place = $2 WHERE id = $1", vehicle, place) // want: unfenced
	return err
}
