package markdown

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Gate writes a comment for a pull request. Its first line lets a bot find the
// comment that it wrote the last time.
func Gate(w io.Writer, r *view.Report) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "<!-- fencevet gate -->\n**fencevet gate: %s**\n", Text(view.Outcome(r.Gate)))
	if len(r.Gate.Regressions) > 0 {
		fmt.Fprint(out, "\n| where | what |\n|---|---|\n")
	}
	for _, c := range r.Gate.Regressions {
		what := "**" + c.Kind + "**: " + Text(c.Message)
		for _, more := range c.Related {
			what += "<br>" + Code(view.Place(more.File, more.Line)) + " " + Text(more.Message)
		}
		fmt.Fprintf(out, "| %s | %s |\n", Code(view.Place(c.File, c.Line)), what)
	}
	if n := len(r.Gate.Improvements); n > 0 {
		fmt.Fprintf(out, "\n<details><summary>%s</summary>\n\n", view.Count(n, "improvement"))
		for _, c := range r.Gate.Improvements {
			at := ""
			if c.File != "" {
				at = Code(view.Place(c.File, c.Line)) + " "
			}
			fmt.Fprintf(out, "- %s%s\n", at, Text(c.Message))
		}
		fmt.Fprint(out, "\n</details>\n")
	}
	for _, n := range r.Gate.Notes {
		fmt.Fprintf(out, "\n%s\n", Text(n))
	}
	return out.Flush()
}
