package gate

import (
	"fmt"
	"strings"
	"testing"
)

// locksOf reads locks from text: "function call key verdict writes", with the
// package in front of the function after a slash.
func locksOf(text string) []*Lock {
	var all []*Lock
	ordinals := make(map[string]int)
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		pkg, function, _ := strings.Cut(f[0], "/")
		l := &Lock{
			Role: "use", Library: "redsync", Package: pkg, Function: function, Call: f[1], Key: f[2],
			Verdict: f[3], Class: "undecided", Writes: f[4:],
		}
		if l.Verdict == "fenced" {
			l.Class = "correctness"
		}
		if verdict, ok := strings.CutSuffix(l.Verdict, "!"); ok {
			l.Verdict, l.Class = verdict, "efficiency"
		}
		same := l.identity(inPlace)
		l.ID = fmt.Sprintf("%q#%d", same, ordinals[same])
		ordinals[same]++
		all = append(all, l)
	}
	return all
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		name       string
		base, head string
		want       string // pairs of line numbers, from 1; then what is gone and new
	}{
		{"nothing", "", "", ""},
		{"the same", "p/F Lock k unfenced w", "p/F Lock k unfenced w", "1=1"},
		{"new", "p/F Lock k unfenced w", "p/F Lock k unfenced w\np/G Lock other unfenced v", "1=1 +2"},
		{"gone", "p/F Lock k unfenced w\np/G Lock other unfenced v", "p/F Lock k unfenced w", "1=1 -2"},
		{"a second one of the same", "p/F Lock k unfenced w", "p/F Lock k unfenced w\np/F Lock k unfenced w", "1=1 +2"},
		{"another function locks the same", "p/F Lock k unfenced w", "p/F Lock k unfenced w\np/G Lock k unfenced w", "1=1 +2"},
		{"the lock lost its fence", "p/F Lock k fenced w", "p/F Lock k unfenced w", "1=1"},
		{"two in one function changed places", "p/F Lock k fenced w\np/F Lock k unfenced w", "p/F Lock k unfenced w\np/F Lock k fenced w", "1=2 2=1"},
		{"one of two in one function lost its fence", "p/F Lock k fenced w\np/F Lock k unfenced v", "p/F Lock k unfenced w\np/F Lock k unfenced v", "1=1 2=2"},
		{"function renamed", "p/F Lock k unfenced w", "p/G Lock k unfenced w", "1=1"},
		{"function renamed, and the fence lost", "p/F Lock k fenced w", "p/G Lock k unverified w", "1=1"},
		{"package moved", "p/F Lock k unfenced w", "q/F Lock k unfenced w", "1=1"},
		{"package moved, and the fence lost", "p/F Lock k fenced w", "q/F Lock k unfenced w", "1=1"},
		{"package moved and function renamed", "p/F Lock k unfenced w", "q/G Lock k unfenced w", "1=1"},
		{"package moved, function renamed, fence lost", "p/F Lock k fenced w", "q/G Lock k unverified w", "1=1"},
		{"callee renamed", "p/F lock.Try k unfenced w", "p/F lock.Take k unfenced w", "1=1"},
		{"callee renamed, package moved", "p/F lock.Try k unfenced w", "q/F lock.Take k unfenced w", "1=1"},
		{"key's variable renamed", "p/F Lock key unfenced w", "p/F Lock name unfenced w", "1=1"},
		{"key's variable and the resource's renamed", "p/F Lock key unfenced a", "p/F Lock name unfenced b", "1=1"},
		{"wrapper put in between, with other names", "p/F Lock key unfenced w", "p/F lock.With name unfenced w", "1=1"},
		{"receiver renamed, the type too", "p/A.F Lock a.key unfenced a.bucket", "p/Boat.F Lock boat.key unfenced boat.bucket", "1=1"},
		{"all names changed, the resource not", "p/F Lock key unfenced sql:stock", "q/G lock.With name unfenced sql:stock", "1=1"},
		{"another lock in its place is new", "p/F Lock k unfenced w", "q/G Lock other unfenced v", "-1 +1"},
		{"a fence lost with the lock's library", "p/F Lock k fenced w", "p/F other.Lock j unverified v", "1=1"},
		{"a lock is not made of one with a fence elsewhere", "p/F Lock k fenced w", "q/G other.Lock j unverified v", "-1 +1"},
		{"the nearest first", "p/F Lock k unfenced w\nq/F Lock k unfenced w", "q/G Lock k unfenced w\np/G Lock k unfenced w", "1=2 2=1"},
		{"the facts decide among renamed ones", "p/F Lock k unfenced w\np/G Lock k fenced v", "p/H Lock k fenced v\np/I Lock k unfenced w", "1=2 2=1"},
		{"a decision stays with its lock", "p/F Lock k unfenced! w\np/G Lock k unfenced w", "p/H Lock k unfenced w\np/I Lock k unfenced! w", "1=2 2=1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, head := locksOf(test.base), locksOf(test.head)
			index := make(map[*Lock]int)
			for _, list := range [][]*Lock{base, head} {
				for i, l := range list {
					index[l] = i + 1
				}
			}
			pairs, gone, fresh := match(base, head)
			got := make([]string, len(base))
			for _, p := range pairs {
				got[index[p.base]-1] = fmt.Sprintf("%d=%d", index[p.base], index[p.head])
			}
			for _, l := range gone {
				got[index[l]-1] = fmt.Sprintf("-%d", index[l])
			}
			for _, l := range fresh {
				got = append(got, fmt.Sprintf("+%d", index[l]))
			}
			if text := strings.Join(got, " "); text != test.want {
				t.Errorf("got %s, want %s", text, test.want)
			}
		})
	}
}

// TestRolesDiffer keeps a wrapper, which no section belongs to, from standing in
// for a use.
func TestRolesDiffer(t *testing.T) {
	base, head := locksOf("p/F Lock k fenced w"), locksOf("p/F Lock k fenced w")
	head[0].Role = "wrapper"
	if pairs, _, _ := match(base, head); len(pairs) != 0 {
		t.Errorf("got %v", pairs)
	}
}
