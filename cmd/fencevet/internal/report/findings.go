package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// Findings prints what interrupts people: one line per finding that compilers,
// editors and CI systems know how to link, with the places that explain it below.
func Findings(w io.Writer, inv *inventory.Inventory, style Style) error {
	out := bufio.NewWriter(w)
	for _, f := range inv.Findings {
		if f.Suppressed != nil {
			continue
		}
		fmt.Fprintf(out, "%s:%d: %s\n", style.paint(bold, style.place(f.File, f.Line)), f.Column, printable(f.Message))
		for _, r := range f.Related {
			fmt.Fprintf(out, "\t%s: %s\n", style.place(r.File, r.Line), printable(r.Message))
		}
	}
	return out.Flush()
}

// Sentence counts the locks of an inventory by verdict, and says where the rest
// of the story is.
func Sentence(inv *inventory.Inventory) string {
	s := inv.Summary
	if s.Locks == 0 {
		return "no distributed locks found"
	}
	text := count(s.Locks, "lock") + ": "
	sep := ""
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Fenced, "fenced"}, {s.Unfenced, "unfenced"}, {s.Unverified, "unverified"}, {s.NoVisibleWrite, "without visible write"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf("%s%d %s", sep, part.n, part.what)
			sep = ", "
		}
	}
	return text
}
