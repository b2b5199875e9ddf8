// Package check turns a check into an analyzer.
//
// A check is a plain function over the records of a lock. It sees no syntax, so
// that it can be read as a rule and tested with a table.
package check

import (
	"cmp"
	"flag"
	"fmt"
	"path/filepath"
	"slices"

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
}

// Find runs c over uses and loose remarks. What two uses share (a write reached by
// both, say) is found once: the same check, place and message do not interrupt a
// reader twice.
func (c *Check) Find(uses []*lock.Use, loose ...lock.Remark) []lock.Finding {
	type identity struct {
		at      string
		message string
	}
	seen := make(map[identity]bool)
	var found []lock.Finding
	add := func(u *lock.Use) func(lock.Finding) {
		return func(f lock.Finding) {
			f.Check = c.Name
			f.Use = u
			f.Message += " [" + c.Name + "]"
			id := identity{fmt.Sprintf("%s:%d:%d", f.At.File, f.At.Line, f.At.Column), f.Message}
			if seen[id] {
				return
			}
			seen[id] = true
			found = append(found, f)
		}
	}
	for _, u := range uses {
		c.Run(u, add(u))
	}
	if c.Loose != nil {
		for i := range loose {
			c.Loose(&loose[i], add(nil))
		}
	}
	Sort(found)
	return found
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

// Analyzer returns c in the form that go vet, golangci-lint, nogo and gopls run.
func (c *Check) Analyzer() *analysis.Analyzer {
	least := lock.Warning
	a := Combine(c.Name, c.Doc, func() ([]*Check, lock.Level) { return []*Check{c}, least })
	a.URL = "https://pkg.go.dev/github.com/fencevet/fencevet/analyzers/" + c.Name
	a.Flags.Init(c.Name, flag.ExitOnError)
	LevelFlag(&a.Flags, &least)
	return a
}

// Combine returns an analyzer that runs checks, of which it asks once the flags
// have been read, and reports findings of a level and above.
func Combine(name, doc string, wanted func() (run []*Check, least lock.Level)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		Requires: []*analysis.Analyzer{uses.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			result := pass.ResultOf[uses.Analyzer].(*uses.Result)
			run, least := wanted()
			var found []lock.Finding
			for _, c := range run {
				found = append(found, c.Find(result.Uses, result.Remarks...)...)
			}
			Sort(found)
			for _, f := range found {
				// A place known from facts has no position in this package, and a
				// finding without one cannot be shown or silenced where it stands.
				if Rank(f.Level) < Rank(least) || !f.At.Pos.IsValid() {
					continue
				}
				pass.Report(diagnostic(f))
			}
			return nil, nil
		},
	}
}

// LevelFlag adds a flag that sets the least level to report.
func LevelFlag(flags *flag.FlagSet, least *lock.Level) {
	flags.Func("level", "report findings of this level and above: note, warning or error (default warning)", func(s string) error {
		if Rank(lock.Level(s)) == 0 {
			return fmt.Errorf("want note, warning or error")
		}
		*least = lock.Level(s)
		return nil
	})
}

func diagnostic(f lock.Finding) analysis.Diagnostic {
	d := analysis.Diagnostic{Pos: f.At.Pos, Category: f.Check, Message: f.Message}
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
