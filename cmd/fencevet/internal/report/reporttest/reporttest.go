// Package reporttest has inventories to test formats with.
package reporttest

import (
	"fmt"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// Sample has a lock of every kind that a format shows in its own way.
func Sample() *inventory.Inventory {
	yes, no := true, false
	unfenced := use(1, "stock/stock.go", "redsync")
	unfenced.Writes = []inventory.Write{
		write("stock/repo.go", 5, "sql:stock", "none"),
		write("stock/repo.go", 9, "s3:bucket/stock.csv", "version"),
	}
	unfenced.Writes[0].Trail = []inventory.Step{{File: "stock/stock.go", Line: 40, Function: "Reserve", Call: "(*Repo).Save"}}
	unfenced.Section = inventory.Section{Why: "loop with remote calls", Slow: []inventory.Slow{{File: "stock/stock.go", Line: 44, Call: "http.Get", Kind: "request", LimitSeconds: 90}}}

	fenced := use(2, "billing/billing.go", "etcd concurrency")
	fenced.Verdict, fenced.Class, fenced.Renewal = "fenced", "correctness", "library"
	fenced.Token = inventory.Token{Source: "(*concurrency.Mutex).Header().Revision", Ordered: &yes, Reason: "revisions grow"}
	fenced.Writes = []inventory.Write{write("billing/store.go", 12, "sql:invoice", "token")}
	fenced.Writes[0].Checked = &yes
	fenced.Metrics.Rejections = true

	unverified := use(3, "mail/mail.go", "redislock")
	unverified.Verdict, unverified.Unseen = "unverified", []string{"callback", "rpc"}
	unverified.Suggestion = inventory.Suggestion{Class: "unclear"}
	unverified.Token = inventory.Token{Source: "(*redislock.Lock).Token()", Ordered: &no}

	accepted := use(4, "cron/prices.go", "go-redis")
	accepted.Class, accepted.Suggestion.Class = "efficiency", "efficiency"
	accepted.Writes = []inventory.Write{write("cron/prices.go", 60, "redis:cache:prices", "none")}
	accepted.Decision = &inventory.Decision{Kind: "efficiency", Reason: "prices are computed again", Owner: "pricing", Until: "2027-06-30", File: "cron/prices.go", Line: 30}

	silent := use(5, "ping/ping.go", "consul")
	silent.Verdict, silent.Suggestion.Class = "no-visible-write", "efficiency"

	wrapper := use(6, "lock/lock.go", "go-redis")
	wrapper.Role = "wrapper"

	return finish(
		[]inventory.Lock{fenced, accepted, wrapper, unverified, silent, unfenced},
		inventory.Finding{
			Check: "unfenced", Level: "error", File: "stock/repo.go", Line: 5, Column: 3, Lock: unfenced.ID,
			Message: "two holders can both write table stock (acquired at stock.go:31) [unfenced]",
			Related: []inventory.Related{{File: "stock/stock.go", Line: 31, Message: "lock acquired here"}},
		},
		inventory.Finding{
			Check: "unfenced", Level: "note", File: "cron/prices.go", Line: 60, Column: 1, Lock: accepted.ID, Message: "quiet [unfenced]",
			Suppressed: &inventory.Suppression{By: "directive", Reason: "prices are computed again"},
		},
		inventory.Finding{Check: "wallclock", Level: "warning", File: "lock/clock.go", Line: 8, Column: 2, Message: "loose [wallclock]"},
	)
}

// HostileText is what a key, a path or a message could hold to break out of a
// format.
const HostileText = "=cmd|' /C calc'!A1 <script>pwned=1</script></script><img src=x onerror=pwned=1> \"'`|` [x](javascript:pwned=1) " +
	"@everyone #1 https://evil.example \x1b[2J\x1b]0;owned\x07 \u202egnp.exe\u2069 \u2028\u2029 {{.Policy}} {0} %0A\r\n::error::pwned \u0000\ufeff --> ]]> *b* _i_ ~s~ $x$ &lt; \xff"

// Hostile is a lock whose every text that comes from the source is hostile.
func Hostile() *inventory.Inventory {
	const s = HostileText
	l := use(0xbad, s, s)
	l.Acquire.Function, l.Acquire.Call, l.Package, l.Key, l.Owners = s, s, s, s, []string{s}
	l.TTL.Text, l.Evidence, l.Release, l.Unseen = s, []string{s}, []string{s}, []string{s}
	l.Token = inventory.Token{Source: s, Reason: s}
	l.Via = []inventory.Step{{File: s, Line: 7, Function: s}}
	l.Writes = []inventory.Write{write(s, 5, s, "none")}
	l.Writes[0].Call, l.Writes[0].Operation, l.Writes[0].Note, l.Writes[0].Function = s, s, s, s
	l.Writes[0].Trail = []inventory.Step{{File: s, Line: 6, Function: s, Call: s, Text: s}}
	l.Section = inventory.Section{Why: s, Slow: []inventory.Slow{{File: s, Line: 6, Call: s, Kind: s}}}
	l.Suggestion.Reasons = []string{s}
	l.Decision = &inventory.Decision{Kind: "efficiency", Reason: s, Owner: s, Until: s, File: s, Line: 4}
	inv := finish([]inventory.Lock{l}, inventory.Finding{
		Check: "unfenced", Level: "error", File: s, Line: 5, Column: 1, Lock: l.ID, Message: s + " [unfenced]",
		Related: []inventory.Related{{File: s, Line: 6, Message: s}},
	}, inventory.Finding{
		Check: s, Level: "warning", File: s, Line: 5, Column: 1, Message: s,
		Suppressed: &inventory.Suppression{By: "directive", Reason: s},
	})
	inv.Modules = []string{s}
	inv.Tool.Version = s
	inv.Incomplete = []inventory.Incomplete{{Package: s, Reason: s}}
	inv.Source = []inventory.Source{{File: s, Lines: []inventory.SourceLine{{Line: 4, Text: s}, {Line: 5, Text: s}, {Line: 6, Text: s}}}}
	return inv
}

// Many has n locks, with source for each.
func Many(n int) *inventory.Inventory {
	libraries := []string{"redsync", "go-redis", "etcd concurrency", "consul", "advisory lock"}
	verdicts := []string{"unfenced", "unverified", "fenced", "no-visible-write", "unfenced"}
	var (
		locks    []inventory.Lock
		findings []inventory.Finding
		source   []inventory.Source
	)
	for i := range n {
		l := use(i, fmt.Sprintf("services/s%03d/internal/store/store%04d.go", i/10, i), libraries[i%len(libraries)])
		l.Key = fmt.Sprintf("lock:%04d", i)
		l.Package = fmt.Sprintf("example.org/shop/services/s%03d/internal/store", i/10)
		l.Verdict = verdicts[i%len(verdicts)]
		if l.Verdict == "fenced" {
			l.Class = "correctness"
		}
		for w := range 3 {
			write := write(l.Acquire.File, 40+10*w, fmt.Sprintf("sql:table%d", w), "none")
			write.Trail = []inventory.Step{{File: l.Acquire.File, Line: 35, Function: "Reserve", Call: "(*Repo).Save"}}
			l.Writes = append(l.Writes, write)
		}
		locks = append(locks, l)
		findings = append(findings, inventory.Finding{
			Check: "unfenced", Level: "error", File: l.Acquire.File, Line: 40, Column: 2, Lock: l.ID, Message: "two holders can both write table0 [unfenced]",
		})
		var lines []inventory.SourceLine
		for line := 30; line < 65; line++ {
			lines = append(lines, inventory.SourceLine{Line: line, Text: "\tif err := r.db.ExecContext(ctx, query, id); err != nil {"})
		}
		source = append(source, inventory.Source{File: l.Acquire.File, Lines: lines})
	}
	inv := finish(locks, findings...)
	inv.Source = source
	return inv
}

func use(id int, file, library string) inventory.Lock {
	return inventory.Lock{
		ID: fmt.Sprintf("%08x", id+0x10000000), Role: "use", Kind: "lease", Library: library, Package: "example.org/shop/stock", Owners: []string{"@shop/stock"},
		Acquire: inventory.Acquire{File: file, Line: 31, Column: 2, Function: "(*Service).Reserve", Call: "(*redsync.Mutex).LockContext"},
		Via:     []inventory.Step{}, Evidence: []string{}, Key: "stock:%d", TTL: inventory.TTL{Text: "8s", Seconds: 8, Source: "default"}, Renewal: "none",
		Release: []string{"deferred"}, Token: inventory.Token{Source: "none"}, Writes: []inventory.Write{}, Unseen: []string{},
		Verdict: "unfenced", Class: "undecided", Suggestion: inventory.Suggestion{Class: "correctness", Reasons: []string{"the loser waits"}},
		Section: inventory.Section{Bounded: true, Slow: []inventory.Slow{}},
	}
}

func write(file string, line int, resource, condition string) inventory.Write {
	return inventory.Write{
		File: file, Line: line, Function: "(*Repo).Save", Call: "(*sql.DB).ExecContext", Operation: "UPDATE", Resource: resource,
		Condition: condition, Reached: "call", Trail: []inventory.Step{},
	}
}

func finish(locks []inventory.Lock, findings ...inventory.Finding) *inventory.Inventory {
	for i := range findings {
		if findings[i].Related == nil {
			findings[i].Related = []inventory.Related{}
		}
	}
	return &inventory.Inventory{
		Schema: inventory.Schema, Tool: inventory.Tool{Name: "fencevet", Version: "v1.0.0", Go: "go1.26"}, Modules: []string{"example.org/shop"},
		Locks: locks, Findings: findings, Incomplete: []inventory.Incomplete{}, Summary: inventory.Summarize(locks),
	}
}
