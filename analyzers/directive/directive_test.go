package directive

import (
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

func at(line int) lock.Position {
	return lock.Position{File: "/m/a.go", Line: line, Column: 2, Pos: token.Pos(line)}
}

// noisy reports at the acquire of every use, on behalf of unfenced.
var noisy = &check.Check{Name: "unfenced", Default: true, Run: func(u *lock.Use, report func(lock.Finding)) {
	report(lock.Finding{At: u.Acquire.Position, Level: lock.Warning, Message: "two holders"})
}}

func TestReview(t *testing.T) {
	const today = "2027-06-30"
	on := func(d lock.Directive) lock.Directive {
		d.Position, d.Target, d.From, d.To = at(8), "line", 9, 9
		return d
	}
	ignore := func(checks ...string) lock.Directive {
		return on(lock.Directive{Kind: "ignore", Checks: checks, Reason: "r"})
	}
	efficiency := func(until string) lock.Directive {
		return on(lock.Directive{Kind: "efficiency", Reason: "r", Until: until, Owner: "ops"})
	}
	for _, test := range []struct {
		name      string
		directive lock.Directive
		verdict   lock.Verdict // of a lock that is taken on line 9; empty: none is
		part      bool         // not the whole module
		want      string       // a part of what is said; empty: nothing
		count     bool         // whether the finding of the other check counts
	}{
		{name: "fault", directive: on(lock.Directive{Kind: "efficiency", Fault: "without a reason"}), verdict: lock.Unfenced, want: "decides nothing: without a reason", count: true},
		{name: "nowhere", directive: lock.Directive{Kind: "efficiency", Reason: "r", Position: at(8)}, want: "no code beside it"},
		{name: "accepted", directive: efficiency(""), verdict: lock.Unfenced},
		{name: "last day", directive: efficiency(today), verdict: lock.Unfenced},
		{name: "expired", directive: efficiency("2027-06-29"), verdict: lock.Unfenced, want: "ended on 2027-06-29 (owner: ops)", count: true},
		{name: "fenced", directive: efficiency(""), verdict: lock.Fenced, want: "refuses a stale holder anyway"},
		{name: "no lock", directive: efficiency(""), want: "no lock is taken here"},
		{name: "no lock in sight", directive: efficiency(""), part: true},
		{name: "demand", directive: on(lock.Directive{Kind: "correctness"}), verdict: lock.Fenced, count: true},
		{name: "ignored", directive: ignore("unfenced"), verdict: lock.Unfenced},
		{name: "ignored in vain", directive: ignore("unfenced"), want: "unfenced has nothing to report here"},
		{name: "perhaps in vain", directive: ignore("unfenced"), part: true},
		{name: "one of two", directive: ignore("unfenced", "units"), verdict: lock.Unfenced},
		{name: "no such check", directive: ignore("unfencd"), verdict: lock.Unfenced, want: `no check "unfencd" (did you mean unfenced?)`, count: true},
		{name: "model", directive: on(lock.Directive{Kind: "acquire"}), verdict: lock.Unfenced, count: true},
	} {
		result := &uses.Result{Directives: []lock.Directive{test.directive}, Whole: !test.part}
		if test.verdict != "" {
			u := &lock.Use{Verdict: test.verdict, Acquire: lock.Frame{Position: at(9)}}
			if d := test.directive; d.Fault == "" && (d.Kind == "efficiency" || d.Kind == "correctness") {
				u.Decision = &lock.Decision{Position: d.Position, Kind: lock.Class(d.Kind), Until: d.Until, Reason: d.Reason}
			}
			result.Uses = []*lock.Use{u}
		}
		said, count := "", false
		for _, f := range (check.Suite{noisy, Check}).Find(result, &check.Settings{Today: today}) {
			switch f.Check {
			case "directive":
				said += fmt.Sprint(f.Message, "|")
			default:
				count = f.Suppressed == nil
			}
		}
		if (said == "") != (test.want == "") || !strings.Contains(said, test.want) || strings.Count(said, "|") > 1 {
			t.Errorf("%s: said %q, want %q", test.name, said, test.want)
		}
		if count != test.count {
			t.Errorf("%s: the finding counts: %v", test.name, count)
		}
	}
}
