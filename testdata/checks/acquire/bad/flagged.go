package bad

import (
	"context"
	"database/sql"
	"errors"
	"log"
)

// An Oven says in it whether it is yours.
type Oven struct {
	Mine bool
	Name string
}

// Ovens are rows.
type Ovens struct{ db *sql.DB }

// Take says that the oven was taken where the database could not be asked as well.
func (o *Ovens) Take(ctx context.Context, name, baker string) (*Oven, error) {
	var by string
	err := o.db.QueryRowContext(ctx, `INSERT INTO oven_leases (oven, baker, ends_at) VALUES ($1, $2, now() + $3 * interval '1 second')
ON CONFLICT (oven) DO UPDATE SET baker = EXCLUDED.baker, ends_at = EXCLUDED.ends_at
WHERE oven_leases.ends_at < now() OR oven_leases.baker = EXCLUDED.baker RETURNING baker`, name, baker, 60).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return &Oven{Name: name}, nil
	}
	if err != nil {
		log.Printf("take %s: %v", name, err)
		return &Oven{Mine: true, Name: name}, nil // want: acquire
	}
	return &Oven{Mine: true, Name: name}, nil
}

// Bake counts the loaves.
func (o *Ovens) Bake(ctx context.Context, name, baker string) error {
	oven, err := o.Take(ctx, name, baker) // verdict: unfenced
	if err != nil || !oven.Mine {
		return err
	}
	_, err = o.db.ExecContext(ctx, "UPDATE ovens SET loaves = loaves + 12, baker = $2 WHERE name = $1", oven.Name, baker)
	return err
}
