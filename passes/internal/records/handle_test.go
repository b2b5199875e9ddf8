package records

import (
	"fmt"
	"testing"
)

func TestHandles(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"pool", "db.ExecContext(ctx, take)", "pool"},
		{"connection", "c, _ := db.Conn(ctx); c.ExecContext(ctx, take)", "conn"},
		{"transaction", "tx, _ := db.BeginTx(ctx, nil); tx.ExecContext(ctx, take)", "tx"},
		{"connection of a caller", "conn.ExecContext(ctx, take)", "conn"},
		{"embedded pool", "w.ExecContext(ctx, take)", "pool"},
		{"pool in a field", "h.db.ExecContext(ctx, take)", "pool"},
		{"statement of a connection", "s, _ := conn.PrepareContext(ctx, take); s.ExecContext(ctx)", "conn"},
		{"statement of the pool", "s, _ := db.PrepareContext(ctx, take); s.ExecContext(ctx)", "pool"},
		{"pooler", "p, _ := sql.Open(\"pgx\", \"postgres://app@pgbouncer/app\"); c, _ := p.Conn(ctx); c.ExecContext(ctx, take)", "pooler"},
		{"of unknown origin, behind an interface", "x.ExecContext(ctx, take)", "unknown"},

		{"released where it was taken", "conn.ExecContext(ctx, take); conn.ExecContext(ctx, free)", "conn"},
		{"released through the pool", "c, _ := db.Conn(ctx); c.ExecContext(ctx, take); db.ExecContext(ctx, free)", "conn, stray"},
		{"released on another connection", "c, _ := db.Conn(ctx); d, _ := db.Conn(ctx); c.ExecContext(ctx, take); d.ExecContext(ctx, free)", "conn, stray"},
		{"released in a transaction on it", "conn.ExecContext(ctx, take); tx, _ := conn.BeginTx(ctx, nil); tx.ExecContext(ctx, free)", "conn"},
		{"released on a connection of unknown origin", "conn.ExecContext(ctx, take); h.conn.ExecContext(ctx, free)", "conn"},
		{"released after the transaction", "tx, _ := db.BeginTx(ctx, nil); tx.ExecContext(ctx, take); tx.Commit(); db.ExecContext(ctx, free)", "tx, stray"},
		{"released by another function", "c, _ := db.Conn(ctx); c.ExecContext(ctx, take); give(ctx, db)", "conn, stray"},
	}
	source := `import (
	"context"
	"database/sql"
)
const take, free = "SELECT pg_advisory_lock(7)", "SELECT pg_advisory_unlock(7)"
type wrapped struct{ *sql.DB }
type holder struct{ db *sql.DB; conn *sql.Conn }
type executor interface{ ExecContext(context.Context, string, ...any) (sql.Result, error) }
func give(ctx context.Context, db *sql.DB) { db.ExecContext(ctx, free) }
`
	for i, test := range tests {
		source += fmt.Sprintf("func f%d(ctx context.Context, db *sql.DB, conn *sql.Conn, w wrapped, h *holder, x executor) { %s }\n", i, test.body)
	}
	e := load(t, source)
	got := make(map[string]string)
	uses, _ := Of(e)
	for _, u := range uses {
		text := u.Handle
		for range u.Strays {
			text += ", stray"
		}
		got[u.Acquire.Function] = text
	}
	for i, test := range tests {
		if got := got[fmt.Sprintf("f%d", i)]; got != test.want {
			t.Errorf("%s: %q, want %q: %s", test.name, got, test.want, test.body)
		}
	}
}
