package text

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Findings prints what interrupts people: one line per finding that compilers,
// editors and CI systems know how to link, with the places that explain it below.
// Those that the source suppresses are left out.
func Findings(w io.Writer, inv *inventory.Inventory, style Style) error {
	out := bufio.NewWriter(w)
	for _, f := range inv.Findings {
		if f.Suppressed != nil {
			continue
		}
		fmt.Fprintf(out, "%s:%d: %s\n", style.paint(bold, style.place(f.File, f.Line)), f.Column, view.Printable(f.Message))
		for _, r := range f.Related {
			fmt.Fprintf(out, "\t%s: %s\n", style.place(r.File, r.Line), view.Printable(r.Message))
		}
	}
	return out.Flush()
}
