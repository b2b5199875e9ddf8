// Package sarif writes the findings of an inventory in the Static Analysis
// Results Interchange Format 2.1.0: one result per finding, with the way from
// the acquire to the write as its code flow.
package sarif

import (
	"encoding/json"
	"go/doc/comment"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

const (
	home = "https://github.com/fencevet/fencevet"
	// base stands for the root of the repository, which whoever reads the file
	// knows better.
	base = "%SRCROOT%"
)

// Write writes the findings of r, those of level note and suppressed ones too.
func Write(w io.Writer, r *view.Report) error {
	rules, index := rules()
	out := run{
		Tool:        tool{driver{Name: view.Printable(r.Tool.Name), Version: view.Printable(r.Tool.Version), InformationURI: home, Rules: rules}},
		Invocations: []invocation{{ExecutionSuccessful: true}},
		OriginalURIBaseIDs: map[string]artifactLocation{
			base: {Description: &message{Text: "The root of the repository."}},
		},
		ColumnKind: "unicodeCodePoints", // bytes really, which is the same in all but odd lines
		Results:    []result{},
	}
	for _, p := range r.Incomplete {
		out.Invocations[0].Notifications = append(out.Invocations[0].Notifications, notification{
			Level: "warning", Message: plain("not analysed: " + p.Package + ": " + p.Reason),
		})
	}
	locks := make(map[string]inventory.Lock)
	for _, l := range r.Locks {
		locks[l.ID] = l
	}
	c := &converter{r.Inventory}
	fingerprints := view.Fingerprints(r.Inventory)
	for i, f := range r.Findings {
		at, ok := index[f.Check]
		if !ok {
			at = -1 // of another version, by way of a saved inventory
		}
		res := result{
			RuleID: view.Printable(f.Check), RuleIndex: at, Level: f.Level, Message: plain(view.Message(f)),
			Locations:    []location{c.location(f.File, f.Line, f.Column, "")},
			Fingerprints: map[string]string{"fencevet/v1": fingerprints[i]}, Suppressions: []suppression{},
		}
		for n, related := range f.Related {
			l := c.location(related.File, related.Line, 0, related.Message)
			l.ID = &n
			res.Related = append(res.Related, l)
		}
		if l, ok := locks[f.Lock]; ok {
			res.Locations[0].Logical = logical(l, f)
			res.CodeFlows = c.flows(l, f)
		}
		if s := f.Suppressed; s != nil {
			kind := "inSource"
			if s.By == "config" {
				kind = "external"
			}
			res.Suppressions = []suppression{{Kind: kind, Status: "accepted", Justification: view.Printable(s.Reason)}}
		}
		out.Results = append(out.Results, res)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(log{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []run{out},
	})
}

// rules returns the checks, with their manuals as help, and the place of each.
func rules() ([]rule, map[string]int) {
	var all []rule
	index := make(map[string]int)
	for i, c := range analyzers.Checks() {
		index[c.Name] = i
		summary, _, _ := strings.Cut(c.Doc, "\n")
		var parser comment.Parser
		doc := parser.Parse(c.Doc)
		printer := &comment.Printer{TextWidth: 80, HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }}
		sentence := strings.ToUpper(summary[:1]) + summary[1:] + "."
		all = append(all, rule{
			ID:               c.Name,
			ShortDescription: message{Text: sentence},
			FullDescription:  message{Text: sentence},
			Help:             message{Text: string(printer.Text(doc)), Markdown: string(printer.Markdown(doc))},
			HelpURI:          "https://pkg.go.dev/github.com/fencevet/fencevet/analyzers/" + c.Name,
			Configuration:    configuration{Enabled: c.Default, Level: string(lock.Warning)},
			Properties:       properties{Tags: []string{"concurrency", "distributed-locks"}},
		})
	}
	return all, index
}

type converter struct{ inv *inventory.Inventory }

func (c *converter) location(file string, line, column int, text string) location {
	l := location{Physical: physicalLocation{Artifact: artifact(view.InRepository(c.inv, file))}}
	if line > 0 {
		l.Physical.Region = &region{StartLine: line, StartColumn: column}
		if s, ok := view.Quoted(c.inv, file, line); ok {
			l.Physical.Region.Snippet = &message{Text: s}
		}
	}
	if text != "" {
		m := plain(text)
		l.Message = &m
	}
	return l
}

// artifact names a file. What lies outside of the repository is named in full.
func artifact(file string) artifactLocation {
	if path.IsAbs(file) {
		return artifactLocation{URI: (&url.URL{Scheme: "file", Path: file}).String()}
	}
	return artifactLocation{URI: (&url.URL{Path: file}).String(), BaseID: base}
}

// logical names the function that f stands in, where that is known.
func logical(l inventory.Lock, f inventory.Finding) []logicalLocation {
	name := ""
	if l.Acquire.File == f.File && l.Acquire.Line == f.Line {
		name = l.Acquire.Function
	}
	for _, w := range l.Writes {
		if w.File == f.File && w.Line == f.Line {
			name = w.Function
		}
	}
	if name == "" {
		return nil
	}
	return []logicalLocation{{FullyQualifiedName: view.Printable(name), Kind: "function"}}
}

// flows are the ways from the acquire to the writes that f speaks of: the one
// that it stands at and those among its related places.
func (c *converter) flows(l inventory.Lock, f inventory.Finding) []codeFlow {
	spoken := map[string]bool{view.Place(f.File, f.Line): true}
	for _, r := range f.Related {
		spoken[view.Place(r.File, r.Line)] = true
	}
	var all []codeFlow
	story := view.Tell(l, nil)
	for _, p := range story.Writes {
		if !spoken[view.Place(p.Write.File, p.Write.Line)] {
			continue
		}
		var flow threadFlow
		for _, s := range append([]view.Stop{story.Acquire[0]}, p.Stops...) {
			flow.Locations = append(flow.Locations, threadFlowLocation{c.location(s.File, s.Line, 0, s.Text)})
		}
		all = append(all, codeFlow{[]threadFlow{flow}})
	}
	return all
}

// plain is a message that means what it says: SARIF reads [text](target) as a
// link and {0} as a placeholder.
func plain(text string) message {
	text = view.Printable(text)
	text = strings.ReplaceAll(text, "](", "] (")
	return message{Text: placeholder().ReplaceAllString(text, "{$0}")}
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\d+\}`) })
