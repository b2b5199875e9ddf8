package checktest

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fencevet/fencevet/analyzers/internal/check"
)

// What differs between two findings of one kind: names, numbers, places.
var (
	quoted   = regexp.MustCompile(`"[^"]*"`)
	numbered = regexp.MustCompile(`[0-9]+`)
	located  = regexp.MustCompile(`[A-Za-z0-9_]+\.go:[0-9]+`)
)

// Messages lists, for each of checks, a message of every kind that the programs give
// rise to, so that the wording can be read as one text. Of the messages that begin
// with the same symptom and end in the same remedy the shortest stands for all.
func (c *Corpus) Messages(checks []*check.Check) string {
	kinds := make(map[string]map[string]string)
	for _, items := range c.Module(checks).items {
		for _, item := range items {
			if item.Verdict {
				continue
			}
			level := ""
			if item.Quiet {
				level = "note: "
			}
			message := level + located.ReplaceAllString(strings.TrimSuffix(item.Text, " ["+item.Name+"]"), "main.go:1")
			kind := kindOf(message)
			if kinds[item.Name] == nil {
				kinds[item.Name] = make(map[string]string)
			}
			if old := kinds[item.Name][kind]; old == "" || cmp.Or(cmp.Compare(len(message), len(old)), cmp.Compare(message, old)) < 0 {
				kinds[item.Name][kind] = message
			}
		}
	}
	var b strings.Builder
	for _, ch := range checks {
		b.WriteString(ch.Name + "\n")
		for _, message := range slices.Sorted(maps.Values(kinds[ch.Name])) {
			b.WriteString("\t" + message + "\n")
		}
	}
	return b.String()
}

// kindOf is the symptom at the beginning of a message and the remedy at its end,
// without what is particular to one finding.
func kindOf(message string) string {
	symptom, _, _ := strings.Cut(strings.TrimPrefix(message, "note: "), ": ")
	remedy := message[strings.LastIndex(message, "; ")+1:]
	return numbered.ReplaceAllString(quoted.ReplaceAllString(strings.Join(append(strings.Fields(symptom)[:min(4, len(strings.Fields(symptom)))], strings.Fields(remedy)[:min(4, len(strings.Fields(remedy)))]...), " "), ""), "")
}
