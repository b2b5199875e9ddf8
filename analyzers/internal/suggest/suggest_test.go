package suggest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/passes/lock"
)

func TestFor(t *testing.T) {
	update := lock.Write{Operation: "UPDATE", Resource: "sql:stock", Condition: lock.None}
	remove := lock.Write{Operation: "DELETE", Resource: "sql:sessions", Condition: lock.None}
	cache := lock.Write{Operation: "SET", Resource: "redis:rates", Condition: lock.None, Cache: true}
	guarded := lock.Write{Operation: "UPDATE", Resource: "sql:doc", Condition: lock.Version}
	unseen := lock.Write{Operation: "PutObject", Resource: "s3:x", Condition: lock.Unknown}
	own := lock.Write{Operation: "UPDATE", Resource: "sql:locks", Condition: lock.None, Own: true}

	at := func(line int) lock.Frame {
		return lock.Frame{Position: lock.Position{File: "/m/a.go", Line: line}}
	}
	asked := true
	claim := lock.Write{Frame: at(20), Operation: "UPDATE", Resource: "sql:codes", Condition: lock.Version, Checked: &asked}

	for _, test := range []struct {
		name string
		use  lock.Use
		want lock.Class
		why  string // in the reasons
	}{
		{"fenced", lock.Use{Verdict: lock.Fenced, Skips: true, Writes: []lock.Write{{Condition: lock.Token}}}, lock.Correctness, "guarded"},
		{"fenced by the record's own version", lock.Use{Verdict: lock.Fenced, Writes: []lock.Write{{Condition: lock.Version}}}, lock.Efficiency, "by itself"},
		{"loser waits, rows change", lock.Use{Writes: []lock.Write{update}}, lock.Correctness, "UPDATE sql:stock"},
		{"and the name agrees", lock.Use{Key: "stock:%d", Writes: []lock.Write{update}}, lock.Correctness, "stock"},
		{"leader whose writes go by versions", lock.Use{Verdict: lock.Fenced, Leader: true, Writes: []lock.Write{{Condition: lock.Version}}}, lock.Correctness, "guarded"},
		{"works without it, and knows that", lock.Use{Slips: []lock.Slip{{Kind: lock.SlipUnasked, Detail: lock.Meant}}, Writes: []lock.Write{update}}, lock.Unclear, "all the same"},
		{"works without it, and says what for", lock.Use{Slips: []lock.Slip{{Kind: lock.SlipUnasked, Detail: lock.Meant}}, Key: "refresh:%s", Writes: []lock.Write{update}}, lock.Efficiency, "refresh"},
		{"loser skips", lock.Use{Skips: true}, lock.Efficiency, "skips"},
		{"loser skips a write without a condition", lock.Use{Skips: true, Writes: []lock.Write{update}}, lock.Unclear, "without a condition"},
		{"loser skips, but money", lock.Use{Skips: true, Key: "payment:%s", Writes: []lock.Write{update}}, lock.Unclear, "payment"},
		{"loser waits, but a cache by name", lock.Use{Key: "cache:rates", Writes: []lock.Write{update}}, lock.Unclear, "cache"},
		{"one of several workers", lock.Use{Key: "%s:worker:lock:%d", Writes: []lock.Write{update}}, lock.Unclear, "how many work"},
		{"what a worker is about", lock.Use{Key: "worker:order:%d", Writes: []lock.Write{update}}, lock.Correctness, "UPDATE"},
		{"caches only", lock.Use{Writes: []lock.Write{cache, own}}, lock.Efficiency, "derived"},
		{"cache and rows", lock.Use{Writes: []lock.Write{cache, update}}, lock.Correctness, "UPDATE"},
		{"a cache by the type that keeps it", lock.Use{Writes: []lock.Write{{Operation: "HSET", Resource: "redis:page:7", Condition: lock.None,
			Trail: []lock.Frame{{Function: "(*render.Pages).Show", Callee: "(render.PageCache).Put"}}}}}, lock.Efficiency, "derived"},
		{"a cache by its type, which has type arguments", lock.Use{Writes: []lock.Write{{Operation: "HSET", Resource: "redis:page:7", Condition: lock.None,
			Trail: []lock.Frame{{Function: "(*render.Pages[K]).Show", Callee: "(render.Cache[render.Key, *store.Page]).Get"}}}}}, lock.Efficiency, "derived"},
		{"a log beside rows", lock.Use{Writes: []lock.Write{{Operation: "INSERT", Resource: "sql:stock_audit", Condition: lock.None}, update}}, lock.Correctness, "UPDATE sql:stock"},
		{"a log that is written ahead", lock.Use{Writes: []lock.Write{{Operation: "Write", Resource: "file:/data/wal.log", Condition: lock.None}}}, lock.Correctness, "wal.log"},
		{"a change of what a log says", lock.Use{Writes: []lock.Write{{Operation: "UPDATE", Resource: "sql:audit_log", Condition: lock.None}}}, lock.Correctness, "UPDATE sql:audit_log"},
		{"set up beside rows", lock.Use{Writes: []lock.Write{{Operation: "REPLACE", Resource: "sql:deployed", Condition: lock.None, Setup: true}, update}}, lock.Correctness, "UPDATE sql:stock"},
		{"a package that is called cache", lock.Use{Writes: []lock.Write{{Operation: "HSET", Resource: "redis:page:7", Condition: lock.None,
			Trail: []lock.Frame{{Function: "(*render.Pages).Show", Callee: "cache.Put"}, {Function: "cache.Put"}}}}}, lock.Correctness, "waits or fails"},
		{"a cache by its key", lock.Use{Writes: []lock.Write{{Operation: "SET", Resource: "redis:cache:prices", Condition: lock.None}}}, lock.Efficiency, "derived"},
		{"out of sight", lock.Use{Writes: []lock.Write{remove, unseen}}, lock.Correctness, "PutObject s3:x is made under the lock"},
		{"in sight rather than out of it", lock.Use{Writes: []lock.Write{unseen, update}}, lock.Correctness, "UPDATE sql:stock is accepted"},
		{"temporary file", lock.Use{Writes: []lock.Write{{Resource: "file:/tmp/x", Condition: lock.None}}}, lock.Efficiency, "derived"},
		{"only deletes", lock.Use{Writes: []lock.Write{remove}}, lock.Efficiency, "removed twice"},
		{"only deletes in view", lock.Use{Writes: []lock.Write{remove}, Unseen: []lock.Reason{lock.ReasonCallback}}, lock.Efficiency, "removed twice"},
		{"claims first", lock.Use{Writes: []lock.Write{claim, {Frame: at(30), Operation: "UPDATE", Resource: "sql:users", Condition: lock.None}}}, lock.Unclear, "comes first"},
		{"claims last", lock.Use{Writes: []lock.Write{claim, {Frame: at(10), Operation: "UPDATE", Resource: "sql:users", Condition: lock.None}}}, lock.Correctness, "sql:users"},
		{"records by their version, with a message", lock.Use{Writes: []lock.Write{{Frame: at(10), Operation: "INSERT", Resource: "sql:journal", Condition: lock.None}, claim, {Frame: at(30), Operation: "XADD", Resource: "redis:events", Condition: lock.None}}}, lock.Unclear, "INSERT sql:journal goes with them"},
		{"a record by its version, another without", lock.Use{Writes: []lock.Write{{Frame: at(10), Operation: "UPDATE", Resource: "sql:balance", Condition: lock.None}, claim}}, lock.Correctness, "UPDATE sql:balance"},
		{"a version that nobody asks for", lock.Use{Writes: []lock.Write{{Operation: "INSERT", Resource: "sql:journal", Condition: lock.None}, guarded}}, lock.Correctness, "INSERT sql:journal"},
		{"put in place whole", lock.Use{Writes: []lock.Write{{Operation: "UPSERT", Resource: "sql:schedule", Condition: lock.None}}}, lock.Unclear, "writes the same"},
		{"put in place whole, by what was read", lock.Use{Reads: true, Writes: []lock.Write{{Operation: "UPSERT", Resource: "sql:schedule", Condition: lock.None}}}, lock.Correctness, "UPSERT sql:schedule"},
		{"a temporary directory", lock.Use{Writes: []lock.Write{{Operation: "Create", Resource: "file:MkdirTemp(...)/part", Condition: lock.None}}}, lock.Efficiency, "derived"},
		{"counts", lock.Use{Writes: []lock.Write{{Operation: "INCRBY", Resource: "redis:n", Condition: lock.None}}}, lock.Unclear, "one step"},
		{"only deletes, but money", lock.Use{Key: "wallet:%s", Writes: []lock.Write{remove}}, lock.Correctness, "wallet"},
		{"a set's members", lock.Use{Writes: []lock.Write{{Operation: "ZREM", Resource: "redis:due", Condition: lock.None}}}, lock.Efficiency, "removed twice"},
		{"only deletes, cleaning up", lock.Use{Acquire: lock.Frame{Function: "PurgeSessions"}, Writes: []lock.Write{remove}}, lock.Efficiency, "purge"},
		{"a token that is called refresh", lock.Use{Acquire: lock.Frame{Function: "(*Store).RotateRefreshToken"}, Writes: []lock.Write{update}}, lock.Correctness, "UPDATE sql:stock"},
		{"a token that is refreshed", lock.Use{Acquire: lock.Frame{Function: "(*Store).RefreshToken"}, Writes: []lock.Write{update}}, lock.Unclear, "refresh"},
		{"a type that is called cache", lock.Use{Acquire: lock.Frame{Function: "(*redeemCache).Acquire"}}, lock.Correctness, "waits or fails"},
		{"leader", lock.Use{Kind: lock.Election}, lock.Correctness, "one leader"},
		{"safe by itself", lock.Use{Writes: []lock.Write{guarded}}, lock.Unclear, "safe without"},
		{"by name alone", lock.Use{Acquire: lock.Frame{Function: "(*Wallet).Withdraw"}}, lock.Correctness, "withdraw"},
		{"by package alone", lock.Use{Package: "example.org/shop/cron"}, lock.Efficiency, "cron"},
		{"names that disagree", lock.Use{Key: "cron:settle"}, lock.Unclear, "settle as well as cron"},
		{"nothing", lock.Use{}, lock.Correctness, "waits or fails"},
		{"no word starts with gc", lock.Use{Key: "gcs-upload"}, lock.Correctness, "waits or fails"},
	} {
		got := For(&test.use)
		if reasons := strings.Join(got.Reasons, "; "); got.Class != test.want || !strings.Contains(reasons, test.why) {
			t.Errorf("%s: got %s (%s), want %s with %q", test.name, got.Class, reasons, test.want, test.why)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"RefreshFXRates":     {"refresh", "fx", "rates"},
		"(*Service).Reserve": {"service", "reserve"},
		"lock:order:%d":      {"lock", "order", "d"},
		"":                   nil,
	} {
		if got := words(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
