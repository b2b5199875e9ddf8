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
// A check is on by default once its precision was measured; every one that is
// not carries the reason here, in its Why.
var suite = []*struct {
	*Check
	Analyzer *analysis.Analyzer
}{
	{unfenced.Check, unfenced.Analyzer},
	{weakcondition.Check, weakcondition.Analyzer},
	{unorderedtoken.Check, unorderedtoken.Analyzer},
	{poolconn.Check, poolconn.Analyzer},
	{wallclock.Check, wallclock.Analyzer},
	{longsection.Check, longsection.Analyzer},
	{acquire.Check, acquire.Analyzer},
	{release.Check, release.Analyzer},
	{earlyrelease.Check, earlyrelease.Analyzer},
	{keymismatch.Check, keymismatch.Analyzer},
	{localstate.Check, localstate.Analyzer},
	{renewal.Check, renewal.Analyzer},
	{units.Check, units.Analyzer},
	{tokenreset.Check, tokenreset.Analyzer},
	{replica.Check, replica.Analyzer},
	{owner.Check, owner.Analyzer},
	{failover.Check, failover.Analyzer},
	{onceguard.Check, onceguard.Analyzer},
	{lockdelay.Check, lockdelay.Analyzer},
	{crossslot.Check, crossslot.Analyzer},
	{staleread.Check, staleread.Analyzer},
	{bypass.Check, bypass.Analyzer},
	{unmetered.Check, unmetered.Analyzer},
	{redundantlock.Check, redundantlock.Analyzer},
	{directive.Check, directive.Analyzer},
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
