// Package pantry keeps what there is of a thing, for users in other packages.
package pantry

import (
	"context"
	"database/sql"
)

type Jar struct {
	Name  string
	Grams int
}

type Shelf struct{ DB *sql.DB }

func (s *Shelf) Open(ctx context.Context, name string) (*Jar, error) {
	j := &Jar{Name: name}
	if err := s.DB.QueryRowContext(ctx, "SELECT grams FROM jar WHERE name = $1", name).Scan(&j.Grams); err != nil {
		return nil, err
	}
	return j, nil
}

func (s *Shelf) Put(ctx context.Context, j *Jar) error {
	_, err := s.DB.ExecContext(ctx, "UPDATE jar SET grams = $2 WHERE name = $1", j.Name, j.Grams)
	return err
}
