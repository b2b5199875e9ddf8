package engine

import (
	"slices"
	"testing"

	"github.com/fencevet/fencevet/passes/internal/summary"
	"github.com/fencevet/fencevet/passes/lock"
)

// TestCycle gives up on functions that call each other, early and late: what one of them
// leaves locked and stores is still known, and that there is more.
func TestCycle(t *testing.T) {
	defer func(most int64) { maxRebuilt = most }(maxRebuilt)
	const source = `
import (
	"context"
	"database/sql"
)

func Lock(ctx context.Context, conn *sql.Conn, key int) {
	conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", key)
	if key > 0 {
		Down(ctx, conn, key-1)
	}
}

func Down(ctx context.Context, conn *sql.Conn, key int) {
	conn.ExecContext(ctx, "UPDATE stock SET n = 1 WHERE id = $1", key)
	Lock(ctx, conn, key)
}
`
	for most, limited := range map[int64]bool{500_000: false, 10: true, 1: true} {
		maxRebuilt = most
		e := load(t, source)
		e.Solve()
		for _, f := range e.Order {
			for _, s := range f.Sums {
				if len(s.Holds) == 0 {
					t.Errorf("%d: %s holds nothing", most, f.Members[0].Name())
				}
				if got := slices.ContainsFunc(s.Effects, func(x summary.Effect) bool { return x.Why == lock.ReasonLimit }); got != limited {
					t.Errorf("%d: %s: limit %v, not %v: %v", most, f.Members[0].Name(), got, limited, s)
				}
			}
		}
	}
}
