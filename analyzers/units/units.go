package units

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports times to live and intervals that are not what they look like.
var Check = &check.Check{
	Name:    "units",
	Doc:     check.Manual(doc, "units"),
	Default: true,
	Run:     run,
	Loose:   loose,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Remarks {
		if f, ok := finding(&u.Remarks[i], check.Lock(u)); ok {
			report(f)
		}
	}
}

func loose(r *lock.Remark, report func(lock.Finding)) {
	if f, ok := finding(&r.Call, "the lock"); ok {
		report(f)
	}
}

func finding(c *lock.Call, about string) (lock.Finding, bool) {
	f := lock.Finding{At: c.Position, Level: lock.Error}
	call := check.Short(c.Call)
	switch c.Kind {
	case lock.DurationBare:
		f.Message = fmt.Sprintf("nanoseconds where seconds are meant, so %s ends, or is renewed, all the time: %s is given %s without a unit; multiply by time.Second before dividing", about, call, check.Quote(c.Text))
	case lock.DurationInstant:
		f.Message = fmt.Sprintf("the lock of a holder that dies stays for decades: %s takes a length of time for %s, and is given a point in time (%s); pass time.Until of it, or the length itself", call, about, check.Quote(c.Text))
	case lock.DurationTiny:
		f.Message = fmt.Sprintf("everybody gets in: %s lives %s, because a bare number counts nanoseconds; multiply it by time.Second", about, c.Text)
	case lock.DurationSquared:
		f.Message = fmt.Sprintf("the lock of a holder that dies stays for years, or the product overflows: %s is given %s, a duration multiplied by one; leave the factor out", call, check.Quote(c.Text))
	case lock.DurationScale:
		symptom := fmt.Sprintf("the lock of a holder that dies stays %.0f times as long as is meant", c.Share)
		if c.Share < 1 {
			symptom = fmt.Sprintf("a second holder starts before the first is done: %s lives %.3g of the time that is meant", about, c.Share)
		}
		f.Message = fmt.Sprintf("%s: %s counts %s; convert the duration to that unit", symptom, call, c.Text)
	case lock.DurationCut:
		f.Message = fmt.Sprintf("the lock is refused, or has no end: %s asks for no time at all for %s, because nothing is left of %s; count in a smaller unit, or round up", call, about, c.Text)
	case lock.DurationRange:
		f.Level = lock.Warning
		f.Message = fmt.Sprintf("the session is refused when it is made: the time to live of %s is out of range (%s); choose one inside", about, c.Text)
	default:
		return f, false
	}
	return f, true
}
