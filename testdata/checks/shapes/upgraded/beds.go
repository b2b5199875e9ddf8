package upgraded

import (
	"context"
	"database/sql"
	"time"

	"github.com/redis/go-redis/v9"
)

// Greenhouse waters beds, one gardener at a bed.
type Greenhouse struct {
	board board
	me    string
	db    *sql.DB
}

// Open puts a greenhouse on a board in Redis.
func Open(rdb redis.UniversalClient, db *sql.DB, me string) *Greenhouse {
	var b Board = &Remote{rdb: rdb}
	return &Greenhouse{board: rounded{b}, me: me, db: db}
}

const atMost = 40 * time.Second

func bedLock(bed string) string { return "greenhouse:lock:bed:" + bed }

// LockBed takes a bed and enters it in the list of those that are taken. Who cannot enter it
// leaves it again.
func (g *Greenhouse) LockBed(ctx context.Context, bed string) (bool, error) {
	taken, err := g.board.PutFirstFor(ctx, bedLock(bed), g.me, atMost)
	if err != nil || !taken {
		return taken, err
	}
	if err := g.board.Pin(ctx, "greenhouse:locks", map[string]string{bedLock(bed): "1"}, atMost); err != nil {
		_ = g.board.Wipe(ctx, bedLock(bed)) // note: release
		return false, err
	}
	return true, nil
}

// UnlockBed leaves a bed.
func (g *Greenhouse) UnlockBed(ctx context.Context, bed string) error {
	return g.board.Wipe(ctx, bedLock(bed)) // want: release
}

// Water waters a bed.
func (g *Greenhouse) Water(ctx context.Context, bed string) error {
	taken, err := g.LockBed(ctx, bed) // verdict: unfenced
	if err != nil || !taken {
		return err
	}
	defer g.UnlockBed(context.WithoutCancel(ctx), bed)
	var litres int
	if err := g.db.QueryRowContext(ctx, "SELECT litres FROM beds WHERE name = $1", bed).Scan(&litres); err != nil {
		return err
	}
	_, err = g.db.ExecContext(ctx, "UPDATE beds SET litres = $2 WHERE name = $1", bed, litres+3) // note: unfenced
	return err
}

// Plant takes a bed and writes what grows there: that is what the bed was taken for.
func (g *Greenhouse) Plant(ctx context.Context, bed, seed string) (bool, error) {
	taken, err := g.board.PutFirstFor(ctx, bedLock(bed), g.me, atMost) // note: longsection // verdict: unfenced
	if err != nil || !taken {
		return taken, err
	}
	if err := g.board.Pin(ctx, "greenhouse:grows", map[string]string{bed: seed}, atMost); err != nil {
		_ = g.board.Wipe(ctx, bedLock(bed)) // note: release
		return false, err
	}
	return true, nil
}
