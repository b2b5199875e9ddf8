// Package carried opens and closes gates. The turns of those who do come to the statements in contexts.
package carried

import (
	"context"
	"database/sql"
	"errors"
	"net/http"

	"github.com/go-redsync/redsync/v4"
	"github.com/redis/go-redis/v9"

	"example.org/locks/checks/shapes/carried/shift"
)

var errLate = errors.New("somebody else has had a turn")

type book struct{ db *sql.DB }

func (b book) write(ctx context.Context, gate string, open bool, turn int64) (int, error) {
	res, err := b.db.ExecContext(ctx, "UPDATE gates SET open = ?, turn = ? WHERE name = ? AND turn < ?", open, turn, gate, turn) // want: unfenced
	if err != nil {
		return 0, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return 0, errors.Join(errLate, err)
	}
	return 1, nil
}

func (b book) kept(ctx context.Context, gate string) (int, error) {
	return b.write(ctx, gate, true, shift.Of(ctx).Turn)
}

func (b book) told(ctx context.Context, gate string) (int, error) {
	return b.write(ctx, gate, true, shift.Turn(ctx))
}

func (b book) paint(ctx context.Context, gate string) (int, error) {
	_, err := b.db.ExecContext(ctx, "UPDATE gates SET paint = 'green' WHERE name = ?", gate) // want: unfenced
	return 1, err
}

// Gates is the service.
type Gates struct {
	rs     *redsync.Redsync
	rdb    redis.UniversalClient
	roster *shift.Roster[int]
	book   book
}

// New makes the service.
func New(rs *redsync.Redsync, rdb redis.UniversalClient, db *sql.DB) *Gates {
	return &Gates{rs, rdb, shift.NewRoster[int](rs, rdb), book{db}}
}

// Open compares the turn.
func (g *Gates) Open(ctx context.Context, gate string) error {
	_, err := shift.Under(ctx, g.rs, g.rdb, gate, func(ctx context.Context) (int, error) { // verdict: fenced
		return g.book.kept(ctx, gate)
	})
	return err
}

// Paint does not.
func (g *Gates) Paint(ctx context.Context, gate string) (int, error) {
	return shift.Under[int](ctx, g.rs, g.rdb, gate, func(ctx context.Context) (int, error) { // verdict: unfenced
		return g.book.paint(ctx, gate)
	})
}

// Shut has the turn in three contexts, one in the other.
func (g *Gates) Shut(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: fenced
		return g.book.told(ctx, gate)
	})
}

// Both works with what is kept below.
func (g *Gates) Both(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: fenced
		return g.book.kept(ctx, gate)
	})
}

// Ask compares a constant.
func (g *Gates) Ask(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: unfenced
		return g.book.write(ctx, gate, false, shift.Boss(ctx))
	})
}

// Lend asks for what is under no key.
func (g *Gates) Lend(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: unverified
		return g.book.write(ctx, gate, false, shift.Lent(ctx))
	})
}

// Shorten asks for another type than there is.
func (g *Gates) Shorten(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: unfenced
		return g.book.write(ctx, gate, false, int64(shift.Short(ctx)))
	})
}

// Outside works with the context of its own caller.
func (g *Gates) Outside(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(context.Context) (int, error) { // verdict: unverified
		return g.book.told(ctx, gate)
	})
}

// Some have a turn and some have none.
func (g *Gates) Some(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: unverified
		ctx = shift.Perhaps(ctx, shift.Turn(ctx), gate)
		return g.book.write(ctx, gate, false, shift.Had(ctx))
	})
}

// All have one.
func (g *Gates) All(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: fenced
		ctx = shift.Always(ctx, shift.Turn(ctx))
		return g.book.write(ctx, gate, false, shift.Had(ctx))
	})
}

// None take what is beside it.
func (g *Gates) None(ctx context.Context, gate string) (int, error) {
	return g.roster.At(ctx, gate, func(ctx context.Context) (int, error) { // verdict: unfenced
		ctx = shift.Always(ctx, shift.Turn(ctx))
		return g.book.write(ctx, gate, false, shift.Nobody(ctx))
	})
}

// shut is what a request asks for.
func (g *Gates) shut(_ http.ResponseWriter, q *http.Request) (int, error) {
	return g.book.told(q.Context(), q.PathValue("gate"))
}

// Routes hands the turns on with the requests.
func (g *Gates) Routes(mux *http.ServeMux) {
	mux.HandleFunc("/shut", g.roster.Serve("all", g.shut))                                                     // verdict: fenced
	mux.HandleFunc("/paint", g.roster.Serve("all", func(_ http.ResponseWriter, q *http.Request) (int, error) { // verdict: unfenced
		return g.book.paint(q.Context(), q.PathValue("gate"))
	}))
}
