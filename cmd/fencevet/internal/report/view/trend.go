package view

import (
	"fmt"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// A Trend is what became of the locks of an earlier inventory.
type Trend struct {
	Since   string // name of the earlier one
	Before  inventory.Summary
	Added   []inventory.Lock
	Removed []inventory.Lock
	Changed []Change
}

// A Change is a lock that was judged differently.
type Change struct {
	Lock inventory.Lock // as it is now
	Was  inventory.Lock
}

// Compare tells locks apart by their ids, which outlive edits elsewhere in their
// files. One that was renamed counts as removed and added.
func Compare(before, now *inventory.Inventory, since string) *Trend {
	t := &Trend{Since: since, Before: before.Summary}
	old := byID(before)
	for _, l := range now.Locks {
		if IsWrapper(l) {
			continue
		}
		was, ok := old[l.ID]
		switch {
		case !ok:
			t.Added = append(t.Added, l)
		case was.Verdict != l.Verdict || was.Class != l.Class:
			t.Changed = append(t.Changed, Change{l, was})
		}
	}
	current := byID(now)
	for _, l := range before.Locks {
		if _, ok := current[l.ID]; !ok && !IsWrapper(l) {
			t.Removed = append(t.Removed, l)
		}
	}
	return t
}

// byID indexes the uses.
func byID(inv *inventory.Inventory) map[string]inventory.Lock {
	all := make(map[string]inventory.Lock)
	for _, l := range inv.Locks {
		if !IsWrapper(l) {
			all[l.ID] = l
		}
	}
	return all
}

// What says what changed: "was unfenced, is fenced".
func (c Change) What() string {
	var all []string
	for _, v := range [][2]string{{c.Was.Verdict, c.Lock.Verdict}, {c.Was.Class, c.Lock.Class}} {
		if v[0] != v[1] {
			all = append(all, fmt.Sprintf("was %s, is %s", v[0], v[1]))
		}
	}
	return strings.Join(all, "; ")
}

// A Line is one lock of a trend.
type Line struct {
	Sign string // ~ + or -
	Lock inventory.Lock
	What string
}

// Lines lists what changed, the locks that were judged differently first.
func (t *Trend) Lines() []Line {
	var all []Line
	for _, c := range t.Changed {
		all = append(all, Line{"~", c.Lock, c.What()})
	}
	for _, l := range t.Added {
		all = append(all, Line{"+", l, "added, " + Verdict(l)})
	}
	for _, l := range t.Removed {
		all = append(all, Line{"-", l, "removed, was " + l.Verdict})
	}
	return all
}

// Sentence is the trend in one line.
func (t *Trend) Sentence() string {
	if len(t.Added)+len(t.Removed)+len(t.Changed) == 0 {
		return fmt.Sprintf("Since %s no lock was added, removed or judged differently.", t.Since)
	}
	return fmt.Sprintf("Since %s: %d added, %d removed, %d judged differently.", t.Since, len(t.Added), len(t.Removed), len(t.Changed))
}

// A Delta is a count before and now.
type Delta struct {
	Name        string
	Before, Now int
}

// Deltas compares the counts of the summaries, all of them, so that two trends
// can be laid side by side.
func (t *Trend) Deltas(now inventory.Summary) []Delta {
	return []Delta{
		{"locks", t.Before.Locks, now.Locks},
		{"fenced", t.Before.Fenced, now.Fenced},
		{"unfenced", t.Before.Unfenced, now.Unfenced},
		{"unverified", t.Before.Unverified, now.Unverified},
		{"no-visible-write", t.Before.NoVisibleWrite, now.NoVisibleWrite},
		{"undecided", t.Before.Undecided, now.Undecided},
	}
}
