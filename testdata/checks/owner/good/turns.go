package good

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"
)

const turn = `INSERT INTO turns (name, holder, number, until) VALUES ($1, $2, nextval('turn_numbers'), now() + interval '1 minute')
ON CONFLICT (name) DO UPDATE SET holder = $2, number = nextval('turn_numbers'), until = now() + interval '1 minute'
WHERE turns.until < now() OR turns.holder = $2
RETURNING number`

var errNoTurn = errors.New("not our turn")

// Turns are kept by a host from one round to the next.
type Turns struct {
	db   *sql.DB
	host string
}

func NewTurns(db *sql.DB) (*Turns, error) {
	host, err := os.Hostname()
	return &Turns{db: db, host: host}, err
}

func (t *Turns) Take(ctx context.Context, name string) (number int64, err error) {
	err = t.db.QueryRowContext(ctx, turn, name, t.host).Scan(&number)
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoTurn
	}
	return number, err
}

// Keep takes the turns again before they are over, and so keeps them.
func (t *Turns) Keep(ctx context.Context, names []string) error {
	tick := time.NewTicker(15 * time.Second)
	defer tick.Stop()
	for {
		for _, name := range names {
			if err := t.one(ctx, name); err != nil && !errors.Is(err, errNoTurn) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (t *Turns) one(ctx context.Context, name string) error {
	number, err := t.Take(ctx, name) // verdict: fenced
	if err != nil {
		return err
	}
	res, err := t.db.ExecContext(ctx, "UPDATE names SET seen = seen + 1, number = $2 WHERE name = $1 AND number <= $2", name, number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errNoTurn, err)
	}
	return nil
}
