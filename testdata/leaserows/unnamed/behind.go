package unnamed

import (
	"context"
	"database/sql"
	"time"
)

// A sender sends statements; who makes these does not see the database.
type sender interface {
	send(ctx context.Context, text string, args ...any) (int64, error)
}

type sending struct{ db *sql.DB }

func (s sending) send(ctx context.Context, text string, args ...any) (int64, error) {
	res, err := s.db.ExecContext(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// A Bell is rung by one of the towers at a time.
type Bell struct {
	to    sender
	tower string
	db    *sql.DB
}

// NewBell returns the bell of a tower.
func NewBell(db *sql.DB, tower string) *Bell { return &Bell{to: sending{db}, tower: tower, db: db} }

func (b *Bell) reach(ctx context.Context) (bool, error) {
	now := time.Now().Unix()
	n, err := b.to.send(ctx, "UPDATE carillons SET tower = ?, rung = ? WHERE id = 1 AND (tower = ? OR rung < ?)", b.tower, now, b.tower, now-60) // want: wallclock
	return n == 1, err
}

// Ring counts the strokes while the bell is this tower's.
func (b *Bell) Ring(ctx context.Context, strokes int) error {
	ok, err := b.reach(ctx) // verdict: unfenced
	if err != nil || !ok {
		return err
	}
	_, err = b.db.ExecContext(ctx, "UPDATE strokes SET n = ? WHERE id = 1", strokes) // note: unfenced
	return err
}
