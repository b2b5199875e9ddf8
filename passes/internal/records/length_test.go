package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/lock"
)

func TestLength(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"sleep", "time.Sleep(2 * time.Second)", "2s"},
		{"sleeps in a row", "time.Sleep(time.Second); nap(); time.Sleep(time.Second)", "7s"},
		{"sleeps that exclude each other", "if ok { time.Sleep(2 * time.Second) } else { time.Sleep(3 * time.Second) }; nap()", "8s"},
		{"sleeps that exclude each other, elsewhere", "either(ok); nap()", "9s"},
		{"sleep in a loop", "for range 3 { time.Sleep(time.Second) }", "3s"},
		{"sleep of another function in a loop", "for range 3 { nap() }", "15s"},
		{"sleep of a length that is told", "sleep(4 * time.Second)", "4s"},
		{"sleep of unknown length", "time.Sleep(d)", "0s"},
		{"sleep on the side", "go nap()", "0s"},
		{"sleep where the lock is given back", "go func() { defer conn.ExecContext(ctx, free); nap() }()", "5s"},
		{"wait", "<-time.After(time.Second)", "1s"},
		{"wait that can be ended", "select { case <-ctx.Done(): case <-time.After(time.Minute): }", "60s"},
		{"timer that nobody waits for", "tm := time.NewTimer(time.Minute); tm.Stop()", "0s"},
		{"ticker", "tick := time.NewTicker(time.Second); for range 4 { <-tick.C }", "4s"},
		{"a look at a timer", "select { case <-time.After(time.Minute): default: }", "0s"},
		{"timeout beside a ticker", "tick, end := time.NewTicker(time.Second), time.NewTimer(time.Minute); select { case <-tick.C: case <-end.C: }", "60s"},
		{"waiting for ever", "for { nap() }", "5s, no bound: wait in a loop without a count"},

		{"one query", "db.ExecContext(ctx, q)", "0s"},
		{"query for each", "for _, x := range list { db.ExecContext(ctx, q, x) }", "0s, no bound: query for each element"},
		{"query for each, elsewhere", "each(ctx, db)", "0s, no bound: query for each element"},
		{"queries without a count", "for more() { db.ExecContext(ctx, q) }", "0s, no bound: call in a loop without a count"},
		{"queries for each of those", "for more() { each(ctx, db) }", "0s, no bound: call in a loop without a count"},
		{"retries", "for { if _, err := db.ExecContext(ctx, q); err == nil { break } }", "0s"},
		{"a few queries", "for range 3 { db.ExecContext(ctx, q) }", "0s"},
		{"deadline of the loop", "ctx, cancel := context.WithTimeout(ctx, time.Minute); defer cancel(); for more() { db.ExecContext(ctx, q) }", "0s, call in a loop without a count for 60s"},
		{"deadline of the loop, elsewhere", "ctx, cancel := context.WithTimeout(ctx, time.Minute); defer cancel(); each(ctx, db)", "0s, query for each element for 60s"},
		{"deadline of each turn", "for more() { ctx, cancel := context.WithTimeout(ctx, time.Minute); db.ExecContext(ctx, q); cancel() }", "0s, no bound: call in a loop without a count"},
		{"deadline of each turn, elsewhere", "for more() { inTime(ctx, db) }", "0s, no bound: call in a loop without a count"},
		{"deadline of unknown length", "ctx, cancel := context.WithTimeout(ctx, d); defer cancel(); for more() { db.ExecContext(ctx, q) }", "0s"},
		{"the nearer deadline", "ctx, cancel := context.WithTimeout(ctx, time.Minute); defer cancel(); ctx, cancel2 := context.WithTimeout(ctx, time.Second); defer cancel2(); for more() { db.ExecContext(ctx, q) }", "0s, call in a loop without a count for 1s"},
		{"deadline shaken off", "ctx, cancel := context.WithTimeout(ctx, time.Minute); defer cancel(); for more() { db.ExecContext(context.WithoutCancel(ctx), q) }", "0s, no bound: call in a loop without a count"},

		{"program", "exec.Command(q).Run()", "0s, no bound: other program"},
		{"program with a deadline", "ctx, cancel := context.WithTimeout(ctx, time.Minute); defer cancel(); exec.CommandContext(ctx, q).Run()", "0s, other program for 60s"},
	}
	source := `import (
	"context"
	"database/sql"
	"os/exec"
	"time"
)
const q, take, free = "UPDATE t SET x = 1", "SELECT pg_advisory_lock(7)", "SELECT pg_advisory_unlock(7)"
var (
	list []string
	d time.Duration
	_ = exec.Command
)
func nap() { time.Sleep(5 * time.Second) }
func sleep(d time.Duration) { time.Sleep(d) }
func either(ok bool) { if ok { time.Sleep(4 * time.Second) } else { time.Sleep(time.Second) } }
func more() bool { return true }
func each(ctx context.Context, db *sql.DB) { for _, x := range list { db.ExecContext(ctx, q, x) } }
func inTime(ctx context.Context, db *sql.DB) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	db.ExecContext(ctx, q)
}
`
	for i, test := range tests {
		source += fmt.Sprintf("func f%d(ctx context.Context, db *sql.DB, conn *sql.Conn, ok bool) { conn.ExecContext(ctx, take); %s }\n", i, test.body)
	}
	uses, _ := Of(load(t, source))
	sections := make(map[string]lock.Section)
	for _, u := range uses {
		sections[u.Acquire.Function] = u.Section
	}
	for i, test := range tests {
		s, ok := sections[fmt.Sprintf("f%d", i)]
		if !ok {
			t.Errorf("%s: no lock", test.name)
			continue
		}
		got := fmt.Sprintf("%gs", s.AtLeast)
		var slow []string
		for _, c := range s.Longest {
			text := c.Kind
			switch {
			case c.Kind == lock.CallSleep:
				continue
			case c.Limit > 0:
				text += fmt.Sprintf(" for %gs", c.Limit)
			}
			slow = append(slow, text)
		}
		if len(slow) > 0 {
			got += ", "
			if !s.Bounded {
				got += "no bound: "
			}
			got += strings.Join(slow, ", ")
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s: %s", test.name, got, test.want, test.body)
		}
	}
}
