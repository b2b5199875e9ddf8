// Package markdown writes an inventory for a comment on a pull request or a page
// of a wiki.
package markdown

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Inventory writes the locks by what they are for, those that need a decision
// unfolded, and the findings.
func Inventory(w io.Writer, r *view.Report) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## Distributed locks\n\n%s.\n", Text(view.Sentence(r.Inventory)))
	if r.Trend != nil {
		Trend(out, r)
	}
	for i, g := range view.Groups(r.Inventory) {
		title := fmt.Sprintf("%s (%d)", g.Title, len(g.Locks))
		open := ""
		if i == 0 {
			open = " open"
		}
		fmt.Fprintf(out, "\n<details%s><summary>%s</summary>\n\n", open, title)
		Locks(out, g.Locks)
		fmt.Fprintf(out, "\n</details>\n")
	}
	zeroRejections(out, r.Inventory)
	for _, d := range r.By {
		numbers(out, r.Inventory, d)
	}
	Findings(out, r.Inventory)
	if n := len(r.Incomplete); n > 0 {
		fmt.Fprintf(out, "\n**%s not analysed**\n\n", view.Count(n, "package"))
		for _, p := range r.Incomplete {
			fmt.Fprintf(out, "- %s: %s\n", Code(p.Package), Text(p.Reason))
		}
	}
	return out.Flush()
}

// Locks writes a table of locks.
func Locks(w io.Writer, locks []inventory.Lock) {
	fmt.Fprint(w, "| lock | library | key | lease | token | writes | verdict |\n|---|---|---|---|---|---|---|\n")
	for _, l := range locks {
		var writes []string
		for _, r := range view.Resources(l) {
			writes = append(writes, Code(r.Name)+" "+Text(r.Condition))
		}
		verdict := "**" + Text(view.Verdict(l)) + "**"
		if view.IsWrapper(l) {
			verdict = ""
		}
		if text := view.Decision(l); text != "" {
			verdict += "<br>" + Text(text)
		}
		cells := []string{
			Place(l.Acquire.File, l.Acquire.Line) + "<br>" + Code(l.Acquire.Function), Text(l.Library), Code(l.Key),
			Text(view.TTL(l)), Text(view.Token(l)), strings.Join(writes, "<br>"), verdict,
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
}

// Place is file:line.
func Place(file string, line int) string { return Code(view.Place(file, line)) }

// Findings writes those findings that are not suppressed.
func Findings(w io.Writer, inv *inventory.Inventory) {
	loud, notes := view.Loud(inv)
	if loud+notes == 0 {
		return
	}
	fmt.Fprintf(w, "\n### %s\n\n", findingsTitle(loud, notes))
	for _, f := range inv.Findings {
		if f.Suppressed == nil {
			Finding(w, f)
		}
	}
}

func findingsTitle(loud, notes int) string {
	switch {
	case notes == 0:
		return view.Count(loud, "finding")
	case loud == 0:
		return view.Count(notes, "note")
	}
	return view.Count(loud, "finding") + " and " + view.Count(notes, "note")
}

// Finding writes one finding as an entry of a list.
func Finding(w io.Writer, f inventory.Finding) {
	fmt.Fprintf(w, "- %s %s (%s): %s\n", Place(f.File, f.Line), Code(f.Check), f.Level, Text(view.Message(f)))
	for _, r := range f.Related {
		fmt.Fprintf(w, "  - %s: %s\n", Place(r.File, r.Line), Text(r.Message))
	}
}

// zeroRejections says what it would mean if no write under a fenced lock was
// ever refused.
func zeroRejections(w io.Writer, inv *inventory.Inventory) {
	title := "\n### What zero rejections would mean\n\n"
	for _, l := range inv.Locks {
		if sentence := view.ZeroRejections(l); sentence != "" {
			fmt.Fprintf(w, "%s- %s: %s\n", title, Place(l.Acquire.File, l.Acquire.Line), Text(sentence))
			title = ""
		}
	}
}

func numbers(w io.Writer, inv *inventory.Inventory, d view.Dimension) {
	fmt.Fprintf(w, "\n| %s | locks | fenced | unfenced | unverified | no visible write | undecided |\n|---|--:|--:|--:|--:|--:|--:|\n", d)
	for _, n := range view.Numbers(inv, d) {
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d |\n",
			Text(n.Name), n.Locks, n.Fenced, n.Unfenced, n.Unverified, n.NoVisibleWrite, n.Undecided)
	}
}

// Trend writes what became of the locks of an earlier inventory.
func Trend(w io.Writer, r *view.Report) {
	t := r.Trend
	fmt.Fprintf(w, "\n%s\n", Text(t.Sentence()))
	lines := t.Lines()
	if len(lines) == 0 {
		return
	}
	fmt.Fprint(w, "\n| lock | key | what changed |\n|---|---|---|\n")
	for _, l := range lines {
		fmt.Fprintf(w, "| %s | %s | %s |\n", Place(l.Lock.Acquire.File, l.Lock.Acquire.Line), Code(l.Lock.Key), Text(l.What))
	}
	fmt.Fprint(w, "\n| | before | now |\n|---|--:|--:|\n")
	for _, d := range t.Deltas(r.Summary) {
		fmt.Fprintf(w, "| %s | %d | %d |\n", d.Name, d.Before, d.Now)
	}
}
