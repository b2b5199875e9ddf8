package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

// Story prints all that is known of one lock, with the lines of source that the
// inventory quotes.
func Story(w io.Writer, inv *inventory.Inventory, l inventory.Lock, style Style) error {
	t := &teller{style: style, inv: inv}
	s := view.Tell(l, view.FindingsByLock(inv)[l.ID])
	name := fmt.Sprintf("lock %q", view.Printable(l.Key))
	if l.Key == "" {
		name = l.Library + " lock, key not known"
	}
	fmt.Fprintf(&t.out, "%s  %s\n", style.paint(bold, name), style.verdict(l, view.Verdict(l)))
	fmt.Fprintf(&t.out, "%s  %s\n\n", style.place(l.Acquire.File, l.Acquire.Line), style.paint(dim, view.Printable(l.Acquire.Function)))
	style.fill(&t.out, "", "", s.Meaning)
	fmt.Fprintln(&t.out)
	t.facts(s.Facts)

	t.title("From the use down to the lock")
	t.stops(s.Acquire)
	if s.Section != "" {
		t.title("How long it lasts")
		style.fill(&t.out, "  ", "  ", s.Section)
		t.stops(s.Slow)
	}
	if s.Token != "" {
		t.title("What could be compared")
		style.fill(&t.out, "  ", "  ", s.Token)
	}
	for i, p := range s.Writes {
		t.title(fmt.Sprintf("Write %d of %d: %s", i+1, len(s.Writes), view.Printable(view.ResourceName(p.Write))))
		t.stops(p.Stops)
		color := red
		if p.Guarded {
			color = green
		}
		text := p.Condition
		if p.Write.Note != "" {
			text += " (" + p.Write.Note + ")"
		}
		var b strings.Builder
		style.fill(&b, "  "+style.paint(color, p.Write.Condition)+": ", "  ", text)
		t.out.WriteString(b.String())
	}
	if len(s.Findings) > 0 {
		t.title("Findings")
		for _, f := range s.Findings {
			t.finding(f)
		}
	}
	if len(s.Todo) > 0 || s.Zero != "" {
		t.title("What to do")
		for _, text := range s.Todo {
			style.fill(&t.out, "  - ", "    ", text)
		}
		if s.Zero != "" {
			style.fill(&t.out, "  - ", "    ", s.Zero)
		}
	}
	_, err := io.WriteString(w, t.out.String())
	return err
}

type teller struct {
	style Style
	inv   *inventory.Inventory
	out   strings.Builder
}

func (t *teller) title(text string) {
	fmt.Fprintf(&t.out, "\n%s\n", t.style.paint(bold, text))
}

func (t *teller) facts(all []view.Fact) {
	const indent = "            "
	for _, f := range all {
		t.style.fill(&t.out, t.style.paint(dim, fmt.Sprintf("  %-10s", f.Name)), indent, f.Value)
	}
}

func (t *teller) stops(all []view.Stop) {
	for _, s := range all {
		where := t.style.place(s.File, s.Line)
		if s.Function != "" {
			where += "  " + t.style.paint(dim, view.Printable(s.Function))
		}
		fmt.Fprintln(&t.out, "  "+where)
		t.style.fill(&t.out, "    ", "    ", s.Text)
		t.source(s.File, s.Line)
	}
}

// source prints the lines around a place, with the place itself marked.
func (t *teller) source(file string, line int) {
	for _, l := range view.Excerpt(t.inv, file, line) {
		mark, color := " ", dim
		if l.Line == line {
			mark, color = ">", ""
		}
		fmt.Fprintln(&t.out, strings.TrimRight(t.style.paint(color, fmt.Sprintf("    %s %5d  %s", mark, l.Line, l.Text)), " "))
	}
}

func (t *teller) finding(f inventory.Finding) {
	color := yellow
	if f.Level == string(lock.Error) {
		color = red
	}
	fmt.Fprintf(&t.out, "  %s  %s\n", t.style.place(f.File, f.Line), t.style.paint(color, f.Level))
	text := f.Message
	if f.Suppressed != nil {
		text += " -- suppressed: " + f.Suppressed.Reason
	}
	t.style.fill(&t.out, "    ", "    ", text)
}
