// Package room works through interfaces of its own, whose methods speak of what others
// declare. What becomes a value of them is decided by a program that is not here.
package room

import (
	"context"
	"database/sql"
	"errors"

	"example.org/locks/checks/shapes/spoken/cloak"
)

// Pegs are implemented where a peg is declared.
type Pegs interface {
	Hang(ctx context.Context, name string) (*cloak.Peg, error)
}

// Room writes down who has which peg.
type Room struct {
	Pegs Pegs
	DB   *sql.DB
}

// Enter takes a peg for a guest.
func (r *Room) Enter(ctx context.Context, peg, guest string) (err error) {
	p, err := r.Pegs.Hang(ctx, peg) // verdict: unfenced // linked
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Off(ctx)) }()
	_, err = r.DB.ExecContext(ctx, "UPDATE peg SET guest = $2 WHERE name = $1", peg, guest) // want: unfenced // linked
	return err
}

// Guests look as if the package of a peg had one, and nothing there fits.
type Guests interface {
	Guest(ctx context.Context, peg *cloak.Peg) (string, error)
	Lock(ctx context.Context, guest string) error
}

// Greet calls what nobody implements.
func Greet(ctx context.Context, g Guests, db *sql.DB, peg *cloak.Peg) error {
	name, err := g.Guest(ctx, peg)
	if err != nil {
		return err
	}
	if err := g.Lock(ctx, name); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "UPDATE guest SET greeted = true WHERE name = $1", name)
	return err
}
