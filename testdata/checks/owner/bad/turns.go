package bad

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync"
)

const turn = `INSERT INTO turns (name, holder, number, until) VALUES ($1, $2, nextval('turn_numbers'), now() + interval '1 minute')
ON CONFLICT (name) DO UPDATE SET holder = $2, number = nextval('turn_numbers'), until = now() + interval '1 minute'
WHERE turns.until < now() OR turns.holder = $2
RETURNING number`

var errNoTurn = errors.New("not our turn")

// Turns are taken by hosts.
type Turns struct {
	db   *sql.DB
	host string
}

func NewTurns(db *sql.DB) (*Turns, error) {
	host, err := os.Hostname()
	return &Turns{db: db, host: host}, err
}

func (t *Turns) Take(ctx context.Context, name string) (number int64, err error) {
	err = t.db.QueryRowContext(ctx, turn, name, t.host).Scan(&number) // want: owner
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoTurn
	}
	return number, err
}

// Return lets the time run out at once.
func (t *Turns) Return(ctx context.Context, name string, number int64) error {
	res, err := t.db.ExecContext(ctx, "UPDATE turns SET holder = '', until = now() - interval '1 second' WHERE name = $1 AND number = $2", name, number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errNoTurn, err)
	}
	return nil
}

// Work has several workers go through the names, each of which takes a turn and returns it.
func (t *Turns) Work(ctx context.Context, names <-chan string) error {
	var wg sync.WaitGroup
	var once sync.Once
	var failed error
	for range 4 {
		wg.Go(func() {
			for name := range names {
				if err := t.one(ctx, name); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	wg.Wait()
	return failed
}

func (t *Turns) one(ctx context.Context, name string) (err error) {
	number, err := t.Take(ctx, name) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Return(context.WithoutCancel(ctx), name, number)) }()
	res, err := t.db.ExecContext(ctx, "UPDATE names SET seen = seen + 1, number = $2 WHERE name = $1 AND number < $2", name, number)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(errNoTurn, err)
	}
	return nil
}
