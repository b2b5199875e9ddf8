package rehearsed

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// The row is there only where the lock was taken.
const cue = "SELECT lock FROM pg_try_advisory_xact_lock($1) lock WHERE lock = true"

func take(ctx context.Context, tx pgx.Tx, key []byte) error {
	tag, err := tx.Conn().PgConn().ExecParams(ctx, cue, [][]byte{key}, nil, []int16{1}, nil).Close()
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errBusy
	}
	return nil
}

// Cue takes the lock on the connection below its transaction, and writes in that.
func Cue(ctx context.Context, tx pgx.Tx, key []byte, line int) error {
	if err := take(ctx, tx, key); err != nil { // verdict: fenced
		return err
	}
	_, err := tx.Exec(ctx, "UPDATE line SET said = true WHERE id = $1", line)
	return err
}

// Aside writes on another connection.
func Aside(ctx context.Context, tx pgx.Tx, other *pgx.Conn, key []byte, line int) error {
	if err := take(ctx, tx, key); err != nil { // verdict: unfenced
		return err
	}
	_, err := other.Exec(ctx, "UPDATE line SET said = true WHERE id = $1", line) // want: unfenced
	return err
}
