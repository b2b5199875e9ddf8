// Package poolconn defines the check of that name.
//
// # Analyzer poolconn
//
// poolconn: report database locks that are taken through a connection pool
//
// pg_advisory_lock, GET_LOCK and sp_getapplock with a session owner belong to
// the database session that asked. A *sql.DB (or pgxpool.Pool, or gorm.DB) is a
// pool: every statement runs on whichever connection is free. Lock and unlock
// then meet different sessions.
//
// # Why it loses data
//
//	lock    -> connection 1: granted to session 1
//	unlock  -> connection 2: "you do not own this lock", and the lock stays
//	lock    -> connection 1, another request: granted again, session 1 owns it already
//
// The first outcome stops everybody until connection 1 is closed, the second
// lets two requests of one process into the section at once.
//
// # Bad
//
//	db.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id)
//	defer db.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", id)
//
// # Good
//
//	conn, err := db.Conn(ctx)
//	if err != nil {
//		return err
//	}
//	defer conn.Close()
//	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", id); err != nil {
//		return err
//	}
//	defer conn.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", id)
//
// Or pg_advisory_xact_lock in a transaction, which needs no unlock. Outside of one it
// guards nothing: the pool runs the statement in a transaction of its own, and the lock
// is gone when the call returns.
//
// # How it decides
//
// The handle on which the statement runs is a pool: it was made as one, or its
// type is one (gorm.DB is one unless it was made by Begin, Transaction or
// Connection; where it is an argument, the callers in view say which), a connection
// that is lent to a function only (AcquireFunc) and the lock is held beyond that, or every
// value in sight that is put into its interface is one. Or its connection string
// names a pooler such as pgbouncer. Or an unlock runs on the pool, or on another
// connection than the lock, be it in a method or a function that a wrapper returns. The
// finding stands at the statement.
//
// A lock that ends with its transaction is reported where its statement does nothing else
// and runs on what is always a pool (a *sql.DB, not a gorm.DB that nobody is seen to make).
//
// # When it stays silent
//
// Where the type of the handle does not tell (an interface of the project with an
// ExecContext method, behind which there are connections as well, or what comes from
// out of sight), where the package, or one that imports it, limits a pool to one connection
// (SetMaxOpenConns(1)), and where a gorm.DB is called a connection or transaction.
package poolconn
