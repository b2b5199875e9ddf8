// Package check turns a check into an analyzer.
//
// A check is a plain function over the records of a lock. It sees no syntax, so
// that it can be read as a rule and tested with a table.
package check

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Check is one rule.
type Check struct {
	Name    string
	Doc     string // the manual: a summary, a blank line, the rest
	Default bool   // whether it runs unless asked not to
	Why     string // why it does not, if it does not
	// Run reports what is wrong with one use. It need not fill in Check and Use,
	// nor end the message with the name: that is done for all checks alike.
	Run func(u *lock.Use, report func(lock.Finding))
	// Loose reports what is wrong where no use is in view; most checks have none.
	Loose func(r *lock.Remark, report func(lock.Finding))
	// Review reports what is wrong with the directives of the source, given what
	// all checks found; one check has it.
	Review func(r *Review, report func(lock.Finding))
}

// Find runs c over uses and loose remarks. What two uses share (a write reached by
// both, say) is found once: the same check, place and message do not interrupt a
// reader twice.
func (c *Check) Find(uses []*lock.Use, loose ...lock.Remark) []lock.Finding {
	g := gathering{check: c, seen: make(map[identity]bool)}
	if c.Run != nil {
		for _, u := range uses {
			c.Run(u, g.add(u))
		}
	}
	if c.Loose != nil {
		for i := range loose {
			c.Loose(&loose[i], g.add(nil))
		}
	}
	Sort(g.found)
	return g.found
}

// review runs the part of c that is about directives.
func (c *Check) review(r *Review) []lock.Finding {
	g := gathering{check: c, seen: make(map[identity]bool)}
	if c.Review != nil {
		c.Review(r, g.add(nil))
	}
	return g.found
}

// A gathering collects what one check reports.
type gathering struct {
	check *Check
	seen  map[identity]bool
	found []lock.Finding
}

type identity struct{ at, message string }

func (g *gathering) add(u *lock.Use) func(lock.Finding) {
	return func(f lock.Finding) {
		f.Check, f.Use = g.check.Name, u
		f.Message += " [" + f.Check + "]"
		id := identity{fmt.Sprintf("%s:%d:%d", f.At.File, f.At.Line, f.At.Column), f.Message}
		if !g.seen[id] {
			g.seen[id] = true
			g.found = append(g.found, f)
		}
	}
}

// Sort orders findings by place, then by check and message.
func Sort(found []lock.Finding) {
	slices.SortStableFunc(found, func(a, b lock.Finding) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Check, b.Check), cmp.Compare(a.Message, b.Message))
	})
}

// Rank orders levels: the higher, the more a finding matters. It is 0 for what
// is no level.
func Rank(l lock.Level) int {
	return 1 + slices.Index([]lock.Level{lock.Note, lock.Warning, lock.Error}, l)
}

// A Chooser says which settings hold for a package.
type Chooser func(*analysis.Pass) (*Settings, error)

// Analyzer returns c in the form that go vet, golangci-lint, nogo and gopls run,
// with the default settings, but on: a driver that did not want it would not ask.
func (c *Check) Analyzer() *analysis.Analyzer {
	return c.AnalyzerWith(uses.Analyzer, func(*analysis.Pass) (*Settings, error) {
		return &Settings{Checks: map[string]bool{c.Name: true}}, nil
	})
}

// AnalyzerWith is Analyzer with settings that depend on the package. records is
// what uses.New has made.
func (c *Check) AnalyzerWith(records *analysis.Analyzer, choose Chooser) *analysis.Analyzer {
	a := Suite{c}.Analyzer(c.Name, c.Doc, records, choose)
	a.URL += "/" + c.Name
	return a
}

// Analyzer returns the checks of s as one analyzer.
func (s Suite) Analyzer(name, doc string, records *analysis.Analyzer, choose Chooser) *analysis.Analyzer {
	var least lock.Level // as a flag says; empty: as the settings say
	a := &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		URL:      "https://pkg.go.dev/github.com/fencevet/fencevet/analyzers",
		Requires: []*analysis.Analyzer{records},
	}
	a.Flags.Init(name, flag.ExitOnError)
	a.Flags.Func("level", "report findings of this level and above: note, warning or error (default warning)", func(s string) error {
		if Rank(lock.Level(s)) == 0 {
			return fmt.Errorf("want note, warning or error")
		}
		least = lock.Level(s)
		return nil
	})
	a.Run = func(pass *analysis.Pass) (any, error) {
		result := pass.ResultOf[records].(*uses.Result)
		settings, err := choose(pass)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(s, settings.On) || len(result.Uses)+len(result.Remarks)+len(result.Directives) == 0 {
			return nil, nil
		}
		for _, f := range s.Find(result, settings) {
			// A place known from facts has no position in this package, and a
			// finding without one cannot be shown or silenced where it stands.
			if !f.At.Pos.IsValid() {
				f.At = f.Else
			}
			if Rank(f.Level) < Rank(cmp.Or(least, settings.Least(f.Check))) || !f.At.Pos.IsValid() || f.Suppressed != nil {
				continue
			}
			pass.Report(diagnostic(pass.Files, f))
		}
		return nil, nil
	}
	return a
}

func diagnostic(files []*ast.File, f lock.Finding) analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: f.At.Pos, End: extent(files, f.At.Pos), Category: f.Check, Message: f.Message}
	// A place in another package is known as text only: it is told at the last
	// place before it that can be shown.
	pos := f.At.Pos
	for _, frame := range f.Related {
		text := frame.Text
		switch {
		case frame.Pos.IsValid():
			pos = frame.Pos
		case frame.IsValid():
			text = Place(frame.Position) + ": " + text
		default:
			continue
		}
		d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, Message: text})
	}
	if f.Fix != nil {
		fix := analysis.SuggestedFix{Message: f.Fix.Message}
		for _, e := range f.Fix.Edits {
			fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: e.Pos, End: e.End, NewText: []byte(e.New)})
		}
		d.SuggestedFixes = []analysis.SuggestedFix{fix}
	}
	return d
}

// AtWrite places a finding about what is wrong with a write. Where the write stands in
// another package it is that package's code that is wrong, but a driver which sees one
// at a time can show the acquire only; what a released module does is not for its users
// to change.
func AtWrite(f *lock.Finding, u *lock.Use, w *lock.Write) {
	f.At = w.Position
	if SamePackage(u, w) {
		return
	}
	f.Else = u.Acquire.Position
	if !w.IsValid() || strings.Contains(w.File, "@v") {
		f.At, f.Else = f.Else, lock.Position{}
	}
}

// SamePackage reports whether the write stands in the package of the use: there
// its author can see and change it. Both must be asked: in a whole module every
// write has a position, and under go vet a file of the directory may still
// belong to another package (its external test).
func SamePackage(u *lock.Use, w *lock.Write) bool {
	return w.Pos.IsValid() && filepath.Dir(w.File) == filepath.Dir(u.Acquire.File)
}

// Frame is a line of related information.
func Frame(at lock.Position, format string, args ...any) lock.Frame {
	return lock.Frame{Position: at, Text: fmt.Sprintf(format, args...)}
}

// Trail is the way from the section to the write, with a text for every step.
func Trail(w *lock.Write) []lock.Frame {
	var way []lock.Frame
	for _, f := range w.Trail {
		if f.Text == "" {
			f.Text = "by way of " + f.Function
			if f.Function == "" {
				f.Text = "by way of this"
			}
		}
		way = append(way, f)
	}
	return way
}

// Place names a position within a message: the file's base name and the line.
// The full path is in the position of the related information, and a message
// that two machines share must not hold the directory of one.
func Place(at lock.Position) string {
	return fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line)
}
