package wallclock

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/fencevet/fencevet/analyzers/internal/check"
	"github.com/fencevet/fencevet/passes/lock"
)

//go:embed doc.go
var doc string

// Check reports decisions about a lease that depend on the time of day.
var Check = &check.Check{
	Name:    "wallclock",
	Doc:     check.Manual(doc, "wallclock"),
	Default: true,
	Run:     run,
	Loose:   loose,
}

// Analyzer is Check for go/analysis drivers.
var Analyzer *analysis.Analyzer = Check.Analyzer()

func run(u *lock.Use, report func(lock.Finding)) {
	for i := range u.Clocks {
		c := &u.Clocks[i]
		does := does[c.Kind]
		if does == "" && c.Kind != "wall" {
			continue
		}
		f := finding(c, check.Lock(u))
		if does != "" {
			f.Message = fmt.Sprintf("the lease is taken over too early or too late where the clocks of two hosts differ: %s %s %s, and %s; let the statement read the database's clock (now()) for both", check.Short(c.Call), does, check.Lock(u), c.Text)
		}
		if c.Position != u.Acquire.Position {
			f.Related = []lock.Frame{check.Frame(u.Acquire.Position, "%s acquired here", check.Lock(u))}
		}
		report(f)
	}
}

// does says what a statement that is sent the time of this host does to the lock.
var does = map[string]string{"sent": "takes", "swept": "makes room for"}

func loose(r *lock.Remark, report func(lock.Finding)) {
	if r.Kind == "wall" {
		report(finding(&r.Call, "a lease"))
	}
}

func finding(c *lock.Call, about string) lock.Finding {
	detail := ""
	if c.Text != "" {
		detail = ": " + c.Text
	}
	return lock.Finding{
		At:    c.Position,
		Fix:   c.Fix,
		Level: lock.Warning,
		Message: fmt.Sprintf("the lease ends early or late when a clock is set: this decides about %s by the time of day%s; keep the time.Time of the acquire unchanged and ask time.Since, or let the lock service decide",
			about, detail),
	}
}
