package bad

import (
	"context"
	"hash/crc32"

	"github.com/jmoiron/sqlx"
)

// A Shelf is a row as the helper below reads it.
type Shelf struct {
	No    int64  `db:"no"`
	Label string `db:"label"`
	Books int    `db:"books"`
}

func (s *Shelf) add(n int) { s.Books += n }

func fetch(ctx context.Context, q sqlx.QueryerContext, label string) (*Shelf, error) {
	var s Shelf
	if err := sqlx.GetContext(ctx, q, &s, "SELECT no, label, books FROM shelf_row WHERE label = $1", label); err != nil {
		return nil, err
	}
	return &s, nil
}

// Shelve reads the row by a helper which returns a pointer to it, waits, and writes it back.
func Shelve(ctx context.Context, db *sqlx.DB, label string, n int) error {
	shelf, err := fetch(ctx, db, label)
	if err != nil {
		return err
	}
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", int64(crc32.ChecksumIEEE([]byte(label)))); err != nil { // verdict: fenced
		return err
	}
	shelf.add(n)
	if _, err := tx.ExecContext(ctx, "UPDATE shelf_row SET books = $2 WHERE no = $1", shelf.No, shelf.Books); err != nil { // want: staleread
		return err
	}
	return tx.Commit()
}
