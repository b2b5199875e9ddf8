package text

import (
	"strings"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Diff shows one line of a unified diff.
func (s Style) Diff(line string) string {
	color := ""
	switch {
	case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		color = bold
	case strings.HasPrefix(line, "@@"):
		color = dim
	case strings.HasPrefix(line, "-"):
		color = red
	case strings.HasPrefix(line, "+"):
		color = green
	}
	text := strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
	return s.paint(color, view.Printable(text))
}
