package view_test

import (
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/reporttest"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// lock returns a lock to which change has been done.
func lock(change func(*inventory.Lock)) inventory.Lock {
	l := reporttest.Sample().Locks[5]
	l.Writes = []inventory.Write{{File: "repo.go", Line: 5, Call: "Exec", Resource: "sql:stock", Condition: "none"}}
	change(&l)
	return l
}

func TestZeroRejections(t *testing.T) {
	yes, no := true, false
	fenced := func(condition string, checked *bool, counted bool) inventory.Lock {
		return lock(func(l *inventory.Lock) {
			l.Verdict, l.Metrics.Rejections = "fenced", counted
			l.Writes[0].Condition, l.Writes[0].Checked = condition, checked
		})
	}
	for name, test := range map[string]struct {
		lock inventory.Lock
		want string
	}{
		"unfenced":    {lock(func(*inventory.Lock) {}), ""},
		"wrapper":     {lock(func(l *inventory.Lock) { l.Role, l.Verdict = "wrapper", "fenced" }), ""},
		"counted":     {fenced("token", &yes, true), "no holder went on writing to sql:stock after another had taken the lock"},
		"not counted": {fenced("token", &yes, false), "nothing yet: no refusal is counted"},
		"unchecked":   {fenced("token", &no, true), "nobody looks whether the write at repo.go:5 was refused"},
		"transaction": {fenced("transaction", nil, true), "nothing: the writes fail with the session"},
		"version":     {fenced("version", &yes, true), "no two holders worked on the same sql:stock at once"},
	} {
		got := view.ZeroRejections(test.lock)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestSection(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*inventory.Lock)
		want   string
	}{
		"nothing known": {func(l *inventory.Lock) { l.Section = inventory.Section{Bounded: true} }, "The lease lives 8s and is not renewed; nothing in the section is known to take long."},
		"no bound":      {func(l *inventory.Lock) { l.Section = inventory.Section{Why: "loop with remote calls"} }, "; the section has no bound: loop with remote calls."},
		"longer": {func(l *inventory.Lock) { l.Section = inventory.Section{Bounded: true, AtLeastSeconds: 90} },
			"waits for 1m30s on its longest way, which is longer than the lease."},
		"shorter":    {func(l *inventory.Lock) { l.Section = inventory.Section{Bounded: true, AtLeastSeconds: 2} }, "for 2s on its longest way. A pause"},
		"renewed":    {func(l *inventory.Lock) { l.Renewal = "library" }, "The lease lives 8s and is renewed (library);"},
		"advisory":   {func(l *inventory.Lock) { l.Kind, l.TTL.Source = "advisory", "none" }, "The lock lives as long as its database session"},
		"no ttl":     {func(l *inventory.Lock) { l.TTL = inventory.TTL{Source: "none"} }, "The lock has no time to live;"},
		"unknown":    {func(l *inventory.Lock) { l.TTL = inventory.TTL{Source: "parameter"} }, "How long the lease lives is not known here;"},
		"given up":   {func(l *inventory.Lock) { l.Section.DeadlineSeconds = 5 }, "What takes long is given up after 5s."},
		"of wrapper": {func(l *inventory.Lock) { l.Role = "wrapper" }, ""},
	} {
		got := view.Tell(lock(test.change), nil).Section
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestToken(t *testing.T) {
	yes, no := true, false
	for name, test := range map[string]struct {
		change func(*inventory.Lock)
		want   string
	}{
		"none": {func(l *inventory.Lock) { l.Token = inventory.Token{Source: "none"} }, "The program takes no token with this lock."},
		"dropped": {func(l *inventory.Lock) {
			l.Token = inventory.Token{Source: "Rev()", Ordered: &yes, Reason: "revisions grow"}
		},
			"The token is Rev(), which is ordered (revisions grow). It is dropped on the way: no write below compares it."},
		"dropped on one way": {func(l *inventory.Lock) {
			l.Token = inventory.Token{Source: "Rev()", Ordered: &yes}
			l.Writes = append(l.Writes, inventory.Write{Condition: "token"})
		}, "It is compared by 1 write. It is dropped on the way to 1 write."},
		"bent": {func(l *inventory.Lock) {
			l.Token = inventory.Token{Source: "Rev()", Ordered: &yes}
			l.Writes[0].Note = "compared the wrong way round"
		}, "ordered. What 1 write makes of it cannot hold, as is said below."},
		"random": {func(l *inventory.Lock) { l.Token = inventory.Token{Source: "Value()", Ordered: &no} }, "Value(), which is not ordered"},
	} {
		if got := view.Tell(lock(test.change), nil).Token; !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestTodo(t *testing.T) {
	yes := true
	for name, test := range map[string]struct {
		change func(*inventory.Lock)
		want   []string // beginnings, in order
	}{
		"unfenced": {func(*inventory.Lock) {}, []string{"Take a number with the lock", "Keep the token in the row", "If the lock only saves work"}},
		"with a token": {func(l *inventory.Lock) { l.Token = inventory.Token{Source: "Rev()", Ordered: &yes} },
			[]string{"Pass Rev() on", "Keep the token in the row", "If the lock only saves work"}},
		"for efficiency": {func(l *inventory.Lock) { l.Suggestion.Class = "efficiency" },
			[]string{"If the lock only saves work", "Take a number", "Keep the token in the row"}},
		"accepted": {func(l *inventory.Lock) {
			l.Class, l.Decision = "efficiency", &inventory.Decision{Kind: "efficiency", Reason: "cheap"}
		}, []string{"The risk is accepted: efficiency: cheap."}},
		"accepted once": {func(l *inventory.Lock) {
			l.Decision = &inventory.Decision{Kind: "efficiency", Reason: "cheap", Until: "2025-01-01"}
		}, []string{"Take a number", "Keep the token", "The decision has run out: efficiency, until 2025-01-01: cheap."}},
		"fence demanded": {func(l *inventory.Lock) {
			l.Class, l.Decision = "correctness", &inventory.Decision{Kind: "correctness", Reason: "money"}
		}, []string{"Take a number", "Keep the token"}},
		"unknown resource": {func(l *inventory.Lock) { l.Writes[0].Resource = "" },
			[]string{"Take a number", "Let the resource keep the highest token", "If the lock"}},
		"unverified": {func(l *inventory.Lock) { l.Verdict, l.Unseen = "unverified", []string{"rpc", "dynamic-sql"} },
			[]string{"Send the token with the request", "Write the statement as a constant", "If the lock"}},
		"no visible write": {func(l *inventory.Lock) { l.Verdict = "no-visible-write" }, []string{"If the section does write", "If the lock"}},
		"fenced":           {func(l *inventory.Lock) { l.Verdict, l.Writes[0].Condition = "fenced", "token" }, []string{"Count the refusals"}},
		"wrapper":          {func(l *inventory.Lock) { l.Role = "wrapper" }, nil},
	} {
		got := view.Tell(lock(test.change), nil).Todo
		ok := len(got) == len(test.want)
		for i := range min(len(got), len(test.want)) {
			ok = ok && strings.HasPrefix(got[i], test.want[i])
		}
		if !ok {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	line := func(n int, text string) inventory.SourceLine { return inventory.SourceLine{Line: n, Text: text} }
	inv := &inventory.Inventory{Source: []inventory.Source{
		{File: "a.go", Lines: []inventory.SourceLine{line(1, "\tx := 1"), line(2, "\t\tif y {"), line(3, ""), line(4, "\t}"), line(9, "far")}},
		{File: "b.go", Lines: []inventory.SourceLine{line(7, "\x1b[2J")}},
		{File: "d.go", Lines: []inventory.SourceLine{line(1, "}"), line(2, "\tx()"), line(3, "}"), line(4, ""), line(5, "func g() {")}},
	}}
	for _, test := range []struct {
		file string
		line int
		want string
	}{
		{"a.go", 2, "1:x := 1|2:    if y {|3:|4:}"},
		{"a.go", 4, "4:}"},
		{"a.go", 9, "9:far"},
		{"a.go", 5, ""},
		{"b.go", 7, `7:\u001b[2J`},
		{"c.go", 1, ""},
		{"d.go", 2, "2:    x()|3:}"},
	} {
		var all []string
		for _, l := range view.Excerpt(inv, test.file, test.line) {
			all = append(all, strings.Join([]string{view.Place("", l.Line)[1:], l.Text}, ":"))
		}
		if got := strings.Join(all, "|"); got != test.want {
			t.Errorf("%s:%d: got %q, want %q", test.file, test.line, got, test.want)
		}
	}
}
