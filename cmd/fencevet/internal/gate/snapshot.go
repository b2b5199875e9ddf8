// Package gate compares the locks of a module with what they were: in a baseline
// file, or at a revision.
//
// What is remembered of a lock holds no line numbers, so that an edit elsewhere
// changes nothing, and it is matched so that moved and renamed code is told from
// new code.
package gate

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Snapshot is what a gate remembers of an inventory.
type Snapshot struct {
	Tool     string            // version of fencevet that made it
	Patterns []string          // packages that it covers, relative to the root of its inventory
	Tests    bool              // whether it covers test files
	Unread   []string          // packages that could not be analysed
	Reasons  map[string]string // why not, where that is known; not remembered
	Locks    []*Lock
	Findings []*Finding
}

// A Lock is a lock without its place.
type Lock struct {
	ID       string // fingerprint, which tells apart locks that are equal in all else
	Role     string
	Library  string
	Package  string
	Function string
	Call     string
	Key      string
	Verdict  string
	Class    string
	Writes   []string // what is written, and under which condition; sorted

	now *inventory.Lock // nil if it is only remembered
}

// A Finding is a finding without its place.
type Finding struct {
	Check  string
	Level  string
	Lock   string // ID of its lock; empty where no lock is in view
	Folder string // of its file
	Text   string // symptom from the message, without places
	Number int    // tells apart findings that are equal in all else; from 1

	now *inventory.Finding
}

// Of makes the snapshot of an inventory.
func Of(inv *inventory.Inventory) *Snapshot {
	s := &Snapshot{Tool: inv.Tool.Version, Reasons: make(map[string]string)}
	for _, p := range inv.Incomplete {
		s.Reasons[p.Package] = p.Reason
		s.Unread = append(s.Unread, p.Package)
	}
	for i := range inv.Locks {
		s.Locks = append(s.Locks, lockOf(&inv.Locks[i]))
	}
	for i := range inv.Findings {
		if f := &inv.Findings[i]; f.Suppressed == nil {
			s.Findings = append(s.Findings, findingOf(f))
		}
	}
	s.number()
	return s
}

func lockOf(l *inventory.Lock) *Lock {
	out := &Lock{
		ID: l.ID, Role: l.Role, Library: l.Library, Package: l.Package, Function: l.Acquire.Function,
		Call: l.Acquire.Call, Key: l.Key, Verdict: l.Verdict, Class: l.Class, now: l,
	}
	for _, w := range l.Writes {
		out.Writes = append(out.Writes, cmp.Or(w.Resource, w.Call)+" "+w.Condition)
	}
	slices.Sort(out.Writes)
	out.Writes = slices.Compact(out.Writes)
	return out
}

// place is how a message names a position, with the remark that consists of it.
var place = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` ?\([^()]*\.go:\d+[^()]*\)|[\w.+/-]+\.go:\d+(:\d+)?`)
})

func findingOf(f *inventory.Finding) *Finding {
	symptom, _, _ := strings.Cut(f.Message, "; ") // the remedy behind it says nothing more
	return &Finding{
		Check: f.Check, Level: f.Level, Lock: f.Lock, Folder: path.Dir(f.File),
		Text: place().ReplaceAllString(symptom, ""), now: f,
	}
}

// Sentence counts what s remembers.
func (s *Snapshot) Sentence() string {
	uses, undecided := 0, 0
	for _, l := range s.Locks {
		if l.Role == string(lock.RoleUse) {
			uses++
		}
		if l.undecided() {
			undecided++
		}
	}
	return fmt.Sprintf("%s, %d unfenced and undecided; %s", count(uses, "lock"), undecided, count(len(s.Findings), "finding"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// number tells apart equal findings.
func (s *Snapshot) number() {
	seen := make(map[Finding]int)
	for _, f := range s.Findings {
		same := *f
		same.Number, same.now = 0, nil
		seen[same]++
		f.Number = seen[same]
	}
}

// undecided reports whether a lock needs a decision that it does not have.
func (l *Lock) undecided() bool {
	return l.Role == string(lock.RoleUse) && l.Verdict == string(lock.Unfenced) && l.Class == string(lock.Undecided)
}

func (l *Lock) fenced() bool {
	return l.Role == string(lock.RoleUse) && l.Verdict == string(lock.Fenced)
}
