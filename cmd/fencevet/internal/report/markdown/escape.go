package markdown

import (
	"regexp"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// Text makes text stand for itself within a paragraph or a cell: no markup, no
// HTML, and nothing that a forge turns into a link or a mention.
func Text(s string) string {
	return reference().ReplaceAllString(markup.Replace(view.Printable(s)), "$0"+nothing)
}

var markup = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	"\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "|", "\\|", "~", "\\~", "$", "\\$", "#", "\\#", "!", "\\!",
)

// nothing shows as such, and keeps apart what a forge would read as one word.
const nothing = "<!-- -->"

// reference is the beginning of what forges turn into links: mentions, numbers of
// issues, and addresses.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)[@#!]|\w:/|www`) })

// Code makes text stand for itself in the type of code, also within a cell.
func Code(s string) string {
	s = view.Printable(s)
	if strings.TrimSpace(s) == "" {
		return ""
	}
	// A run of backticks ends at one of the same length only.
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	// Within a cell a bar ends the cell, code or not, and this is the one escape
	// that is undone in code.
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}
