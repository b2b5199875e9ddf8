package notlocks

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Praise may be given once in a while: the key stands until then, unless it came to
// nothing.
type Praise struct {
	rdb    *redis.Client
	member *member
}

type member struct{ board *board }

type board struct {
	active bool
	lines  []string
}

func (b *board) show(line string) {
	b.lines = append(b.lines, line)
	b.active = true // of the board, and no word of who leads
}

func (m *member) thank(line string) error {
	if line == "" {
		return errors.New("nothing to say")
	}
	m.board.show(line)
	return nil
}

func (p *Praise) tell(line string) error { return p.member.thank(line) }

func pauseOf(from, to string) string { return "pause:" + from + ":" + to }

func (p *Praise) mayPraise(ctx context.Context, from, to string) (bool, error) {
	return p.rdb.SetNX(ctx, pauseOf(from, to), 1, time.Hour).Result()
}

func (p *Praise) mayAgain(ctx context.Context, from, to string) error {
	return p.rdb.Del(ctx, pauseOf(from, to)).Err()
}

// Give praises, and may be called again where that failed.
func (p *Praise) Give(ctx context.Context, from, to, line string) error {
	ok, err := p.mayPraise(ctx, from, to)
	if err != nil || !ok {
		return err
	}
	if err := p.rdb.Incr(ctx, "praise:"+to).Err(); err != nil {
		return errors.Join(err, p.mayAgain(ctx, from, to))
	}
	return p.tell(line)
}
