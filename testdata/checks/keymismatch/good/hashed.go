package good

import (
	"context"
	"database/sql"
	"errors"
	"hash/crc64"
)

var table = crc64.MakeTable(crc64.ISO)

func place(name string) int64 { return int64(crc64.Checksum([]byte(name), table)) }

// Namer makes keys somewhere else.
type Namer interface {
	Key(ctx context.Context, name string) int64
}

// Shard makes the number twice, of the same name.
func Shard(ctx context.Context, conn *sql.Conn, tenant, part string, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", place(tenant+":"+part)); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", place(tenant+":"+part))
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}

// Named asks for the same name with another context.
func Named(ctx, after context.Context, conn *sql.Conn, names Namer, tenant string, job Job) (err error) {
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", names.Key(ctx, tenant)); err != nil { // verdict: unverified
		return err
	}
	defer func() {
		_, e := conn.ExecContext(after, "SELECT pg_advisory_unlock($1)", names.Key(after, tenant))
		err = errors.Join(err, e)
	}()
	return job.Run(ctx)
}
