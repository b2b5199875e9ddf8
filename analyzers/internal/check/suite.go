package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

// Settings are what a project decides about checks. The zero value has the
// defaults.
type Settings struct {
	Today  string                // as 2027-06-30; empty: by the clock
	Checks map[string]bool       // on or off, where not as by default
	Level  lock.Level            // findings of this level and above; empty: warning
	Levels map[string]lock.Level // by check, where not Level
	// Exclude says why a finding does not count, or nil.
	Exclude func(lock.Finding) *lock.Suppression
}

// On reports whether a check runs.
func (s *Settings) On(c *Check) bool {
	if on, ok := s.Checks[c.Name]; ok {
		return on
	}
	return c.Default
}

// Least is the level from which findings of a check are shown.
func (s *Settings) Least(check string) lock.Level {
	return cmp.Or(s.Levels[check], s.Level, lock.Warning)
}

// today is the day of the run.
func (s *Settings) today() string {
	return cmp.Or(s.Today, time.Now().Format(time.DateOnly))
}

// A Suite is a list of checks.
type Suite []*Check

// Find runs the checks of s that are on, lets decisions and directives settle what
// they find, and sorts it by place. Findings of all levels are there, and those
// that do not count with the reason.
func (s Suite) Find(result *uses.Result, settings *Settings) []lock.Finding {
	r := &Review{Uses: result.Uses, Directives: result.Directives, Whole: result.Whole, Today: settings.today(), used: make(map[use]bool)}
	for _, c := range s {
		// A check that is off may be needed to see whether a directive is.
		if settings.On(c) || r.Whole && r.ignores(c.Name) {
			r.Checked = append(r.Checked, c.Name)
			r.Found = append(r.Found, c.Find(result.Uses, result.Remarks...)...)
		}
	}
	for i := range r.Found {
		r.settle(&r.Found[i])
	}
	for _, c := range s {
		r.Found = append(r.Found, c.review(r)...)
	}
	found := slices.DeleteFunc(r.Found, func(f lock.Finding) bool {
		i := slices.IndexFunc(s, func(c *Check) bool { return c.Name == f.Check })
		return !settings.On(s[i])
	})
	if settings.Exclude != nil {
		for i := range found {
			if found[i].Suppressed == nil {
				found[i].Suppressed = settings.Exclude(found[i])
			}
		}
	}
	Sort(found)
	return found
}

// A Review is what is known when all checks have run.
type Review struct {
	Uses       []*lock.Use
	Directives []lock.Directive
	Found      []lock.Finding
	Checked    []string // the checks that ran
	Whole      bool     // what is not seen is not there
	Today      string

	used map[use]bool
}

// use is an ignore directive that a check made use of.
type use struct {
	directive int
	check     string
}

// Used reports whether a finding of the check was silenced by a directive, told
// by its place in Directives.
func (r *Review) Used(directive int, check string) bool { return r.used[use{directive, check}] }

func (r *Review) ignores(check string) bool {
	return slices.ContainsFunc(r.Directives, func(d lock.Directive) bool { return slices.Contains(d.Checks, check) })
}

// fences are the checks that say that a resource accepts what it should not.
var fences = []string{"unfenced", "weakcondition", "unorderedtoken"}

// settle applies what the source has decided to a finding.
func (r *Review) settle(f *lock.Finding) {
	if d := decision(f.Use, r.Today); d != nil {
		switch {
		case d.Kind == lock.Correctness && slices.Contains(fences, f.Check):
			f.Level = lock.Error
		case d.Kind == lock.Efficiency && f.Check == "unfenced":
			f.Suppressed = &lock.Suppression{Position: d.Position, By: "directive", Reason: d.Reason, Owner: d.Owner}
		}
	}
	for i := range r.Directives {
		d := &r.Directives[i]
		if d.Kind != "ignore" || d.Fault != "" || !slices.Contains(d.Checks, f.Check) || !d.About(f.At) && !d.About(f.Else) || d.Until != "" && d.Until < r.Today {
			continue
		}
		r.used[use{i, f.Check}] = true
		if f.Suppressed == nil {
			f.Suppressed = &lock.Suppression{Position: d.Position, By: "directive", Reason: d.Reason, Owner: d.Owner}
		}
	}
}

// decision is what holds for a use on a day.
func decision(u *lock.Use, today string) *lock.Decision {
	if u == nil || u.Decision == nil || u.Decision.Expired(today) {
		return nil
	}
	return u.Decision
}
