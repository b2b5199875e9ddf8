// Package analyzers lists the checks of fencevet.
package analyzers

import (
	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/acquire"
	"github.com/fencevet/fencevet/analyzers/bypass"
	"github.com/fencevet/fencevet/analyzers/crossslot"
	"github.com/fencevet/fencevet/analyzers/directive"
	"github.com/fencevet/fencevet/analyzers/earlyrelease"
	"github.com/fencevet/fencevet/analyzers/failover"
	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/analyzers/keymismatch"
	"github.com/fencevet/fencevet/analyzers/localstate"
	"github.com/fencevet/fencevet/analyzers/lockdelay"
	"github.com/fencevet/fencevet/analyzers/longsection"
	"github.com/fencevet/fencevet/analyzers/onceguard"
	"github.com/fencevet/fencevet/analyzers/owner"
	"github.com/fencevet/fencevet/analyzers/poolconn"
	"github.com/fencevet/fencevet/analyzers/redundantlock"
	"github.com/fencevet/fencevet/analyzers/release"
	"github.com/fencevet/fencevet/analyzers/renewal"
	"github.com/fencevet/fencevet/analyzers/replica"
	"github.com/fencevet/fencevet/analyzers/staleread"
	"github.com/fencevet/fencevet/analyzers/tokenreset"
	"github.com/fencevet/fencevet/analyzers/unfenced"
	"github.com/fencevet/fencevet/analyzers/units"
	"github.com/fencevet/fencevet/analyzers/unmetered"
	"github.com/fencevet/fencevet/analyzers/unorderedtoken"
	"github.com/fencevet/fencevet/analyzers/wallclock"
	"github.com/fencevet/fencevet/analyzers/weakcondition"
	"github.com/fencevet/fencevet/passes/lock"
	"github.com/fencevet/fencevet/passes/uses"
)

// A Check is one rule over the records of a lock.
type Check = check.Check

// suite is in the order in which a reader asks: does the resource refuse a
// stale holder at all, does it refuse it in earnest, does the lock hold.
//
// Beside each check stands how many of its findings were right, of all that it made
// above level note: in programs drawn from public bug reports (cases), and in those of
// 32 public repositories that readers had labelled before (repositories); the rules
// were sharpened on both, so that code nobody has looked at may do worse. Where both
// have none there is but the corpus in testdata, and no false one either. What readers
// did not name was read again: of the three of unfenced two are right and one is arguable,
// as are that of weakcondition and that of renewal. A check that is off by default carries
// the reason in its Why.
var suite = []*struct {
	*Check
	Analyzer *analysis.Analyzer
}{
	{unfenced.Check, unfenced.Analyzer},             // cases 3/3, repositories 38/41
	{weakcondition.Check, weakcondition.Analyzer},   // cases 2/2, repositories 0/1
	{unorderedtoken.Check, unorderedtoken.Analyzer}, // none in either
	{poolconn.Check, poolconn.Analyzer},             // cases 4/4
	{wallclock.Check, wallclock.Analyzer},           // cases 1/1, repositories 4/4
	{longsection.Check, longsection.Analyzer},       // cases 1/1, repositories 11/11
	{acquire.Check, acquire.Analyzer},               // cases 3/3, repositories 3/3
	{release.Check, release.Analyzer},               // cases 11/11, repositories 13/13
	{earlyrelease.Check, earlyrelease.Analyzer},     // cases 1/1
	{keymismatch.Check, keymismatch.Analyzer},       // none in either
	{localstate.Check, localstate.Analyzer},         // none in either
	{renewal.Check, renewal.Analyzer},               // cases 11/11, repositories 2/3
	{units.Check, units.Analyzer},                   // cases 2/2
	{tokenreset.Check, tokenreset.Analyzer},         // cases 1/1
	{replica.Check, replica.Analyzer},               // cases 1/1
	{owner.Check, owner.Analyzer},                   // cases 1/1
	{failover.Check, failover.Analyzer},             // cases 1/1; a note: most clusters lose a lock once in years
	{onceguard.Check, onceguard.Analyzer},           // cases 1/1
	{lockdelay.Check, lockdelay.Analyzer},           // none in either; a note: short delays are chosen on purpose
	{crossslot.Check, crossslot.Analyzer},           // none in either
	{staleread.Check, staleread.Analyzer},           // none in either
	{bypass.Check, bypass.Analyzer},                 // none in either; a note: whether the two writes ever meet, only their authors know
	{unmetered.Check, unmetered.Analyzer},           // none in either; off, see its Why
	{redundantlock.Check, redundantlock.Analyzer},   // cases 1/1; a note: the lock may be there to save work
	{directive.Check, directive.Analyzer},           // none in either: it is about what fencevet itself has people write
}

// Checks returns all checks.
func Checks() []*Check {
	var all []*Check
	for _, s := range suite {
		all = append(all, s.Check)
	}
	return all
}

// All returns the analyzers of the checks that are on by default.
func All() []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, s := range suite {
		if s.Default {
			all = append(all, s.Analyzer)
		}
	}
	return all
}

// Settings are what a project decides about checks.
type Settings = check.Settings

// Find runs the checks that are on over the records of a module and sorts what
// they find by place. What directives or settings suppress is there with the
// reason, and so are all levels.
func Find(result *uses.Result, settings *Settings) []lock.Finding {
	return check.Suite(Checks()).Find(result, settings)
}

// Show returns the findings of the levels that the settings ask for, suppressed
// ones among them.
func Show(found []lock.Finding, settings *Settings) []lock.Finding {
	var loud []lock.Finding
	for _, f := range found {
		if Loud(f.Check, f.Level, settings) {
			loud = append(loud, f)
		}
	}
	return loud
}

// Loud reports whether findings of a check and level are among those that the
// settings ask for.
func Loud(name string, level lock.Level, settings *Settings) bool {
	return check.Rank(level) >= check.Rank(settings.Least(name))
}
