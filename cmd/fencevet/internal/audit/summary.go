package audit

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/markdown"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

// Summary says in Markdown, for a ticket, what was decided and what is left to do,
// in this audit and those before.
func (s *Session) Summary() []byte {
	var b bytes.Buffer
	groups := make(map[string][]entry)
	seen := make(map[string]bool)
	for i := range s.Inventory.Locks {
		l := &s.Inventory.Locks[i]
		if n := s.known(l); n != nil && l.Role == string(lock.RoleUse) {
			groups[n.Kind] = append(groups[n.Kind], entry{l, n, s.Files.Line(l.Acquire.File, l.Acquire.Line)})
			seen[l.ID] = true
		}
	}
	for _, l := range Undecided(s.Inventory) {
		if !seen[l.ID] {
			groups[Skipped] = append(groups[Skipped], entry{l, nil, s.Files.Line(l.Acquire.File, l.Acquire.Line)})
		}
	}

	fmt.Fprintf(&b, "## Audit of the distributed locks, %s\n\n%s.\n", s.Today, markdown.Text(view.Sentence(s.Inventory)))
	for _, g := range []struct{ kind, title, box string }{
		{ToFix, "To fix", "[ ] "},
		{ToAsk, "To find out", "[ ] "},
		{ToTeach, "To tell fencevet", "[ ] "},
		{Skipped, "Not decided", "[ ] "},
		{Accepted, "Accepted", ""},
	} {
		if len(groups[g.kind]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s (%d)\n\n", g.title, len(groups[g.kind]))
		for _, e := range groups[g.kind] {
			fmt.Fprintf(&b, "- %s%s\n", g.box, e.text())
		}
	}
	if len(groups) == 0 {
		b.WriteString("\nNothing is to be decided.\n")
	}
	return b.Bytes()
}

// known is what is decided about a lock: noted, or said by its source alone. A
// note on an accepted risk counts only while the source says so.
func (s *Session) known(l *inventory.Lock) *Note {
	d := l.Decision
	decided := d != nil && !d.Expired
	n := s.Notes.About(l.ID)
	switch {
	case n != nil && n.Kind != Skipped && (n.Kind != Accepted || decided || s.accepted[l.ID]):
		return n
	case !decided || l.Verdict == string(lock.Fenced):
		return nil
	case d.Kind == string(lock.Efficiency):
		return &Note{Kind: Accepted, Owner: d.Owner, Text: until(d.Reason, d.Until)}
	}
	return &Note{Kind: ToFix, Owner: d.Owner, Text: strings.TrimSuffix("a fence is demanded in the source: "+d.Reason, ": ")}
}

// until adds the day on which a reason ends, if it does.
func until(reason, day string) string {
	if day == "" {
		return reason
	}
	return reason + " (until " + day + ")"
}

// An entry is one line of the summary.
type entry struct {
	lock *inventory.Lock
	note *Note // nil: nothing was said
	line int
}

func (e entry) text() string {
	l := e.lock
	name := "lock " + markdown.Code(l.Key)
	if l.Key == "" {
		name = markdown.Text(l.Library) + " lock"
	}
	text := fmt.Sprintf("%s %s in %s", markdown.Code(view.Place(l.Acquire.File, e.line)), name, markdown.Code(l.Acquire.Function))
	if e.note == nil {
		purpose := "looks like " + l.Suggestion.Class
		if l.Suggestion.Class == string(lock.Unclear) {
			purpose = "purpose unclear"
		}
		return text + ": " + markdown.Text(view.Verdict(*l)+", "+purpose)
	}
	if e.note.Protects != "" {
		text += ", which protects " + markdown.Text(e.note.Protects)
	}
	if e.note.Text != "" {
		text += ": " + markdown.Text(e.note.Text)
	}
	if e.note.Owner != "" {
		text += " (decides: " + markdown.Text(e.note.Owner) + ")"
	}
	return text
}
