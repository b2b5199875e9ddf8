// Package html writes an inventory as one page that stands alone: it loads
// nothing, and a browser runs no script in it but its own.
package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"go/doc/comment"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fencevet/fencevet/analyzers"
	"github.com/fencevet/fencevet/analyzers/inventory"
	"github.com/fencevet/fencevet/cmd/fencevet/internal/report/view"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

//go:embed script.js
var script string

// parse is done when a page is asked for: most runs of fencevet write none.
var parse = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"print": view.Printable,
		"place": func(file string, line int) string { return view.Printable(view.Place(file, line)) },
		"join":  func(all []string) string { return strings.Join(all, ", ") },
		// lines are values for the script, which splits them again.
		"lines": func(all []string) string {
			printable := make([]string, len(all))
			for i, s := range all {
				printable[i] = view.Printable(s)
			}
			return strings.Join(printable, "\n")
		},
		"inc":       func(n int) int { return n + 1 },
		"breakable": func(s string) template.HTML { return breakAt(breaks, s) },
		"folders":   func(s string) template.HTML { return breakAt(folders, s) },
	}).Parse(pageText))
})

// Where a browser may break text: names anywhere between their parts, places only
// between folders.
var (
	breaks  = strings.NewReplacer("/", "/<wbr>", ".", ".<wbr>", ":", ":<wbr>", "_", "_<wbr>")
	folders = strings.NewReplacer("/", "/<wbr>")
)

func breakAt(r *strings.Replacer, s string) template.HTML {
	return template.HTML(r.Replace(template.HTMLEscapeString(s)))
}

// A page is what the template shows.
type page struct {
	Policy string // of content security
	Style  template.CSS
	Script template.JS

	*view.Report
	Sentence string
	Charts   []chart
	Deltas   []view.Delta
	Filters  []filter
	Rows     []row
	Loose    []finding // of no lock
	Manuals  []manual
	Verdicts []verdict
}

// Write writes the page.
func Write(w io.Writer, r *view.Report) error {
	p := &page{
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hash(style), hash(script)),
		Style:  template.CSS(style), Script: template.JS(script),
		Report: r, Sentence: view.Sentence(r.Inventory), Verdicts: verdicts,
	}
	p.rows()
	p.charts()
	p.filters()
	p.manuals()
	if r.Trend != nil {
		p.Deltas = r.Trend.Deltas(r.Summary)
	}
	return parse().Execute(w, p)
}

// hash names a script or style in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A verdict is shown by a sign and a colour, and explained once.
type verdict struct {
	Name, Sign, Meaning string
}

var verdicts = []verdict{
	{string(lock.Unfenced), "✕", "the resource accepts at least one write of a holder that has lost its lock"},
	{string(lock.Unverified), "?", "something is out of sight, and the reason says what"},
	{string(lock.Fenced), "✓", "every write in view is refused by the resource once the lock is lost, or is safe without it"},
	{string(lock.NoVisibleWrite), "–", "the section changes nothing that fencevet knows of"},
}

// A row is one lock with its story.
type row struct {
	*view.Story
	Index     int // in the order of the page
	Verdict   verdict
	Rank      int // of the verdict
	Wrapper   bool
	Class     string
	TTL       string
	Token     string
	Resources []view.Resource
	More      int      // resources that are not shown
	Reasons   []string // for which the verdict is open
	Acquire   []stop
	Slow      []stop
	Writes    []path
	Findings  []finding
	Search    string // what is found beside what the row shows
}

// A stop has the lines of source around its place.
type stop struct {
	view.Stop
	Lines []line
}

type line struct {
	inventory.SourceLine
	Hit bool // the place itself
}

type path struct {
	view.Path
	Name  string
	Stops []stop
}

type finding struct {
	inventory.Finding
	Text string
}

func (p *page) rows() {
	const most = 3 // resources in a row; the story has all
	found := view.FindingsByLock(p.Inventory)
	for _, g := range view.Groups(p.Inventory) {
		for _, l := range g.Locks {
			story := view.Tell(l, found[l.ID])
			r := row{
				Story: story, Index: len(p.Rows), Wrapper: view.IsWrapper(l), Class: view.Class(l),
				TTL: view.TTL(l), Token: view.Token(l), Resources: view.Resources(l),
				Acquire: p.stops(story.Acquire), Slow: p.stops(story.Slow),
			}
			r.Rank = slices.IndexFunc(verdicts, func(v verdict) bool { return v.Name == l.Verdict })
			r.Verdict = verdicts[r.Rank]
			if l.Verdict == string(lock.Unverified) && !r.Wrapper {
				r.Reasons = l.Unseen
			}
			if r.Wrapper {
				r.Rank, r.Verdict = len(verdicts), verdict{Name: "wrapper"}
			}
			if r.More = len(r.Resources) - most; r.More > 1 {
				r.Resources = r.Resources[:most]
			}
			for _, w := range story.Writes {
				r.Writes = append(r.Writes, path{w, view.ResourceName(w.Write), p.stops(w.Stops)})
			}
			words := []string{l.ID, l.Package, strings.Join(l.Owners, " ")}
			for _, f := range story.Findings {
				r.Findings = append(r.Findings, finding{f, view.Message(f)})
				words = append(words, f.Check)
			}
			for _, w := range l.Writes {
				words = append(words, w.Resource, w.File)
			}
			r.Search = view.Printable(strings.Join(words, " "))
			p.Rows = append(p.Rows, r)
		}
	}
	for _, f := range found[""] {
		p.Loose = append(p.Loose, finding{f, view.Message(f)})
	}
}

func (p *page) stops(way []view.Stop) []stop {
	var all []stop
	for _, s := range way {
		st := stop{Stop: s}
		for _, l := range view.Excerpt(p.Inventory, s.File, s.Line) {
			st.Lines = append(st.Lines, line{l, l.Line == s.Line})
		}
		all = append(all, st)
	}
	return all
}

// A chart counts the locks by one dimension.
type chart struct {
	Name view.Dimension
	Bars []bar
}

type bar struct {
	view.Number
	Parts []part
}

// A part is the locks of one verdict, in percent of the widest bar.
type part struct {
	Verdict     string
	From, Width string
	N           int
}

func (p *page) charts() {
	dimensions := []view.Dimension{view.ByClass, view.ByLibrary}
	for _, d := range p.By {
		if !slices.Contains(dimensions, d) {
			dimensions = append(dimensions, d)
		}
	}
	for _, d := range dimensions {
		c := chart{Name: d}
		most := 0
		numbers := view.Numbers(p.Inventory, d)
		for _, n := range numbers {
			most = max(most, n.Locks)
		}
		for _, n := range numbers {
			c.Bars = append(c.Bars, bar{n, parts(n, most)})
		}
		if c.Bars != nil {
			p.Charts = append(p.Charts, c)
		}
	}
}

func parts(n view.Number, most int) []part {
	var all []part
	from := 0
	for _, v := range []struct {
		verdict lock.Verdict
		n       int
	}{
		{lock.Unfenced, n.Unfenced}, {lock.Unverified, n.Unverified}, {lock.Fenced, n.Fenced}, {lock.NoVisibleWrite, n.NoVisibleWrite},
	} {
		if v.n > 0 {
			percent := func(n int) string { return fmt.Sprintf("%.2f%%", 100*float64(n)/float64(most)) }
			all = append(all, part{string(v.verdict), percent(from), percent(v.n), v.n})
			from += v.n
		}
	}
	return all
}

// A filter is a list of values of which one can be chosen.
type filter struct {
	Name   string
	Values []string
}

func (p *page) filters() {
	for _, f := range []struct {
		name   string
		values func(row) []string
	}{
		{"class", func(r row) []string { return []string{r.Class} }},
		{"library", func(r row) []string { return []string{r.Lock.Library} }},
		{"package", func(r row) []string { return []string{r.Lock.Package} }},
		{"owner", func(r row) []string { return r.Lock.Owners }},
		{"check", func(r row) []string { return r.Checks() }},
	} {
		seen := make(map[string]bool)
		for _, r := range p.Rows {
			for _, v := range f.values(r) {
				seen[v] = true
			}
		}
		if len(seen) > 1 {
			p.Filters = append(p.Filters, filter{f.name, slices.Sorted(maps.Keys(seen))})
		}
	}
}

// Checks are those that found something, once each.
func (r row) Checks() []string {
	seen := make(map[string]bool)
	for _, f := range r.Findings {
		seen[f.Check] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// A manual is the text of a check that found something.
type manual struct {
	Check   string
	Summary string
	Text    template.HTML
}

func (p *page) manuals() {
	found := make(map[string]bool)
	for _, f := range p.Findings {
		found[f.Check] = true
	}
	for _, c := range analyzers.Checks() {
		if !found[c.Name] {
			continue
		}
		summary, rest, _ := strings.Cut(c.Doc, "\n")
		var parser comment.Parser
		printer := &comment.Printer{HeadingLevel: 4, HeadingID: func(*comment.Heading) string { return "" }}
		p.Manuals = append(p.Manuals, manual{c.Name, summary, template.HTML(printer.HTML(parser.Parse(rest)))})
	}
}
