// Package text writes an inventory, its findings, or the story of one lock for a
// reader at a terminal.
package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Style is how text is shown.
type Style struct {
	Width int  // columns of the terminal
	Color bool // whether it understands colours
	// Path makes a path of the inventory one that the reader can open from
	// where the command runs; nil leaves it as it is.
	Path func(string) string
}

func (s Style) place(file string, line int) string {
	if s.Path != nil {
		file = s.Path(file)
	}
	return view.Place(view.Printable(file), line)
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (s Style) paint(color, text string) string {
	if !s.Color || color == "" || text == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// prose cuts text into lines of at most width characters between words. Only a
// word that is longer is cut itself.
func prose(text string, width int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		cut := wrap(word, width)
		lines = append(lines, cut[:len(cut)-1]...)
		line = cut[len(cut)-1]
	}
	return append(lines, line)
}

// fill writes text in lines of the style's width, each behind indent but the
// first, which comes behind first.
func (s Style) fill(b *strings.Builder, first, indent, text string) {
	width := max(s.Width-len(indent), 2*minWidth)
	for i, line := range prose(view.Printable(text), width) {
		if i == 0 {
			fmt.Fprintln(b, first+line)
		} else {
			fmt.Fprintln(b, indent+line)
		}
	}
}
