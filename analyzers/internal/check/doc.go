package check

import (
	"fmt"
	"strings"
)

// Manual cuts the manual of the named check out of its doc.go:
//
//	// Package unfenced defines the check of that name.
//	//
//	// # Analyzer unfenced
//	//
//	// unfenced: report writes that no fencing token guards
//	//
//	// The long text, with headings of its own.
//	package unfenced
//
// The result is what [analysis.Analyzer.Doc] wants: the summary, a blank line,
// the long text. It is read from the source line by line rather than parsed,
// because it happens whenever the process starts, also for go vet's questions.
// Manual panics if the file does not have this form.
func Manual(source, name string) string {
	var text strings.Builder
	text.Grow(len(source))
	inside := false
	for line := range strings.Lines(source) {
		line, comment := strings.CutPrefix(line, "//")
		if !comment {
			break
		}
		line = strings.TrimPrefix(strings.TrimRight(line, "\r\n"), " ")
		if analyzer, ok := strings.CutPrefix(line, "# Analyzer "); ok {
			inside = analyzer == name
			continue
		}
		if inside {
			text.WriteString(line)
			text.WriteByte('\n')
		}
	}
	manual := strings.TrimSpace(text.String())
	about, manual, ok := strings.Cut(manual, ": ")
	if !ok || about != name {
		panic(fmt.Sprintf("doc.go has no section %q that starts with %q", "# Analyzer "+name, name+": "))
	}
	return manual
}
