package good

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const season = 40 * time.Second

// Gate lets the process in for as long as it noted; nobody gives the lock back before.
type Gate struct {
	rdb *redis.Client

	mu   sync.Mutex
	ends time.Time
}

func (g *Gate) lockGate(ctx context.Context, me string) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	asked := time.Now()
	if asked.Before(g.ends) {
		return true, nil
	}
	ok, err := g.rdb.SetNX(ctx, "gate", me, season).Result()
	if err != nil || !ok {
		return false, err
	}
	g.ends = asked.Add(season)
	return true, nil
}

func (g *Gate) Serve(ctx context.Context, me string, serve func(context.Context) error) error {
	ok, err := g.lockGate(ctx, me)
	if err != nil || !ok {
		return errors.Join(errors.New("another one serves"), err)
	}
	return serve(ctx)
}

// Paused asks nobody for a while, and says that the lock is not held.
type Paused struct {
	rdb *redis.Client

	mu    sync.Mutex
	tried time.Time
}

func (p *Paused) enter(ctx context.Context, me string) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.tried) < season {
		return false, nil
	}
	ok, err := p.rdb.SetNX(ctx, "paused", me, season).Result()
	if err != nil {
		return false, err
	}
	p.tried = time.Now()
	return ok, nil
}

func (p *Paused) Do(ctx context.Context, me string, work func(context.Context) error) error {
	ok, err := p.enter(ctx, me)
	if err != nil || !ok {
		return errors.Join(errors.New("not now"), err)
	}
	defer redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`).Run(context.WithoutCancel(ctx), p.rdb, []string{"paused"}, me)
	return work(ctx)
}
