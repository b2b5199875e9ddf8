package good

import (
	"context"
	"database/sql"
	"errors"
)

// An importer keeps its transaction beside the connection that it is begun on, so that
// all steps of an import run on the session that owns the lock.
type importer struct {
	conn *sql.Conn
	tx   *sql.Tx
}

type batches interface {
	hold(ctx context.Context) error
	leave(ctx context.Context) error
	open(ctx context.Context) error
	put(ctx context.Context, sku string, price int) error
	settle() error
}

func (i *importer) hold(ctx context.Context) error {
	_, err := i.conn.ExecContext(ctx, "SELECT pg_advisory_lock(9117)")
	return err
}

func (i *importer) leave(ctx context.Context) error {
	var ok bool
	if err := i.conn.QueryRowContext(ctx, "SELECT pg_advisory_unlock(9117)").Scan(&ok); err != nil {
		return err
	}
	if !ok {
		return errLost
	}
	return nil
}

func (i *importer) open(ctx context.Context) error {
	tx, err := i.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	i.tx = tx
	return nil
}

func (i *importer) put(ctx context.Context, sku string, price int) error {
	if i.tx == nil {
		return errors.New("no import is open")
	}
	_, err := i.tx.ExecContext(ctx, "UPDATE catalogue SET price = $2 WHERE sku = $1", sku, price)
	return err
}

func (i *importer) settle() error {
	defer func() { i.tx = nil }()
	return i.tx.Commit()
}

// Import knows its importer by an interface only.
func Import(ctx context.Context, b batches, prices map[string]int) (err error) {
	if err := b.hold(ctx); err != nil { // linked verdict: fenced
		return err
	}
	defer func() { err = errors.Join(err, b.leave(context.WithoutCancel(ctx))) }()
	if err := b.open(ctx); err != nil {
		return err
	}
	for sku, price := range prices {
		if err := b.put(ctx, sku, price); err != nil {
			return err
		}
	}
	return b.settle()
}
