package good

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"go.etcd.io/etcd/client/v3/concurrency"
	"gorm.io/gorm"
)

type Route struct {
	ID        uint
	Target    string
	LastToken int64
}

// Direct: the token is part of a gorm condition and of the columns that it sets.
func Direct(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, target string) (err error) {
	mutex := concurrency.NewMutex(session, "/locks/routes")
	if err := mutex.Lock(ctx); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, mutex.Unlock(context.WithoutCancel(ctx))) }()

	token := mutex.Header().Revision
	res := db.WithContext(ctx).Model(&Route{}).
		Where("id = ?", id).Where("last_token < ?", token).
		Updates(Route{Target: target, LastToken: token})
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errStale
	}
	return nil
}

// Detour: the same in a raw statement.
func Detour(ctx context.Context, session *concurrency.Session, db *gorm.DB, id uint, target string) (err error) {
	election := concurrency.NewElection(session, "/election/detour")
	if err := election.Campaign(ctx, "detour"); err != nil { // verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, election.Resign(context.WithoutCancel(ctx))) }()

	const set = "UPDATE detours SET target = ?, last_token = ? WHERE id = ? AND last_token < ?"
	res := db.WithContext(ctx).Exec(set, target, election.Rev(), id, election.Rev())
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errStale
	}
	return nil
}

// Turns draws its tokens from a sequence, by a raw query of gorm's.
type Turns struct{ db *gorm.DB }

func (t *Turns) next(ctx context.Context) (turn int64, err error) {
	err = t.db.WithContext(ctx).Raw("SELECT nextval('route_turns')").Scan(&turn).Error
	return turn, err
}

// Bypass takes a lock that has no token of its own.
func Bypass(ctx context.Context, locker *redislock.Client, t *Turns, id uint, target string) (err error) {
	lease, err := locker.Obtain(ctx, "bypass", time.Minute, nil) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(context.WithoutCancel(ctx))) }()
	turn, err := t.next(ctx)
	if err != nil {
		return err
	}
	res := t.db.WithContext(ctx).Exec("UPDATE routes SET target = ?, last_token = ? WHERE id = ? AND last_token < ?", target, turn, id, turn)
	if res.Error != nil {
		return res.Error
	}
	if res.RowsAffected == 0 {
		return errStale
	}
	return nil
}
