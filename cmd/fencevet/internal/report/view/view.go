// Package view says in words what an inventory holds: what all formats of a
// report share, and nothing of how any of them is written.
package view

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/gate"
	"github.com/fencevet/fencevet/passes/lock"
)

// A Report is an inventory with what the reader asked for beside it.
type Report struct {
	*inventory.Inventory
	By    []Dimension      // further numbers, in this order
	Trend *Trend           // against a saved inventory; nil: not asked for
	Gate  *gate.Comparison // with a baseline or revision; nil: not asked for
}

// A Group is a part of the inventory that is read together.
type Group struct {
	Title string
	Locks []inventory.Lock
}

// Groups returns the locks by what they are for, those that need work or a
// decision first. Empty groups are left out.
func Groups(inv *inventory.Inventory) []Group {
	var groups []Group
	for _, title := range groupTitles {
		locks := slices.DeleteFunc(slices.Clone(inv.Locks), func(l inventory.Lock) bool { return groupTitle(l) != title })
		if len(locks) > 0 {
			groups = append(groups, Group{title, locks})
		}
	}
	return groups
}

const (
	broken   = "for correctness, but not fenced"
	wrappers = "taken for callers, who are listed above as far as they are in view"
)

var groupTitles = []string{
	broken, // somebody decided so, and it does not hold
	"undecided, looks like correctness",
	"undecided, purpose unclear",
	"undecided, looks like efficiency",
	"correctness",
	"efficiency, risk accepted",
	wrappers,
}

func groupTitle(l inventory.Lock) string {
	switch {
	case IsWrapper(l):
		return wrappers
	case l.Class == string(lock.Correctness) && l.Verdict != string(lock.Fenced):
		return broken
	case l.Class == string(lock.Correctness):
		return "correctness"
	case l.Class == string(lock.Efficiency):
		return "efficiency, risk accepted"
	case l.Suggestion.Class == string(lock.Unclear):
		return "undecided, purpose unclear"
	}
	return "undecided, looks like " + l.Suggestion.Class
}

// IsWrapper reports whether l is taken for callers, who are locks themselves.
func IsWrapper(l inventory.Lock) bool { return l.Role == string(lock.RoleWrapper) }

// A Resource is what a section changes, with the condition under which the
// change is accepted.
type Resource struct {
	Name      string
	Condition string
}

// Resources returns each thing that l's section writes once per condition.
func Resources(l inventory.Lock) []Resource {
	var all []Resource
	for _, w := range l.Writes {
		if r := (Resource{ResourceName(w), w.Condition}); !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// ResourceName is what w changes, or the call where that is not known.
func ResourceName(w inventory.Write) string {
	if w.Resource != "" {
		return w.Resource
	}
	return w.Call
}

// TTL says in a few characters how long the lease of l lives.
func TTL(l inventory.Lock) string {
	text := duration(l.TTL.Text)
	switch {
	case text == "" && l.TTL.Source == "none":
		return "none"
	case text == "":
		text = "?"
	}
	switch {
	case isRenewed(l):
		text += ", renewed"
	case l.TTL.Source == "default":
		text += " default"
	}
	return text
}

func isRenewed(l inventory.Lock) bool {
	return l.Renewal == "library" || l.Renewal == "goroutine" || l.Renewal == "explicit"
}

// duration drops the parts of a duration that are zero: 1m0s is 1m.
func duration(text string) string {
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// Token names the token of l without its type, which the library tells.
func Token(l inventory.Lock) string {
	if !hasToken(l) {
		return "none"
	}
	text := l.Token.Source
	if i := strings.Index(text, ")."); strings.HasPrefix(text, "(") && i > 0 {
		text = text[i+2:]
	}
	if l.Token.Ordered != nil && !*l.Token.Ordered {
		text += ", not ordered"
	}
	return text
}

func hasToken(l inventory.Lock) bool { return l.Token.Source != "" && l.Token.Source != "none" }

// Verdict is the verdict of l with the reasons for which it is open.
func Verdict(l inventory.Lock) string {
	if IsWrapper(l) {
		return "-" // its callers' sections decide
	}
	if len(l.Unseen) > 0 && l.Verdict == string(lock.Unverified) {
		return l.Verdict + " (" + strings.Join(l.Unseen, ", ") + ")"
	}
	return l.Verdict
}

// Class is the class of l, with the suggestion where there is none.
func Class(l inventory.Lock) string {
	title := groupTitle(l)
	if title == wrappers {
		return "wrapper"
	}
	return title
}

// Place is file:line.
func Place(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// InRepository makes a path of the inventory one from the root of the
// repository, which is what services that show it there want.
func InRepository(inv *inventory.Inventory, file string) string {
	if inv.Directory == "" || path.IsAbs(file) || file == "" {
		return file
	}
	return path.Join(inv.Directory, file)
}

// Sentence is the inventory in one line: the locks by verdict.
func Sentence(inv *inventory.Inventory) string {
	s := inv.Summary
	if s.Locks == 0 {
		return "no distributed locks found"
	}
	return Count(s.Locks, "lock") + ": " + Counts(s)
}

// Counts lists the verdicts that occur in s.
func Counts(s inventory.Summary) string {
	var parts []string
	for _, p := range []struct {
		n    int
		name string
	}{
		{s.Fenced, "fenced"}, {s.Unfenced, "unfenced"}, {s.Unverified, "unverified"}, {s.NoVisibleWrite, "without visible write"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.name))
		}
	}
	return strings.Join(parts, ", ")
}

// Loud counts the findings that interrupt people, and those that do not. What is
// suppressed is neither.
func Loud(inv *inventory.Inventory) (loud, notes int) {
	for _, f := range inv.Findings {
		switch {
		case f.Suppressed != nil:
		case f.Level == string(lock.Note):
			notes++
		default:
			loud++
		}
	}
	return loud, notes
}

// ShortIDs returns the shortest beginnings, of six characters or more, that tell
// the ids of locks apart.
func ShortIDs(locks []inventory.Lock) func(id string) string {
	n := 6
	for ; n < 64; n++ {
		seen := make(map[string]bool)
		for _, l := range locks {
			seen[l.ID[:min(n, len(l.ID))]] = true
		}
		if len(seen) == len(locks) {
			break
		}
	}
	return func(id string) string { return id[:min(n, len(id))] }
}

// Printable escapes what a string of the analysed source could do to whoever
// reads it: control sequences, line breaks, and marks that turn text around or
// cannot be seen.
func Printable(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// Count makes "1 lock" and "2 locks".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
