package records

import (
	"fmt"
	"testing"

	"github.com/fencevet/fencevet/passes/lock"
)

// TestClocks asks of small functions whether they decide about a lease by the
// time of day, and how the monotonic reading was lost.
func TestClocks(t *testing.T) {
	const (
		utc  = "UTC leaves no monotonic reading"
		unix = "Unix leaves no monotonic reading"
		json = "a time that Unmarshal brings in has no monotonic reading"
		none = ""
	)
	tests := []struct{ name, body, want string }{
		{"both monotonic", "at := time.Now(); l := &monoLease{Until: at.Add(ttl)}; if time.Now().After(l.Until) { stop() }", none},
		{"stored without", "if time.Now().After(w.Until) { stop() }", utc},
		{"since a time without", "if time.Since(w.Until) > ttl { stop() }", utc},
		{"decoded", "var l readLease; json.Unmarshal(body, &l); if time.Now().Before(l.Until) { stop() }", json},
		{"decoded elsewhere", "l := decode(body); if time.Now().Before(l.Until) { stop() }", json},
		{"decoded by a helper", "var l helpedLease; load(body, &l); if time.Now().Before(l.Until) { stop() }", json},
		{"encoded only", "json.Marshal(&monoLease{}); if time.Now().Before(m.Until) { stop() }", none},
		{"one side of two", "if time.Now().UTC().Before(m.Until) { stop() }", utc},
		{"parameter of a helper", "if over(w.Until) { stop() }", none}, // reported in the helper
		{"clock of the program", "if clock.Now().After(w.Until) { stop() }", utc},
		{"numbers", "if time.Now().Unix() > n.Deadline { stop() }", unix},
		{"numbers, subtracted", "if time.Now().Unix()-n.Deadline > 30 { stop() }", unix},

		{"and", "if w.Owner != \"\" && time.Now().After(w.Until) { stop() }", utc},
		{"not", "if !time.Now().After(w.Until) { stop() }", utc},
		{"wait", "<-time.After(time.Until(w.Until))", utc},
		{"sleep", "time.Sleep(time.Until(w.Until))", utc},
		{"result", "x := func() bool { return time.Now().After(w.Until) }; _ = x", utc},
		{"log line", "log.Println(time.Until(w.Until))", none},
		{"log line by a method", "log.Println(w.left())", none},
		{"nothing", "_ = time.Now().After(w.Until)", none},

		{"order of two leases", "if w.Until.Before(v.Until) { stop() }", none},
		{"change of a record", "if !w.Until.Equal(v.Until) { stop() }", none},
		{"session of a user", "if time.Now().UTC().After(s.Until) { stop() }", none},
		{"schedule of a lease's type", "if time.Now().UTC().After(w.Created) { stop() }", none},
		{"table of leases", "row := db.QueryRow(\"SELECT until FROM lease\"); var at time.Time; row.Scan(&at); if lockOver(at) { stop() }", none},
		{"store of the program", "at, _ := time.Parse(time.RFC3339, kv.Get(\"lock:job\")); if time.Now().Before(at) { stop() }", "Parse leaves no monotonic reading"},
		{"another key of it", "at, _ := time.Parse(time.RFC3339, kv.Get(\"cache:job\")); if time.Now().Before(at) { stop() }", none},
		{"table of users", "row := db.QueryRow(\"SELECT locked_until FROM users\"); var at time.Time; row.Scan(&at); if time.Now().Before(at) { stop() }", none},
	}
	source := `import (
	"database/sql"
	"encoding/json"
	"log"
	"time"
)
type monoLease struct { Owner string; Until time.Time }
type wallLease struct { Owner string; Until, Created time.Time }
type readLease struct { Owner string; Until time.Time }
type helpedLease struct { Owner string; Until time.Time }
type numberLease struct { Owner string; Deadline int64 }
type session struct { Owner string; Until time.Time }
type clocks struct{}
func (clocks) Now() time.Time { return time.Now() }
var (
	body []byte
	ttl time.Duration
	clock clocks
	kv interface{ Get(string) string }
	_ = log.Println
)
func store(at time.Time) *wallLease { return &wallLease{Until: at.UTC(), Created: at.UTC()} }
func login(at time.Time) *session { return &session{Until: at.UTC()} }
func decode(body []byte) *readLease { var l readLease; json.Unmarshal(body, &l); return &l }
func load(body []byte, to any) { json.Unmarshal(body, to) }
func over(until time.Time) bool { return time.Now().After(until) }
func lockOver(until time.Time) bool { return time.Now().After(until) }
func (l *wallLease) left() time.Duration { return time.Until(l.Until) }
func stop() {}
`
	for i, test := range tests {
		// Every function works on a lock, which is one of the signs of a lease.
		source += fmt.Sprintf("func f%d(db *sql.DB, conn *sql.Conn, w, v *wallLease, m *monoLease, n *numberLease, s *session) { conn.ExecContext(nil, %q); %s }\n",
			i, "SELECT pg_advisory_lock(1)", test.body)
	}
	got := make(map[string]lock.Call)
	uses, loose := Of(load(t, source))
	for _, u := range uses {
		for _, c := range u.Clocks {
			got[c.Function] = c
		}
	}
	for _, r := range loose {
		got[r.Function] = r.Call
	}
	for i, test := range tests {
		if c := got[fmt.Sprintf("f%d", i)]; c.Text != test.want {
			t.Errorf("%s: %q, want %q: %s", test.name, c.Text, test.want, test.body)
		}
	}
	for name, want := range map[string]string{"over": utc, "lockOver": "a time that Scan brings in has no monotonic reading", "(*wallLease).left": none} {
		if c := got[name]; c.Text != want {
			t.Errorf("%s: %q, want %q", name, c.Text, want)
		}
	}
}
