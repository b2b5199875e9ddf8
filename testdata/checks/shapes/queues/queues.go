// Package queues has readings that are stored under their gauge's lock and handed to
// somebody else in the process besides, who does more with them.
package queues

import (
	"context"
	"errors"
	"log"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errOvertaken = errors.New("gauge: overtaken by a newer holder")

type reading struct {
	gauge string
	value int64
}

type outcome struct {
	gauge string
	err   error
}

// Gauges stores readings.
type Gauges struct {
	session  *concurrency.Session
	pool     *pgxpool.Pool
	totals   chan reading  // added up in a table
	notes    chan reading  // logged
	work     chan func()   // run elsewhere
	results  chan outcome  // looked at by whoever reads
	Readings chan *reading // for somebody out of sight
	mu       sync.Mutex
	batch    []reading // stored from time to time
	recent   []reading // kept
}

// Start makes gauges, and the goroutines behind them.
func Start(ctx context.Context, s *concurrency.Session, pool *pgxpool.Pool) *Gauges {
	g := &Gauges{
		session: s, pool: pool, totals: make(chan reading), notes: make(chan reading, 8), work: make(chan func()),
		results: make(chan outcome), Readings: make(chan *reading),
	}
	go g.total(ctx, g.totals)
	go func() {
		for {
			select {
			case r := <-g.notes:
				log.Printf("%s: %d", r.gauge, r.value)
			case f := <-g.work:
				f()
			case o := <-g.results:
				if o.err != nil {
					g.pool.Exec(ctx, "INSERT INTO failures (gauge) VALUES ($1)", o.gauge)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	go g.flush(ctx)
	return g
}

func (g *Gauges) total(ctx context.Context, from <-chan reading) {
	for r := range from {
		if _, err := g.pool.Exec(ctx, "UPDATE totals SET sum = sum + $2 WHERE gauge = $1", r.gauge, r.value); err != nil { // want: unfenced
			log.Print(err)
		}
	}
}

func (g *Gauges) flush(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		g.mu.Lock()
		batch := g.batch
		g.batch = nil
		g.mu.Unlock()
		for _, r := range batch {
			if _, err := g.pool.Exec(ctx, "UPDATE latest SET value = $2 WHERE gauge = $1", r.gauge, r.value); err != nil { // want: unfenced
				log.Print(err)
			}
		}
	}
}

// Recent lists what was stored last.
func (g *Gauges) Recent() []reading {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]reading(nil), g.recent...)
}

func (g *Gauges) store(ctx context.Context, r reading, turn int64) error {
	tag, err := g.pool.Exec(ctx, "UPDATE gauges SET value = $2, turn = $3 WHERE id = $1 AND turn < $3", r.gauge, r.value, turn)
	if err == nil && tag.RowsAffected() == 0 {
		err = errOvertaken
	}
	return err
}

// under runs f under a gauge's lock.
func (g *Gauges) under(ctx context.Context, gauge string, f func(turn int64) error) error {
	m := concurrency.NewMutex(g.session, "/gauges/"+gauge)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	defer m.Unlock(context.WithoutCancel(ctx))
	return f(m.Header().Revision)
}

func (g *Gauges) Total(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: unfenced
		if err := g.store(ctx, r, turn); err != nil {
			return err
		}
		select {
		case g.totals <- r:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

func (g *Gauges) Note(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: fenced
		if err := g.store(ctx, r, turn); err != nil {
			return err
		}
		g.notes <- r
		return nil
	})
}

func (g *Gauges) Work(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: unfenced
		if err := g.store(ctx, r, turn); err != nil {
			return err
		}
		g.work <- func() {
			g.pool.Exec(ctx, "DELETE FROM alarms WHERE gauge = $1", r.gauge) // want: unfenced
		}
		return nil
	})
}

func (g *Gauges) Result(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: fenced
		err := g.store(ctx, r, turn)
		g.results <- outcome{r.gauge, err}
		return err
	})
}

func (g *Gauges) Publish(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: unverified
		if err := g.store(ctx, r, turn); err != nil {
			return err
		}
		g.Readings <- &r
		return nil
	})
}

func (g *Gauges) Batch(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: unfenced
		if err := g.store(ctx, r, turn); err != nil {
			return err
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.batch = append(g.batch, r)
		return nil
	})
}

func (g *Gauges) Keep(ctx context.Context, r reading) error {
	return g.under(ctx, r.gauge, func(turn int64) error { // verdict: fenced
		if err := g.store(ctx, r, turn); err != nil {
			return err
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.recent = append(g.recent, r)
		return nil
	})
}
