package bad

import (
	"context"
	"database/sql"
	"errors"
	"hash/crc64"

	"github.com/jackc/pgx/v5"
)

// Keys that a function makes of names: the function is the same, and the name is not.

var table = crc64.MakeTable(crc64.ISO)

func place(name string) int64 { return int64(crc64.Checksum([]byte(name), table)) }

// Shard locks a part of a tenant, and unlocks the tenant.
func Shard(ctx context.Context, conn *pgx.Conn, tenant, part string, job Job) (err error) {
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", place(tenant+":"+part)); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", place(tenant)) // want: keymismatch
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Offices locks the number of one name and unlocks that of another.
func Offices(ctx context.Context, conn *sql.Conn, office, town string, job Job) (err error) {
	id, other := place(office), place(town)
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", other) // want: keymismatch
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
