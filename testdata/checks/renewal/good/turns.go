package good

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/bsm/redislock"
)

// Letters claims letters by their number, for each of the boxes that it empties.
type Letters struct {
	ctx    context.Context
	locker *redislock.Client
	boxes  map[string]chan string
	noted  chan string
}

// Empty empties two boxes at a time: each turn is about another letter, and a lock for
// that.
func (l *Letters) Empty() {
	go l.empty("red")  // verdict: no-visible-write
	go l.empty("blue") // verdict: no-visible-write
}

func (l *Letters) empty(box string) {
	l.each(l.boxes[box], l.claim)
}

func (l *Letters) each(box <-chan string, handle func(string)) {
	for {
		select {
		case <-l.ctx.Done():
			return
		case number, ok := <-box:
			if !ok {
				return
			}
			handle(number)
		}
	}
}

func (l *Letters) claim(number string) {
	if _, taken := l.take(number); !taken {
		return
	}
	l.noted <- number
}

func (l *Letters) take(number string) (*redislock.Lock, bool) {
	lock, err := l.locker.Obtain(l.ctx, "letter:"+number, time.Minute, nil)
	return lock, err == nil
}

// A Garden is swept now and then, by who finds it empty; each bed has a lock of its own,
// which is renewed while that is dug.
type Garden struct {
	locker *redislock.Client
	db     *sql.DB
	mu     sync.Mutex
}

// Run sweeps by the tick: what is renewed there is the lock of a bed.
func (g *Garden) Run(ctx context.Context, beds []string) {
	ticker := time.NewTicker(time.Hour)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			gate, err := g.locker.Obtain(ctx, "garden", 10*time.Second, nil) // verdict: unfenced
			if err != nil {
				continue
			}
			g.sweep(ctx, beds)
			gate.Release(context.WithoutCancel(ctx)) // note: onceguard
		}
	}
}

func (g *Garden) sweep(ctx context.Context, beds []string) {
	for _, bed := range beds {
		g.dig(ctx, bed)
	}
}

func (g *Garden) dig(ctx context.Context, bed string) error {
	lock, err := g.locker.Obtain(ctx, "bed:"+bed, 30*time.Second, nil) // verdict: unfenced
	if err != nil {
		return err
	}
	defer lock.Release(context.WithoutCancel(ctx))
	digging, lost := context.WithCancel(ctx)
	defer lost()
	go func() {
		tick := time.NewTicker(10 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-digging.Done():
				return
			case <-tick.C:
				if lock.Refresh(digging, 30*time.Second, nil) != nil {
					lost()
					return
				}
			}
		}
	}()
	_, err = g.db.ExecContext(digging, "UPDATE beds SET dug = dug + 1 WHERE name = $1", bed) // want: unfenced
	return err
}
