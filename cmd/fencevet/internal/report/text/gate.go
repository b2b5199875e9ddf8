package text

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Gate prints what fails a gate as compilers print errors, then what has
// improved.
func Gate(w io.Writer, r *view.Report, style Style) error {
	out := bufio.NewWriter(w)
	for _, c := range r.Gate.Regressions {
		fmt.Fprintf(out, "%s:%d: %s\n", style.paint(bold, style.place(c.File, c.Line)), c.Column, view.Printable(view.Regression(c)))
		for _, more := range c.Related {
			fmt.Fprintf(out, "\t%s: %s\n", style.place(more.File, more.Line), view.Printable(more.Message))
		}
	}
	for _, c := range r.Gate.Improvements {
		at := ""
		if c.File != "" {
			at = style.place(c.File, c.Line) + ": "
		}
		fmt.Fprintf(out, "%s %s%s\n", style.paint(green, "better:"), at, view.Printable(c.Message))
	}
	fmt.Fprintf(out, "gate: %s\n", view.Printable(view.Outcome(r.Gate)))
	return out.Flush()
}
