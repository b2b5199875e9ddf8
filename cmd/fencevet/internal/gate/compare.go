package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/passes/lock"
)

// Kinds of changes. The first group fails a gate.
const (
	NewLock      = "new lock"         // undecided and unfenced, where it was not before
	FenceLost    = "fence lost"       // was fenced
	DecisionLost = "decision lost"    // undecided and unfenced, and was decided
	Expired      = "decision expired" // whatever it was before
	NewFinding   = "new finding"

	FenceGained = "fenced now"
	Decided     = "decided"
	FindingGone = "finding gone"
	LockGone    = "lock gone"
)

// A Change is one difference between two snapshots.
type Change struct {
	Kind    string
	Message string
	// File is empty for what no longer is in the source.
	File         string
	Line, Column int
	Related      []inventory.Related
}

// A Comparison is what has changed.
type Comparison struct {
	Regressions  []Change
	Improvements []Change
	Moved        int // locks that were moved or renamed, which is no change
	Added        int // new locks that need no decision
	Outside      int // locks of the base in packages that were not looked at

	Base  string   // what is compared with, for a reader
	Notes []string // what the reader should know about the comparison
}

// Options is what counts as a regression.
type Options struct {
	// Loud tells whether a new finding of a check and level is a regression.
	Loud func(check string, level lock.Level) bool
	// Covered tells whether the packages at hand include one, or would if it were
	// still there; nil means all.
	Covered func(importPath string) bool
}

// Compare tells what has changed from base to head, which must be the snapshot of
// an inventory.
func Compare(base, head *Snapshot, opts Options) *Comparison {
	c := &comparer{opts: opts, told: make(map[string]bool), won: make(map[string]bool), over: make(map[string]bool)}
	covered := make([]*Lock, 0, len(base.Locks))
	outside := make(map[string]bool)
	for _, l := range base.Locks {
		if opts.Covered == nil || opts.Covered(l.Package) {
			covered = append(covered, l)
			continue
		}
		outside[l.ID] = true
		c.Outside++
	}
	pairs, gone, fresh := match(covered, head.Locks)
	for _, l := range head.Locks {
		c.expired(l)
	}
	for _, p := range pairs {
		c.pair(p)
	}
	for _, l := range fresh {
		c.fresh(l)
	}
	for _, l := range gone {
		if l.Role == string(lock.RoleUse) {
			c.won[l.ID] = true
			c.improve(LockGone, nil, "lock %q in %s.%s, which was %s, is gone", l.Key, l.Package, l.Function, l.Verdict)
		}
	}
	c.findings(base, head, pairs, outside)
	for _, list := range [][]Change{c.Regressions, c.Improvements} {
		slices.SortStableFunc(list, func(a, b Change) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
		})
	}
	return &c.Comparison
}

type comparer struct {
	Comparison
	opts Options
	told map[string]bool // locks with a regression of their own
	won  map[string]bool // locks of the base with an improvement of their own
	over map[string]bool // places of decisions that have expired
}

func (c *comparer) regress(kind string, l *Lock, format string, args ...any) {
	if c.told[l.ID] {
		return
	}
	c.told[l.ID] = true
	change := at(l.now, kind, fmt.Sprintf(format, args...))
	for _, w := range l.now.Writes {
		if lock.Condition(w.Condition).Holds() {
			continue
		}
		change.Related = append(change.Related, inventory.Related{File: w.File, Line: w.Line, Message: accepted(w)})
	}
	c.Regressions = append(c.Regressions, change)
}

// accepted says what the resource does with the write of a holder that has lost
// its lock.
func accepted(w inventory.Write) string {
	what := fmt.Sprintf("%s of %s", cmp.Or(w.Operation, "write"), cmp.Or(w.Resource, w.Call))
	if w.Condition == string(lock.Unknown) {
		what += ", whose condition is out of sight"
	} else {
		what += " without a condition"
	}
	if w.Note != "" {
		what += " (" + w.Note + ")"
	}
	return what
}

func (c *comparer) improve(kind string, l *Lock, format string, args ...any) {
	change := Change{Kind: kind, Message: fmt.Sprintf(format, args...)}
	if l != nil {
		change = at(l.now, kind, change.Message)
	}
	c.Improvements = append(c.Improvements, change)
}

func at(l *inventory.Lock, kind, message string) Change {
	return Change{Kind: kind, Message: message, File: l.Acquire.File, Line: l.Acquire.Line, Column: l.Acquire.Column}
}

func (c *comparer) expired(l *Lock) {
	d := l.now.Decision
	if d == nil || !d.Expired || l.fenced() {
		return
	}
	c.over[fmt.Sprintf("%s:%d", d.File, d.Line)] = true
	who := ""
	if d.Owner != "" {
		who = " by " + d.Owner
	}
	c.regress(Expired, l, "the decision on lock %q ended on %s (%s%s: %s): fence it, or decide anew", l.Key, d.Until, d.Kind, who, d.Reason)
}

func (c *comparer) pair(p pair) {
	base, head := p.base, p.head
	if p.moved() {
		c.Moved++
	}
	switch {
	case base.fenced() && !head.fenced():
		c.regress(FenceLost, head, "lock %q was fenced and is %s: a holder that has lost it can write again%s", head.Key, verdict(head), remedy(head))
	case head.undecided() && !base.undecided() && base.Verdict == string(lock.Unfenced):
		c.regress(DecisionLost, head, "lock %q is unfenced, and the decision that accepted it is gone: fence it, or decide anew", head.Key)
	case head.undecided() && !base.undecided():
		c.regress(NewLock, head, "lock %q was %s and is unfenced: a holder that has lost it can write%s", head.Key, base.Verdict, decide(head))
	case head.fenced() && !base.fenced():
		c.won[base.ID] = true
		c.improve(FenceGained, head, "lock %q was %s and is fenced", head.Key, base.Verdict)
	case base.Class == string(lock.Undecided) && head.Class != base.Class:
		c.improve(Decided, head, "lock %q is decided: %s", head.Key, head.Class)
	}
}

// decide says what a lock needs that nobody has decided on.
func decide(l *Lock) string {
	text := "; fence it, or write down why the risk is accepted: //fencevet:efficiency reason"
	if s := l.now.Suggestion; s.Class != "" && s.Class != string(lock.Unclear) {
		text += fmt.Sprintf(" (it looks like one for %s: %s)", s.Class, strings.Join(s.Reasons, ", "))
	}
	return text
}

// remedy says what brings a fence back; where it is out of sight that is not
// known.
func remedy(l *Lock) string {
	if l.Verdict == string(lock.Unfenced) {
		return "; bring the condition back"
	}
	return ", or nobody can tell; keep the condition where it can be seen"
}

func verdict(l *Lock) string {
	if l.Verdict == string(lock.Unverified) && len(l.now.Unseen) > 0 {
		return l.Verdict + " (" + strings.Join(l.now.Unseen, ", ") + ")"
	}
	return l.Verdict
}

func (c *comparer) fresh(l *Lock) {
	switch {
	case l.undecided():
		c.regress(NewLock, l, "new lock %q is unfenced: a holder that has lost it can write%s", l.Key, decide(l))
	case l.Role == string(lock.RoleUse):
		c.Added++
	}
}

// tells reports whether a regression of a lock says what a finding would.
func (c *comparer) tells(f *Finding) bool {
	return f.Check == "unfenced" && c.told[f.Lock] ||
		f.Check == "directive" && c.over[fmt.Sprintf("%s:%d", f.now.File, f.now.Line)]
}

// findings compares the findings. One that a lock's own regression tells already
// is not told again.
func (c *comparer) findings(base, head *Snapshot, locks []pair, outside map[string]bool) {
	before := slices.DeleteFunc(slices.Clone(base.Findings), func(f *Finding) bool { return outside[f.Lock] })
	pairs, gone := matchFindings(before, head.Findings, locks)
	unchanged := make(map[string]bool)
	for _, p := range locks {
		unchanged[p.head.ID] = p.base.identity(sameFacts) == p.head.identity(sameFacts)
	}
	for _, f := range head.Findings {
		if !c.opts.Loud(f.Check, lock.Level(f.Level)) || c.tells(f) {
			continue
		}
		// A suggested class follows names too, and with it the level: that alone is
		// no regression.
		if was := pairs[f]; was != nil && (c.opts.Loud(f.Check, lock.Level(was.Level)) || unchanged[f.Lock]) {
			continue
		}
		c.Regressions = append(c.Regressions, Change{
			Kind: NewFinding, Message: f.now.Message, File: f.now.File, Line: f.now.Line, Column: f.now.Column, Related: f.now.Related,
		})
	}
	for _, f := range gone {
		if c.opts.Loud(f.Check, lock.Level(f.Level)) && !(f.Check == "unfenced" && c.won[f.Lock]) {
			c.improve(FindingGone, nil, "%s: no longer: %s", f.Folder, f.Text)
		}
	}
}
