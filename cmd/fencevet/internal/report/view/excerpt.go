package view

import (
	"slices"
	"strings"
	"unicode"

	"github.com/fencevet/fencevet/analyzers/inventory"
)

// Excerpt returns the quoted lines around a place, without the indentation that
// they share and printable. It is empty where the inventory quotes none.
func Excerpt(inv *inventory.Inventory, file string, line int) []inventory.SourceLine {
	i, ok := slices.BinarySearchFunc(inv.Source, file, func(s inventory.Source, file string) int { return strings.Compare(s.File, file) })
	if !ok {
		return nil
	}
	lines := inv.Source[i].Lines
	at, ok := slices.BinarySearchFunc(lines, line, func(l inventory.SourceLine, line int) int { return l.Line - line })
	if !ok {
		return nil
	}
	first, last := at, at+1
	for first > 0 && at-first < inventory.LinesBefore && lines[first-1].Line == lines[first].Line-1 {
		first--
	}
	for last < len(lines) && last-at <= inventory.LinesAfter && lines[last].Line == lines[last-1].Line+1 {
		last++
	}
	// What belongs to the function before or behind is no part of the story.
	for i := at; i < last; i++ {
		if strings.HasPrefix(lines[i].Text, "}") {
			last = i + 1
		}
	}
	for first < at && strings.HasPrefix(lines[first].Text, "}") {
		first++
	}
	excerpt := slices.Clone(lines[first:last])
	shared := -1
	for i := range excerpt {
		text := strings.ReplaceAll(excerpt[i].Text, "\t", "    ")
		excerpt[i].Text = strings.TrimRightFunc(Printable(text), unicode.IsSpace)
		if bare := strings.TrimLeft(excerpt[i].Text, " "); bare != "" {
			if indent := len(excerpt[i].Text) - len(bare); shared < 0 || indent < shared {
				shared = indent
			}
		}
	}
	for i := range excerpt {
		excerpt[i].Text = excerpt[i].Text[min(max(shared, 0), len(excerpt[i].Text)):]
	}
	// Nothing is told by empty lines at either end.
	for len(excerpt) > 0 && excerpt[len(excerpt)-1].Text == "" {
		excerpt = excerpt[:len(excerpt)-1]
	}
	for len(excerpt) > 0 && excerpt[0].Text == "" {
		excerpt = excerpt[1:]
	}
	return excerpt
}

// Quoted returns one line of source.
func Quoted(inv *inventory.Inventory, file string, line int) (string, bool) {
	for _, l := range Excerpt(inv, file, line) {
		if l.Line == line {
			return l.Text, true
		}
	}
	return "", false
}
