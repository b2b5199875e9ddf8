package inventory

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// How much is quoted around each place.
const (
	LinesBefore = 1
	LinesAfter  = 3
	lineBytes   = 240 // of a line; generated ones have no end
)

// Quote adds the lines of source that the places of the inventory stand on, with
// a few around each, as they are now. What cannot be read is left out.
func (inv *Inventory) Quote(read func(file string) ([]byte, error)) {
	wanted := make(map[string]map[int]bool)
	inv.places(func(file string, line int) {
		if file == "" || line <= 0 {
			return
		}
		if wanted[file] == nil {
			wanted[file] = make(map[int]bool)
		}
		for n := max(1, line-LinesBefore); n <= line+LinesAfter; n++ {
			wanted[file][n] = true
		}
	})
	inv.Source = nil
	for _, file := range slices.Sorted(maps.Keys(wanted)) {
		text, err := read(file)
		if err != nil {
			continue
		}
		all := bytes.Split(text, []byte("\n"))
		var lines []SourceLine
		for _, n := range slices.Sorted(maps.Keys(wanted[file])) {
			if n <= len(all) {
				lines = append(lines, SourceLine{Line: n, Text: quote(all[n-1])})
			}
		}
		if lines != nil {
			inv.Source = append(inv.Source, Source{File: file, Lines: lines})
		}
	}
}

func quote(line []byte) string {
	text := string(bytes.TrimRight(line, "\r"))
	if len(text) > lineBytes {
		text = text[:lineBytes] + " ..."
	}
	return strings.ToValidUTF8(text, "\ufffd")
}

// places visits every place that the inventory names.
func (inv *Inventory) places(visit func(file string, line int)) {
	steps := func(way []Step) {
		for _, s := range way {
			visit(s.File, s.Line)
		}
	}
	for _, l := range inv.Locks {
		visit(l.Acquire.File, l.Acquire.Line)
		steps(l.Via)
		for _, w := range l.Writes {
			steps(w.Trail)
			visit(w.File, w.Line)
		}
		for _, s := range l.Section.Slow {
			visit(s.File, s.Line)
		}
		if d := l.Decision; d != nil {
			visit(d.File, d.Line)
		}
	}
	for _, f := range inv.Findings {
		visit(f.File, f.Line)
		for _, r := range f.Related {
			visit(r.File, r.Line)
		}
	}
}
