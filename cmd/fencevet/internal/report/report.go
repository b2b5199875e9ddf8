// Package report prints an inventory, one function per format.
//
// An inventory is sorted and grouped over all packages, so there is nothing to
// stream: a format gets the whole and writes it.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// A Format prints an inventory.
type Format func(w io.Writer, inv *inventory.Inventory, style Style) error

// Formats are the formats of the inventory by name.
var Formats = map[string]Format{
	"text": Table,
	"json": JSON,
}

// Names returns the names of the formats for usage texts and errors.
func Names() string {
	var names []string
	for name := range Formats {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.Reverse(names) // text, the default, first
	return strings.Join(names, ", ")
}

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
	return fmt.Sprintf("%s:%d", printable(file), line)
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

// JSON prints the inventory as it is published.
func JSON(w io.Writer, inv *inventory.Inventory, _ Style) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(inv)
}

// printable escapes what a string of the analysed source could do to a
// terminal: control sequences, line breaks, and marks that turn text around.
func printable(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// count makes "1 lock" and "2 locks".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
