package gate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/passes/lock"
)

// inventoryOf makes an inventory of locks as locksOf reads them, each followed by
// lines of findings: "! check level".
func inventoryOf(text string) *inventory.Inventory {
	inv := new(inventory.Inventory)
	for n, line := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "! "); ok {
			check, level, _ := strings.Cut(rest, " ")
			id := ""
			if len(inv.Locks) > 0 {
				id = inv.Locks[len(inv.Locks)-1].ID
			}
			inv.Findings = append(inv.Findings, inventory.Finding{
				Check: check, Level: level, Lock: id, File: "p/p.go", Line: n + 1, Message: fmt.Sprintf("%s at p.go:%d; do better", check, n+1),
			})
			continue
		}
		for _, l := range locksOf(line) {
			out := inventory.Lock{
				ID: l.ID, Role: l.Role, Library: l.Library, Package: l.Package, Key: l.Key, Verdict: l.Verdict, Class: l.Class,
				Acquire: inventory.Acquire{File: l.Package + "/" + l.Package + ".go", Line: n + 1, Function: l.Function, Call: l.Call},
			}
			for _, w := range l.Writes {
				out.Writes = append(out.Writes, inventory.Write{Resource: w, Condition: "none"})
			}
			if l.Class == "efficiency" {
				out.Decision = &inventory.Decision{Kind: "efficiency", Reason: "r"}
			}
			inv.Locks = append(inv.Locks, out)
		}
	}
	return inv
}

func compared(base, head *inventory.Inventory) string {
	c := Compare(Of(base), Of(head), Options{Loud: func(_ string, l lock.Level) bool { return l != lock.Note }})
	var got []string
	for _, r := range c.Regressions {
		got = append(got, fmt.Sprintf("%s:%d", r.Kind, r.Line))
	}
	for _, i := range c.Improvements {
		got = append(got, "+"+i.Kind)
	}
	return strings.Join(got, ", ")
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name       string
		base, head string
		want       string
	}{
		{"the same", "p/F Lock k unfenced w", "p/F Lock k unfenced w", ""},
		{"new", "", "p/F Lock k unfenced w", "new lock:1"},
		{"new and fenced", "", "p/F Lock k fenced w", ""},
		{"new and out of sight", "", "p/F Lock k unverified w", ""},
		{"new and decided", "", "p/F Lock k unfenced! w", ""},
		{"fence lost", "p/F Lock k fenced w", "p/F Lock k unfenced w", "fence lost:1"},
		{"fence out of sight", "p/F Lock k fenced w", "p/F Lock k unverified w", "fence lost:1"},
		{"fence lost, and the lock decided", "p/F Lock k fenced w", "p/F Lock k unfenced! w", "fence lost:1"},
		{"no longer writes what was fenced", "p/F Lock k fenced w", "p/F Lock k no-visible-write", "fence lost:1"},
		{"a first unguarded write", "p/F Lock k no-visible-write", "p/F Lock k unfenced w", "new lock:1"},
		{"what was out of sight is unfenced", "p/F Lock k unverified w", "p/F Lock k unfenced w", "new lock:1"},
		{"decision removed", "p/F Lock k unfenced! w", "p/F Lock k unfenced w", "decision lost:1"},
		{"decided", "p/F Lock k unfenced w", "p/F Lock k unfenced! w", "+decided"},
		{"decided, though out of sight", "p/F Lock k unverified w", "p/F Lock k unverified! w", "+decided"},
		{"fenced", "p/F Lock k unfenced w\n! unfenced error", "p/F Lock k fenced w", "+fenced now"},
		{"out of sight now", "p/F Lock k unfenced w", "p/F Lock k unverified w", ""},
		{"gone", "p/F Lock k fenced w", "", "+lock gone"},
		{"moved", "p/F Lock k unfenced w", "q/G Lock k unfenced w", ""},
		{"moved, and its fence lost", "p/F Lock k fenced w", "q/G Lock k unfenced w", "fence lost:1"},

		{"new finding", "p/F Lock k fenced w", "p/F Lock k fenced w\n! release error", "new finding:2"},
		{"new note", "p/F Lock k fenced w", "p/F Lock k fenced w\n! failover note", ""},
		{"the same finding elsewhere in its file", "p/F Lock k fenced w\n! release error", "\n\np/F Lock k fenced w\n\n! release error", ""},
		{"a second finding of the same", "p/F Lock k fenced w\n! release error", "p/F Lock k fenced w\n! release error\n! release error", "new finding:3"},
		{"finding gone", "p/F Lock k fenced w\n! release error", "p/F Lock k fenced w", "+finding gone"},
		{"note gone", "p/F Lock k fenced w\n! release note", "p/F Lock k fenced w", ""},
		{"finding of a moved lock", "p/F Lock k fenced w\n! release error", "q/G Lock k fenced w\n! release error", ""},
		{"unfenced tells once", "", "p/F Lock k unfenced w\n! unfenced error\n! release error", "new lock:1, new finding:3"},
		{"a louder finding on a lock that only changed names", "p/F Lock k unfenced w\n! unfenced note", "p/G Lock k unfenced w\n! unfenced error", ""},
		{"a louder finding for another write", "p/F Lock k unfenced w\n! unfenced note", "p/F Lock k unfenced w v\n! unfenced error", "new finding:2"},
		{"a finding without a lock", "", "! wallclock error", "new finding:1"},
		{"the same finding without a lock", "! wallclock error", "\n! wallclock error", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := compared(inventoryOf(test.base), inventoryOf(test.head)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestExpired(t *testing.T) {
	inv := inventoryOf("p/F Lock k unfenced! w\n! unfenced note")
	d := inv.Locks[0].Decision
	d.Until, d.Owner = "2027-06-30", "ops"
	before := inventoryOf("p/F Lock k unfenced! w\n! unfenced note")
	if got := compared(before, inv); got != "" {
		t.Errorf("got %s", got)
	}
	d.Expired, d.File, d.Line = true, "p/p.go", 7
	inv.Findings = append(inv.Findings, inventory.Finding{Check: "directive", Level: "warning", File: "p/p.go", Line: 7, Message: "over"})
	inv.Locks[0].Class = "undecided"
	for name, base := range map[string]*inventory.Inventory{"then new": new(inventory.Inventory), "then valid": before, "then expired too": inv} {
		if got := compared(base, inv); got != "decision expired:1" {
			t.Errorf("%s: got %s", name, got)
		}
	}
	inv.Locks[0].Verdict = "fenced" // needs no decision
	if got := compared(inv, inv); got != "" {
		t.Errorf("got %s", got)
	}
}

// TestSuppressed keeps a finding that a directive silences from counting.
func TestSuppressed(t *testing.T) {
	inv := inventoryOf("! release error")
	inv.Findings[0].Suppressed = &inventory.Suppression{By: "directive", Reason: "r"}
	if got := compared(new(inventory.Inventory), inv); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestOutside(t *testing.T) {
	base, head := Of(inventoryOf("p/F Lock k fenced w\nq/F Lock j fenced w\n! release error")), Of(inventoryOf("p/F Lock k fenced w"))
	c := Compare(base, head, Options{
		Loud:    func(string, lock.Level) bool { return true },
		Covered: func(path string) bool { return path == "p" },
	})
	if c.Outside != 1 || len(c.Improvements)+len(c.Regressions) != 0 {
		t.Errorf("got %+v", c)
	}
}

// TestRenamesAreNoRegression renames one thing after the other in modules made at
// random, wherever its name stands, and moves locks within them. Nothing of that
// is a regression, in either direction, and no lock counts as new.
func TestRenamesAreNoRegression(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		lines := randomLocks(r)
		base := strings.Join(lines, "\n")
		for _, name := range []string{"p1", "fnA", "tyB", "fnC", "fnLock", "pkL", "varK", "recv"} {
			r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
			head := strings.ReplaceAll(strings.Join(lines, "\n"), name, "renamed")
			for _, pair := range [][2]string{{base, head}, {head, base}} {
				c := Compare(Of(inventoryOf(pair[0])), Of(inventoryOf(pair[1])), Options{Loud: func(string, lock.Level) bool { return true }})
				if len(c.Regressions)+len(c.Improvements)+c.Added > 0 {
					t.Fatalf("seed %d, %s renamed: %+v, %d new\nbase\n%s\nhead\n%s", seed, name, append(c.Regressions, c.Improvements...), c.Added, pair[0], pair[1])
				}
			}
		}
	}
}

// TestLostFenceIsARegression takes the fence from one lock of such modules, which
// may be renamed in the same change.
func TestLostFenceIsARegression(t *testing.T) {
	for seed := range uint64(300) {
		lines := randomLocks(rand.New(rand.NewPCG(seed, 2)))
		base := inventoryOf(strings.Join(lines, "\n"))
		for i, line := range lines {
			if !strings.Contains(line, " fenced") {
				continue
			}
			for _, now := range []string{" unfenced", " unverified", " unfenced!"} {
				for _, name := range []string{"nothing", "p1", "fnA", "tyB", "fnC"} {
					lines[i] = strings.ReplaceAll(strings.Replace(line, " fenced", now, 1), name, "renamed")
					if got := compared(base, inventoryOf(strings.Join(lines, "\n"))); !strings.Contains(got, FenceLost) {
						t.Fatalf("seed %d, line %d, %s renamed: got %q for\n%s", seed, i+1, name, got, strings.Join(lines, "\n"))
					}
				}
			}
			lines[i] = line
		}
	}
}

// randomLocks makes lines for inventoryOf, with few names, so that many locks are
// alike.
func randomLocks(r *rand.Rand) (lines []string) {
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	for range 1 + r.IntN(8) {
		verdict := pick("fenced", "unfenced", "unfenced!", "unverified", "no-visible-write")
		line := fmt.Sprintf("%s/%s %s %s %s", pick("p1", "p2"), pick("fnA", "(*tyB).fnC"), pick("fnLock", "pkL.Take"), pick("k1", "varK", "recv.key"), verdict)
		if verdict != "no-visible-write" {
			line += " " + pick("sql:w1", "sql:w2", "s3:recv.bucket")
		}
		lines = append(lines, line)
	}
	return lines
}

// TestNoLines edits above a lock: its baseline stays the same, byte by byte.
func TestNoLines(t *testing.T) {
	const locks = "p/F Lock k unfenced w\n! release error\n! unfenced error"
	if before, after := text(Of(inventoryOf(locks))), text(Of(inventoryOf("\n\n"+locks))); before != after {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
