// Package report writes an inventory in all formats.
//
// A format is a function from the one inventory to a writer. An inventory is
// sorted and grouped over all packages, so there is nothing to stream.
package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/fencevet/fencevet/cmd/fencevet/internal/atomicfile"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/annotate"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/html"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/markdown"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/sarif"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/text"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
)

// A Format writes a report.
type Format struct {
	Name  string
	Write func(w io.Writer, r *view.Report, style text.Style) error
	// Source reports whether it shows lines of source.
	Source bool
}

// Inventory are the formats of an inventory, the default first.
var Inventory = []Format{
	{Name: "text", Write: text.Inventory},
	{Name: "markdown", Write: plain(markdown.Inventory)},
	{Name: "json", Write: plain(JSON)},
	{Name: "csv", Write: plain(CSV)},
	{Name: "sarif", Write: plain(sarif.Write)},
	{Name: "html", Write: plain(html.Write), Source: true},
	{Name: "github", Write: plain(annotate.GitHub)},
	{Name: "gitlab", Write: plain(annotate.GitLab)},
}

// Findings are the formats of findings.
var Findings = []Format{
	{Name: "text", Write: func(w io.Writer, r *view.Report, style text.Style) error { return text.Findings(w, r.Inventory, style) }},
	{Name: "json", Write: plain(JSON)},
	{Name: "sarif", Write: plain(sarif.Write)},
	{Name: "github", Write: plain(annotate.GitHub)},
	{Name: "gitlab", Write: plain(annotate.GitLab)},
}

// Gate are the formats of what a gate has found.
var Gate = []Format{
	{Name: "text", Write: text.Gate},
	{Name: "markdown", Write: plain(markdown.Gate)},
	{Name: "github", Write: plain(annotate.GitHubGate)},
}

// plain is a format that looks the same everywhere.
func plain(write func(io.Writer, *view.Report) error) func(io.Writer, *view.Report, text.Style) error {
	return func(w io.Writer, r *view.Report, _ text.Style) error { return write(w, r) }
}

// An Output is a format and where it goes.
type Output struct {
	Format Format
	File   string // empty: the standard output
}

// ParseOutputs reads a list such as text,html=locks.html of formats out of those
// given. Only one can go to the standard output, and one to each file.
func ParseOutputs(list string, formats []Format) ([]Output, error) {
	var all []Output
	seen := make(map[string]string)
	for item := range strings.SplitSeq(list, ",") {
		name, file, named := strings.Cut(item, "=")
		var o Output
		for _, f := range formats {
			if f.Name == name {
				o = Output{f, file}
			}
		}
		switch other, taken := seen[file]; {
		case o.Format.Write == nil:
			return nil, fmt.Errorf("no format %q: want one of %s", name, names(formats))
		case named && file == "":
			return nil, fmt.Errorf("format %s has no file after =", name)
		case taken && file == "":
			return nil, fmt.Errorf("formats %s and %s both go to the standard output: write one to a file, as in %[2]s=FILE", other, name)
		case taken:
			return nil, fmt.Errorf("formats %s and %s both go to %s", other, name, file)
		}
		seen[file] = name
		all = append(all, o)
	}
	return all, nil
}

func names(formats []Format) string {
	var all []string
	for _, f := range formats {
		all = append(all, f.Name)
	}
	return strings.Join(all, ", ")
}

// Write writes r to all outputs, of which none appears unless all could be made.
// A file appears whole or not at all. The style is that of the standard output.
func Write(outputs []Output, stdout io.Writer, r *view.Report, style text.Style) error {
	made := make([]bytes.Buffer, len(outputs))
	for i, o := range outputs {
		s := style
		if o.File != "" {
			s = text.Style{Width: style.Width, Path: style.Path}
		}
		if err := o.Format.Write(&made[i], r, s); err != nil {
			return fmt.Errorf("format %s: %w", o.Format.Name, err)
		}
	}
	for i, o := range outputs {
		var err error
		if o.File == "" {
			_, err = stdout.Write(made[i].Bytes())
		} else {
			err = atomicfile.Write(o.File, made[i].Bytes())
		}
		if err != nil {
			return fmt.Errorf("format %s: %w", o.Format.Name, err)
		}
	}
	return nil
}
