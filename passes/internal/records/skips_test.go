package records

import (
	"fmt"
	"testing"
)

func TestSkips(t *testing.T) {
	tests := []struct {
		name, signature, body string
		want                  bool
	}{
		{"refused, nothing said", "error", "ok, err := try(ctx, conn); if err != nil { return err }; if !ok { return nil }; work(ctx, db); return nil", true},
		{"refused, told", "error", "ok, err := try(ctx, conn); if err != nil { return err }; if !ok { return errBusy }; work(ctx, db); return nil", false},
		{"one test for both", "error", "ok, err := try(ctx, conn); if err != nil || !ok { return err }; work(ctx, db); return nil", true},
		{"work in the branch", "error", "ok, err := try(ctx, conn); if err != nil { return err }; if ok { work(ctx, db) }; return nil", true},
		{"no result", "", "ok, _ := try(ctx, conn); if !ok { return }; work(ctx, db)", true},
		{"goes on without the lock", "error", "ok, err := try(ctx, conn); if err != nil || !ok { println() }; work(ctx, db); return nil", false},
		{"waits for its turn", "error", "for { ok, err := try(ctx, conn); if err != nil { return err }; if ok { break }; pause() }; work(ctx, db); return nil", false},
		{"refused, told after some tries", "error", "ok := false; for range 3 { ok, _ = try(ctx, conn); if ok { break } }; if !ok { return errBusy }; work(ctx, db); return nil", false},
		{"nothing to do", "error", "if list == nil { return nil }; ok, err := try(ctx, conn); if err != nil { return err }; if !ok { return errBusy }; work(ctx, db); return nil", false},
		{"nothing said, error joined at the end", "(err error)", "ok, err := try(ctx, conn); if err != nil { return err }; if !ok { return nil }; defer func() { err = errors.Join(err, free(ctx, conn)) }(); work(ctx, db); return nil", true},
		{"told, error joined at the end", "(err error)", "ok, err := try(ctx, conn); if err != nil { return err }; if !ok { return errBusy }; defer func() { err = errors.Join(err, free(ctx, conn)) }(); work(ctx, db); return nil", false},
		{"done and given back", "error", "ok, err := try(ctx, conn); if err != nil { return err }; if !ok { return errBusy }; work(ctx, db); free(ctx, conn); return nil", false},
		{"inverted", "error", "if busy(ctx, conn) { return nil }; work(ctx, db); return nil", true},
		{"scanned", "error", "var ok bool; if err := conn.QueryRowContext(ctx, take).Scan(&ok); err != nil { return err }; if !ok { return nil }; work(ctx, db); return nil", true},

		{"refused by error, nothing said", "error", "if err := must(ctx, conn); errors.Is(err, errBusy) { return nil } else if err != nil { return err }; work(ctx, db); return nil", true},
		{"refused by error, told", "error", "if err := must(ctx, conn); err != nil { return err }; work(ctx, db); return nil", false},
		{"refused by error, told in other words", "error", "if err := must(ctx, conn); err != nil { return fmt.Errorf(\"busy: %w\", err) }; work(ctx, db); return nil", false},
		{"refused by error, logged", "error", "if err := must(ctx, conn); err != nil { println(err); return nil }; work(ctx, db); return nil", true},
		{"refused by error, no result", "", "if err := must(ctx, conn); err != nil { return }; work(ctx, db)", false},
		{"refused by a nil handle", "error", "h, err := obtain(ctx, conn); if err != nil { return err }; if h == nil { return nil }; work(ctx, db); return nil", true},
		{"handle never looked at", "error", "h, err := obtain(ctx, conn); if err != nil { return err }; defer h.free(ctx); work(ctx, db); return nil", false},
	}
	source := `import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)
const take = "SELECT pg_try_advisory_lock(7)"
var (
	errBusy = errors.New("busy")
	list []string
	_ = fmt.Errorf
)
func pause() {}
func work(ctx context.Context, db *sql.DB) { db.ExecContext(ctx, "UPDATE t SET x = 1") }
func try(ctx context.Context, conn *sql.Conn) (bool, error) {
	var ok bool
	err := conn.QueryRowContext(ctx, take).Scan(&ok)
	return ok, err
}
func busy(ctx context.Context, conn *sql.Conn) bool {
	ok, err := try(ctx, conn)
	return err != nil || !ok
}
func must(ctx context.Context, conn *sql.Conn) error {
	ok, err := try(ctx, conn)
	if err != nil { return err }
	if !ok { return errBusy }
	return nil
}
type held struct{ conn *sql.Conn }
func obtain(ctx context.Context, conn *sql.Conn) (*held, error) {
	ok, err := try(ctx, conn)
	if err != nil || !ok { return nil, err }
	return &held{conn}, nil
}
func (h *held) free(ctx context.Context) error { return free(ctx, h.conn) }
func free(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock(7)")
	return err
}
`
	for i, test := range tests {
		source += fmt.Sprintf("func f%d(ctx context.Context, db *sql.DB, conn *sql.Conn) %s { %s }\n", i, test.signature, test.body)
	}
	uses, _ := Of(load(t, source))
	got := make(map[string]bool)
	for _, u := range uses {
		got[u.Acquire.Function] = u.Skips
	}
	for i, test := range tests {
		skips, ok := got[fmt.Sprintf("f%d", i)]
		if !ok {
			t.Errorf("%s: no lock: %s", test.name, test.body)
		} else if skips != test.want {
			t.Errorf("%s: %t, want %t: %s", test.name, skips, test.want, test.body)
		}
	}
}
