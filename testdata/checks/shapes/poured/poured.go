// Package poured puts together what a statement is given: maps of arguments that several
// hands fill.
package poured

import (
	"context"
	"errors"
	"maps"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jmoiron/sqlx"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

var errLate = errors.New("another crew has the vat")

// A Cellar has vats, each of which one crew fills at a time.
type Cellar struct {
	etcd *clientv3.Client
	pool *pgxpool.Pool
	db   *sqlx.DB
}

// enter takes a vat, and tells the number of the turn.
func (c *Cellar) enter(ctx context.Context, vat string) (turn int64, leave func() error, err error) {
	session, err := concurrency.NewSession(c.etcd, concurrency.WithTTL(15), concurrency.WithContext(ctx))
	if err != nil {
		return 0, nil, err
	}
	mutex := concurrency.NewMutex(session, "/vats/"+vat)
	if err := mutex.Lock(session.Client().Ctx()); err != nil {
		return 0, nil, errors.Join(err, session.Close())
	}
	return mutex.Header().Revision, func() error {
		return errors.Join(mutex.Unlock(context.WithoutCancel(ctx)), session.Close())
	}, nil
}

const fill = `UPDATE vat SET litres = @litres, token = @turn WHERE name = @vat AND COALESCE(token, 0) < @turn`

func (c *Cellar) pour(ctx context.Context, args pgx.NamedArgs) error {
	tag, err := c.pool.Exec(ctx, fill, args)
	if err == nil && tag.RowsAffected() == 0 {
		return errLate
	}
	return err
}

func amount(vat string, litres int) pgx.NamedArgs {
	return pgx.NamedArgs{"vat": vat, "litres": litres}
}

type shift struct{ turn int64 }

func (s shift) args() map[string]any { return map[string]any{"turn": s.turn} }

// all is one map made of several: what comes later wins.
func all(parts ...map[string]any) pgx.NamedArgs {
	out := make(pgx.NamedArgs)
	for _, part := range parts {
		maps.Copy(out, part)
	}
	return out
}

// Copied has the turn copied into what another function has made.
func (c *Cellar) Copied(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := amount(vat, litres)
	maps.Copy(args, shift{turn}.args())
	return c.pour(ctx, args)
}

// Together has both copied into a new one.
func (c *Cellar) Together(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return c.pour(ctx, all(amount(vat, litres), shift{turn}.args()))
}

// Paired copies pair by pair.
func (c *Cellar) Paired(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := pgx.NamedArgs{"vat": vat, "litres": litres}
	for name, value := range (shift{turn}).args() {
		args[name] = value
	}
	return c.pour(ctx, args)
}

func stamp(args map[string]any, turn int64) { args["turn"] = turn }

// Stamped leaves it to a function.
func (c *Cellar) Stamped(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := amount(vat, litres)
	stamp(args, turn)
	return c.pour(ctx, args)
}

func stampedCopy(args pgx.NamedArgs, turn int64) pgx.NamedArgs {
	out := maps.Clone(args)
	out["turn"] = turn
	return out
}

// Cloned uses the copy that was stamped.
func (c *Cellar) Cloned(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: fenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return c.pour(ctx, stampedCopy(amount(vat, litres), turn))
}

// Left has it stamped, and uses the one that was not.
func (c *Cellar) Left(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := amount(vat, litres)
	stampedCopy(args, turn)
	_, err = c.db.NamedExecContext(ctx, "UPDATE vat SET litres = :litres, token = :turn WHERE name = :vat AND token < :turn", map[string]any(args)) // want: unfenced
	return err
}

// Drowned copies a number over the turn.
func (c *Cellar) Drowned(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := all(shift{turn}.args(), shift{1 << 40}.args(), amount(vat, litres))
	_, err = c.pool.Exec(ctx, fill, args) // want: unfenced
	return err
}

// Read copies what is out of sight: the turn may be in it.
func (c *Cellar) Read(ctx context.Context, vat string, litres int, more func(turn int64) map[string]any) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return c.pour(ctx, all(amount(vat, litres), more(turn)))
}

func list(pairs ...any) pgx.NamedArgs {
	out := pgx.NamedArgs{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// Listed makes the map of a list, whose order is not followed.
func (c *Cellar) Listed(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return c.pour(ctx, list("vat", vat, "litres", litres, "turn", turn))
}

// Doubtful copies the turn on some ways, and on others keeps a number that always passes.
func (c *Cellar) Doubtful(ctx context.Context, vat string, litres int, strict bool) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: unverified
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := amount(vat, litres)
	args["turn"] = int64(1) << 60
	if strict {
		maps.Copy(args, shift{turn}.args())
	}
	return c.pour(ctx, args)
}

// Emptied takes the turn out again.
func (c *Cellar) Emptied(ctx context.Context, vat string, litres int) (err error) {
	turn, leave, err := c.enter(ctx, vat) // verdict: unfenced
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	args := amount(vat, litres)
	args["turn"] = turn
	delete(args, "turn")
	_, err = c.pool.Exec(ctx, fill, args) // want: unfenced
	return err
}
