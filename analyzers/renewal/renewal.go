package renewal

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports leases whose end the holder does not learn of, or brings about.
var Check = &check.Check{
	Name:    "renewal",
	Doc:     check.Manual(doc, "renewal"),
	Default: true,
	Run:     run,
	Loose:   loose,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Remarks {
		c := &u.Remarks[i]
		f, ok := finding(c, check.Lock(u))
		if !ok {
			continue
		}
		if c.Position != u.Acquire.Position {
			f.Related = []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))}
		}
		report(f)
	}
}

func loose(r *lock.Remark, report func(lock.Finding)) {
	if f, ok := finding(&r.Call, "the lock"); ok {
		report(f)
	}
}

func finding(c *lock.Call, about string) (lock.Finding, bool) {
	f := lock.Finding{At: c.Position, Level: lock.Warning}
	switch c.Kind {
	case lock.LossUnwatched:
		f.Message = fmt.Sprintf("the work goes on when %s is lost, next to the next holder's: %s; cancel the context of the work when the lease ends", about, c.Text)
	case lock.RenewUnheard:
		f.Message = fmt.Sprintf("the work goes on when %s is lost, next to the next holder's: %s renews it, and %s; cancel the context of the work when renewal fails", about, check.Short(c.Call), c.Text)
	case lock.RenewAgain:
		f.Message = fmt.Sprintf("the lease runs out under a holder that believes it is renewed: %s takes %s again, which a live lock refuses and a lost one lets happen without a word; extend the lease while its owner is the same, and stop the work when that fails", check.Short(c.Call), about)
	case lock.RenewForever:
		f.Message = fmt.Sprintf("the lock outlives the work that it was taken for: nothing ends the loop in which %s renews %s; end it with the work, by a context or channel", check.Short(c.Call), about)
	case lock.RenewOnce:
		f.Message = fmt.Sprintf("the lease runs out under a holder that believes it is renewed: %s renews %s after the first tick and never again; renew in a loop until the work is done", check.Short(c.Call), about)
	case lock.RenewUnowned:
		f.Message = fmt.Sprintf("two holders, each sure of the lock: %s extends %s whoever holds it by now; compare the owner and extend in one script or statement", check.Short(c.Call), about)
	case lock.RenewBound:
		f.Message = fmt.Sprintf("the lease runs out under its holder: %s renews %s only as long as the context of the acquire lives (%s); give the renewal a context that ends with the release", check.Short(c.Call), about, c.Text)
	case lock.SessionBound:
		f.Message = fmt.Sprintf("the lock runs out under its holder: %s makes a session that is renewed only as long as its context lives (%s), and %s with it; give the session a context that ends with the release, and bound only the wait for the lock", check.Short(c.Call), c.Text, about)
	case lock.RenewSeldom:
		if c.Share <= 0.5 {
			f.Level = lock.Note
		}
		f.Message = fmt.Sprintf("a delay lets the lease of a healthy holder run out: %s is renewed every %s, %s of its time to live; renew at a third of it, so that one failure can be made good", about, c.Text, part(c.Share))
	default:
		return f, false
	}
	return f, true
}

func part(share float64) string {
	switch {
	case share > 1:
		return fmt.Sprintf("%.3g times the whole", share)
	case share == 1:
		return "the whole"
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}
