package records

import (
	"fmt"
	"testing"
)

// A lock that is held across the methods of an object, on the connection that it keeps.
func TestSessionWrites(t *testing.T) {
	tests := []struct{ name, lock, methods, want string }{
		{"all on the connection", "pg_advisory_lock(3)", `func (%s) Run() { d.conn.ExecContext(context.TODO(), "UPDATE plan SET n = 1") }`, "fenced"},
		{"one beside it", "pg_advisory_lock(3)", `func (%s) Run() { d.conn.ExecContext(context.TODO(), "UPDATE plan SET n = 1"); d.db.ExecContext(context.TODO(), "UPDATE log SET n = 2") }`, "no-visible-write"},
		{"others hold it as well", "pg_advisory_lock_shared(3)", `func (%s) Run() { d.conn.ExecContext(context.TODO(), "UPDATE plan SET n = 1") }`, "no-visible-write"},
		{"another lock, a record, and its table", "pg_advisory_lock(3)", `func (%[1]s) Run() { d.conn.ExecContext(context.TODO(), "UPDATE plan SET n = 1") }
func (%[1]s) Prepare() { d.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS plan_locks (id int PRIMARY KEY)") }
func (%[1]s) Insert() error {
	rows, err := d.db.QueryContext(ctx, "SELECT 1 FROM plan_locks WHERE id = 1")
	if err != nil { return err }
	defer rows.Close()
	if rows.Next() { return errLocked }
	_, err = d.db.ExecContext(ctx, "INSERT INTO plan_locks (id) VALUES (1)")
	return err
}
func (%[1]s) Remove() error {
	if _, err := d.conn.ExecContext(ctx, "SELECT pg_advisory_unlock(3)"); err == nil { return nil }
	_, err := d.db.ExecContext(ctx, "DELETE FROM plan_locks WHERE id = 1")
	return err
}`, "fenced"},
		{"a table of data", "pg_advisory_lock(3)", `func (%[1]s) Run() { d.conn.ExecContext(context.TODO(), "UPDATE plan SET n = 1") }
func (%[1]s) Prepare() { d.db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS plan (n int)") }`, "no-visible-write"},
	}
	source := `import (
	"context"
	"database/sql"
	"errors"
)
var ctx = context.Background()
var errLocked = errors.New("locked")
`
	for i, test := range tests {
		source += fmt.Sprintf(`type d%[1]d struct{ db *sql.DB; conn *sql.Conn }
func (d *d%[1]d) Lock(ctx context.Context) error {
	if _, err := d.conn.ExecContext(ctx, "SELECT %[2]s"); err != nil { return err }
	return nil
}
`, i, test.lock) + fmt.Sprintf(test.methods, fmt.Sprintf("d *d%d", i)) + "\n"
	}
	got := make(map[string]string)
	uses, _ := Of(load(t, source))
	for _, u := range uses {
		got[u.Acquire.Function] = string(u.Verdict)
	}
	for i, test := range tests {
		if got := got[fmt.Sprintf("(*d%d).Lock", i)]; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
