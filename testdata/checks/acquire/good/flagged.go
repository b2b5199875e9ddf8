package good

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const fireKiln = `INSERT INTO kiln_leases (kiln, potter, ends_at) VALUES ($1, $2, now() + $3 * interval '1 second')
ON CONFLICT (kiln) DO UPDATE SET potter = EXCLUDED.potter, ends_at = EXCLUDED.ends_at
WHERE kiln_leases.ends_at < now() OR kiln_leases.potter = EXCLUDED.potter
RETURNING potter`

// A Slot says whether the kiln may be fired.
type Slot struct {
	Granted bool
	Kiln    string
	Potter  string
}

// Kilns are fired by one potter at a time.
type Kilns struct{ db *sql.DB }

// reserve answers in the slot: a kiln that somebody else fires is no error.
func (k *Kilns) reserve(ctx context.Context, kiln, potter string) (*Slot, error) {
	var by string
	err := k.db.QueryRowContext(ctx, fireKiln, kiln, potter, 120).Scan(&by)
	if err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return &Slot{Granted: false, Kiln: kiln}, nil
		}
		return nil, fmt.Errorf("reserve %s: %w", kiln, err)
	}
	if by != potter {
		return &Slot{Kiln: kiln, Potter: by}, nil
	}
	return &Slot{Granted: true, Kiln: kiln, Potter: by}, nil
}

// Prepare also lays out the shelves, and says by a slot of its own how it went.
func (k *Kilns) Prepare(ctx context.Context, kiln, potter string) (*Slot, error) {
	defer fmt.Println("prepared", kiln)
	slot, err := k.reserve(ctx, kiln, potter)
	if err != nil {
		return nil, err
	}
	if !slot.Granted {
		return slot, nil
	}
	if _, err := k.db.ExecContext(ctx, "CALL lay_out_shelves($1)", kiln); err != nil {
		return nil, err
	}
	return &Slot{Granted: true, Kiln: kiln, Potter: potter}, nil
}

// Fire works on what it has reserved only.
func (k *Kilns) Fire(ctx context.Context, kiln, potter string) error {
	slot, err := k.Prepare(ctx, kiln, potter) // verdict: unfenced
	if err != nil {
		return err
	}
	if !slot.Granted {
		return fmt.Errorf("kiln %s is fired by %s", kiln, slot.Potter)
	}
	if _, err := k.db.ExecContext(ctx, "UPDATE kilns SET fired_by = $2, temperature = temperature + 900 WHERE id = $1", kiln, potter); err != nil { // want: unfenced
		return err
	}
	return nil
}
